//! Classes of one side's king square.

use crate::types::Square;

/// How the square of one king, as its own side sees it, is classified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingClasses {
    /// 3 classes: ranks 1-3, 4-6, 7-9.
    K3k3,
    /// 9 classes: the rank.
    K9k9,
    /// 9 classes: ranks 1-3, 4-6, 7; ranks 8 and 9 in three groups of files each.
    K9k9z,
    /// 13 classes: ranks 1 to 7; ranks 8 and 9 in three groups of files each.
    K13k13z,
    /// 21 classes: ranks 1-3, 4-6, 7; each square of the ranks 8 and 9.
    K21k21,
    /// 29 classes: ranks 1-3, 4-6; each square of the ranks 7 to 9.
    K29k29,
}

impl KingClasses {
    /// Every kind with its name, an accepted second name, and the number of classes of one king.
    pub(super) const TABLE: [(Self, &'static str, &'static str, usize); 6] = [
        (Self::K3k3, "k3k3", "king3_by_king3", 3),
        (Self::K9k9, "k9k9", "king9_by_king9", 9),
        (Self::K9k9z, "k9k9z", "king9z_by_king9z", 9),
        (Self::K13k13z, "k13k13z", "king13z_by_king13z", 13),
        (Self::K21k21, "k21k21", "king21_by_king21", 21),
        (Self::K29k29, "k29k29", "king29_by_king29", 29),
    ];

    pub(super) fn row(self) -> &'static (Self, &'static str, &'static str, usize) {
        &Self::TABLE[self as usize]
    }

    /// The class of a king, from 0. `square` is as the king's own side sees it.
    pub(super) fn class(self, square: Square) -> usize {
        let (file, rank) = (square.file().index(), square.rank().index());
        match (self, rank) {
            (Self::K3k3, _) => rank / 3,
            (Self::K9k9, _) | (Self::K13k13z, 0..=6) => rank,
            (_, 0..=2) => 0,
            (_, 3..=5) => 1,
            (Self::K9k9z | Self::K21k21, 6) => 2,
            (Self::K9k9z, _) => 3 + (rank - 7) * 3 + file / 3,
            (Self::K13k13z, _) => 7 + (rank - 7) * 3 + file / 3,
            (Self::K21k21, _) => 3 + (rank - 7) * 9 + file,
            (Self::K29k29, _) => 2 + (rank - 6) * 9 + file,
        }
    }
}
