//! The formats, their file names and what they have no room for.

use std::fmt;
use std::path::Path;

use crate::records::game::{Ending, GameRecord};
use crate::records::kif::Style;
use crate::records::{csa, jkf, kif};

/// A format of games as text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextFormat {
    /// CSA 2.2; a file may hold several games.
    Csa,
    /// KIF, with times.
    Kif,
    /// KI2, moves as books print them.
    Ki2,
    /// JKF, JSON.
    Jkf,
    /// A line of USI for each game: `startpos moves 7g7f …`.
    Usi,
}

/// How the letters of a file are stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextEncoding {
    /// UTF-8 without a byte order mark.
    Utf8,
    /// CP932, the Shift JIS of Windows.
    ShiftJis,
}

/// The names of formats and of files, with the encoding that each stands for.
const NAMES: &[(&str, TextFormat, TextEncoding)] = &[
    ("csa", TextFormat::Csa, TextEncoding::Utf8),
    ("kif", TextFormat::Kif, TextEncoding::ShiftJis),
    ("kifu", TextFormat::Kif, TextEncoding::Utf8),
    ("ki2", TextFormat::Ki2, TextEncoding::ShiftJis),
    ("ki2u", TextFormat::Ki2, TextEncoding::Utf8),
    ("jkf", TextFormat::Jkf, TextEncoding::Utf8),
    ("usi", TextFormat::Usi, TextEncoding::Utf8),
];

impl TextFormat {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Csa, Self::Kif, Self::Ki2, Self::Jkf, Self::Usi];

    /// The format and the encoding of a name such as `kifu`, which is a file name extension too.
    pub fn of_name(name: &str) -> Option<(Self, TextEncoding)> {
        let row = NAMES
            .iter()
            .find(|(known, ..)| known.eq_ignore_ascii_case(name));
        row.map(|&(_, format, encoding)| (format, encoding))
    }

    /// The format and the encoding that the extension of a file name stands for.
    pub fn of_path(path: &Path) -> Option<(Self, TextEncoding)> {
        Self::of_name(&path.extension()?.to_string_lossy())
    }

    /// The format that a text looks like; KIF if it looks like none, because that has the fewest
    /// rules.
    pub fn of_content(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('{') {
            return Self::Jkf;
        }
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
            if starts(&["▲", "△", "▼", "▽", "☗", "☖"]) {
                return Self::Ki2;
            }
            if starts(&["startpos", "sfen ", "position "]) {
                return Self::Usi;
            }
            let is_side = ["+", "-"].contains(&line);
            if is_side
                || starts(&[
                    "'", "V1", "V2", "V3", "N+", "N-", "$", "PI", "P1", "P+", "P-",
                ])
            {
                return Self::Csa;
            }
        }
        Self::Kif
    }

    /// The name, which is a file name extension too.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csa => "csa",
            Self::Kif => "kif",
            Self::Ki2 => "ki2",
            Self::Jkf => "jkf",
            Self::Usi => "usi",
        }
    }

    /// Whether a file may hold several games.
    pub const fn holds_many(self) -> bool {
        matches!(self, Self::Csa | Self::Usi)
    }

    /// What of a record the format has no room for, in words such as `ratings`.
    pub fn losses(self, record: &GameRecord) -> Vec<String> {
        match self {
            Self::Csa => csa::losses(record),
            Self::Kif => kif::losses(record, Style::Kif),
            Self::Ki2 => kif::losses(record, Style::Ki2),
            Self::Jkf => jkf::losses(record),
            Self::Usi if is_a_line(record) => Vec::new(),
            Self::Usi => vec!["anything but the start and the moves".to_owned()],
        }
    }
}

/// Whether the start and the moves say all that a record does. The ending may follow from them.
fn is_a_line(record: &GameRecord) -> bool {
    let position = record.line().position();
    let endings = [Ending::Unfinished, csa::ending_by_the_rules(&position)];
    record.is_a_line() && endings.contains(&record.ending)
}

impl fmt::Display for TextFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
