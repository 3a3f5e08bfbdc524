//! Moves and positions seen from the other side.

use super::entry::BookMove;
use crate::types::{Move16, Square};

const FIELD: u16 = 0x7f;
const FROM_SHIFT: u32 = 7;

/// The move on the board turned round; `None` if a field is out of range.
pub(crate) fn rotated_move(mv: Move16) -> Option<Move16> {
    let index = |square: Square| square.rotated().index() as u16;
    let bits = mv.to_bits() & !FIELD | index(mv.to()?);
    if mv.is_drop() {
        return Move16::from_bits(bits);
    }
    let from = index(mv.from()?) << FROM_SHIFT;
    Move16::from_bits(bits & !(FIELD << FROM_SHIFT) | from)
}

/// The moves of a position, for the position turned round. Moves without a meaning are left out.
pub(super) fn rotated_moves(moves: &[BookMove]) -> Vec<BookMove> {
    let rotated = |known: &BookMove| {
        Some(BookMove {
            mv: rotated_move(known.mv)?,
            ponder: known.ponder.and_then(rotated_move),
            ..*known
        })
    };
    moves.iter().filter_map(rotated).collect()
}
