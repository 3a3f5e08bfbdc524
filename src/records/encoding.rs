//! Decoding of game records: UTF-8 today, CP932, EUC-JP and others in older files.

use std::borrow::Cow;
use std::io::{self, Read};

use encoding_rs::{Decoder, EUC_JP, Encoding, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE};

/// The bytes of a file by which its encoding is told, and how many are read at a time.
const BLOCK: usize = 1 << 20;

/// Longest line in bytes: whole games of other programs' formats are one line.
const LONGEST_LINE: usize = 64 << 20;

/// Begins a change of the character set in ISO-2022-JP.
const ESCAPE: u8 = 0x1b;
/// Without a byte order mark, at least one character in this number must be ASCII for UTF-16:
/// records have numbers, spaces and line ends.
const LEAST_ASCII: usize = 10;

/// Decodes a text file, with `\n` as its line ends where it has only `\r`. UTF-16 is recognised by
/// its byte order mark or by the zero bytes of its ASCII characters, UTF-8 by its Japanese ones,
/// ISO-2022-JP by its escapes. An encoding named in the first line (`'CSA encoding=…` of CSA 3,
/// `'encoding=…` of other programs) goes before CP932 and EUC-JP. Programs cut names within a
/// character: what is not valid becomes replacement characters, provided that most are valid.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let (text, ..) = encoding_of(bytes).decode(bytes);
    if has_old_ends(&text) { Cow::Owned(text.replace('\r', "\n")) } else { text }
}

/// Whether `\r` alone ends the lines.
fn has_old_ends(text: &str) -> bool {
    !text.contains('\n') && text.contains('\r')
}

fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    let is_without_errors = |encoding: &'static Encoding| !encoding.decode(bytes).2;
    if let Some(wide) = utf_16(bytes).filter(|&wide| is_without_errors(wide)) {
        return wide;
    }
    let is_mostly = |encoding: &'static Encoding| is_mostly_valid(&encoding.decode(bytes).0);
    // Whatever the first line names: programs convert files and leave it as it was.
    if is_mostly(UTF_8) {
        return UTF_8;
    }
    let named = named(bytes);
    if let Some(named) = named.filter(|&named| is_without_errors(named)) {
        return named;
    }
    if let Some(named) = named.filter(|&named| named != SHIFT_JIS && is_mostly(named)) {
        return named;
    }
    // Before UTF-8, of which it is a part.
    let escaped = bytes.contains(&ESCAPE).then_some(ISO_2022_JP);
    let mut others = escaped.into_iter().chain([UTF_8, SHIFT_JIS, EUC_JP]);
    // EUC-JP is often valid CP932 too, as pairs of half-width katakana, which real text lacks.
    let is_other = |encoding| encoding == SHIFT_JIS && looks_like_euc_jp(bytes);
    let found = others.find(|&encoding| is_without_errors(encoding) && !is_other(encoding));
    found.unwrap_or(SHIFT_JIS)
}

/// Whether a text has more Japanese characters than ones that are not valid.
fn is_mostly_valid(text: &str) -> bool {
    let invalid = text.matches(char::REPLACEMENT_CHARACTER).count();
    // CP932 read as another encoding has pairs of bytes by chance, but hardly triples.
    let letters = text.chars().filter(|&letter| {
        letter.len_utf8() > 2 && letter != char::REPLACEMENT_CHARACTER && !is_half_width(letter)
    });
    letters.take(invalid + 1).count() > invalid
}

fn is_half_width(letter: char) -> bool {
    ('\u{ff61}'..='\u{ff9f}').contains(&letter)
}

/// Encodes a text in CP932; `None` if that lacks one of its characters, or if the bytes look like
/// another encoding.
pub fn encode_shift_jis(text: &str) -> Option<Vec<u8>> {
    // Unicode has two characters where CP932 has one, and Windows takes the other of the two.
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
            // The encoder takes the characters of ASCII at their places.
            '¥' => '￥',
            '‾' => '￣',
            _ => letter,
        })
        .collect();
    let (bytes, _, has_errors) = SHIFT_JIS.encode(&text);
    let is_good = !has_errors && encoding_of(&bytes).decode(&bytes).0 == SHIFT_JIS.decode(&bytes).0;
    is_good.then(|| bytes.into_owned())
}

