//! Reads games and proves that they are games: every move is legal where it is made.

use std::io::{self, Read};

use thiserror::Error;

use super::frame::{self, Frame};
use super::{MAX_PLIES, PackGame};
use crate::position::Position;
use crate::records::game_reader::{GameError, GameFormat, GameReader, IllegalMove, legal_move};
use crate::records::packed::PackedError;

/// A game that cannot be read, and where it stands.
pub type PackError = GameError<PackFault>;

/// Reads one game after the other. A game with an illegal start or move is an error, and the next one follows; after any
/// other error there is no next one.
pub type PackReader<R> = GameReader<R, Pack>;

/// What is wrong with a game.
#[derive(Debug, Error)]
pub enum PackFault {
    /// The input fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input ends within the game.
    #[error("the file ends within the game")]
    Truncated,
    /// The first byte is wrong.
    #[error("begins with {found}, expected 1 for the start position or 0 for another")]
    Flag {
        /// The byte.
        found: u8,
    },
    /// No end for too long.
    #[error("no end after {MAX_PLIES} moves")]
    Endless,
    /// The end says no result.
    #[error(
        "ends in {found:#06x}, expected 0x0000 (draw), 0x0081 (black won) or 0x0102 (white won)"
    )]
    End {
        /// The 16 bits.
        found: u16,
    },
    /// The start is no position.
    #[error("start: {0}")]
    Start(#[from] PackedError),
    /// A move that cannot be made.
    #[error(transparent)]
    Move(#[from] IllegalMove),
}

/// The format.
pub struct Pack {
    even_start: Position,
}

impl Default for Pack {
    fn default() -> Self {
        Self {
            even_start: Position::startpos(),
        }
    }
}

impl GameFormat for Pack {
    type Frame = Frame;
    type Game = PackGame;
    type Fault = PackFault;

    fn frame(input: &mut impl Read) -> Result<Option<(Frame, u64)>, PackFault> {
        let frame = frame::read(input)?;
        Ok(frame.map(|frame| {
            let length = frame.length;
            (frame, length)
        }))
    }

    fn understand(&self, frame: Frame) -> Result<PackGame, PackFault> {
        let start = match frame.start {
            None => self.even_start.clone(),
            Some((position, ply)) => position.unpack(u32::from(ply).max(1))?,
        };
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(frame.moves.len());
        for (number, &(bits, score)) in (1..).zip(&frame.moves) {
            let mv = legal_move(&position, bits, number)?;
            position.do_move(mv);
            moves.push((mv, score));
        }
        Ok(PackGame {
            start,
            moves,
            result: frame.result,
            reason: frame.reason,
        })
    }

    fn is_fatal(fault: &PackFault) -> bool {
        fault.is_fatal()
    }
}

impl PackFault {
    /// Whether nothing can be read behind this game, because nobody knows where it ends.
    pub const fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Io(_) | Self::Truncated | Self::Flag { .. } | Self::Endless | Self::End { .. }
        )
    }
}
