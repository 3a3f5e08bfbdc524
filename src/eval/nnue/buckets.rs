//! Which of a network's stacks of layers looks at a position: by what is in the hands, where the kings stand, and how far
//! the game has gone.
//!
//! The buckets are those of `YaneuraOu`'s SFNN networks (`source/eval/nnue/architectures/README.md`). Each of the two sides
//! has a number of its own, the side to move's first; hands, kings and progress combine in this order. Our own networks
//! have the phases of a game instead.

mod phase;

use std::fmt;

use super::features::{PIECES_END, piece_numbers};
use crate::position::Position;
use crate::types::{Color, Hand, PieceType, Square};

pub use phase::PHASES;
pub(crate) use phase::phase;

/// Classes of one hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandBuckets {
    /// Bishop in hand.
    Hand4,
    /// Pawn, bishop.
    Hand16,
    /// Pawn to knight; gold, silver or rook; bishop.
    Hand64,
    /// Points of all pieces in hand, in 8 zones.
    Hand64z,
    /// Pawn to knight; silver or gold; bishop; rook.
    Hand256,
    /// Pawn; lance or knight; silver or gold; bishop; rook.
    Hand1024,
}

/// Classes of the square of one king, as its own side sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingBuckets {
    /// Three ranks together.
    K3k3,
    /// The rank.
    K9k9,
    /// Three zones before, the ranks 8 and 9 in three parts each.
    K9k9z,
    /// The ranks 1 to 7, the ranks 8 and 9 in three parts each.
    K13k13z,
    /// Three zones before, each square of the ranks 8 and 9.
    K21k21,
    /// Two zones before, each square of the ranks 7 to 9.
    K29k29,
}

/// How a stack is chosen; everything absent: there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Buckets {
    /// By the hands.
    pub hand: Option<HandBuckets>,
    /// By the squares of the kings.
    pub king: Option<KingBuckets>,
    /// By progress, in so many equal parts ([`PROGRESS_BUCKETS`]).
    pub progress: Option<u32>,
}

/// Numbers of parts that progress may be cut into.
pub const PROGRESS_BUCKETS: [u32; 6] = [2, 3, 4, 8, 16, 32];

impl HandBuckets {
    /// Every kind, with its name and the number of classes of one hand.
    const TABLE: [(Self, &'static str, usize); 6] = [
        (Self::Hand4, "hand4", 2),
        (Self::Hand16, "hand16", 4),
        (Self::Hand64, "hand64", 8),
        (Self::Hand64z, "hand64z", 8),
        (Self::Hand256, "hand256", 16),
        (Self::Hand1024, "hand1024", 32),
    ];

    fn row(self) -> &'static (Self, &'static str, usize) {
        &Self::TABLE[self as usize]
    }

