//! `.hcpe3`: whole games of dlshogi with the moves that its search considered.
//!
//! Little endian, without a header. A game begins with 36 bytes: the position as hcp (32), the number of moves (2), how the
//! game ended (1: bits 0 and 1 [`GameResult`], 4 repetition, 8 declaration, 16 longest game) and who played (1). Each
//! move is 6 bytes, the move (2), the score of the side to move in centipawns (2, signed) and the number of candidates
//! (2), and then 4 bytes for each candidate: the move and how often it was visited. A move without
//! candidates was played but is not to be learnt from.

mod reader;

use std::io::{self, Write};

use super::apery_move::to_apery;
use super::game::GameResult;
use super::pack::{PackGame, PackReason};
use super::packed::HuffmanCodedPos;
use crate::position::Position;
use crate::types::{Move, Move16};

pub use reader::{Hcpe3Error, Hcpe3Fault, Hcpe3Reader};

const WINNER_BITS: u8 = 3;
const REPETITION: u8 = 4;
const DECLARATION: u8 = 8;
const MAX_MOVES: u8 = 16;

/// A game of the format.
#[derive(Clone, Debug)]
pub struct Hcpe3Game {
    /// Where it begins. The format keeps no ply, it is 1.
    pub start: Position,
    /// What was played.
    pub moves: Vec<Hcpe3Move>,
    /// How it ended: the whole byte.
    pub ending: u8,
    /// Who played: whatever the writer means by it.
    pub opponent: u8,
}

/// A move and what else the search considered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hcpe3Move {
    /// The move, legal where it is made.
    pub mv: Move,
    /// The score of the side that makes it, in centipawns.
    pub score: i16,
    /// The candidates, not checked against the position, and their visits.
    pub candidates: Vec<(Move16, u16)>,
}

impl Hcpe3Move {
    /// Whether the position was searched, and its score and move are something to learn from.
    pub fn is_judged(&self) -> bool {
        !self.candidates.is_empty()
    }
}

impl Hcpe3Game {
    /// The game of an archive; each move is its only candidate.
    pub fn of_pack(game: &PackGame) -> Self {
        let moves = game.moves.iter().map(|&(mv, score)| Hcpe3Move {
            mv,
            score,
            candidates: vec![(mv.to_move16(), 1)],
        });
        let why = match game.reason {
            PackReason::REPETITION => REPETITION,
            PackReason::MAX_MOVES => MAX_MOVES,
            PackReason::DECLARATION_24 | PackReason::DECLARATION_27 | PackReason::TRY => {
                DECLARATION
            }
            _ => 0,
        };
        Self {
            start: game.start.clone(),
            moves: moves.collect(),
            ending: game.result.code() | why,
            opponent: 0,
        }
    }

    /// The game for an archive, without the candidates.
    pub fn to_pack(&self) -> PackGame {
        let reason = match self.ending {
            ending if ending & REPETITION != 0 => PackReason::REPETITION,
            ending if ending & MAX_MOVES != 0 => PackReason::MAX_MOVES,
            ending if ending & DECLARATION != 0 => PackReason::DECLARATION_27,
            _ => PackReason::RESIGNATION,
        };
        PackGame {
            start: self.start.clone(),
            moves: self
                .moves
                .iter()
                .map(|played| (played.mv, played.score))
                .collect(),
            result: self.result(),
            reason,
        }
    }

    /// Who won; the reader lets no other code pass.
    pub fn result(&self) -> GameResult {
        GameResult::from_code(self.ending & WINNER_BITS).unwrap_or(GameResult::Draw)
    }

    /// Writes the game in a single call of `out`.
    ///
    /// # Errors
    /// Where `out` fails, and where there are more than 65535 moves, or candidates for a move.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let count = |count: usize, what: &str| {
            u16::try_from(count).map_err(|_| {
                let text = format!("{count} {what}, expected at most {}", u16::MAX);
                io::Error::new(io::ErrorKind::InvalidInput, text)
            })
        };
        let mut bytes = HuffmanCodedPos::of(&self.start).to_bytes().to_vec();
        let mut put = |word: u16| bytes.extend_from_slice(&word.to_le_bytes());
        put(count(self.moves.len(), "moves")?);
        put(u16::from_le_bytes([self.ending, self.opponent]));
        for played in &self.moves {
            put(to_apery(played.mv.to_move16()));
            put(played.score as u16);
            put(count(played.candidates.len(), "candidates")?);
            for &(mv, visits) in &played.candidates {
                put(to_apery(mv));
                put(visits);
            }
        }
        out.write_all(&bytes)
    }
}

#[cfg(test)]
mod tests;
