//! The lines of a `.db` file: where they end, what they are, and the fields of a move.

use crate::book::entry::BookMove;
use crate::book::fault::Problem;
use crate::position::Board;
use crate::records::packed::PackedSfen;
use crate::types::Move16;
use crate::util::shorten;

/// How the line of a position begins.
pub(super) const POSITION: &[u8] = b"sfen ";
/// A mark of UTF-8 that some editors write before the first line.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";
/// Characters of a move without promotion.
const MOVE_LENGTH: usize = 4;

/// A line without its end and trailing blanks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Line<'a> {
    /// Blank, or a comment.
    Nothing,
    /// A position: the text after `sfen `.
    Position(&'a [u8]),
    /// Anything else: a move.
    Move(&'a [u8]),
}

impl<'a> Line<'a> {
    pub(crate) fn of(line: &'a [u8]) -> Self {
        let line = line.trim_ascii_end();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"//") {
            Self::Nothing
        } else if let Some(text) = line.strip_prefix(POSITION) {
            Self::Position(text)
        } else {
            Self::Move(line)
        }
    }
}

/// Splits a text after its first line: the line without its end, and the rest.
pub(crate) fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let is_end = |&byte: &u8| byte == b'\n' || byte == b'\r';
    let Some(end) = text.iter().position(is_end) else {
        return (text, &[]);
    };
    let length = if text[end..].starts_with(b"\r\n") {
        2
    } else {
        1
    };
    (&text[..end], &text[end + length..])
}

/// Reads a position: without its ply, and the ply, 0 where it is missing.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn parse_position(text: &[u8]) -> Result<(PackedSfen, u32), Problem> {
    let (board, ply) = Board::from_sfen(&String::from_utf8_lossy(text))?;
    board.validate()?;
    Ok((PackedSfen::of_board(&board), ply.unwrap_or(0)))
}

/// Reads a move. Missing numbers are value 0, depth 0 and count 1.
///
/// # Errors
/// The first field is no move.
pub(crate) fn parse_move(line: &[u8]) -> Result<BookMove, Problem> {
    let mut fields = line
        .split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty());
    let mut next = || fields.next();
    let Some(mv) = next().filter(|_| !line.starts_with(b" ")).and_then(move_of) else {
        let is_indented = line.trim_ascii_start().starts_with(POSITION);
        return Err(if is_indented {
            Problem::LeadingBlank
        } else {
            Problem::NotAMove(shorten(&String::from_utf8_lossy(line)))
        });
    };
    let ponder = next().and_then(move_of);
    let mut number = |missing| next().map_or(missing, integer);
    Ok(BookMove {
        mv,
        ponder,
        value: clamped(number(0)),
        depth: clamped(number(0)),
        count: number(1).max(0) as u64,
    })
}

/// A move in USI notation. Only `+` counts after the fourth letter.
fn move_of(field: &[u8]) -> Option<Move16> {
    let text = std::str::from_utf8(field).ok()?;
    let is_promotion = field.get(MOVE_LENGTH) == Some(&b'+');
    let length = MOVE_LENGTH + usize::from(is_promotion);
    text.get(..length)?.parse().ok()
}

/// The integer with which a field begins, 0 without one. A longer one is clamped to 64 bits.
fn integer(field: &[u8]) -> i64 {
    let (sign, digits) = match field {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let append = |number: i64, &byte: &u8| {
        let digit = i64::from(byte - b'0');
        number.saturating_mul(10).saturating_add(sign * digit)
    };
    digits.fold(0, append)
}

fn clamped(number: i64) -> i32 {
    number.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        match parse_move(line.as_bytes()) {
            Err(problem) => problem.to_string(),
            Ok(known) => {
                let ponder = known.ponder.map_or("-".to_owned(), |mv| mv.to_string());
                let BookMove {
                    mv,
                    value,
                    depth,
                    count,
                    ..
                } = known;
                format!("{mv} {ponder} {value} {depth} {count}")
            }
        }
    }

    #[test]
    fn fields_may_be_missing_or_odd() {
        assert_eq!(read("7g7f 3c3d 20 32 1"), "7g7f 3c3d 20 32 1");
        assert_eq!(read("8h2b+\tnone  -5"), "8h2b+ - -5 0 1");
        assert_eq!(read("7g7f"), "7g7f - 0 0 1");
        assert_eq!(read("7g7f none none none"), "7g7f - 0 0 1");
        assert_eq!(read("7g7f* 3c3d+x +5 7a x"), "7g7f 3c3d+ 5 7 0");
        assert_eq!(
            read("P*5e none 99999999999 -99999999999 99999999999999999999"),
            format!("P*5e - {} {} {}", i32::MAX, i32::MIN, i64::MAX)
        );
        assert_eq!(read("7g7f none 0 0 -3 more"), "7g7f - 0 0 0");
    }

    #[test]
    fn what_is_no_move_is_named() {
        assert_eq!(
            read("none 3c3d 0"),
            "\"none 3c3d 0\" is no move, it is skipped"
        );
        assert!(read("0a1b").contains("no move"));
        assert!(read("7g\u{ff17}f").contains("no move"));
        assert!(read(" sfen 9/9").contains("must begin with"));
    }

    #[test]
    fn lines_end_in_three_ways() {
        let mut rest: &[u8] = b"a\nb\r\n\rc";
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let (line, after) = split_line(rest);
            lines.push(line);
            rest = after;
        }
        assert_eq!(lines, [&b"a"[..], b"b", b"", b"c"]);
    }
}
