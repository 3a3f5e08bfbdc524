//! Moves of a book in a position of a game.

use crate::position::Position;
use crate::types::{Move, Move16};

/// The move if it is legal here.
pub fn legal_move(position: &Position, mv: Move16) -> Option<Move> {
    let mv = position.to_move(mv)?;
    (position.pseudo_legal(mv) && position.legal(mv)).then_some(mv)
}
