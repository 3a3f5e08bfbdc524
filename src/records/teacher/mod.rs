//! Teacher data of every format as one stream of [`Record`]s, and from one format into another.
//!
//! A record is a position with a score and a result, a whole game, or a mere position. The reader proves what it hands out:
//! both kings, a possible position, a move that is legal there. Everything else is an error with its place in the file, and
//! the stream goes on behind it where the format allows.

mod chain;
mod fault;
mod format;
mod reader;
mod text;
mod writer;

use super::game::GameResult;
use super::hcpe::Hcpe;
use super::hcpe3::Hcpe3Game;
use super::pack::{PackGame, PackReason};
use super::packed::PackedSfen;
use super::psum::PositionSum;
use super::psv::{self, PackedSfenValue};
use crate::bitboard::Bitboard;
use crate::position::{Board, Position};
use crate::types::{Color, Move, Move16};

pub use chain::Chain;
pub use fault::{Fault, TeacherError};
pub use format::{Format, UnknownFormat};
pub use reader::TeacherReader;
pub use writer::{TeacherWriter, WriteError};

/// What a file holds one after the other.
#[derive(Clone, Debug)]
pub enum Record {
    /// A position of `.psv`.
    Psv(PackedSfenValue),
    /// A position of `.hcpe`, and the same as the others tell it.
    Hcpe(Hcpe, Sample),
    /// A position of `.psum` with what several games said.
    Sum(PositionSum),
    /// A game of `.pack` or of a text.
    Game(Box<PackGame>),
    /// A game of `.hcpe3`.
    Hcpe3(Box<Hcpe3Game>),
    /// A position that nobody has judged, and the number of its next move.
    Position(PackedSfen, u16),
}

/// A position, what a search thought of it, and how its game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The position.
    pub position: PackedSfen,
    /// The score of the side to move, in centipawns (a pawn is 100).
    pub score: i16,
    /// The best move, legal in the position; `None` where the side to move won by declaring.
    pub mv: Option<Move16>,
    /// How the game ended.
    pub result: GameResult,
    /// The number of the move in its game, from 1; 0 where the format keeps none.
    pub ply: u16,
}

impl Sample {
    /// Whose turn it is: the first bit of the position.
    pub const fn side_to_move(&self) -> Color {
        if self.position.to_bytes()[0] & 1 == 0 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Whether a king stands in the enemy's camp.
    pub fn has_entered_king(&self) -> bool {
        let has_entered = |board: &Board, color| {
            let king = board.king(color);
            king.is_some_and(|king| Bitboard::promotion_zone(color).contains(king))
        };
        let board = self.position.unpack_board();
        board.is_ok_and(|board| Color::ALL.iter().any(|&color| has_entered(&board, color)))
    }

    /// The record of `.psv`.
    pub fn to_psv(&self) -> PackedSfenValue {
        PackedSfenValue {
            position: self.position,
            score: psv::from_centipawns(self.score),
            mv: self.mv.map_or(0, Move16::to_bits),
            ply: self.ply.max(1),
            result: self.result.for_side(self.side_to_move()),
            padding: 0,
        }
    }

    /// What a record of `.psv` says, if its result is one.
    pub fn of_psv(record: &PackedSfenValue) -> Option<Self> {
        let mut sample = Self {
            position: record.position,
            score: psv::to_centipawns(record.score),
            mv: record.best_move(),
            result: GameResult::Draw,
            ply: record.ply,
        };
        let side = sample.side_to_move();
        sample.result = match record.result {
            0 => GameResult::Draw,
            1 => GameResult::Win(side),
            -1 => GameResult::Win(!side),
            _ => return None,
        };
        Some(sample)
    }
}

impl Record {
    /// Whether it is a whole game.
    pub const fn is_game(&self) -> bool {
        matches!(self, Self::Game(_) | Self::Hcpe3(_))
    }

    /// Whether a result, if it has one, came by play or by the rules: not broken off, no time overstepped, no foul.
    pub fn is_finished(&self) -> bool {
        let reason = match self {
            Self::Game(game) => game.reason,
            _ => return true,
        };
        !matches!(
            reason,
            PackReason::INTERRUPTED | PackReason::TIME_UP | PackReason::ILLEGAL_MOVE
        )
    }

    /// Hands out the positions that have a score and a result: one, or those of a game where a move was made to be learnt
    /// from.
    pub fn for_each_sample(&self, mut visit: impl FnMut(&Sample)) {
        match self {
            Self::Psv(record) => {
                if let Some(sample) = Sample::of_psv(record) {
                    visit(&sample);
                }
            }
            Self::Hcpe(_, sample) => visit(sample),
            Self::Sum(sum) => visit(&sum.to_sample()),
            Self::Game(game) => {
                let moves = game.moves.iter().map(|&(mv, score)| (mv, score, true));
                for_each_of_game(&game.start, game.result, moves, &mut visit);
            }
            Self::Hcpe3(game) => {
                let moves = game.moves.iter();
                let moves = moves.map(|played| (played.mv, played.score, played.is_judged()));
                for_each_of_game(&game.start, game.result(), moves, &mut visit);
            }
            Self::Position(..) => {}
        }
    }

    /// Hands out the positions alone, with the numbers of their next moves.
    pub fn for_each_position(&self, mut visit: impl FnMut(PackedSfen, u16)) {
        if let Self::Position(position, ply) = self {
            visit(*position, *ply);
        }
        self.for_each_sample(|sample| visit(sample.position, sample.ply));
    }
}

fn for_each_of_game(
    start: &Position,
    result: GameResult,
    moves: impl Iterator<Item = (Move, i16, bool)>,
    visit: &mut impl FnMut(&Sample),
) {
    let mut position = start.clone();
    for (mv, score, is_learnt) in moves {
        if is_learnt {
            visit(&Sample {
                position: PackedSfen::of(&position),
                score,
                mv: Some(mv.to_move16()),
                result,
                ply: u16::try_from(position.game_ply()).unwrap_or(u16::MAX),
            });
        }
        position.do_move(mv);
    }
}

#[cfg(test)]
mod tests;
