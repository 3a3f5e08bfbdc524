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

use std::io::{self, BufRead, Write};

use thiserror::Error;

use crate::position::{InvalidPosition, Position};
use crate::records::packed::{PackedError, PackedSfen};
use crate::util::counted;
use crate::{records::RecordError, records::pack::Counted, records::pack::MAX_PLIES, types::Color};

use formats::{Codec, check_kings};
pub use formats::{Content, Format, FormatError};
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
    /// Whether games from boards without one of the kings become their start position.
    takes_problems: bool,
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
            takes_problems: false,
            scratch: Position::startpos(),
        }
    }

    /// Makes games without a result by play or by the rules errors.
    #[must_use]
    pub fn needing_results(mut self) -> Self {
        self.needs_results = true;
        self
    }

    /// Makes games from boards without one of the kings, which are tsume problems, their start
    /// position. Otherwise they are errors.
    #[must_use]
    pub fn taking_problems(mut self) -> Self {
        self.takes_problems = true;
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
        self.next_of(|reader| reader.codec.skip_record(&mut reader.input, &mut reader.scratch))
            .transpose()
    }

    fn read(&mut self) -> Result<Option<Record>, Fault> {
        let record = self.codec.read(&mut self.input, &mut self.scratch)?;
        if let Some(record) = &record {
            if let Some(game) = record.game()
                && let Err(fault) = check_kings(&game.game.start)
            {
                if !self.takes_problems {
                    return Err(fault);
                }
                let start = &game.game.start;
                let ply = u16::try_from(start.game_ply()).unwrap_or(u16::MAX);
                return Ok(Some(Record::Position(PackedSfen::of(start), ply)));
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
        let record =
            read(self).map_err(|fault| TeacherError { record: self.records, offset, fault });
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
        Self { out, format, chain: Chain::default(), positions }
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
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        self.format.check_record(record).map_err(io::Error::other)?;
        if self.format.content() != Content::Games || record.is_game() {
            return self.put(record);
        }
        match self.chain.add(record) {
            Some(game) => self.put(&game.into()),
            None => Ok(()),
        }
    }

    /// Writes the game that is still open, flushes, and returns the output and the number of
    /// positions written.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
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
    /// The last byte of a position of a search tree is not a bound.
    #[error("bound {0}, expected 1 (at most), 2 (at least) or 3 (exact)")]
    Bound(u8),
    /// The file ends within a game.
    #[error("the file ends within the game")]
    CutGame,
    /// The first byte of a game of `.pack` is neither 0 nor 1.
    #[error("begins with {0}, expected 1 for the start position or 0 for another")]
    Flag(u8),
    /// The game has more than [`MAX_PLIES`] moves.
    #[error("no end after {MAX_PLIES} moves")]
    Endless,
    /// The end marker of a game of `.pack` names no result.
    #[error("ends in {0:#06x}, expected 0x0000 (draw), 0x0081 (black won) or 0x0102 (white won)")]
    End(u16),
    /// The ending byte of a game of `.hcpe3` has an unknown result code.
    #[error("ending {0}, expected 0 (draw), 1 (black won) or 2 (white won) in its lowest two bits")]
    Ending(u8),
    /// The start position of a game is invalid.
    #[error("start: {0}")]
    Start(PackedError),
    /// A move of a game is not legal in its position.
    #[error("move {number}, {text}, is illegal in {sfen}")]
    GameMove {
        /// The number of the move in the game, from 1.
        number: usize,
        /// The move in USI notation, or its bits if they are not a move.
        text: String,
        /// The position before the move.
        sfen: String,
    },
    /// The bits of a candidate are not a move.
    #[error("candidate {number} of move {of} is {found:#06x}, which is no move")]
    Candidate {
        /// The number of the candidate, from 1.
        number: usize,
        /// The number of the move in the game, from 1.
        of: usize,
        /// The 16 bits found.
        found: u16,
    },
    /// A game or position as text is invalid.
    #[error("{0}")]
    Text(#[from] RecordError),
}

impl Fault {
    /// The class under which statistics count the fault, such as `illegal move`.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Io(_) => "unreadable",
            Self::Truncated { .. } | Self::CutGame => "cut off",
            Self::Position(error) | Self::Start(error) => class_of_position(error),
            Self::NoKing { .. } => "no king",
            Self::Move { .. } | Self::GameMove { .. } | Self::Candidate { .. } => ILLEGAL_MOVE,
            Self::Sum { .. } => "bad sum",
            Self::Result { .. } | Self::End(_) | Self::Ending(_) => "bad result",
            Self::Flag(_) | Self::Endless => "no game",
            Self::Unfinished => "unfinished game",
            Self::Bound(_) => "bad bound",
            Self::Text(error) if error.is_illegal_move() => ILLEGAL_MOVE,
            Self::LongLine(_) | Self::Text(_) => "bad line",
        }
    }

    /// Whether the end of the record is unknown, so that no further record can be read.
    pub const fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Io(_)
                | Self::Truncated { .. }
                | Self::CutGame
                | Self::Flag(_)
                | Self::Endless
                | Self::End(_)
        )
    }
}

/// A class of faults of several formats.
const ILLEGAL_MOVE: &str = "illegal move";

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
