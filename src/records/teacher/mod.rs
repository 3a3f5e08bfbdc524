//! Teacher data of every format as one stream of [`Record`]s, and conversion between the formats.
//!
//! A record is a position with a score and a result, a whole game, or a position alone. The reader
//! checks what it returns: both kings, a valid position, legal moves. Anything else is an error
//! with its place in the file, and the stream goes on after it if the format tells where the next
//! record begins.
//!
//! A format is a type below `formats/` that implements `Codec`, and a row of the table in
//! `formats/mod.rs`. No other code depends on the set of formats.

mod formats;
mod record;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::io::{self, BufRead, Write};

use thiserror::Error;

use crate::position::{InvalidPosition, Position};
use crate::records::game_reader::Counted;
use crate::records::pack::PackGame;
use crate::records::packed::PackedError;
use crate::types::Color;
use crate::util::counted;

pub(crate) use formats::from_record;
use formats::{Codec, check_kings};
pub use formats::{Content, Format, UnknownFormat};
pub use record::{Chain, Record, ScoredPosition, Skipped, Span, TeacherGame};

/// Reads one record after the other. An invalid record is an error, and the iterator goes on with
/// the next one if the format tells where it begins.
pub struct TeacherReader<R: BufRead> {
    input: Counted<R>,
    codec: &'static dyn Codec,
    /// Records begun so far.
    records: u64,
    is_over: bool,
    /// Whether games without a result by play are errors.
    needs_results: bool,
    scratch: Position,
}

impl<R: BufRead> TeacherReader<R> {
    /// Reads `input` from its beginning.
    pub fn new(input: R, format: Format) -> Self {
        Self::resume(input, format, 0, 0)
    }

    /// Reads the rest of an input, which begins at `offset` bytes, after as many `records`.
    pub fn resume(input: R, format: Format, offset: u64, records: u64) -> Self {
        Self {
            input: Counted::new(input, offset),
            codec: format.codec(),
            records,
            is_over: false,
            needs_results: false,
            scratch: Position::startpos(),
        }
    }

    /// Makes games without a result by play or by the rules errors.
    #[must_use]
    pub fn needing_results(mut self) -> Self {
        self.needs_results = true;
        self
    }

    /// The offset of the next record, in bytes.
    pub fn offset(&self) -> u64 {
        self.input.count()
    }

    /// Records before the next one.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// The position of the last record, if that is a single valid position.
    pub const fn position(&mut self) -> &mut Position {
        &mut self.scratch
    }

    /// Goes past the next record, whose moves need not be checked, and returns what it holds;
    /// `None` at the end of the input.
    ///
    /// # Errors
    /// The input fails, or the record is invalid.
    pub fn skip_record(&mut self) -> Result<Option<Skipped>, TeacherError> {
        self.next_of(|reader| {
            reader
                .codec
                .skip_record(&mut reader.input, &mut reader.scratch)
        })
        .transpose()
    }

    fn read(&mut self) -> Result<Option<Record>, Fault> {
        let record = self.codec.read(&mut self.input, &mut self.scratch)?;
        if let Some(record) = &record {
            if let Some(game) = record.game() {
                check_kings(&game.game.start)?;
            }
            if self.needs_results && !record.is_finished() {
                return Err(Fault::Unfinished);
            }
        }
        Ok(record)
    }

    /// The next record by `read`, unless the end of an earlier one is unknown.
    fn next_of<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Option<T>, Fault>,
    ) -> Option<Result<T, TeacherError>> {
        if self.is_over {
            return None;
        }
        let offset = self.offset();
        self.records += 1;
        let record = read(self).map_err(|fault| TeacherError {
            record: self.records,
            offset,
            fault,
        });
        self.is_over = match &record {
            Ok(record) => record.is_none(),
            Err(error) => error.fault.is_fatal(),
        };
        record.transpose()
    }
}

impl<R: BufRead> Iterator for TeacherReader<R> {
    type Item = Result<Record, TeacherError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_of(Self::read)
    }
}

