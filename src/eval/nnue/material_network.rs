//! A network of our own that evaluates material only, constructed without training: each piece has
//! the value of [`piece_value`]. `raicho net material` writes it, and tests use it as a network
//! with known values.
//!
//! For each piece type the accumulator has two columns, 127 + s·n and 127 - s·n, where n is the own
//! side's surplus of pieces of the type, on the board and in hand. Their squares differ by exactly
//! 508·s·n, so output weights of +w and -w yield a linear function of n; the enemy's half has the
//! opposite weights.

use super::features::{FeatureSet, features_in_hand, features_on_board, king_bucket};
use super::scalar::{MAX_OUTPUT_WEIGHT, QA};
use super::{FeatureTransformer, Network, OutputLayer};
use super::{output_buckets::OUTPUT_BUCKETS, shape::WIDTH_STEP};
use crate::types::{Color, Piece, PieceType, Square};
use crate::{types::value::piece_value, util::Aligned};

/// The text on the origin of the network.
const TEXT: &str =
    "Raicho: piece values only, derived and not trained, until a trained network takes its place";

/// Width of the feature transformer, the smallest possible.
const WIDTH: usize = WIDTH_STEP;

/// The middle of the activation range, 0 to 255.
const MIDDLE: i16 = QA as i16 / 2;

/// Common divisor of all piece values.
const UNIT: i32 = 45;

/// The output weight of a column that a piece changes by its value in [`UNIT`]s.
const WEIGHT: i16 = 60;

/// 2 · 508 · [`WEIGHT`] must give one [`UNIT`]: 45 · 255 · 255 · 64 / (2 · 508 · 60) = 3072.05.
/// Rounded up, so that truncating divisions do not make a pawn 89.
const SCALE: i32 = 3073;

/// Constructs a network of our own that evaluates material only.
pub fn material_network() -> Network {
    let features = FeatureSet::Raicho;
    let mut biases = Aligned::zeroed(WIDTH);
    let mut weights = Aligned::zeroed(features.count() * WIDTH);
    let mut row = [0; 2 * WIDTH];
    let kinds = PieceType::ALL.into_iter().enumerate();
    for (number, kind) in kinds.filter(|&(_, kind)| kind != PieceType::King) {
        let (up, down) = (2 * number, 2 * number + 1);
        let (step, weight) = step_and_weight(kind);
        biases[up] = MIDDLE;
        biases[down] = MIDDLE;
        (row[up], row[down]) = (weight, -weight);
        (row[WIDTH + up], row[WIDTH + down]) = (-weight, weight);
        for (feature, sign) in features_of(kind) {
            weights[feature * WIDTH + up] = sign * step;
            weights[feature * WIDTH + down] = -sign * step;
        }
    }
    let mut output_weights = Aligned::zeroed(OUTPUT_BUCKETS * row.len());
    output_weights.copy_from_slice(&row.repeat(OUTPUT_BUCKETS));
    let output_layer =
        OutputLayer { biases: vec![0; OUTPUT_BUCKETS], weights: output_weights, scale: SCALE };
    let transformer = FeatureTransformer { biases, weights };
    Network::with_output_layer(features, transformer, output_layer, TEXT)
}

/// The change of the columns by one piece of a type, and the matching output weight; their product
/// is fixed. The step is as large as possible with all pieces of the set within the activation
/// range.
fn step_and_weight(kind: PieceType) -> (i16, i16) {
    let units = piece_value(kind) / UNIT;
    debug_assert_eq!(units * UNIT, piece_value(kind));
    let most = kind.unpromoted().count_in_set() as i32;
    let fits = |factor: &i32| units % factor == 0 && units / factor * most <= MIDDLE.into();
    let factor = (1..=units).find(fits).unwrap_or(1);
    let weight = WEIGHT * factor as i16;
    debug_assert!(weight <= MAX_OUTPUT_WEIGHT);
    ((units / factor) as i16, weight)
}

/// The features of all pieces of a type, with 1 for own pieces and -1 for those of the enemy.
fn features_of(kind: PieceType) -> Vec<(usize, i16)> {
    let own = Color::Black;
    let bucket = king_bucket(FeatureSet::Raicho, Square::S59, own);
    let mut found = Vec::new();
    for owner in Color::ALL {
        let sign = if owner == own { 1 } else { -1 };
        let piece = Piece::new(owner, kind);
        let on_board = Square::ALL
            .map(|square| features_on_board(FeatureSet::Raicho, bucket, own, piece, square));
        let is_held = PieceType::HAND.contains(&kind);
        let most = if is_held { kind.count_in_set() } else { 0 };
        let in_hand = (1..=most)
            .map(|count| features_in_hand(FeatureSet::Raicho, bucket, own, kind, count, owner));
        let all = on_board.into_iter().chain(in_hand).flatten();
        found.extend(all.map(|feature| (feature as usize, sign)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::material;
    use crate::eval::nnue::scalar;
    use crate::position::Position;

    /// A table whose first column holds positions.
    const POSITIONS: &str = include_str!("../../../tests/data/nnue_evaluations.tsv");

    #[test]
    fn values_are_those_of_material() {
        let network = material_network();
        let lines = POSITIONS.lines().filter(|line| !line.starts_with('#')).skip(1);
        let mut compared = 0;
        for line in lines {
            let sfen = line.split('\t').next().unwrap_or_default();
            let position = Position::from_sfen(sfen).expect("a good position");
            let found = scalar::evaluate(&network, &position).expect("two kings");
            let expected = material::evaluate(&position);
            let tolerance = 1 + expected.abs() / 100;
            let is_close = found.abs_diff(expected) as i32 <= tolerance;
            assert!(is_close, "{sfen}: {found}, not {expected}");
            compared += 1;
        }
        assert!(compared >= 200);
    }

    #[test]
    fn single_pieces_are_exact() {
        let network = material_network();
        #[rustfmt::skip]
        let cases = [
            ("P", 90), ("L", 315), ("N", 405), ("S", 495), ("G", 540), ("B", 855), ("R", 990),
            ("18P", 18 * 90), ("p", -90), ("2R", 1980),
        ];
        for (hand, value) in cases {
            let sfen = format!("4k4/9/9/9/9/9/9/9/4K4 b {hand} 1");
            let position = Position::from_sfen(&sfen).expect("a good position");
            let found = scalar::evaluate(&network, &position).expect("two kings");
            assert!(found.abs_diff(value) <= 1, "{hand}: {found}");
        }
    }
}
