//! Scores of another program: positions go out, a column of scores comes back.
//!
//! Both files are text with a header line and one line for each position that `rescore` would
//! give a new score, in the same order. Columns are separated by a tab.
//!
//! | file | header | line |
//! |---|---|---|
//! | positions | `key sfen` | the 64-bit key of the position in hexadecimal, and the position |
//! | scores | `key cp` | the same key, and the score for the side to move in centipawns |
//! | scores | `key win_rate` | the same key, and the side to move's winning probability, 0 to 1 |

use std::fmt::Display;
use std::io::{self, BufRead, Write};

use thiserror::Error;

use crate::position::Position;
use crate::records::score::{clamp_centipawns, is_mate};
use crate::types::value::PAWN_VALUE;
use crate::util::shorten;

/// The header of a file of positions.
const POSITIONS: &str = "key\tsfen";

/// The headers of files of scores.
const CENTIPAWNS: &str = "key\tcp";
const WIN_RATES: &str = "key\twin_rate";

/// Longest line of a file of scores in bytes.
const MAX_LINE: u64 = 200;

/// Why scores cannot be used.
#[derive(Debug, Error)]
pub enum ColumnError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file ends before the positions do.
    #[error("ends after {scores} scores, expected one for {sfen} next")]
    End {
        /// The number of scores.
        scores: u64,
        /// The position without one.
        sfen: String,
    },
    /// A line is not what follows from the lines before it and from the position.
    #[error("line {line}: {}, expected {expected}", shorten(found))]
    Line {
        /// The number of the line.
        line: u64,
        /// The line as it was read.
        found: String,
        /// What was expected there.
        expected: String,
    },
}

/// Writes positions for another program.
pub(in crate::train) struct Positions<'a> {
    out: &'a mut dyn Write,
}

impl<'a> Positions<'a> {
    /// Begins with the header.
    pub(in crate::train) fn new(out: &'a mut dyn Write) -> Result<Self, ColumnError> {
        writeln!(out, "{POSITIONS}")?;
        Ok(Self { out })
    }

    pub(in crate::train) fn add(&mut self, position: &Position) -> Result<(), ColumnError> {
        let key = position.key().low64();
        Ok(writeln!(self.out, "{key:016x}\t{}", position.to_sfen())?)
    }
}

/// Reads the scores, one for each position in their order.
pub(in crate::train) struct Column<'a> {
    input: &'a mut dyn BufRead,
    /// The score in units of 1/90 pawn that corresponds to a winning probability of e / (1 + e);
    /// `None` where the column has centipawns.
    scale: Option<f64>,
    /// Lines read so far, the header included.
    lines: u64,
    line: String,
}

impl<'a> Column<'a> {
    /// Reads the header. `scale` is that of winning probabilities.
    pub(in crate::train) fn new(
        input: &'a mut dyn BufRead,
        scale: u16,
    ) -> Result<Self, ColumnError> {
        let mut column = Self {
            input,
            scale: None,
            lines: 0,
            line: String::new(),
        };
        column.read_line()?;
        column.scale = match column.line.as_str() {
            CENTIPAWNS => None,
            WIN_RATES => Some(scale.into()),
            _ => return Err(column.expected("'key' and 'cp' or 'win_rate', separated by a tab")),
        };
        Ok(column)
    }

    /// The score of the next position in centipawns.
    pub(in crate::train) fn next(&mut self, position: &Position) -> Result<i16, ColumnError> {
        let expected = position.key().low64();
        if !self.read_line()? {
            return Err(ColumnError::End {
                scores: self.lines - 1,
                sfen: position.to_sfen(),
            });
        }
        let (key, value) = self.line.split_once('\t').unwrap_or((&self.line, ""));
        if key.len() != 16 || u64::from_str_radix(key, 16) != Ok(expected) {
            let sfen = position.to_sfen();
            return Err(self.expected(format_args!("the key {expected:016x} of {sfen}")));
        }
        let (score, expected) = match self.scale {
            None => (
                value
                    .parse()
                    .ok()
                    .filter(|&score: &i32| i16::try_from(score).is_ok_and(|score| !is_mate(score))),
                "a score in centipawns, -30999 to 30999",
            ),
            Some(scale) => (
                win_rate_to_centipawns(value, scale),
                "a winning probability, 0 to 1",
            ),
        };
        let score = score.map(clamp_centipawns);
        score.ok_or_else(|| self.expected(expected))
    }

    /// The last line is something else.
    fn expected(&self, expected: impl Display) -> ColumnError {
        ColumnError::Line {
            line: self.lines.max(1),
            found: self.line.clone(),
            expected: expected.to_string(),
        }
    }

    /// Checks that no score is left.
    pub(in crate::train) fn finish(mut self) -> Result<(), ColumnError> {
        let scores = self.lines - 1;
        if !self.read_line()? {
            return Ok(());
        }
        Err(self.expected(format_args!("the end after {scores} scores")))
    }

    /// Reads the next line without its end; `false` at the end of the input.
    fn read_line(&mut self) -> Result<bool, ColumnError> {
        self.line.clear();
        let mut input = io::Read::take(&mut *self.input, MAX_LINE);
        let length = input.read_line(&mut self.line)?;
        self.line
            .truncate(self.line.trim_end_matches(['\r', '\n']).len());
        self.lines += u64::from(length > 0);
        Ok(length > 0)
    }
}

/// The score with this winning probability; `None` if it is not a number from 0 to 1.
fn win_rate_to_centipawns(text: &str, scale: f64) -> Option<i32> {
    let rate: f64 = text.parse().ok()?;
    if !(0.0..=1.0).contains(&rate) {
        return None;
    }
    let score = scale * (rate / (1.0 - rate)).ln() * 100.0 / f64::from(PAWN_VALUE);
    // Infinite at both ends of the range, where the conversion saturates.
    Some(score.round() as i32)
}
