//! Games as text, in every format that people keep them in: CSA, KIF, KI2, JKF and lines of USI.
//!
//! [`TextFormat::read`] takes the bytes of a file in any of their encodings and returns each game,
//! or what is wrong with it; [`TextFormat::write`] makes the bytes of a file.
//! [`TextFormat::losses`] tells what a format has no room for.

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::{fmt, iter::Peekable, path::Path};

use crate::records::encoding::{Lines, encode_shift_jis};
use crate::records::kif::{self, Style};
use crate::records::notation::japanese::MARKS;
use crate::records::{Closing, Ending, GameRecord, RecordError, RecordedMove, SfenLine, csa, jkf};

/// A format of games as text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextFormat {
    /// CSA 2.2; a file may hold several games.
    Csa,
    /// KIF, a row with a time for each move.
    Kif,
    /// KI2, moves as books print them.
    Ki2,
    /// JKF, which is JSON.
    Jkf,
    /// A line of USI for each game: `startpos moves 7g7f …`.
    Usi,
}

/// How the characters of a file are stored.
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
    /// Every format of games as text.
    pub const ALL: [Self; 5] = [Self::Csa, Self::Kif, Self::Ki2, Self::Jkf, Self::Usi];

    /// The format and the encoding of a name such as `kifu`, which is a file name extension too.
    pub fn of_name(name: &str) -> Option<(Self, TextEncoding)> {
        let row = NAMES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
        row.map(|&(_, format, encoding)| (format, encoding))
    }

    /// The names that [`Self::of_name`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, ..)| *name)
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
            if line.starts_with(MARKS) {
                return Self::Ki2;
            }
            if starts(&["startpos", "sfen ", "position "]) {
                return Self::Usi;
            }
            let is_side = ["+", "-"].contains(&line);
            if is_side || starts(&["'", "V1", "V2", "V3", "N+", "N-", "$", "PI", "P1", "P+", "P-"])
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
    let is_bare = |played: &RecordedMove| {
        let has_words = !played.comments.is_empty() || played.bookmark.is_some();
        !has_words && played.time.is_none() && played.thought.is_none()
    };
    let by_the_rules = csa::ending_by_the_rules(&record.line().position());
    [Ending::Unfinished, by_the_rules].contains(&record.ending)
        && record.event.is_empty()
        && record.players.iter().all(String::is_empty)
        && record.ratings.iter().all(Option::is_none)
        && record.started_at.is_none()
        && record.time_limit.is_none()
        && record.headings.is_empty()
        && record.comments.is_empty()
        && record.bookmark.is_none()
        && record.moves.iter().all(is_bare)
        && record.closing == Closing::default()
        && record.variations.is_empty()
}

impl fmt::Display for TextFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

// --- Reading ---

impl TextFormat {
    /// Reads the games of a file, whatever its encoding. A game that cannot be read does not stop
    /// those after it. At least one game or error is returned.
    pub fn read(self, bytes: &[u8]) -> Vec<Result<GameRecord, RecordError>> {
        Lines::new(bytes).map_or_else(
            |error| vec![Err(RecordError::new(error))],
            |lines| self.games(lines).collect(),
        )
    }

    /// As [`Self::read`], of a text that is decoded.
    pub fn read_text(self, text: &str) -> Vec<Result<GameRecord, RecordError>> {
        self.games(Lines::of_text(text)).collect()
    }

    /// As [`Self::games_or`], of a text that is decoded.
    pub fn read_or(self, other: Self, text: &str) -> Vec<Result<GameRecord, RecordError>> {
        let lines = || Lines::of_text(text);
        let games = self.games_or(other, lines(), || Ok(lines()));
        games.map_or_else(|error| vec![Err(RecordError::new(error))], Iterator::collect)
    }

    /// The games of a file, which are read one after the other.
    pub fn games<R: Read>(self, lines: Lines<R>) -> Peekable<Games<R>> {
        let games = Games { format: self, lines, count: 0, is_over: false };
        games.peekable()
    }

    /// As [`Self::games`], of a file whose name stands for this format. If its first game cannot be
    /// read, the file may have another name than it should: then its content looks like `other`,
    /// and it is read `again`.
    ///
    /// # Errors
    /// The file cannot be read again.
    pub fn games_or<R: Read>(
        self,
        other: Self,
        lines: Lines<R>,
        again: impl FnOnce() -> io::Result<Lines<R>>,
    ) -> io::Result<Peekable<Games<R>>> {
        let mut games = self.games(lines);
        if other != self && games.peek().is_some_and(Result::is_err) {
            let mut others = other.games(again()?);
            if others.peek().is_some_and(Result::is_ok) {
                return Ok(others);
            }
        }
        Ok(games)
    }
}

