//! What the readers of `.pack` and `.hcpe3` have in common: games one after the other, each checked
//! move by move.

use std::io::{self, BufRead, Read};

use thiserror::Error;

use super::apery_move::from_apery;
use super::pack::MAX_PLIES;
use super::packed::PackedError;
use crate::position::Position;
use crate::types::Move;

/// What is wrong with a game.
#[derive(Debug, Error)]
pub enum GameFault {
    /// The input fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input ends within the game.
    #[error("the file ends within the game")]
    Truncated,
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
    /// The start position is invalid.
    #[error("start: {0}")]
    Start(#[from] PackedError),
    /// A move is not legal in its position.
    #[error("move {number}, {text}, is illegal in {sfen}")]
    Move {
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
}

impl GameFault {
    /// Whether the end of the game is unknown, so that no further game can be read.
    pub const fn is_fatal(&self) -> bool {
        match self {
            Self::Io(_) | Self::Truncated | Self::Flag(_) | Self::Endless | Self::End(_) => true,
            Self::Ending(_) | Self::Start(_) | Self::Move { .. } | Self::Candidate { .. } => false,
        }
    }
}

/// The legal move of Apery's 16 bits. `number` is that of the move in its game, from 1.
///
/// # Errors
/// The bits are not a move, or the move is illegal in the position.
pub(super) fn legal_move(position: &Position, bits: u16, number: usize) -> Result<Move, GameFault> {
    let stored = from_apery(bits);
    stored
        .and_then(|mv| position.to_move(mv))
        .filter(|&mv| position.pseudo_legal(mv) && position.legal(mv))
        .ok_or_else(|| GameFault::Move {
            number,
            text: stored.map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string()),
            sfen: position.to_sfen(),
        })
}

/// Reads `N` bytes of a game.
pub(super) fn read_bytes<const N: usize>(input: &mut impl Read) -> Result<[u8; N], GameFault> {
    let mut bytes = [0; N];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(GameFault::Truncated),
        Err(error) => Err(error.into()),
    }
}

/// Reads 16 bits of a game.
pub(super) fn read_word(input: &mut impl Read) -> Result<u16, GameFault> {
    Ok(u16::from_le_bytes(read_bytes(input)?))
}

/// A reader and the number of bytes that were taken from it.
pub(super) struct Counted<R> {
    input: R,
    count: u64,
}

impl<R> Counted<R> {
    /// Counts from `count` on, which is the offset that `input` stands at.
    pub(super) const fn new(input: R, count: u64) -> Self {
        Self { input, count }
    }

    /// Bytes taken so far, which is the offset of the next byte.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(bytes)?;
        self.count += length as u64;
        Ok(length)
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(bytes)?;
        self.count += bytes.len() as u64;
        Ok(())
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.input.consume(length);
        self.count += length as u64;
    }
}