    fn class(self, hand: Hand) -> usize {
        use PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
        let groups: &[&[PieceType]] = match self {
            Self::Hand4 => &[&[Bishop]],
            Self::Hand16 => &[&[Pawn], &[Bishop]],
            Self::Hand64 => &[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]],
            Self::Hand64z => return zone_of_points(hand),
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

/// 0 for an empty hand, then a zone for every four points, 7 from 25 points on.
fn zone_of_points(hand: Hand) -> usize {
    points(hand).div_ceil(4).min(7) as usize
}

/// What is in a hand, in points.
fn points(hand: Hand) -> u32 {
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

impl KingBuckets {
    /// Every kind, with its name, another name that is understood, and the number of classes of one king.
    const TABLE: [(Self, &'static str, &'static str, usize); 6] = [
        (Self::K3k3, "k3k3", "king3_by_king3", 3),
        (Self::K9k9, "k9k9", "king9_by_king9", 9),
        (Self::K9k9z, "k9k9z", "king9z_by_king9z", 9),
        (Self::K13k13z, "k13k13z", "king13z_by_king13z", 13),
        (Self::K21k21, "k21k21", "king21_by_king21", 21),
        (Self::K29k29, "k29k29", "king29_by_king29", 29),
    ];

    fn row(self) -> &'static (Self, &'static str, &'static str, usize) {
        &Self::TABLE[self as usize]
    }

    /// The class of a king on `square`, which its own side sees so.
    fn class(self, square: Square) -> usize {
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

impl Buckets {
    /// How many stacks there are.
    pub fn count(self) -> usize {
        let hand = self.hand.map_or(1, |hand| hand.row().2.pow(2));
        let king = self.king.map_or(1, |king| king.row().3.pow(2));
        hand * king * self.progress.unwrap_or(1) as usize
    }

    /// The number of the stack for a position, `None` where a king is missing. `progress` is needed, and asked for, only
    /// where progress matters.
    pub(crate) fn index(
        self,
        position: &Position,
        progress: impl FnOnce() -> Option<u32>,
    ) -> Option<usize> {
        let us = position.side_to_move();
        let mut index = 0;
        if let Some(hand) = self.hand {
            let (ours, theirs) = (position.hand(us), position.hand(!us));
            index = hand.class(ours) * hand.row().2 + hand.class(theirs);
        }
        if let Some(king) = self.king {
            let classes = king.row().3;
            let class = |side| Some(king.class(seen_from_own_side(position.king(side)?, side)));
            index = (index * classes + class(us)?) * classes + class(!us)?;
        }
        if let Some(parts) = self.progress {
            let part = progress()? * parts / PROGRESS_VALUES;
            index = index * parts as usize + part as usize;
        }
        Some(index)
    }

    /// The buckets of words such as `hand16_k9k9z_progress4`, in any order, in capitals or not.
    ///
    /// # Errors
    /// The word that is not understood or stands there twice.
    pub(crate) fn from_words(text: &str) -> Result<Self, String> {
        let mut text = text.to_ascii_lowercase().replace("zone", "z");
        for (_, name, other, _) in KingBuckets::TABLE {
            text = text.replace(other, name);
        }
        let mut buckets = Self::default();
        for word in text.split('_').filter(|word| !word.is_empty()) {
            let hand = HandBuckets::TABLE.into_iter().find(|row| row.1 == word);
            let king = KingBuckets::TABLE.into_iter().find(|row| row.1 == word);
            let parts = word
                .strip_prefix("progress")
                .and_then(|parts| parts.parse().ok());
            let progress = parts.filter(|parts| PROGRESS_BUCKETS.contains(parts));
            let is_new = match (hand, king, progress) {
                (Some((hand, ..)), ..) => buckets.hand.replace(hand).is_none(),
                (_, Some((king, ..)), _) => buckets.king.replace(king).is_none(),
                (.., Some(parts)) => buckets.progress.replace(parts).is_none(),
                _ => false,
            };
            if !is_new {
                return Err(word.to_owned());
            }
        }
        Ok(buckets)
    }
}

/// As names of shapes spell it: each word after an underscore.
impl fmt::Display for Buckets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(hand) = self.hand {
            write!(formatter, "_{}", hand.row().1)?;
        }
        if let Some(king) = self.king {
            write!(formatter, "_{}", king.row().1)?;
        }
        if let Some(parts) = self.progress {
            write!(formatter, "_progress{parts}")?;
        }
        Ok(())
    }
}

fn seen_from_own_side(square: Square, side: Color) -> Square {
    match side {
        Color::Black => square,
        Color::White => square.rotated(),
    }
}

// --- Progress ---

/// Progress is one of so many values.
const PROGRESS_VALUES: u32 = 256;

/// One in the fixed-point numbers of a file.
const ONE: f64 = 65_536.0;

/// A small network that says how far a game has gone: a logistic regression over pairs of king and piece.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bias: i64,
    /// `[own king][piece number]`, the same for both sides.
    weights: Vec<i32>,
    /// The sums from which progress is at least 1, 2, … 255.
    thresholds: Vec<i64>,
}

impl Progress {
    /// Weights in a file.
    pub(crate) const WEIGHTS: usize = Square::NUM * PIECES_END as usize;

    /// `bias` and `weights` are in units of 1/65536.
    pub(crate) fn new(bias: i32, weights: Vec<i32>) -> Self {
        debug_assert_eq!(weights.len(), Self::WEIGHTS);
        Self {
            bias: bias.into(),
            weights,
            thresholds: (1..PROGRESS_VALUES).map(threshold).collect(),
        }
    }

    /// How far the game has gone, 0 to 255; `None` where a king is missing.
    pub(crate) fn of(&self, position: &Position) -> Option<u32> {
        let mut sum = self.bias;
        for side in Color::ALL {
            let king = seen_from_own_side(position.king(side)?, side).index();
            let pieces = piece_numbers(position, side).into_iter();
            for number in pieces.filter(|&number| number < PIECES_END) {
                sum += i64::from(self.weights[king * PIECES_END as usize + number as usize]);
            }
        }
        Some(
            self.thresholds
                .partition_point(|&threshold| threshold <= sum) as u32,
        )
    }
}

/// The sum whose logistic function is `value` / 256. No platform's logarithm is so far off that it would round to another
/// integer (tested).
fn threshold(value: u32) -> i64 {
    (logit(value) * ONE).round() as i64
}

fn logit(value: u32) -> f64 {
    let share = f64::from(value) / f64::from(PROGRESS_VALUES);
    (share / (1.0 - share)).ln()
}

#[cfg(test)]
mod tests;
