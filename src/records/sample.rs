//! One training sample: a position, the score and best move of its search, and the game result.

use super::game::GameResult;
use super::packed::PackedSfen;
use crate::bitboard::Bitboard;
use crate::position::Board;
use crate::types::{Color, Move16};

/// A position with its score and the result of its game, in the units that all formats share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The position that was searched.
    pub position: PackedSfen,
    /// The score of the side to move, in centipawns (a pawn is 100); see
    /// [`is_mate`](super::score::is_mate) for mate scores.
    pub score: i16,
    /// The best move, legal in the position; `None` if the side to move won by declaration.
    pub mv: Option<Move16>,
    /// The result of the game.
    pub result: GameResult,
    /// The number of the move in its game, from 1; 0 if the format does not store it.
    pub ply: u16,
}

impl Sample {
    /// The side to move in the position.
    pub const fn side_to_move(&self) -> Color {
        self.position.side_to_move()
    }
}

/// Whether either king of a position stands in its promotion zone.
pub fn has_entered_king(position: &PackedSfen) -> bool {
    let has_entered = |board: &Board, color| {
        let king = board.king(color);
        king.is_some_and(|king| Bitboard::promotion_zone(color).contains(king))
    };
    let board = position.unpack_board();
    board.is_ok_and(|board| Color::ALL.iter().any(|&color| has_entered(&board, color)))
}
