//! What can be wrong with a record, with a name for each class.

use std::io;

use thiserror::Error;

use crate::position::InvalidPosition;
use crate::records::csa::{CsaError, CsaFault};
use crate::records::hcpe3::Hcpe3Fault;
use crate::records::kif::{KifError, KifFault};
use crate::records::pack::PackFault;
use crate::records::packed::PackedError;
use crate::records::sfen_line::SfenLineError;
use crate::types::Color;

/// A bad record and where it stands.
#[derive(Debug, Error)]
#[error("record {record}, at byte {offset}: {fault}")]
pub struct TeacherError {
    /// The number of the record (a position, a game or a line) in its file, from 1.
    pub record: u64,
    /// Where it begins, in bytes from the beginning of the file.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a record.
#[derive(Debug, Error)]
pub enum Fault {
    /// The file fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file ends within the record.
    #[error("the file ends {found} bytes into the record, expected {expected}")]
    Truncated {
        /// Bytes that are there.
        found: usize,
        /// Bytes of a record.
        expected: usize,
    },
    /// No position.
    #[error("{0}")]
    Position(#[from] PackedError),
    /// A king is missing.
    #[error("{} has no king, expected both kings", if *color == Color::Black { "black" } else { "white" })]
    NoKing {
        /// Whose king.
        color: Color,
    },
    /// A move that cannot be made.
    #[error("the move {text} is illegal in {sfen}")]
    Move {
        /// The move, or its bits where they are none.
        text: String,
        /// The position.
        sfen: String,
    },
    /// No move, though the side to move could not win without one.
    #[error("no move in {sfen}, where no win can be declared")]
    NoMove {
        /// The position.
        sfen: String,
    },
    /// The result is none.
    #[error("result {found}, expected {expected}")]
    Result {
        /// What the field says.
        found: i32,
        /// What it can say.
        expected: &'static str,
    },
    /// A sum of scores that so many cannot have.
    #[error(
        "{found} ninths of a centipawn as the sum of {count} scores, expected at most 327680 for each"
    )]
    Sum {
        /// The sum.
        found: i64,
        /// Of how many scores.
        count: u64,
    },
    /// A bad game of `.pack`.
    #[error("{0}")]
    Pack(#[from] PackFault),
    /// A bad game of `.hcpe3`.
    #[error("{0}")]
    Hcpe3(#[from] Hcpe3Fault),
    /// A line that is neither position nor game.
    #[error("{0}")]
    Line(#[from] SfenLineError),
    /// A bad record of CSA.
    #[error("{0}")]
    Csa(#[from] CsaError),
    /// A bad record of KIF.
    #[error("{0}")]
    Kif(#[from] KifError),
    /// A game that neither play nor the rules ended, where results are needed.
    #[error("the game was not played to its end, expected a result by play")]
    Unfinished,
    /// A line longer than any game.
    #[error("a line of more than {0} bytes")]
    LongLine(u64),
}

impl Fault {
    /// The class, for counts.
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Io(_) | Self::Pack(PackFault::Io(_)) | Self::Hcpe3(Hcpe3Fault::Io(_)) => {
                "unreadable"
            }
            Self::Truncated { .. }
            | Self::Pack(PackFault::Truncated)
            | Self::Hcpe3(Hcpe3Fault::Truncated) => "cut off",
            Self::Position(error)
            | Self::Pack(PackFault::Start(error))
            | Self::Hcpe3(Hcpe3Fault::Start(error)) => class_of_position(error),
            Self::NoKing { .. } => "no king",
            Self::Move { .. }
            | Self::Pack(PackFault::Move { .. })
            | Self::Hcpe3(Hcpe3Fault::Move { .. } | Hcpe3Fault::Candidate { .. })
            | Self::Line(SfenLineError::Illegal { .. }) => "illegal move",
            Self::NoMove { .. } => "no move",
            Self::Sum { .. } => "bad sum",
            Self::Result { .. }
            | Self::Pack(PackFault::End { .. })
            | Self::Hcpe3(Hcpe3Fault::Ending { .. }) => "bad result",
            Self::Pack(PackFault::Flag { .. } | PackFault::Endless) => "no game",
            Self::Unfinished => "unfinished game",
            Self::Csa(error) => match error.fault {
                CsaFault::Illegal { .. } => "illegal move",
                _ => "bad line",
            },
            Self::Kif(error) => match error.fault {
                KifFault::Illegal { .. } => "illegal move",
                _ => "bad line",
            },
            Self::Line(_) | Self::LongLine(_) => "bad line",
        }
    }

    /// Whether nothing can be read behind this record.
    pub const fn is_fatal(&self) -> bool {
        match self {
            Self::Io(_) | Self::Truncated { .. } => true,
            Self::Pack(fault) => fault.is_fatal(),
            Self::Hcpe3(fault) => fault.is_fatal(),
            _ => false,
        }
    }
}

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
