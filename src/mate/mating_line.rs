//! A mate as a line of moves, and the check that it is one.

use crate::movegen::legal_moves;
use crate::position::Position;
use crate::types::Move;

/// A mate, move by move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The moves of both sides; the last one mates.
    pub moves: Vec<Move>,
    /// Length in plies as tsume counts it: without the futile interpositions (無駄合い) that the moves
    /// may end with, which are drops between checker and king that are captured at once and change
    /// nothing.
    pub length: usize,
}

/// Whether the moves mate: each is legal, each of the attacker's gives check, and the last leaves
/// no legal answer.
pub fn is_mating_line(position: &Position, moves: &[Move]) -> bool {
    let mut position = position.clone();
    for (index, &mv) in moves.iter().enumerate() {
        if !position.pseudo_legal(mv) || !position.legal(mv) {
            return false;
        }
        position.do_move(mv);
        if index % 2 == 0 && !position.in_check() {
            return false;
        }
    }
    moves.len() % 2 == 1 && legal_moves(&position).is_empty()
}
