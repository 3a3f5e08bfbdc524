//! A game of hcpe3, conversion from and to the archive, and writing.

use std::io::{self, Write};

use crate::position::Position;
use crate::records::apery_move::to_apery;
use crate::records::game::GameResult;
use crate::records::pack::{PackGame, PackReason};
use crate::records::packed::HuffmanCodedPos;
use crate::types::{Move, Move16};

/// The bits of the ending byte that hold the result code; the others give the reason.
pub(super) const WINNER_BITS: u8 = 3;
/// Bytes of a game before its moves: start, number of moves, ending and opponent.
const HEADER_BYTES: usize = 36;
const REPETITION: u8 = 4;
const DECLARATION: u8 = 8;
const MAX_MOVES: u8 = 16;

/// A game of the format.
#[derive(Clone, Debug)]
pub struct Hcpe3Game {
    /// The position before the first move. The format stores no ply; it is 1.
    pub start: Position,
    /// The moves played.
    pub moves: Vec<Hcpe3Move>,
    /// The ending byte: the result code and the bits of the reason.
    pub ending: u8,
    /// The opponent byte, whose meaning depends on the program that wrote it.
    pub opponent: u8,
}

/// A move and the candidates of its search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hcpe3Move {
    /// The move, legal in its position.
    pub mv: Move,
    /// The score of the side that makes it, in centipawns.
    pub score: i16,
    /// The candidate moves, not checked against the position, and their visits.
    pub candidates: Vec<(Move16, u16)>,
}

impl Hcpe3Move {
    /// Whether the position was searched, so that it is a training sample.
    pub fn is_searched(&self) -> bool {
        !self.candidates.is_empty()
    }
}

impl Hcpe3Game {
    /// Converts a game of the archive. Each move becomes its only candidate.
    pub fn from_pack(game: &PackGame) -> Self {
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

    /// Converts to a game of the archive, without the candidates.
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

    /// The result. An unknown code, which the reader refuses, is a draw.
    pub fn result(&self) -> GameResult {
        GameResult::from_code(self.ending & WINNER_BITS).unwrap_or(GameResult::Draw)
    }

    /// Replaces the scores in the bytes of a game, one for each move.
    pub fn set_scores(bytes: &mut [u8], scores: &[i16]) {
        let mut rest = bytes.get_mut(HEADER_BYTES..).unwrap_or_default();
        for score in scores {
            // A move, its score, and the number of the candidates that follow.
            let Some(([_, _, first, second, count @ ..], next)) = rest.split_first_chunk_mut::<6>()
            else {
                return;
            };
            [*first, *second] = score.to_le_bytes();
            let candidates = 4 * usize::from(u16::from_le_bytes(*count));
            rest = next.get_mut(candidates..).unwrap_or_default();
        }
    }

    /// Writes the game in a single call of `out`.
    ///
    /// # Errors
    /// `out` fails, or there are more than 65535 moves, or candidates of a move.
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
