//! Columns of terminals, where kanji and full-width letters take two.

use unicode_width::UnicodeWidthStr;

/// The columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width_cjk()
}

/// The text with spaces behind it, up to so many columns.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it, up to so many columns.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kanji_take_two_columns() {
        assert_eq!(width("▲７六歩"), 8);
        assert_eq!(left("評価値", 8), "評価値  ");
        assert_eq!(right("手", 4), "  手");
        assert_eq!(right("long", 2), "long");
    }
}
