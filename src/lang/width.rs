//! Columns of terminals, where kanji and full-width letters take two.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width_cjk()
}

/// The text without the control characters that a terminal would obey.
pub fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The text with spaces behind it, up to a width in columns.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it, up to a width in columns.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The longest start of the text that fits into a width in columns.
pub fn cut(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (index, letter) in text.char_indices() {
        taken += letter.width_cjk().unwrap_or(0);
        if taken > columns {
            return &text[..index];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_commands_the_terminal() {
        let name = "\u{1b}[31mRED\u{1b}]0;title\u{7}\t\u{9b}2J\n";
        let shown = printable(name);
        assert_eq!(shown, " [31mRED ]0;title   2J ");
        assert_eq!(width(&shown), shown.len());
    }

    #[test]
    fn kanji_take_two_columns() {
        assert_eq!(width("▲７六歩"), 8);
        assert_eq!(left("評価値", 8), "評価値  ");
        assert_eq!(right("手", 4), "  手");
        assert_eq!(right("long", 2), "long");
        assert_eq!([cut("評価値", 5), cut("評価値", 6)], ["評価", "評価値"]);
    }
}
