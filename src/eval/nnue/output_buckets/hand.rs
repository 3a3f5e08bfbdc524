//! Classes of one side's hand.

use crate::types::{Hand, PieceType};

/// How one hand is classified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandClasses {
    /// 2 classes: whether the hand has a bishop.
    Hand4,
    /// 4 classes: has a pawn; has a bishop.
    Hand16,
    /// 8 classes: has a pawn, lance or knight; a gold, silver or rook; a bishop.
    Hand64,
    /// 8 classes: points of all pieces in hand, in steps of four.
    Hand64z,
    /// 16 classes: has a pawn, lance or knight; a silver or gold; a bishop; a rook.
    Hand256,
    /// 32 classes: has a pawn; a lance or knight; a silver or gold; a bishop; a rook.
    Hand1024,
}

impl HandClasses {
    /// Every kind with its name and the number of classes of one hand.
    pub(super) const TABLE: [(Self, &'static str, usize); 6] = [
        (Self::Hand4, "hand4", 2),
        (Self::Hand16, "hand16", 4),
        (Self::Hand64, "hand64", 8),
        (Self::Hand64z, "hand64z", 8),
        (Self::Hand256, "hand256", 16),
        (Self::Hand1024, "hand1024", 32),
    ];

    pub(super) fn row(self) -> &'static (Self, &'static str, usize) {
        &Self::TABLE[self as usize]
    }

    /// The class of a hand, from 0.
    pub(super) fn class(self, hand: Hand) -> usize {
        use PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
        let groups: &[&[PieceType]] = match self {
            Self::Hand4 => &[&[Bishop]],
            Self::Hand16 => &[&[Pawn], &[Bishop]],
            Self::Hand64 => &[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]],
            Self::Hand64z => return points_class(hand),
            Self::Hand256 => &[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]],
            Self::Hand1024 => &[
                &[Pawn],
                &[Lance, Knight],
                &[Silver, Gold],
                &[Bishop],
                &[Rook],
            ],
        };
        let mut class = 0;
        for (bit, kinds) in groups.iter().enumerate() {
            class |= usize::from(kinds.iter().any(|&kind| hand.has(kind))) << bit;
        }
        class
    }
}

/// 0 for an empty hand, then one class per four points, 7 from 25 points on.
fn points_class(hand: Hand) -> usize {
    points(hand).div_ceil(4).min(7) as usize
}

/// The pieces in a hand in points: pawn 1, lance and knight 2, silver and gold 3, bishop and rook
/// 5.
pub(super) fn points(hand: Hand) -> u32 {
    let of_kind = |kind| {
        let points = match kind {
            PieceType::Pawn => 1,
            PieceType::Lance | PieceType::Knight => 2,
            PieceType::Silver | PieceType::Gold => 3,
            _ => 5,
        };
        points * hand.count(kind)
    };
    PieceType::HAND.into_iter().map(of_kind).sum()
}
