//! Lines out of the bytes of a connection.
//!
//! Lines may come in pieces or several at once, end with LF or CR LF, and hold any byte.

/// Longest line in bytes; the rest of a longer one is dropped.
const LONGEST_LINE: usize = 8 * 1024;

/// Collects bytes until a line is complete.
#[derive(Default, Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
}

impl LineBuffer {
    /// Takes received bytes and calls `on_line` for each line that they complete. A line has no
    /// line end and no control characters, and at most 8 KB; invalid UTF-8 is replaced.
    pub fn feed(&mut self, received: &[u8], mut on_line: impl FnMut(String)) {
        for &byte in received {
            if byte == b'\n' {
                on_line(text(&self.bytes));
                self.bytes.clear();
            } else if self.bytes.len() < LONGEST_LINE {
                self.bytes.push(byte);
            }
        }
    }

    /// The end of the connection: calls `on_line` for a last line without a line end.
    pub fn finish(self, on_line: impl FnOnce(String)) {
        if !self.bytes.is_empty() {
            on_line(text(&self.bytes));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.retain(|letter| !letter.is_control());
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<String> {
        let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
        for piece in pieces {
            buffer.feed(piece, |line| lines.push(line));
        }
        lines
    }

    #[test]
    fn pieces_are_joined_and_packets_split() {
        assert_eq!(
            lines(&[b"+77", b"76FU,T1\r", b"\n\n-3334FU\n%TO"]),
            ["+7776FU,T1", "", "-3334FU"]
        );
    }

    #[test]
    fn the_last_line_needs_no_end() {
        let rest = |bytes: &[u8]| {
            let (mut buffer, mut last) = (LineBuffer::default(), None);
            buffer.feed(bytes, |_| {});
            buffer.finish(|line| last = Some(line));
            last
        };
        assert_eq!(rest(b"#TIME_UP\n#LOSE").as_deref(), Some("#LOSE"));
        assert_eq!(rest(b"#LOSE\n"), None);
    }

    #[test]
    fn any_byte_is_taken_and_long_lines_are_cut() {
        assert_eq!(lines(&[b"\x00\x01a\xff\n"]), ["a\u{fffd}"]);
        let long = ["X".repeat(100_000).as_bytes(), b"\n#WIN\n"].concat();
        let lines = lines(&[&long]);
        assert_eq!((lines[0].len(), lines[1].as_str()), (LONGEST_LINE, "#WIN"));
    }
}
