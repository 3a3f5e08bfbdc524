//! What can be wrong with a game of the archive.

use std::io;

use thiserror::Error;

use super::game::MAX_PLIES;
use crate::records::game_reader::{GameError, IllegalMove};
use crate::records::packed::PackedError;

/// A game that cannot be read, and its place in the input.
pub type PackError = GameError<PackFault>;

/// What is wrong with a game.
#[derive(Debug, Error)]
pub enum PackFault {
    /// The input fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input ends within the game.
    #[error("the file ends within the game")]
    Truncated,
    /// The first byte is neither 0 nor 1.
    #[error("begins with {found}, expected 1 for the start position or 0 for another")]
    Flag {
        /// The byte found.
        found: u8,
    },
    /// The game has more than [`MAX_PLIES`] moves.
    #[error("no end after {MAX_PLIES} moves")]
    Endless,
    /// The end marker names no result.
    #[error(
        "ends in {found:#06x}, expected 0x0000 (draw), 0x0081 (black won) or 0x0102 (white won)"
    )]
    End {
        /// The 16 bits of the marker.
        found: u16,
    },
    /// The start position is invalid.
    #[error("start: {0}")]
    Start(#[from] PackedError),
    /// A move is illegal.
    #[error(transparent)]
    Move(#[from] IllegalMove),
}

impl PackFault {
    /// Whether the end of the game is unknown, so that no further game can be read.
    pub const fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Io(_) | Self::Truncated | Self::Flag { .. } | Self::Endless | Self::End { .. }
        )
    }
}
