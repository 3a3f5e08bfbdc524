//! Output buckets: which layer stack or output neuron of a network evaluates a position, by the
//! pieces in hand, the king squares and the progress of the game.
//!
//! [`OutputBuckets`] are those of `YaneuraOu`'s SFNN networks
//! (`source/eval/nnue/architectures/README.md`). Hands and kings are classified per side, the side
//! to move first; hands, kings and progress combine in this order. Our own networks use
//! `game_phase` instead.

use std::fmt;

use crate::eval::bona_piece::{PIECES_END, piece_numbers, seen_by};
use crate::position::Position;
use crate::types::{Color, Hand, PieceType, Rank, Square};

/// How the layer stack is chosen. With every field absent there is a single stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputBuckets {
    /// By the hands of both sides.
    pub hand: Option<HandClasses>,
    /// By the king squares of both sides.
    pub king: Option<KingClasses>,
    /// By game progress in this number of equal parts, one of [`PROGRESS_BUCKETS`].
    pub progress: Option<u32>,
}

/// The numbers of parts that progress can be divided into.
pub const PROGRESS_BUCKETS: [u32; 6] = [2, 3, 4, 8, 16, 32];

impl OutputBuckets {
    /// Number of layer stacks: the product of all classes.
    pub fn count(self) -> usize {
        let hand = self.hand.map_or(1, |hand| hand.row().2.pow(2));
        let king = self.king.map_or(1, |king| king.row().3.pow(2));
        hand * king * self.progress.unwrap_or(1) as usize
    }

    /// The layer stack for a position, from 0; `None` where a king is missing. `progress` is called
    /// only where the buckets depend on it.
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
            let class = |side| Some(king.class(seen_by(position.king(side)?, side)));
            index = (index * classes + class(us)?) * classes + class(!us)?;
        }
        if let Some(parts) = self.progress {
            let part = progress()? * parts / PROGRESS_VALUES;
            index = index * parts as usize + part as usize;
        }
        Some(index)
    }

    /// Parses words such as `hand16_k9k9z_progress4`, in any order, ignoring case.
    ///
    /// # Errors
    /// The first word that is unknown or repeats a kind.
    pub(crate) fn from_words(text: &str) -> Result<Self, String> {
        let mut text = text.to_ascii_lowercase().replace("zone", "z");
        for (_, name, other, _) in KingClasses::TABLE {
            text = text.replace(other, name);
        }
        let mut buckets = Self::default();
        for word in text.split('_').filter(|word| !word.is_empty()) {
            let hand = HandClasses::TABLE.into_iter().find(|row| row.1 == word);
            let king = KingClasses::TABLE.into_iter().find(|row| row.1 == word);
            let parts = word.strip_prefix("progress").and_then(|parts| parts.parse().ok());
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

/// Spelling in names of shapes: each word after an underscore.
impl fmt::Display for OutputBuckets {
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

// --- Classes of hands and kings ---

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

    /// The class of a hand, from 0.
    fn class(self, hand: Hand) -> usize {
        use PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
        let groups: &[&[PieceType]] = match self {
            Self::Hand4 => &[&[Bishop]],
            Self::Hand16 => &[&[Pawn], &[Bishop]],
            Self::Hand64 => &[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]],
            // 0 for an empty hand, then one class per four points, 7 from 25 points on.
            Self::Hand64z => return points(hand).div_ceil(4).min(7) as usize,
            Self::Hand256 => &[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]],
            Self::Hand1024 => &[&[Pawn], &[Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]],
        };
        let mut class = 0;
        for (bit, kinds) in groups.iter().enumerate() {
            class |= usize::from(kinds.iter().any(|&kind| hand.has(kind))) << bit;
        }
        class
    }
}

/// The pieces in a hand in points: pawn 1, lance and knight 2, silver and gold 3, bishop and rook
/// 5.
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

    /// The class of a king, from 0. `square` is as the king's own side sees it.
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

// --- Progress of the game ---

/// Number of values of progress.
const PROGRESS_VALUES: u32 = 256;

/// 1.0 in the fixed-point numbers of a file.
const ONE: f64 = 65_536.0;

/// Game progress, 0 to 255: a logistic regression over pairs of own king and piece.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bias: i64,
    /// `[own king][piece number]`, the same for both sides.
    weights: Vec<i32>,
    /// The smallest sums for which progress is at least 1, 2, … 255.
    thresholds: Vec<i64>,
}

impl Progress {
    /// Number of weights in a file.
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

