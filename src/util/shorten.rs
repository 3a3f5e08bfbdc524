//! Quotes of foreign text in error messages.

/// Most characters that a message quotes.
const SHOWN: usize = 40;

/// The first 40 characters of `text`, with `...` where it is longer.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
