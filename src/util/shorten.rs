//! Foreign text in error messages.

/// Characters that a message repeats.
const SHOWN: usize = 40;

/// The beginning of `text`, so that a message stays a readable line whatever it quotes.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
