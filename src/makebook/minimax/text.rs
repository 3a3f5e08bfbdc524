//! Writes moves and numbers faster than the standard library, for books of millions of lines.

use crate::types::Move16;

/// Writes a move in USI notation.
pub(super) fn write_move(out: &mut Vec<u8>, mv: Move16) {
    if let Some(kind) = mv.dropped_kind() {
        out.extend([kind.letter() as u8, b'*']);
    } else if let Some(from) = mv.from() {
        out.extend([from.file().to_char() as u8, from.rank().to_char() as u8]);
    }
    if let Some(to) = mv.to() {
        out.extend([to.file().to_char() as u8, to.rank().to_char() as u8]);
    }
    if mv.is_promotion() {
        out.push(b'+');
    }
}

/// Writes a number in decimal digits.
pub(super) fn write_number(out: &mut Vec<u8>, number: i32) {
    const DIGITS: usize = 10;
    if number < 0 {
        out.push(b'-');
    }
    let mut digits = [0; DIGITS];
    let mut start = DIGITS;
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(&digits[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_standard_library() {
        for text in ["7g7f", "8h2b+", "P*5e", "9i1a"] {
            let mut out = Vec::new();
            write_move(&mut out, text.parse().expect("a move"));
            assert_eq!(out, text.as_bytes());
        }
        for number in [0, -5, 9999, i32::MAX, i32::MIN] {
            let mut out = Vec::new();
            write_number(&mut out, number);
            assert_eq!(String::from_utf8(out), Ok(number.to_string()));
        }
    }
}