/// The games of a file, or what is wrong with each; at least one.
pub struct Games<R> {
    format: TextFormat,
    lines: Lines<R>,
    count: usize,
    is_over: bool,
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let lines = &mut self.lines;
        let is_blank = self.count == 0 && lines.is_blank();
        let game = match self.format {
            _ if is_blank => Some(Err(RecordError::new("the file is empty"))),
            TextFormat::Csa => csa::read_next(lines),
            TextFormat::Kif | TextFormat::Ki2 => kif::read_next(lines),
            TextFormat::Jkf => Some(jkf::read(&lines.rest())),
            TextFormat::Usi => next_of_usi(lines),
        };
        self.is_over = is_blank || self.format == TextFormat::Jkf || game.is_none();
        self.count += 1;
        let fault = self.lines.take_fault();
        self.is_over |= fault.is_some();
        let fault = fault.map(|fault| Err(RecordError::new(fault)));
        let none = || {
            let error = format_args!("no game in the file, expected one of {}", self.format);
            (self.count == 1).then(|| Err(RecordError::new(error)))
        };
        fault.or(game).or_else(none)
    }
}

fn next_of_usi(lines: &mut Lines<impl Read>) -> Option<Result<GameRecord, RecordError>> {
    while let Some((number, line)) = lines.next_line() {
        let text = line.trim();
        if !text.is_empty() && !text.starts_with('#') {
            return Some(game_of_line(text).map_err(|error| error.at_line(number)));
        }
    }
    None
}

/// Reads a line of USI, whose last word may be its result.
fn game_of_line(text: &str) -> Result<GameRecord, RecordError> {
    let line: SfenLine = text.parse()?;
    let position = line.position();
    let by_rules = csa::ending_by_the_rules(&position);
    let ending = match text.split_whitespace().next_back() {
        Some("resign") if by_rules != Ending::Checkmate => Ending::Resignation,
        Some("win") if by_rules == Ending::Unfinished => Ending::Declaration,
        Some("draw") if by_rules == Ending::Unfinished => Ending::AdjudicatedDraw,
        Some("rep_draw") if by_rules == Ending::Unfinished => Ending::Repetition,
        Some("timeout") if by_rules != Ending::Checkmate => Ending::TimeUp,
        Some("break" | "chudan") if by_rules == Ending::Unfinished => Ending::Interrupted,
        _ => by_rules,
    };
    Ok(GameRecord {
        moves: line.moves.into_iter().map(RecordedMove::from).collect(),
        ending,
        ..GameRecord::new(line.start)
    })
}

// --- Writing ---

/// The bytes of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// What goes into the file.
    pub bytes: Vec<u8>,
    /// The encoding, which is UTF-8 where the requested one lacks characters of the game.
    pub encoding: TextEncoding,
}

impl TextFormat {
    /// The bytes of a game. Several games of a format that [`holds_many`](Self::holds_many) have
    /// its [`separator`](Self::separator) between them. Only KIF and KI2 may be in Shift JIS.
    pub fn write(self, record: &GameRecord, encoding: TextEncoding) -> Written {
        if encoding == TextEncoding::ShiftJis
            && matches!(self, Self::Kif | Self::Ki2)
            && let Some(bytes) = encode_shift_jis(&self.text_in(record, "Shift_JIS"))
        {
            return Written { bytes, encoding };
        }
        Written { bytes: self.text(record).into_bytes(), encoding: TextEncoding::Utf8 }
    }

    /// What stands between two games of a file.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::Csa => "/\n",
            _ => "",
        }
    }

    /// The text of a game in UTF-8.
    pub fn text(self, record: &GameRecord) -> String {
        self.text_in(record, "UTF-8")
    }

    /// The text of a game, which names its encoding where the format does.
    fn text_in(self, record: &GameRecord, encoding: &str) -> String {
        match self {
            Self::Csa => csa::write(record),
            Self::Kif => kif::write(record, Style::Kif, encoding),
            Self::Ki2 => kif::write(record, Style::Ki2, encoding),
            Self::Jkf => jkf::write(record),
            Self::Usi => format!("{}\n", record.line()),
        }
    }
}