    /// The progress of a position, 0 to 255; `None` where a king is missing.
    pub(crate) fn of(&self, position: &Position) -> Option<u32> {
        let mut sum = self.bias;
        for side in Color::ALL {
            let king = seen_by(position.king(side)?, side).index();
            let pieces = piece_numbers(position, side).into_iter();
            for number in pieces.filter(|&number| number < PIECES_END) {
                sum += i64::from(self.weights[king * PIECES_END as usize + number as usize]);
            }
        }
        Some(self.thresholds.partition_point(|&threshold| threshold <= sum) as u32)
    }
}

/// The sum whose logistic function is `value` / 256. The error of `ln` on any platform is too small
/// to change the rounded integer (tested).
fn threshold(value: u32) -> i64 {
    (logit(value) * ONE).round() as i64
}

fn logit(value: u32) -> f64 {
    let share = f64::from(value) / f64::from(PROGRESS_VALUES);
    (share / (1.0 - share)).ln()
}

// --- The buckets of our own networks ---

/// Number of output buckets of our own networks.
pub const OUTPUT_BUCKETS: usize = 8;

/// Upper bounds of the points in both hands together, for the buckets 0 to 5. Chosen so that the
/// buckets are about equally frequent in games.
const MAX_POINTS: [u32; 6] = [1, 5, 10, 16, 24, 35];

/// The bucket of positions in which either king has entered.
const ENTERING_KING: usize = OUTPUT_BUCKETS - 1;

const _: () = assert!(MAX_POINTS.len() + 2 == OUTPUT_BUCKETS);

