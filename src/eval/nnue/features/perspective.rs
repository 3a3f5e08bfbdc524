//! How one side sees the board: white sees it rotated, and some feature sets mirror it by the king.

use arrayvec::ArrayVec;

use crate::types::{Color, Square};

/// Squares of the board, as an offset between blocks of features.
pub(super) const SQUARES: u32 = Square::NUM as u32;

/// Upper bound of the active features of one side: 40 pieces, with kings counted twice in some
/// sets.
const MAX_ACTIVE: usize = 64;

/// Indices of the active features of one side, in no particular order.
pub type ActiveFeatures = ArrayVec<u32, MAX_ACTIVE>;

/// The block of features that is selected by the square of the side's own king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KingBucket {
    /// Index of the block, below
    /// [`king_buckets`](crate::eval::nnue::FeatureSet::king_buckets).
    pub(crate) index: u32,
    /// Whether files are mirrored, so that the king is seen on files 1 to 5.
    pub(crate) is_mirrored: bool,
}

/// The square as `perspective` sees it: rotated by 180 degrees for white.
pub(in crate::eval::nnue) fn seen_by(square: Square, perspective: Color) -> Square {
    match perspective {
        Color::Black => square,
        Color::White => square.rotated(),
    }
}

/// The square mirrored at file 5, in the same rank.
pub(super) fn mirrored(square: u32) -> u32 {
    let (file, rank) = (square / 9, square % 9);
    (8 - file) * 9 + rank
}
