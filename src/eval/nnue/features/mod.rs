//! Maps a position to the active features of a network.
//!
//! [`bona_piece`](crate::eval::bona_piece) numbers pieces as `YaneuraOu` does, `raicho` as our own
//! networks do; this module turns the numbers into feature indices of a [`FeatureSet`].
//!
//! [`active_features`] is the definition. Incremental updates use [`king_bucket`],
//! [`features_on_board`], [`features_in_hand`] and [`features_not_in_game`] for the pieces that
//! change, and must arrive at the same accumulators.

mod feature_set;
mod raicho;
#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use feature_set::{KingFeatures, Numbering};

use crate::eval::bona_piece::{ENEMY_KING, HAND_END, NOT_IN_GAME, PIECES_END, SQUARES};
use crate::eval::bona_piece::{number_in_hand, number_on_board, piece_numbers, seen_by};
use crate::position::Position;
use crate::types::{Color, File, Piece, PieceType, Square};

pub use feature_set::FeatureSet;
pub(crate) use raicho::COARSE_ZONES;

/// Upper bound of the active features of one side: 40 pieces, with kings counted twice in some
/// sets.
const MAX_ACTIVE: usize = 64;

/// Indices of the active features of one side, in no particular order.
pub type ActiveFeatures = ArrayVec<u32, MAX_ACTIVE>;

/// The block of features that is selected by the square of the side's own king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KingBucket {
    /// Index of the block, below [`FeatureSet::king_buckets`].
    pub(crate) index: u32,
    /// Whether files are mirrored, so that the king is seen on files 1 to 5.
    pub(crate) is_mirrored: bool,
}

/// The king bucket of a position whose king of `perspective` stands on `king`.
///
/// Mirrored feature sets see the king on files 1 to 5 only: a king on files 6 to 9 mirrors the
/// board.
pub(crate) fn king_bucket(set: FeatureSet, king: Square, perspective: Color) -> KingBucket {
    let king = seen_by(king, perspective);
    let is_mirrored = set.is_mirrored() && king.file() > File::File5;
    let king = if is_mirrored { mirrored(king.index() as u32) } else { king.index() as u32 };
    KingBucket {
        index: match set.numbering() {
            _ if set.king_buckets() == 1 => 0,
            Numbering::BonaPiece => king,
            Numbering::Raicho => raicho::zone(king, set.king_buckets()),
        },
        is_mirrored,
    }
}

/// The features of one piece number: none for a king where kings are not features, two for a
/// king in [`FeatureSet::Ka2`], else one. For [`FeatureSet::HalfKpE9`] it is the feature of an
/// unattacked piece.
fn indices(set: FeatureSet, bucket: KingBucket, number: u32) -> ArrayVec<u32, 2> {
    debug_assert_eq!(set.numbering(), Numbering::BonaPiece);
    let mut found = ArrayVec::new();
    let is_king = number >= PIECES_END;
    if is_king && set.king_features() == KingFeatures::None {
        return found;
    }
    let mut piece = number;
    if bucket.is_mirrored && piece >= HAND_END {
        let square = (piece - HAND_END) % SQUARES;
        piece = piece - square + mirrored(square);
    }
    if piece >= ENEMY_KING && set.king_features() == KingFeatures::Merged {
        piece -= SQUARES;
    }
    found.push(bucket.index * set.features_per_king() + piece);
    if is_king && set.counts_kings_twice() {
        found.push(set.features_per_king() + number - PIECES_END);
    }
    found
}

/// The features of a piece on the board, kings included.
#[inline(always)]
pub(crate) fn features_on_board(
    set: FeatureSet,
    bucket: KingBucket,
    perspective: Color,
    piece: Piece,
    square: Square,
) -> ArrayVec<u32, 2> {
    match set.numbering() {
        Numbering::BonaPiece => indices(set, bucket, number_on_board(piece, square, perspective)),
        Numbering::Raicho => {
            let start = bucket.index * set.features_per_king();
            one(start + raicho::on_board(bucket, perspective, piece, square))
        }
    }
}