/// UTF-16 without a byte order mark, which the decoder knows: one byte of its ASCII characters is
/// 0, and no other encoding has zeros.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() || !bytes.contains(&0) {
        return None;
    }
    let ascii = |of: fn(&[u8; 2]) -> bool| pairs.iter().filter(|pair| of(pair)).count();
    let little = ascii(|&[first, second]| second == 0 && first.is_ascii() && first != 0);
    let big = ascii(|&[first, second]| first == 0 && second.is_ascii() && second != 0);
    let (encoding, count) = if little > big { (UTF_16LE, little) } else { (UTF_16BE, big) };
    (LEAST_ASCII * count >= pairs.len()).then_some(encoding)
}

/// The encoding that the first line names, if any.
fn named(bytes: &[u8]) -> Option<&'static Encoding> {
    let line = bytes.split(|byte| b"\r\n".contains(byte)).next()?;
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let (_, name) = line.split_once("encoding=")?;
    // The line itself would be in UTF-16.
    Encoding::for_label(name.trim().as_bytes())
        .filter(|encoding| ![UTF_16BE, UTF_16LE].contains(encoding))
}

/// Whether the bytes are valid EUC-JP that, read as CP932, has more than one half-width katakana
/// for every two characters.
fn looks_like_euc_jp(bytes: &[u8]) -> bool {
    let (text, _, has_errors) = EUC_JP.decode(bytes);
    let (other, _, _) = SHIFT_JIS.decode(bytes);
    !has_errors
        && 2 * other.chars().filter(|&letter| is_half_width(letter)).count()
            > text.chars().filter(|letter| !letter.is_ascii()).count()
}

// --- Lines ---

/// The lines of a text, decoded as they are read. Its first megabyte tells the encoding.
pub struct Lines<R> {
    input: R,
    decoder: Decoder,
    is_at_end: bool,
    /// The text that is decoded.
    text: String,
    /// Where the last line begins in it, and the next one.
    last: usize,
    next: usize,
    /// `\r` where it alone ends the lines.
    end: u8,
    /// The number of the last line, from 1.
    number: usize,
    /// What went wrong with the input, after which there are no lines.
    fault: Option<io::Error>,
}

impl<'text> Lines<&'text [u8]> {
    /// The lines of a text that is decoded.
    pub fn of_text(text: &'text str) -> Self {
        let (input, decoder) = (text.as_bytes(), UTF_8.new_decoder_without_bom_handling());
        let mut lines = Self::with(input, decoder);
        lines.fill();
        lines
    }
}

