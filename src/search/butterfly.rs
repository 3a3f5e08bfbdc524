//! Indices of the butterfly history: origin, target, and the class of a move by threat.

use crate::bitboard::Bitboard;
use crate::types::{Move, PieceType, Square};

/// Origins of moves: the squares of the board and the seven kinds of pieces in hand.
pub(super) const ORIGINS: usize = Square::NUM + PieceType::HAND.len();
/// Entries of a table by origin and target.
pub(super) const BUTTERFLY: usize = ORIGINS * Square::NUM;
/// Classes of moves by threat: whether the opponent attacks the origin, and the target.
pub(super) const THREAT_CLASSES: usize = 4;

/// The class of a move by threat, where the opponent attacks the squares `attacked`. Drops have no
/// origin that can be attacked.
#[inline(always)]
fn threat_class(mv: Move, attacked: Bitboard) -> usize {
    let moved = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
    threat_class_of(attacked.intersects(moved), attacked.contains(mv.to()))
}

/// The class of a move from and to squares that the opponent attacks or not.
#[inline(always)]
pub(super) fn threat_class_of(is_origin_attacked: bool, is_target_attacked: bool) -> usize {
    usize::from(is_target_attacked) * 2 + usize::from(is_origin_attacked)
}

/// The origin of moves from a square, as in [`Move::from_to_index`].
#[inline(always)]
pub(super) fn origin_on_board(from: Square) -> usize {
    from.index()
}

/// The origin of drops of a kind of piece.
#[inline(always)]
pub(super) fn origin_in_hand(kind: PieceType) -> usize {
    Square::NUM + kind.index() - 1
}

/// Index of a move by its class, origin and target.
#[inline(always)]
pub(super) fn butterfly_index(mv: Move, attacked: Bitboard) -> usize {
    threat_class(mv, attacked) * BUTTERFLY + mv.from_to_index()
}
