//! Numbers in digits of either width: `12`, `１２`.

const WIDE: [char; 10] = ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'];

fn digit(letter: char) -> Option<usize> {
    let narrow = letter.to_digit(10).map(|digit| digit as usize);
    narrow.or_else(|| WIDE.iter().position(|&wide| wide == letter))
}

pub(super) fn is_digit(letter: char) -> bool {
    digit(letter).is_some()
}

/// The number that all digits of a text make; `None` without digits, and if it is too large.
pub(super) fn number_of(text: &str) -> Option<usize> {
    let mut digits = text.chars().filter_map(digit).peekable();
    digits.peek()?;
    digits.try_fold(0_usize, |number, digit| {
        number.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_two_widths() {
        for (text, number) in [
            ("：12手", Some(12)),
            ("１２", Some(12)),
            ("１0", Some(10)),
            ("手", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(number_of(text), number, "{text}");
        }
    }
}
