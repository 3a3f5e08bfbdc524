//! What one side sees as features: the block of its king, mirrored by some feature sets.

use arrayvec::ArrayVec;

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

/// The square mirrored at file 5, in the same rank.
pub(super) fn mirrored(square: u32) -> u32 {
    let (file, rank) = (square / 9, square % 9);
    (8 - file) * 9 + rank
}
