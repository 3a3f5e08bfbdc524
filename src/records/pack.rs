//! `.pack`: whole games, about 4 bytes a ply. The archive of teacher data.
//!
//! The format is that of the generator in `YaneuraOu-ScriptCollection` (`GenSfen/readme.md`), little endian, without a header:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | 1 for the start position of an even game, 0 for another |
//! | 32 + 2 | only for another: the position as hcp, and its ply |
//! | 2 + 2 | for each move: the move as Apery stores it, and the score of the side to move in centipawns |
//! | 2 | the end: the [`GameResult`] in both fields of a move, which no move has |
//! | 1 | the reason, see [`PackReason`] |
//!
//! A file may be cut anywhere and continued: what is not a whole game can be recognised and cut off, see
//! [`PackReader::good_bytes`].

mod frame;
mod reader;

use std::io::{self, Write};

use super::apery_move::to_apery;
use super::packed::HuffmanCodedPos;
use crate::position::{Position, START_SFEN};
use crate::records::game::GameResult;
use crate::types::Move;

pub use reader::{PackError, PackFault, PackReader};

/// The longest game that is read or written, in plies. More can only be a damaged file.
pub const MAX_PLIES: usize = 65_535;

/// The first byte of a game from the start position.
const EVEN_START: u8 = 1;
/// The first byte of a game from another position.
const OTHER_START: u8 = 0;

/// Why a game ended, in the codes of the format. Other programs may use other codes; all are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PackReason(pub u8);

impl PackReason {
    /// The loser resigned, was mated, or would have been: also a game broken off because the scores left no doubt.
    pub const RESIGNATION: Self = Self(0);
    /// 千日手, a draw.
    pub const REPETITION: Self = Self(1);
    /// The longest game allowed, a draw.
    pub const MAX_MOVES: Self = Self(2);
    /// Broken off for reasons outside the game, a draw.
    pub const INTERRUPTED: Self = Self(3);
    /// The side to move overstepped its time.
    pub const TIME_UP: Self = Self(4);
    /// The side to move made an illegal move.
    pub const ILLEGAL_MOVE: Self = Self(5);
    /// 連続王手の千日手: whoever gave the checks lost.
    pub const PERPETUAL_CHECK: Self = Self(6);
    /// 入玉宣言勝ち by the rule of 24 points.
    pub const DECLARATION_24: Self = Self(10);
    /// A draw by declaration under that rule.
    pub const DECLARATION_24_DRAW: Self = Self(11);
    /// 入玉宣言勝ち by the rule of 27 points.
    pub const DECLARATION_27: Self = Self(12);
    /// By the try rule.
    pub const TRY: Self = Self(13);
}

/// A game of the archive.
#[derive(Clone, Debug)]
pub struct PackGame {
    /// Where it begins; no moves have been made in it.
    pub start: Position,
    /// The moves, each legal where it is made, with the score of the side that makes it, in centipawns (a pawn is 100).
    pub moves: Vec<(Move, i16)>,
    /// How it ended.
    pub result: GameResult,
    /// Why it ended.
    pub reason: PackReason,
}

/// Writes games one after the other.
pub struct PackWriter<W: Write> {
    out: W,
    bytes: Vec<u8>,
}

impl<W: Write> PackWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub const fn new(out: W) -> Self {
        Self {
            out,
            bytes: Vec::new(),
        }
    }

    /// Writes a game in a single call of `out` and returns how many bytes it took. A ply above 65535 is stored as 65535.
    ///
    /// # Errors
    /// Where `out` fails, and where the game is longer than [`MAX_PLIES`].
    pub fn write(&mut self, game: &PackGame) -> io::Result<usize> {
        if game.moves.len() > MAX_PLIES {
            let text = format!("{} plies, expected at most {MAX_PLIES}", game.moves.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        self.bytes.clear();
        if game.start.to_sfen() == START_SFEN {
            self.bytes.push(EVEN_START);
        } else {
            self.bytes.push(OTHER_START);
            let hcp = HuffmanCodedPos::of(&game.start);
            self.bytes.extend_from_slice(&hcp.to_bytes());
            self.put(u16::try_from(game.start.game_ply()).unwrap_or(u16::MAX));
        }
        for &(mv, score) in &game.moves {
            self.put(to_apery(mv.to_move16()));
            self.put(score as u16);
        }
        self.put(frame::end_marker(game.result));
        self.bytes.push(game.reason.0);
        self.out.write_all(&self.bytes)?;
        Ok(self.bytes.len())
    }

    /// Flushes `out`.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// What was written to.
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Gives back what was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn put(&mut self, word: u16) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
