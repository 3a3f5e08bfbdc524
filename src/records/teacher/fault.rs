//! What can be wrong with a record, and its class for statistics.

use std::error::Error;
use std::io;

use thiserror::Error;

use super::class;
use crate::records::packed::PackedError;
use crate::types::Color;
use crate::util::counted;

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
        /// The position.
        sfen: String,
    },
    /// There is no move, and the side to move cannot declare a win.
    #[error("no move in {sfen}, where no win can be declared")]
    NoMove {
        /// The position.
        sfen: String,
    },
    /// The result has an unknown code.
    #[error("result {found}, expected {expected}")]
    Result {
        /// The code found.
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
        /// The sum.
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
            Self::Io(_) => class::UNREADABLE,
            Self::Truncated { .. } => class::TRUNCATED,
            Self::Position(error) => class::of_position(error),
            Self::NoKing { .. } => "no king",
            Self::Move { .. } => class::ILLEGAL_MOVE,
            Self::NoMove { .. } => "no move",
            Self::Sum { .. } => "bad sum",
            Self::Result { .. } => class::BAD_RESULT,
            Self::Unfinished => "unfinished game",
            Self::LongLine(_) => class::BAD_LINE,
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
