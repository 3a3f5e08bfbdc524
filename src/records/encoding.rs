//! Decoding of game records: UTF-8 today, CP932 and EUC-JP in older files.

use std::borrow::Cow;

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS, UTF_8};

/// Decodes a text file. An encoding named in the first line is tried first (`'CSA encoding=…` of
/// CSA 3, `'encoding=…` of other programs), then UTF-8, CP932 and EUC-JP. If none fits without
/// errors, invalid bytes become replacement characters.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some(encoding) = named(bytes) {
        let (text, _, has_errors) = encoding.decode(bytes);
        if !has_errors {
            return text;
        }
    }
    for encoding in [UTF_8, SHIFT_JIS, EUC_JP] {
        let (text, _, has_errors) = encoding.decode(bytes);
        // EUC-JP is often valid CP932 too, as pairs of half-width katakana, which real text lacks.
        let is_other = encoding == SHIFT_JIS && looks_like_euc_jp(bytes);
        if !has_errors && !is_other {
            return text;
        }
    }
    let (text, _, _) = SHIFT_JIS.decode(bytes);
    text
}

/// Encodes a text in CP932; `None` if that lacks one of its letters.
pub fn encode_shift_jis(text: &str) -> Option<Vec<u8>> {
    // Unicode has two letters where CP932 has one, and Windows takes the other of the two.
    let text: String = text
        .chars()
        .map(|letter| match letter {
            '〜' => '～',
            '−' => '－',
            '‖' => '∥',
            '—' => '―',
            '¢' => '￠',
            '£' => '￡',
            '¬' => '￢',
            _ => letter,
        })
        .collect();
    let (bytes, _, has_errors) = SHIFT_JIS.encode(&text);
    (!has_errors).then(|| bytes.into_owned())
}

/// The encoding that the first line names, if any.
fn named(bytes: &[u8]) -> Option<&'static Encoding> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let (_, name) = line.split_once("encoding=")?;
    Encoding::for_label(name.trim().as_bytes())
}

/// Whether the bytes are valid EUC-JP that, read as CP932, has more than one half-width katakana
/// for every two letters.
fn looks_like_euc_jp(bytes: &[u8]) -> bool {
    let (text, _, has_errors) = EUC_JP.decode(bytes);
    let (other, _, _) = SHIFT_JIS.decode(bytes);
    let is_half_width = |letter: &char| ('\u{ff61}'..='\u{ff9f}').contains(letter);
    !has_errors
        && 2 * other.chars().filter(is_half_width).count()
            > text.chars().filter(|letter| !letter.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp932_has_the_letters_of_its_vendors() {
        let text = "①Ⅳ㈱﨑髙彅纊〜ｱ龍";
        let bytes = encode_shift_jis(text).expect("letters of CP932");
        assert_eq!(decode(&bytes), text.replace('〜', "～"));
        assert_eq!(encode_shift_jis("☗"), None);
        assert_eq!(encode_shift_jis("😀"), None);
    }

    #[test]
    fn every_encoding_is_recognised() {
        let text = "N+羽生善治\nN-佐藤康光\n'棋戦 王将戦 です";
        for encoding in [UTF_8, SHIFT_JIS, EUC_JP] {
            let (bytes, ..) = encoding.encode(text);
            assert_eq!(decode(&bytes), text, "{}", encoding.name());
        }
        let named = format!("'encoding=EUC-JP\n{text}");
        assert_eq!(decode(&EUC_JP.encode(&named).0), named);
        assert_eq!(decode("\u{feff}V2.2".as_bytes()), "V2.2");
        assert_eq!(decode(&[0xff, b'+']), "\u{fffd}+");
    }
}
