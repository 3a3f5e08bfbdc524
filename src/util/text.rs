//! Text: numbers of things in English, quotes of foreign text, and its decoding.

use std::{borrow::Cow, fmt::Display};

use encoding_rs::SHIFT_JIS;

/// A number with its noun: `1 game`, `2 games`, `0 entries`.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) {
        return format!("1 {noun}");
    }
    let stem = noun.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{number} {stem}ies"),
        None if noun.ends_with("ss") || noun.ends_with('x') => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}

/// Characters that [`shorten`] keeps.
const SHOWN: usize = 40;

/// Characters of the longest message that [`abbreviate`] leaves as it is.
const MAX_MESSAGE: usize = 1000;

/// The beginning of foreign text, for quotes in messages, with spaces for control characters, so
/// that a message stays a readable line whatever it quotes, and commands no terminal.
pub(crate) fn shorten(text: &str) -> String {
    let shown = text.chars().take(SHOWN);
    let mut shown: String = shown
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
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

/// Decodes a line of another program: UTF-8, or CP932, which GUIs and engines on Japanese Windows
/// write. Bytes that are valid in neither encoding become replacement characters.
pub(crate) fn decode_line(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => SHIFT_JIS
            .decode_without_bom_handling_and_without_replacement(bytes)
            .unwrap_or_else(|| String::from_utf8_lossy(bytes)),
    }
}

/// Parses a whole number from 1. The error says what was expected.
pub(crate) fn parse_positive<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = text.trim().parse().ok().filter(|&number| number > 0);
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| {
            let most = u64::MAX >> (u64::BITS as usize - 8 * size_of::<T>());
            format!("expected a whole number from 1 to {most}")
        })
}

/// Parses a number from 0 to 1.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "'{text}' is no share, expected a number from 0 to 1"
        )),
    }
}

/// A name as a part of a file name: characters that some file system does not allow are replaced.
pub(crate) fn file_name_of(name: &str) -> String {
    let plain = |character: char| {
        if character.is_alphanumeric() || "._+".contains(character) {
            character
        } else {
            '_'
        }
    };
    name.chars().take(40).map(plain).collect()
}

/// The name, or where it is taken the first of `name-2`, `name-3`, … that is not.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while is_taken(&free) {
        free = format!("{name}-{number}");
        number += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        for (number, noun, expected) in [
            (1, "game", "1 game"),
            (0, "game", "0 games"),
            (2, "ply", "2 plies"),
            (2, "day", "2 days"),
            (3, "loss", "3 losses"),
            (2, "depth", "2 depths"),
            (1, "entry", "1 entry"),
        ] {
            assert_eq!(counted::<u64>(number, noun), expected);
        }
    }

    #[test]
    fn utf_8_is_preferred_and_rubbish_is_replaced() {
        assert_eq!(decode_line("将棋".as_bytes()), "将棋");
        // The second byte of the last character is a backslash.
        assert_eq!(
            decode_line(b"\x8f\xab\x8a\xfb\x83\x5c nn.bin"),
            "将棋ソ nn.bin"
        );
        assert_eq!(decode_line(b"usi \xff\xfe"), "usi \u{fffd}\u{fffd}");
    }

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