/// The games of a `.pack` input, one after the other, as [`TeacherReader`] reads them.
pub fn pack_games(input: impl BufRead) -> impl Iterator<Item = Result<PackGame, TeacherError>> {
    let records = TeacherReader::new(input, Format::Pack);
    records.filter_map(|record| match record {
        Ok(Record::Game(game)) => Some(Ok(game.game)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    })
}

/// Why a record cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The output fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A position alone, in a format that needs scores and results.
    #[error("{0} needs scores and results, which a position alone does not have")]
    NoScore(Format),
    /// A position of a search tree, in a format that needs results, or anything else in the format
    /// of such positions.
    #[error("{0} cannot keep this record: positions of search trees have a format of their own")]
    Tree(Format),
    /// The format can only be read.
    #[error(
        "{0} holds one game and is not made of teacher data, expected usi or csa for games as text"
    )]
    ReadOnly(Format),
}

/// Writes records in one format. Fields that the format lacks are dropped; a record that was read
/// from a file of the same format is written byte for byte.
pub struct TeacherWriter<W: Write> {
    out: W,
    format: Format,
    /// Makes games of positions.
    chain: Chain,
    /// Positions written so far.
    positions: u64,
}

impl<W: Write> TeacherWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W, format: Format) -> Self {
        Self::resume(out, format, 0)
    }

    /// Continues an output of as many `positions`.
    pub fn resume(out: W, format: Format, positions: u64) -> Self {
        Self {
            out,
            format,
            chain: Chain::default(),
            positions,
        }
    }

    /// The format that is written.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Writes the game that is still open.
    ///
    /// # Errors
    /// The output fails.
    pub fn end_game(&mut self) -> io::Result<()> {
        match self.chain.finish() {
            Some(game) => self.put(&game.into()),
            None => Ok(()),
        }
    }

    /// Writes the game that is still open, flushes, and returns the output and the number of
    /// positions written so far.
    ///
    /// # Errors
    /// The output fails.
    pub fn pause(&mut self) -> io::Result<(&W, u64)> {
        self.end_game()?;
        self.out.flush()?;
        Ok((&self.out, self.positions))
    }

    /// Writes a record. A format of games gets positions when their game has ended.
    ///
    /// # Errors
    /// The output fails, or the format cannot hold the record.
    pub fn write(&mut self, record: &Record) -> Result<(), WriteError> {
        if !self.format.is_writable() {
            return Err(WriteError::ReadOnly(self.format));
        }
        if !self.format.keeps(record) {
            return Err(WriteError::Tree(self.format));
        }
        let is_position = matches!(record, Record::Position(..));
        match self.format.content() {
            Content::Samples | Content::TreePositions | Content::Games if is_position => {
                Err(WriteError::NoScore(self.format))
            }
            Content::Games if !record.is_game() => match self.chain.add(record) {
                Some(game) => Ok(self.put(&game.into())?),
                None => Ok(()),
            },
            _ => Ok(self.put(record)?),
        }
    }

    /// Writes the game that is still open, flushes, and returns the output and the number of
    /// positions written.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(mut self) -> Result<(W, u64), WriteError> {
        self.pause()?;
        Ok((self.out, self.positions))
    }

    fn put(&mut self, record: &Record) -> io::Result<()> {
        self.positions += self.format.codec().write(record, &mut self.out)?;
        Ok(())
    }
}

