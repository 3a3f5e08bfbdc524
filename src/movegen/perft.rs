//! Perft: counts the leaves of the tree of legal moves (senseless non-promotions included) to a fixed depth.
//!
//! The last ply is counted set by set without writing moves. Without a table the tree is walked on the bare [`Board`], without
//! keys and history.

use super::generate_legal;
use super::sink::Counter;
use crate::position::{Board, KingThreats, Position};
use crate::types::MoveList;

/// The number of legal move sequences of `depth` plies; 1 at depth 0.
pub fn perft<const LANES: usize>(position: &Position<LANES>, depth: u32) -> u64 {
    let board = &mut position.board().clone();
    let threats = *position.king_threats(position.side_to_move());
    match depth {
        0 => 1,
        _ => walk(board, &threats, depth),
    }
}

fn walk(board: &mut Board, threats: &KingThreats, depth: u32) -> u64 {
    if depth == 1 {
        let mut counter = Counter::default();
        generate_legal::<_, true>(board, threats, &mut counter);
        return counter.0 as u64;
    }
    let mut moves = MoveList::new();
    generate_legal::<_, true>(board, threats, &mut moves);
    let mut leaves = 0;
    for mv in moves {
        let captured = board.apply(mv);
        let threats = board.king_threats_after(mv);
        leaves += walk(board, &threats, depth - 1);
        board.revert(mv, captured);
    }
    leaves
}