/// The features of the `count`-th (from 1) piece of a type in the hand of `owner`.
#[inline(always)]
pub(crate) fn features_in_hand(
    set: FeatureSet,
    bucket: KingBucket,
    perspective: Color,
    kind: PieceType,
    count: u32,
    owner: Color,
) -> ArrayVec<u32, 2> {
    match set.numbering() {
        Numbering::BonaPiece => {
            indices(set, bucket, number_in_hand(kind, count, owner, perspective))
        }
        Numbering::Raicho => {
            let start = bucket.index * set.features_per_king();
            one(start + raicho::in_hand(kind, count, owner, perspective))
        }
    }
}

/// The features of a piece of the set that is not in the game (handicap).
#[inline(always)]
pub(super) fn features_not_in_game(set: FeatureSet, bucket: KingBucket) -> ArrayVec<u32, 2> {
    match set.numbering() {
        Numbering::BonaPiece => indices(set, bucket, NOT_IN_GAME),
        Numbering::Raicho => ArrayVec::new(),
    }
}

#[inline(always)]
fn one(index: u32) -> ArrayVec<u32, 2> {
    let mut found = ArrayVec::new();
    found.push(index);
    found
}

/// All active features of a position as `perspective` sees it, `None` where that side has no king.
///
/// A feature may be listed more than once (pieces that are not in the game); it then counts as
/// often.
pub fn active_features(
    set: FeatureSet,
    position: &Position,
    perspective: Color,
) -> Option<ActiveFeatures> {
    let bucket = king_bucket(set, position.king(perspective)?, perspective);
    if set.numbering() == Numbering::Raicho {
        let start = bucket.index * set.features_per_king();
        let features = raicho::active(bucket, position, perspective).into_iter();
        return Some(features.map(|feature| start + feature).collect());
    }
    if set.counts_attacks() {
        let attacks = Attacks::of(position);
        return Some(active_with_attacks(set, position, perspective, bucket, &attacks));
    }
    let numbers = piece_numbers(position, perspective).into_iter();
    Some(numbers.flat_map(|number| indices(set, bucket, number)).collect())
}

/// [`active_features`] of a set that counts attacks.
pub(super) fn active_with_attacks(
    set: FeatureSet,
    position: &Position,
    perspective: Color,
    bucket: KingBucket,
    attacks: &Attacks,
) -> ActiveFeatures {
    let step = set.king_buckets() * set.features_per_king();
    let numbers = piece_numbers(position, perspective).into_iter();
    numbers
        .flat_map(|number| {
            let class = attacks.class(perspective, number);
            let found = indices(set, bucket, number).into_iter();
            found.map(move |index| index + class * step)
        })
        .collect()
}

/// The square mirrored at file 5, in the same rank.
fn mirrored(square: u32) -> u32 {
    let (file, rank) = (square / 9, square % 9);
    (8 - file) * 9 + rank
}

/// Attack counts of the pieces on the board, for [`FeatureSet::HalfKpE9`]: number of attackers of
/// each side on each occupied square, `[side][square]`: 0, 1 or 2 (2 and more).
#[derive(Clone, Debug)]
pub(super) struct Attacks([[u8; Square::NUM]; Color::NUM]);

impl Attacks {
    pub(super) fn of(position: &Position) -> Self {
        let board = position.board();
        let mut attacks = [[0; Square::NUM]; Color::NUM];
        for square in board.occupied() - board.kind(PieceType::King) {
            for side in Color::ALL {
                let attackers = board.attackers_by(side, square, board.occupied());
                attacks[side.index()][square.index()] = attackers.count().min(2) as u8;
            }
        }
        Self(attacks)
    }

    /// Index of the attack class of a piece number: 3 · own attackers + enemy attackers, 0 to 8; 0
    /// for pieces in hand.
    fn class(&self, perspective: Color, number: u32) -> u32 {
        if !(HAND_END..PIECES_END).contains(&number) {
            return 0;
        }
        let square = Square::ALL[((number - HAND_END) % SQUARES) as usize];
        let square = seen_by(square, perspective).index();
        let count = |side: Color| u32::from(self.0[side.index()][square]);
        count(perspective) * 3 + count(!perspective)
    }
}
