//! One opening, and why there may be none.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use super::settings::Plies;
use crate::position::Position;
use crate::records::sfen_line::{SfenLine, SfenLineError};
use crate::types::Move;

/// An opening. Its text is the argument of the USI command `position`: `startpos moves 7g7f …`.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The start position and the moves.
    pub line: SfenLine,
}

impl Opening {
    /// The position after the moves, in which the engines take over.
    pub fn position(&self) -> Position {
        self.line.position()
    }

    /// The moves of the opening.
    pub fn moves(&self) -> &[Move] {
        &self.line.moves
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line.fmt(formatter)
    }
}

impl FromStr for Opening {
    type Err = SfenLineError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(|line| Self { line })
    }
}

/// Why an opening cannot be provided.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// A file cannot be read.
    #[error("openings {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line of a file is not an opening.
    #[error("openings {}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// A file has no usable opening.
    #[error(
        "openings {} has no position to play from, expected lines such as 'startpos moves 7g7f' \
        or an SFEN, or a book with values within the imbalance allowed{}",
        path.display(),
        left_out.as_ref().map(|left_out| format!("; {left_out}")).unwrap_or_default()
    )]
    Empty {
        /// The file.
        path: PathBuf,
        /// Its positions where no game can begin, if it has some.
        left_out: Option<String>,
    },
    /// Games end with their openings.
    #[error("the first opening ends before move {ply}, expected --max-moves above {most}")]
    Long {
        /// Ply of the first move of an engine, from 1.
        ply: u32,
        /// Move number after which a game is a draw.
        most: u32,
    },
    /// There are fewer openings than requested.
    #[error(
        "opening {number} was asked for, but {origin} has only {count}: play fewer games, allow a \
        larger imbalance if there is a limit, or take a larger file or random moves"
    )]
    TooFew {
        /// Number of the requested opening, from 1.
        number: usize,
        /// Number of available openings.
        count: usize,
        /// The source of the openings, for the message.
        origin: String,
    },
    /// Random moves lead to no new positions.
    #[error(
        "no opening {number} in {attempts} attempts: too few positions after {plies} plies are \
        new, balanced and out of check; use more plies or allow a larger imbalance"
    )]
    UsedUp {
        /// Number of the requested opening, from 1.
        number: u64,
        /// Number of attempts.
        attempts: u64,
        /// The range of plies.
        plies: Plies,
    },
    /// A set of openings cannot be written.
    #[error("cannot write the openings: {0}")]
    Write(#[from] io::Error),
    /// An opening made by this program cannot be parsed.
    #[error("opening {number}: {error}")]
    Unreadable {
        /// Number of the opening, from 1.
        number: usize,
        /// The error of the parser.
        error: SfenLineError,
    },
}
