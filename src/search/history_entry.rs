//! One entry of a history table: its value, its update by gravity, and its index by piece and
//! square.

use crate::types::{Piece, Square};

/// Number of indices by moved piece and target square.
pub(super) const PIECE_TO: usize = Piece::NUM * Square::NUM;

/// The index of a moved piece and its target square, below [`PIECE_TO`].
#[inline(always)]
pub(super) fn piece_to(piece: Piece, to: Square) -> usize {
    piece.index() * Square::NUM + to.index()
}

/// The value of an entry. Entries are stored as the difference from `START`, so that zeroed memory
/// is a table of initial values.
#[inline(always)]
pub(super) fn value_of<const START: i32>(entry: i16) -> i32 {
    i32::from(entry) + START
}

/// Adds a bonus to an entry, reduced in proportion to the entry's value, which therefore stays
/// within `-LIMIT..=LIMIT` (Stockfish's `StatsEntry::operator<<`).
#[inline(always)]
pub(super) fn apply_gravity<const LIMIT: i32, const START: i32>(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = value_of::<START>(*entry);
    *entry = (old + bonus - old * bonus.abs() / LIMIT - START) as i16;
}