/// The output bucket of a position in our own networks: 0 to 6 by the points in both hands (pawn 1,
/// lance and knight 2, silver and gold 3, bishop and rook 5), 7 where either king stands on the
/// ranks 1 to 4 as its own side counts them.
pub(crate) fn game_phase(position: &Position) -> usize {
    let is_entering = |side| {
        let king = position.king(side);
        king.is_some_and(|king| seen_by(king, side).rank() <= Rank::Rank4)
    };
    if Color::ALL.into_iter().any(is_entering) {
        return ENTERING_KING;
    }
    let [black, white] = Color::ALL.map(|side| position.hand(side));
    let in_hands = points(black.together_with(white));
    MAX_POINTS.partition_point(|&most| most < in_hands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::File;

    fn hand(text: &str) -> Hand {
        let mut hand = Hand::EMPTY;
        for letter in text.chars() {
            hand.add(PieceType::from_letter(letter).unwrap());
        }
        hand
    }

    #[test]
    fn classes_of_hands() {
        use HandClasses::{Hand4, Hand16, Hand64, Hand64z, Hand256, Hand1024};
        let kinds = [Hand4, Hand16, Hand64, Hand64z, Hand256, Hand1024];
        let expected = [
            ("", [0, 0, 0, 0, 0, 0]),
            ("P", [0, 1, 1, 1, 1, 1]),
            ("PPPP", [0, 1, 1, 1, 1, 1]),
            ("PPPPP", [0, 1, 1, 2, 1, 1]),
            ("L", [0, 0, 1, 1, 1, 2]),
            ("NN", [0, 0, 1, 1, 1, 2]),
            ("S", [0, 0, 2, 1, 2, 4]),
            ("GG", [0, 0, 2, 2, 2, 4]),
            ("B", [1, 2, 4, 2, 4, 8]),
            ("R", [0, 0, 2, 2, 8, 16]),
            ("PLSBR", [1, 3, 7, 4, 15, 31]),
            ("BBRRGP", [1, 3, 7, 6, 15, 29]),
            ("BBRRGGP", [1, 3, 7, 7, 15, 29]),
            ("BBRRGGGGPPPPPPPPP", [1, 3, 7, 7, 15, 29]),
        ];
        for (text, classes) in expected {
            assert_eq!(kinds.map(|kind| kind.class(hand(text))), classes, "{text}");
            for kind in kinds {
                assert!(kind.class(hand(text)) < kind.row().2);
            }
        }
    }

    #[test]
    fn classes_of_kings() {
        use KingClasses::{K3k3, K9k9, K9k9z, K13k13z, K21k21, K29k29};
        let kinds = [K3k3, K9k9, K9k9z, K13k13z, K21k21, K29k29];
        // File (0 is 1筋) and rank of a king, its classes.
        let expected = [
            ((4, 0), [0, 0, 0, 0, 0, 0]),
            ((8, 2), [0, 2, 0, 2, 0, 0]),
            ((0, 3), [1, 3, 1, 3, 1, 1]),
            ((8, 5), [1, 5, 1, 5, 1, 1]),
            ((3, 6), [2, 6, 2, 6, 2, 5]),
            ((0, 7), [2, 7, 3, 7, 3, 11]),
            ((3, 7), [2, 7, 4, 8, 6, 14]),
            ((8, 7), [2, 7, 5, 9, 11, 19]),
            ((2, 8), [2, 8, 6, 10, 14, 22]),
            ((8, 8), [2, 8, 8, 12, 20, 28]),
        ];
        for ((file, rank), classes) in expected {
            let square = Square::new(File::ALL[file], Rank::ALL[rank]);
            assert_eq!(kinds.map(|kind| kind.class(square)), classes, "{square}");
        }
        for kind in kinds {
            let largest = Square::ALL.into_iter().map(|square| kind.class(square)).max();
            assert_eq!(largest, Some(kind.row().3 - 1));
        }
    }

    #[test]
    fn hands_kings_and_progress_combine_in_this_order() {
        let sfen = "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL w B 1";
        let sfen = sfen.replace(" w B ", " w Bb ");
        let position = Position::from_sfen(&sfen).unwrap();
        let buckets = OutputBuckets::from_words("hand4_k9k9_progress8").unwrap();
        assert_eq!(buckets.count(), 4 * 81 * 8);
        let stack = (3 * 81 + 8 * 9 + 8) * 8;
        assert_eq!(buckets.index(&position, || Some(255)), Some(stack + 7));
        assert_eq!(buckets.index(&position, || Some(63)), Some(stack + 1));
        let one_side = Position::from_sfen(&sfen.replace("Bb", "B")).unwrap();
        assert_eq!(buckets.index(&one_side, || Some(0)), Some((81 + 80) * 8));
        assert_eq!(OutputBuckets::default().index(&position, || None), Some(0));
        let no_king = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").unwrap();
        assert_eq!(buckets.index(&no_king, || Some(0)), None);
    }

    #[test]
    fn names_round_trip() {
        fn or_none<T, const COUNT: usize>(items: [T; COUNT]) -> impl Iterator<Item = Option<T>> {
            items.into_iter().map(Some).chain([None])
        }
        for hand in or_none(HandClasses::TABLE.map(|row| row.0)) {
            for king in or_none(KingClasses::TABLE.map(|row| row.0)) {
                for progress in or_none(PROGRESS_BUCKETS) {
                    let buckets = OutputBuckets { hand, king, progress };
                    let name = buckets.to_string();
                    for text in [&name, &name.to_uppercase()] {
                        assert_eq!(OutputBuckets::from_words(text), Ok(buckets), "{text}");
                    }
                }
            }
        }
        let other = OutputBuckets::from_words("KING9ZONE_BY_KING9ZONE_HAND64");
        assert_eq!(other.unwrap().to_string(), "_hand64_k9k9z");
        for wrong in "hand5 k3k3_k9k9 progress5 progress hand4_hand4 k3".split(' ') {
            assert!(OutputBuckets::from_words(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn thresholds_do_not_depend_on_the_last_bit_of_a_logarithm() {
        for value in 1..PROGRESS_VALUES {
            let scaled = logit(value) * ONE;
            let from_half = (scaled.abs().fract() - 0.5).abs();
            assert!(from_half > 1e-6, "{value}: {scaled}");
            assert_eq!(threshold(value), -threshold(PROGRESS_VALUES - value));
        }
        assert_eq!(threshold(128), 0);
    }

    fn phase_of(sfen: &str) -> usize {
        game_phase(&Position::from_sfen(sfen).expect("the test gives a good position"))
    }

    #[test]
    fn points_in_both_hands_count() {
        let with_hands = |hands| phase_of(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1"));
        for (hands, phase) in [
            ("-", 0),
            ("P", 0),
            ("Pp", 1),
            ("R", 1),
            ("Rp", 2),
            ("Bb", 2),
            ("Bbp", 3),
            ("RBgsp", 4),
            ("2R2b4p", 4),
            ("2R2b5p", 5),
            ("2R2b4g3p", 5),
            ("2R2b4g4p", 6),
            ("2R2b4g4s4n4l18p", 6),
        ] {
            assert_eq!(with_hands(hands), phase, "{hands}");
        }
    }

    #[test]
    fn an_entering_king_counts_more() {
        assert_eq!(phase_of("4k4/9/9/9/9/9/9/9/4K4 b - 1"), 0);
        assert_eq!(phase_of("4k4/9/9/9/4K4/9/9/9/9 b - 1"), 0);
        assert_eq!(phase_of("4k4/9/9/4K4/9/9/9/9/9 b - 1"), ENTERING_KING);
        assert_eq!(phase_of("9/9/9/9/9/4k4/9/9/4K4 w 2R2B 1"), ENTERING_KING);
        assert_eq!(phase_of("9/9/9/9/4k4/9/9/9/4K4 w - 1"), 0);
    }
}
