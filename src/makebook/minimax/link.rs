//! Finds the edges of a node: every legal move that leads to another position of the book, whether
//! the book lists the move or not.

use arrayvec::ArrayVec;

use super::graph::Graph;
use super::key_table::{KeyTable, Lanes, lanes};
use crate::book::{Problem, rotated_move};
use crate::movegen::legal_on_board;
use crate::position::Board;
use crate::types::{Color, Key64, Key128, MAX_MOVES, Move16, MoveList};

/// Added to the second half of a key where white moves in the book, if positions that differ in
/// colours alone are different nodes. Any odd number does.
const COLOR_TAG: u64 = 0x9e37_79b9_7f4a_7c15;

/// A position of the book: black is to move, and `is_white` says that it is turned.
pub(super) struct Turned {
    pub(super) board: Board,
    pub(super) is_white: bool,
}

impl Turned {
    pub(super) fn new(board: Board) -> Self {
        match board.side_to_move() {
            Color::Black => Self {
                board,
                is_white: false,
            },
            Color::White => Self {
                board: board.rotated(),
                is_white: true,
            },
        }
    }

    /// A move of the book from black's view.
    pub(super) fn turn(&self, mv: Move16) -> Option<Move16> {
        turned(mv, self.is_white)
    }

    /// The fault of a move, given from black's view, that is illegal.
    pub(super) fn illegal(&self, mv: Move16) -> Problem {
        let board = if self.is_white {
            &self.board.rotated()
        } else {
            &self.board
        };
        Problem::Illegal {
            mv: self.turn(mv).unwrap_or(mv),
            sfen: board.to_sfen(),
        }
    }
}

/// The move as seen by the other side, if it is white's. `None` where it is no move.
pub(super) fn turned(mv: Move16, is_white: bool) -> Option<Move16> {
    if is_white { rotated_move(mv) } else { Some(mv) }
}

/// The key under which the position is found: it is the one with white to move that a move leads
/// to.
pub(super) fn key(board: &Board, separates_colors: bool) -> Lanes {
    let is_white = board.side_to_move() == Color::White;
    let key = if is_white {
        board.key::<2>()
    } else {
        board.rotated().key::<2>()
    };
    tagged(key, separates_colors && is_white)
}

const fn tagged(key: Key128, is_tagged: bool) -> Lanes {
    let mut lanes = lanes(key);
    if is_tagged {
        lanes[1] = lanes[1].wrapping_add(COLOR_TAG);
    }
    lanes
}

/// Links positions to those of a table.
pub(super) struct Linker<'a> {
    pub(super) table: &'a KeyTable,
    /// Whether positions that differ in colours alone are different nodes.
    pub(super) separates_colors: bool,
}

impl Linker<'_> {
    /// Adds a node with its edges and leaves to `graph`. `listed` are the moves of the book from
    /// black's view; of equal ones the first counts. Returns those that are illegal, which are left
    /// out.
    pub(super) fn add(
        &self,
        node: &Turned,
        listed: &[(Move16, i16)],
        graph: &mut Graph,
    ) -> Vec<Move16> {
        let board = &node.board;
        let mut moves = MoveList::new();
        legal_on_board::<true>(board, &mut moves);
        let is_in_check = board.king_threats(Color::Black).checkers.is_any();
        graph.add_node(node.is_white, is_in_check);

        let key: Key64 = board.key();
        let mut keys: ArrayVec<u64, MAX_MOVES> = ArrayVec::new();
        for &mv in &moves {
            let after = board.key_after(key, mv).low64();
            self.table.prefetch(after);
            keys.push(after);
        }
        let is_tagged = self.separates_colors && !node.is_white;
        let mut full_key: Option<Key128> = None;
        let mut edges: ArrayVec<Move16, MAX_MOVES> = ArrayVec::new();
        for (&mv, &after) in moves.iter().zip(&keys) {
            let full = || {
                let key = *full_key.get_or_insert_with(|| board.key());
                tagged(board.key_after(key, mv), is_tagged)
            };
            if let Some(target) = self.table.find(after, full) {
                graph.add_edge(mv.to_move16(), target);
                edges.push(mv.to_move16());
            }
        }

        let mut illegal = Vec::new();
        for (index, &(mv, value)) in listed.iter().enumerate() {
            let is_known =
                edges.contains(&mv) || listed[..index].iter().any(|&(other, _)| other == mv);
            if is_known {
                continue;
            }
            if moves.iter().any(|legal| legal.to_move16() == mv) {
                graph.add_leaf(mv, value);
            } else {
                illegal.push(mv);
            }
        }
        illegal
    }
}
