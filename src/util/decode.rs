//! Text of other programs: UTF-8, or CP932, which GUIs and engines on Japanese Windows write.

use std::borrow::Cow;

use encoding_rs::SHIFT_JIS;

/// Decodes a line. Bytes that are valid in neither encoding become replacement characters.
pub(crate) fn decode_line(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => SHIFT_JIS
            .decode_without_bom_handling_and_without_replacement(bytes)
            .unwrap_or_else(|| String::from_utf8_lossy(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_is_preferred_and_rubbish_is_replaced() {
        assert_eq!(decode_line("将棋".as_bytes()), "将棋");
        // The second byte of the last letter is a backslash.
        assert_eq!(
            decode_line(b"\x8f\xab\x8a\xfb\x83\x5c nn.bin"),
            "将棋ソ nn.bin"
        );
        assert_eq!(decode_line(b"usi \xff\xfe"), "usi \u{fffd}\u{fffd}");
    }
}
