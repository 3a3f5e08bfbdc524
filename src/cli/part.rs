//! Parts of a whole as arguments: the part of a long work that one of several machines does, and shares.

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

/// A number from 0 to 1.
///
/// # Errors
/// The text is none.
pub(super) fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "'{text}' is no share, expected a number from 0 to 1"
        )),
    }
}
