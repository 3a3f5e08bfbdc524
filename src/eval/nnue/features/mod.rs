//! Maps a position to the active features of a network.
//!
//! [`bona_piece`](crate::eval::bona_piece) numbers pieces as `YaneuraOu` does, `raicho` as our own
//! networks do; this module turns the numbers into feature indices of a [`FeatureSet`].
//!
//! [`active_features`] is the definition. Incremental updates use [`king_bucket`],
//! [`features_on_board`], [`features_in_hand`] and [`features_not_in_game`] for the pieces that
//! change, and must arrive at the same accumulators.

mod attacks;
mod feature_set;
mod perspective;
mod raicho;

use arrayvec::ArrayVec;

use crate::eval::bona_piece::{
    ENEMY_KING, HAND_END, NOT_IN_GAME, PIECES_END, number_in_hand, number_on_board, piece_numbers,
};
use crate::eval::perspective::{SQUARES, seen_by};
use crate::position::Position;
use crate::types::{Color, File, Piece, PieceType, Square};
use feature_set::{KingFeatures, Numbering};
use perspective::mirrored;

pub(super) use attacks::Attacks;
pub use feature_set::FeatureSet;
pub use perspective::ActiveFeatures;
pub(crate) use perspective::KingBucket;

/// The king bucket of a position whose king of `perspective` stands on `king`.
///
/// Mirrored feature sets see the king on files 1 to 5 only: a king on files 6 to 9 mirrors the
/// board.
pub(crate) fn king_bucket(set: FeatureSet, king: Square, perspective: Color) -> KingBucket {
    let king = seen_by(king, perspective);
    let is_mirrored = set.is_mirrored() && king.file() > File::File5;
    let king = if is_mirrored {
        mirrored(king.index() as u32)
    } else {
        king.index() as u32
    };
    KingBucket {
        index: match set.numbering() {
            _ if set.king_buckets() == 1 => 0,
            Numbering::BonaPiece => king,
            Numbering::Raicho => raicho::zone(king),
        },
        is_mirrored,
    }
}

/// The features of one piece number: none for a king where kings are no features, two for a king in
/// [`FeatureSet::Ka2`], else one. For [`FeatureSet::HalfKpE9`] it is the feature of an unattacked
/// piece.
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
        return Some(active_with_attacks(
            set,
            position,
            perspective,
            bucket,
            &attacks,
        ));
    }
    let numbers = piece_numbers(position, perspective).into_iter();
    Some(
        numbers
            .flat_map(|number| indices(set, bucket, number))
            .collect(),
    )
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

#[cfg(test)]
mod tests;
