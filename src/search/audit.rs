//! Checks of debug builds and tests: every move taken from memory (table, killers, counter moves,
//! lines) is legal where it is used, and every value is in range. A wrong entry comes from
//! elsewhere in the tree and may show no effect for a long time. Release builds contain none of
//! these checks.
//!
//! Moves from memory are compared with the generator of legal moves, which is independent of the
//! `pseudo_legal` and `legal` that the search uses. Elsewhere those two are enough; the generator
//! would double the time of all tests.

use crate::types::value::{self, REPETITION_WIN};
use crate::types::{Move, Ply, Value};
use crate::{movegen::legal_moves, position::Position};

const IS_ON: bool = cfg!(any(test, debug_assertions));

/// Asserts that a move from memory is legal in the position. `role` names its origin in the
/// message.
#[inline(always)]
pub(super) fn remembered(position: &Position, mv: Option<Move>, role: &str) {
    if IS_ON && let Some(mv) = mv {
        assert_legal(legal_moves(position).contains(&mv), position, mv, role);
    }
}

/// Asserts that all `moves` are legal in the position.
#[inline(always)]
pub(super) fn legal(position: &Position, moves: &[Move], role: &str) {
    if IS_ON {
        for &mv in moves {
            assert_legal(position.is_legal(mv), position, mv, role);
        }
    }
}

/// Asserts that the moves of a line are legal one after the other.
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

/// Asserts that a value at `ply` is none, an evaluation, a repetition value, or a mate that is
/// possible from there.
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
    assert!(is_legal, "{role} {mv:?} is not legal in {}", position.to_sfen());
}
