//! The part of a long work that one of several machines does.

/// The index, from 0, and the number of all parts, from a text such as `3/16`; `whole` is what is divided.
///
/// Counting from 0 or from 1: batch systems do both, and either way each part is done once.
///
/// # Errors
/// The text is no such part.
pub(super) fn parse(text: &str, whole: &str) -> Result<(u64, u64), String> {
    let expected = || format!("'{text}' is no part of a {whole}, expected I/N such as 3/16");
    let (index, count) = text.split_once('/').ok_or_else(expected)?;
    let [index, count]: [Result<u64, _>; 2] = [index.trim().parse(), count.trim().parse()];
    match (index, count) {
        (Ok(index), Ok(count)) if count > 0 && index <= count => Ok((index % count, count)),
        _ => Err(expected()),
    }
}
