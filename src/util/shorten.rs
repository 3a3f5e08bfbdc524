//! Quotes of foreign text in error messages.

/// Characters that [`shorten`] keeps.
const SHOWN: usize = 40;

/// Characters of the longest message that [`abbreviate`] leaves as it is.
const MAX_MESSAGE: usize = 1000;

/// The beginning of `text` with spaces for control characters, so that a message stays a readable
/// line whatever it quotes, and commands no terminal.
pub(crate) fn shorten(text: &str) -> String {
    let shown = text.chars().take(SHOWN);
    let mut shown: String = shown
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

/// A message without the middle of a very long text that it quotes: its end says what is wrong.
pub(crate) fn abbreviate(message: String) -> String {
    let cuts = (
        message.char_indices().nth(MAX_MESSAGE / 2),
        message.char_indices().nth_back(MAX_MESSAGE / 2),
    );
    match cuts {
        (Some((end, _)), Some((start, _))) if message.chars().count() > MAX_MESSAGE => {
            format!("{} ... {}", &message[..end], &message[start..])
        }
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_short_and_command_no_terminal() {
        assert_eq!(shorten("7g7f\u{1b}[2J\r\n"), "7g7f [2J  ");
        let long = "\u{96f7}".repeat(SHOWN);
        assert_eq!(shorten(&long), long);
        assert_eq!(shorten(&(long.clone() + "x")), long + "...");
    }

    #[test]
    fn long_messages_keep_both_ends() {
        let short = "x".repeat(MAX_MESSAGE);
        assert_eq!(abbreviate(short.clone()), short);
        let long = format!(
            "error: \u{96f7}{}: not a move",
            "\u{9ce5}".repeat(3_000_000)
        );
        let cut = abbreviate(long);
        assert!(
            cut.starts_with("error: \u{96f7}\u{9ce5}") && cut.ends_with("\u{9ce5}: not a move")
        );
        assert!(cut.chars().count() < MAX_MESSAGE + 10);
    }
}