impl<R: Read> Lines<R> {
    /// Begins to read.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn new(mut input: R) -> io::Result<Self> {
        let mut block = Vec::new();
        let length = input.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
        let last_end = block.iter().rposition(|&byte| byte == b'\n');
        // No character is cut in halves. UTF-16 alone has zeros.
        let known = match last_end {
            Some(last_end) if length == BLOCK && !block.contains(&0) => &block[..=last_end],
            _ => &block,
        };
        let decoder = encoding_of(known).new_decoder();
        let mut lines = Self::with(input, decoder);
        lines.is_at_end = length < BLOCK;
        lines.decode(&block);
        if has_old_ends(&lines.text) {
            lines.end = b'\r';
        }
        Ok(lines)
    }

    fn with(input: R, decoder: Decoder) -> Self {
        Self {
            input,
            decoder,
            is_at_end: false,
            text: String::new(),
            last: 0,
            next: 0,
            end: b'\n',
            number: 0,
            fault: None,
        }
    }

    /// The text that is decoded and not read yet: at first, that of the first megabyte.
    pub fn ahead(&self) -> &str {
        self.text[self.next..].trim_start_matches('\u{feff}')
    }

    /// The next line and its number.
    pub fn next_line(&mut self) -> Option<(usize, &str)> {
        self.last = self.next;
        let mut from = self.next;
        let found = loop {
            let rest = &self.text.as_bytes()[from..];
            if let Some(found) = rest.iter().position(|&byte| byte == self.end) {
                break Some(from + found);
            }
            from = self.text.len() - self.last;
            if !self.fill() {
                break None;
            }
        };
        let end = found.unwrap_or(self.text.len());
        self.next = found.map_or(end, |found| found + 1);
        if self.next == self.last {
            return None;
        }
        self.number += 1;
        // Files that are put together have byte order marks between them.
        let line = self.text[self.last..end].trim_start_matches('\u{feff}');
        Some((self.number, line.strip_suffix('\r').unwrap_or(line)))
    }

    /// Goes back before the last line.
    pub fn put_back(&mut self) {
        self.next = self.last;
        self.number -= 1;
    }

    /// Whether nothing but blanks is left.
    pub fn is_blank(&mut self) -> bool {
        while self.ahead().trim().is_empty() {
            if !self.fill() {
                return true;
            }
        }
        false
    }

    /// Number of the last line that was read, counted from 1.
    pub const fn count(&self) -> usize {
        self.number
    }

    /// All of the text that is left.
    pub fn rest(&mut self) -> String {
        while self.fill() {}
        self.text.split_off(self.next)
    }

    /// What went wrong with the input.
    pub fn take_fault(&mut self) -> Option<io::Error> {
        self.fault.take()
    }

    /// Decodes another block; `false` at the end of the input. What is before the last line goes.
    fn fill(&mut self) -> bool {
        if self.is_at_end {
            return false;
        }
        self.text.drain(..self.last);
        self.next -= self.last;
        self.last = 0;
        if self.text.len() > LONGEST_LINE {
            let fault = format!(
                "line {} has no end before {} MB, expected text",
                self.number + 1,
                LONGEST_LINE >> 20
            );
            self.is_at_end = true;
            self.text.clear();
            self.next = 0;
            self.fault = Some(io::Error::new(io::ErrorKind::InvalidData, fault));
            return false;
        }
        let mut block = Vec::new();
        let most = BLOCK as u64;
        match self.input.by_ref().take(most).read_to_end(&mut block) {
            Ok(length) => {
                self.is_at_end = length < BLOCK;
                self.decode(&block);
                true
            }
            Err(error) => {
                self.is_at_end = true;
                self.fault = Some(error);
                false
            }
        }
    }

    fn decode(&mut self, block: &[u8]) {
        let most = self.decoder.max_utf8_buffer_length(block.len());
        self.text.reserve(most.unwrap_or_default());
        let _ = self.decoder.decode_to_string(block, &mut self.text, self.is_at_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp932_has_the_letters_of_its_vendors() {
        let text = "①Ⅳ㈱﨑髙彅纊〜ｱ龍";
        let bytes = encode_shift_jis(text).expect("letters of CP932");
        assert_eq!(decode(&bytes), text.replace('〜', "～"));
        let money = encode_shift_jis("¥1‾").map(|bytes| decode(&bytes).into_owned());
        assert_eq!(money.as_deref(), Some("￥1￣"));
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
        let (bytes, ..) = ISO_2022_JP.encode(text);
        assert_eq!(decode(&bytes), text);
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            for mark in ["", "\u{feff}"] {
                let marked = format!("{mark}{text}");
                let bytes: Vec<u8> = marked.encode_utf16().flat_map(order).collect();
                assert_eq!(decode(&bytes), text, "{bytes:x?}");
            }
        }
    }

    #[test]
    fn a_letter_cut_in_half_does_not_change_the_encoding() {
        let text = "N+藤井聡太竜王\nN-羽生善治\n'*好手\n";
        for encoding in [UTF_8, SHIFT_JIS, EUC_JP] {
            let first = format!("'CSA encoding={}\n", encoding.name());
            let mut bytes = first.clone().into_bytes();
            let (letters, ..) = encoding.encode(text);
            let (name, ..) = encoding.encode("N+藤井聡太竜王");
            bytes.extend_from_slice(&letters[..name.len() - 1]);
            bytes.extend_from_slice(&letters[name.len()..]);
            let decoded = decode(&bytes);
            for whole in ["N+藤井聡太竜", "N-羽生善治", "'*好手"] {
                assert!(decoded.contains(whole), "{}: {decoded}", encoding.name());
            }
        }
        let mut bytes = text.as_bytes().to_vec();
        bytes.remove(4);
        assert_eq!(decode(&bytes), text.replacen('藤', "\u{fffd}", 1));
    }

    #[test]
    fn a_wrong_name_does_not_change_the_encoding() {
        let utf_8 = "'CSA encoding=SHIFT_JIS\nN+羽生善治\nN-藤井聡太\n";
        assert_eq!(decode(utf_8.as_bytes()), utf_8);
        let shift_jis = utf_8.replace("SHIFT_JIS", "UTF-8");
        assert_eq!(decode(&SHIFT_JIS.encode(&shift_jis).0), shift_jis);
        let ascii = "'CSA encoding=UTF-16\nN+one\n";
        assert_eq!(decode(ascii.as_bytes()), ascii);
    }

    #[test]
    fn zeros_and_escapes_alone_are_no_other_encoding() {
        assert_eq!(decode(&[0; 6]), "\0".repeat(6));
        assert_eq!(decode(b"a\0b"), "a\0b");
        assert_eq!(decode("\u{1b}[1m+羽生".as_bytes()), "\u{1b}[1m+羽生");
    }

    #[test]
    fn old_line_ends_become_new_ones() {
        let text = "手合割：平手\r手数----指手--\r   1 ７六歩(77)\r";
        assert_eq!(decode(text.as_bytes()), text.replace('\r', "\n"));
        assert_eq!(decode(b"V2.2\r\nPI\r\n"), "V2.2\r\nPI\r\n");
        let (named, ..) = EUC_JP.encode("'encoding=EUC-JP\rN+羽生善治\r");
        assert_eq!(decode(&named), "'encoding=EUC-JP\nN+羽生善治\n");
    }

    #[test]
    fn bytes_that_look_like_another_encoding_are_not_written() {
        let (text, ..) = SHIFT_JIS.decode("手合割：平手".as_bytes());
        assert_eq!(encode_shift_jis(&text), None, "{text}");
    }

    #[test]
    fn lines_are_decoded_as_they_are_read() {
        let row = "手合割：平手\r\n   1 ７六歩(77)\n\n";
        let text = row.repeat(3 * BLOCK / row.len()) + "投了";
        for encoding in [UTF_8, SHIFT_JIS, EUC_JP, ISO_2022_JP] {
            let (bytes, ..) = encoding.encode(&text);
            let mut lines = Lines::new(&*bytes).expect("bytes in memory");
            let mut expected = text.lines().zip(1..);
            while let Some((number, line)) = lines.next_line() {
                assert_eq!(expected.next(), Some((line, number)), "{}", encoding.name());
            }
            assert_eq!(expected.next(), None, "{}", encoding.name());
            assert!(lines.text.capacity() < 8 * BLOCK);
        }
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut lines = Lines::new(&*wide).expect("bytes in memory");
        assert_eq!(lines.next_line(), Some((1, "手合割：平手")));
        lines.put_back();
        assert_eq!(lines.rest(), text);
        let mut old = Lines::new(&b"a\r\rb"[..]).expect("bytes in memory");
        for (number, line) in [(1, "a"), (2, ""), (3, "b")] {
            assert_eq!(old.next_line(), Some((number, line)));
        }
        assert_eq!(old.next_line(), None);
    }
}