/// An invalid record and its place in the file.
#[derive(Debug, Error)]
#[error("record {record}, at byte {offset}: {fault}")]
pub struct TeacherError {
    /// The number of the record (a position, a game or a line) in its file, from 1.
    pub record: u64,
    /// The offset of the record, in bytes from the beginning of the file.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a record.
#[derive(Debug, Error)]
pub enum Fault {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file ends within the record.
    #[error("the file ends {} into the record, expected {expected}", counted(*found, "byte"))]
    Truncated {
        /// Bytes of the record before the end of the file.
        found: usize,
        /// Bytes of a whole record.
        expected: usize,
    },
    /// The position is invalid.
    #[error("{0}")]
    Position(#[from] PackedError),
    /// A king is missing.
    #[error("{} has no king, expected both \
        kings", if *color == Color::Black { "black" } else { "white" })]
    NoKing {
        /// The side without a king.
        color: Color,
    },
    /// The move is illegal.
    #[error("the move {text} is illegal in {sfen}")]
    Move {
        /// The move in USI notation, or its bits if they are not a move.
        text: String,
        /// The position, as SFEN.
        sfen: String,
    },
    /// There is no move, and the side to move cannot declare a win.
    #[error("no move in {sfen}, where no win can be declared")]
    NoMove {
        /// The position, as SFEN.
        sfen: String,
    },
    /// The result has an unknown code.
    #[error("result {found}, expected {expected}")]
    Result {
        /// The code in the record.
        found: i32,
        /// The codes of the format.
        expected: &'static str,
    },
    /// The scores of that many samples cannot add up to the sum.
    #[error(
        "{found} ninths of a centipawn as the sum of {count} scores, expected at most 327680 for \
         each"
    )]
    Sum {
        /// The sum in the record.
        found: i64,
        /// The number of samples.
        count: u64,
    },
    /// The game has no result by play or by the rules, and the caller needs one.
    #[error("the game was not played to its end, expected a result by play")]
    Unfinished,
    /// A line or a record of text is too long.
    #[error("a line of more than {0} bytes")]
    LongLine(u64),
    /// A fault that only one format has.
    #[error("{0}")]
    Format(Box<dyn FormatFault>),
}

/// A fault that only one format has, such as a bad line of CSA.
pub trait FormatFault: Error + Send + Sync {
    /// The class, see [`Fault::class`].
    fn class(&self) -> &'static str;

    /// Whether the end of the record is unknown, so that no further record can be read.
    fn is_fatal(&self) -> bool {
        false
    }
}

impl<F: FormatFault + 'static> From<F> for Fault {
    fn from(fault: F) -> Self {
        Self::Format(Box::new(fault))
    }
}

impl Fault {
    /// The class under which statistics count the fault, such as `illegal move`.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Io(_) => UNREADABLE,
            Self::Truncated { .. } => TRUNCATED,
            Self::Position(error) => class_of_position(error),
            Self::NoKing { .. } => "no king",
            Self::Move { .. } => ILLEGAL_MOVE,
            Self::NoMove { .. } => "no move",
            Self::Sum { .. } => "bad sum",
            Self::Result { .. } => BAD_RESULT,
            Self::Unfinished => "unfinished game",
            Self::LongLine(_) => BAD_LINE,
            Self::Format(fault) => fault.class(),
        }
    }

    /// Whether the end of the record is unknown, so that no further record can be read.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Io(_) | Self::Truncated { .. } => true,
            Self::Format(fault) => fault.is_fatal(),
            _ => false,
        }
    }
}

// Classes of faults that several formats share.

const UNREADABLE: &str = "unreadable";
const TRUNCATED: &str = "cut off";
const ILLEGAL_MOVE: &str = "illegal move";
const BAD_RESULT: &str = "bad result";
const BAD_LINE: &str = "bad line";

/// The class of an invalid position.
const fn class_of_position(error: &PackedError) -> &'static str {
    match error {
        PackedError::King { .. } | PackedError::KingsTogether(_) => "bad king",
        PackedError::LongBoard | PackedError::Hand { .. } | PackedError::LongHands { .. } => {
            "no position"
        }
        PackedError::Impossible(invalid) => match invalid {
            InvalidPosition::TooMany { .. } | InvalidPosition::TooManyKings { .. } => {
                "too many pieces"
            }
            InvalidPosition::DoublePawn { .. } => "two pawns on a file",
            InvalidPosition::DeadEnd { .. } => "a piece that can never move",
            InvalidPosition::OpponentInCheck { .. } => "a king to be taken",
        },
    }
}
