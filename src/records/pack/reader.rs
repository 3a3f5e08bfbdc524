//! Reads games and proves that they are games: every move is legal where it is made.

use std::io::{self, Read};

use thiserror::Error;

use super::frame::{self, Frame};
use super::{MAX_PLIES, PackGame};
use crate::position::Position;
use crate::records::apery_move::from_apery;
use crate::records::packed::PackedError;
use crate::types::Move;

/// A game that cannot be read, and where it stands.
#[derive(Debug, Error)]
#[error("game {game}, at byte {offset}: {fault}")]
pub struct PackError {
    /// The number of the game, from 1.
    pub game: u64,
    /// Where the game begins, in bytes from the beginning of the input.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: PackFault,
}

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
    #[error("move {number}, {text}, is illegal in {sfen}")]
    Move {
        /// The number of the move in the game, from 1.
        number: usize,
        /// The move, or its bits where they are none.
        text: String,
        /// The position in which it should be made.
        sfen: String,
    },
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

/// Reads one game after the other. A game with an illegal start or move is an error, and the next one follows; after any
/// other error there is no next one.
pub struct PackReader<R: Read> {
    input: R,
    /// Games begun.
    games: u64,
    /// Where the next game begins.
    offset: u64,
    good_bytes: u64,
    is_over: bool,
    even_start: Position,
}

impl<R: Read> PackReader<R> {
    /// Reads from `input`, which should be buffered.
    pub fn new(input: R) -> Self {
        Self {
            input,
            games: 0,
            offset: 0,
            good_bytes: 0,
            is_over: false,
            even_start: Position::startpos(),
        }
    }

    /// Where the last good game ended. A file that was cut off within a game can be continued from here.
    pub const fn good_bytes(&self) -> u64 {
        self.good_bytes
    }

    /// Where the next game begins.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn read(&mut self) -> Result<Option<PackGame>, PackFault> {
        let Some(frame) = frame::read(&mut self.input)? else {
            return Ok(None);
        };
        self.offset += frame.length;
        let game = self.understand(&frame)?;
        self.good_bytes = self.offset;
        Ok(Some(game))
    }

    fn understand(&self, frame: &Frame) -> Result<PackGame, PackFault> {
        let start = match frame.start {
            None => self.even_start.clone(),
            Some((position, ply)) => position.unpack(u32::from(ply).max(1))?,
        };
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(frame.moves.len());
        for (index, &(bits, score)) in frame.moves.iter().enumerate() {
            let Some(mv) = legal_move(&position, bits) else {
                let text =
                    from_apery(bits).map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string());
                return Err(PackFault::Move {
                    number: index + 1,
                    text,
                    sfen: position.to_sfen(),
                });
            };
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
}

/// The move that Apery stores so, if it is legal here.
fn legal_move(position: &Position, bits: u16) -> Option<Move> {
    let mv = position.to_move(from_apery(bits)?)?;
    (position.pseudo_legal(mv) && position.legal(mv)).then_some(mv)
}

impl<R: Read> Iterator for PackReader<R> {
    type Item = Result<PackGame, PackError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let offset = self.offset;
        self.games += 1;
        let game = self.read().map_err(|fault| PackError {
            game: self.games,
            offset,
            fault,
        });
        self.is_over = match &game {
            Ok(game) => game.is_none(),
            Err(error) => error.fault.is_fatal(),
        };
        game.transpose()
    }
}
