//! The settings of opening books.

use std::fmt;
use std::path::PathBuf;

use crate::book::BookOptions;

/// The settings of opening books.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookSettings {
    /// Whether books are used (`USI_OwnBook`).
    pub is_on: bool,
    /// The books (`BookFile`).
    pub file: BookFile,
    /// Folder of the books, beside the executable or in the working folder (`BookDir`).
    pub dir: PathBuf,
    /// How a move is chosen.
    pub options: BookOptions,
}

impl Default for BookSettings {
    fn default() -> Self {
        Self {
            is_on: true,
            file: BookFile::Embedded,
            dir: PathBuf::from("book"),
            options: BookOptions::default(),
        }
    }
}

/// The books to use, as `BookFile` names them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum BookFile {
    /// The book inside the executable.
    #[default]
    Embedded,
    /// None.
    None,
    /// Files, the most important first; `<embedded>` among them is the book inside the executable.
    Files(Vec<String>),
}

impl BookFile {
    /// The name of the book inside the executable.
    pub(super) const EMBEDDED: &str = "<embedded>";
    const NONE: &str = "no_book";
    /// Stands between two files.
    const SEPARATOR: char = ';';
}

impl From<&str> for BookFile {
    /// `<embedded>` and no name mean the book inside the executable, `no_book` none; any other text
    /// is a list of files with `;` between them, which may have `<embedded>` among them.
    fn from(text: &str) -> Self {
        let names = text.split(Self::SEPARATOR).map(str::trim);
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        match names[..] {
            [] | ["<empty>" | Self::EMBEDDED] => Self::Embedded,
            [Self::NONE] => Self::None,
            _ => Self::Files(names.into_iter().map(str::to_owned).collect()),
        }
    }
}

impl fmt::Display for BookFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str(Self::EMBEDDED),
            Self::None => f.write_str(Self::NONE),
            Self::Files(names) => f.write_str(&names.join(";")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_from_words() {
        for text in ["", "<empty>", "<embedded>", ";", " ; "] {
            assert_eq!(BookFile::from(text), BookFile::Embedded, "{text}");
        }
        assert_eq!(BookFile::from("no_book"), BookFile::None);
        let files = BookFile::from(" a.db;; <embedded>");
        assert_eq!(files.to_string(), "a.db;<embedded>");
    }
}
