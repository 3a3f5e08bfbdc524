//! Checks of debug builds and tests: every move that the search takes from memory is legal where it is used, and every
//! value lies where values lie. Entries of the table, killers, counter moves and lines come from elsewhere in the tree, and
//! a wrong one does no visible harm for a long time. A release build has nothing of this.
//!
//! Where moves come from memory, legality is asked of the generator of legal moves, not of `pseudo_legal` and `legal`, with
//! which the search itself proves them. Further on those two are enough, and do not double the time of all tests.

use crate::movegen::legal_moves;
use crate::position::Position;
use crate::types::value::{self, REPETITION_WIN};
use crate::types::{Move, Ply, Value};

const IS_ON: bool = cfg!(any(test, debug_assertions));

/// The move that memory gives, if it does, is legal in the position; `role` says what it is.
#[inline(always)]
pub(super) fn remembered(position: &Position, mv: Option<Move>, role: &str) {
    if IS_ON && let Some(mv) = mv {
        assert_legal(legal_moves(position).contains(&mv), position, mv, role);
    }
}

/// All `moves` are legal in the position.
#[inline(always)]
pub(super) fn legal(position: &Position, moves: &[Move], role: &str) {
    if IS_ON {
        for &mv in moves {
            let is_legal = position.pseudo_legal(mv) && position.legal(mv);
            assert_legal(is_legal, position, mv, role);
        }
    }
}

/// The moves are legal one after the other.
#[inline(always)]
pub(super) fn line(position: &Position, line: &[Move]) {
    if IS_ON {
        let mut position = position.clone();
        for &mv in line {
            remembered(&position, Some(mv), "move of a line");
            position.do_move(mv);
        }
    }
}

/// A value at `ply` is none, an evaluation or a judgement of repetition, or a mate that is possible from there.
#[inline(always)]
pub(super) fn value(value: Value, ply: Ply) {
    if IS_ON {
        let is_ordinary = value.abs() <= REPETITION_WIN;
        let is_mate =
            value::is_mate(value) && (value::mated_in(ply)..=value::mate_in(ply)).contains(&value);
        assert!(
            is_ordinary || is_mate || value == value::NONE,
            "the value {value} at ply {ply} is out of range"
        );
    }
}

#[inline(never)]
fn assert_legal(is_legal: bool, position: &Position, mv: Move, role: &str) {
    assert!(
        is_legal,
        "{role} {mv:?} is not legal in {}",
        position.to_sfen()
    );
}
