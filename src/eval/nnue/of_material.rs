//! A network of our own that knows material and nothing else, made without training: every piece is worth what it is in
//! [`piece_value`]. With it every path through a network can be taken before there is a trained one.
//!
//! For each kind of piece there are two neurons in the transformer, 127 + s·n and 127 - s·n, where n is how many more of the
//! kind the own side has than the enemy, on the board and in hand. Their squares differ by exactly 508·s·n, so output
//! weights of +w and -w make a linear function of them, and the opposite weights make the same of what the enemy sees.

use super::buckets::PHASES;
use super::features::{inputs_in_hand, inputs_on_board, king_plane};
use super::inputs::Inputs;
use super::network::{Direct, Network, Transformer};
use super::scalar::{MAX_WEIGHT, ONE_OF_SUMS};
use super::shape::WIDTH_STEP;
use crate::types::value::piece_value;
use crate::types::{Color, Piece, PieceType, Square};
use crate::util::Aligned;

/// What the file says of itself.
const TEXT: &str =
    "Raicho: piece values only, derived and not trained, until a trained network takes its place";

/// Sums of the transformer: the fewest there can be.
const WIDTH: usize = WIDTH_STEP;

/// The middle of the activations.
const MIDDLE: i16 = ONE_OF_SUMS as i16 / 2;

/// All piece values are multiples of this.
const UNIT: i32 = 45;

/// The output weight where a piece more moves a neuron by as many as its value has units.
const WEIGHT: i16 = 60;

/// 2 · 508 · [`WEIGHT`] is worth one [`UNIT`]: 45 · 255 · 255 · 64 / (2 · 508 · 60) = 3072.05, and a little more, so that what
/// the divisions drop does not make a pawn 89.
const SCALE: i32 = 3073;

/// The network.
pub fn of_material() -> Network {
    let inputs = Inputs::Own;
    let mut biases = Aligned::zeroed(WIDTH);
    let mut weights = Aligned::zeroed(inputs.count() * WIDTH);
    let mut row = [0; 2 * WIDTH];
    let kinds = PieceType::ALL.into_iter().enumerate();
    for (number, kind) in kinds.filter(|&(_, kind)| kind != PieceType::King) {
        let (up, down) = (2 * number, 2 * number + 1);
        let (step, weight) = step_and_weight(kind);
        biases[up] = MIDDLE;
        biases[down] = MIDDLE;
        (row[up], row[down]) = (weight, -weight);
        (row[WIDTH + up], row[WIDTH + down]) = (-weight, weight);
        for (input, sign) in inputs_of(kind) {
            weights[input * WIDTH + up] = sign * step;
            weights[input * WIDTH + down] = -sign * step;
        }
    }
    let mut output_weights = Aligned::zeroed(PHASES * row.len());
    output_weights.copy_from_slice(&row.repeat(PHASES));
    let direct = Direct {
        biases: vec![0; PHASES],
        weights: output_weights,
        scale: SCALE,
    };
    Network::of_direct(inputs, Transformer { biases, weights }, direct, TEXT)
}

/// By how much a piece of that kind moves its neurons, and the output weight that goes with it: the larger the step, the
/// smaller the weight. As many pieces as a set has must not leave the range of activations.
fn step_and_weight(kind: PieceType) -> (i16, i16) {
    let units = piece_value(kind) / UNIT;
    debug_assert_eq!(units * UNIT, piece_value(kind));
    let most = kind.unpromoted().count_in_set() as i32;
    let fits = |factor: &i32| units % factor == 0 && units / factor * most <= MIDDLE.into();
    let factor = (1..=units).find(fits).unwrap_or(1);
    let weight = WEIGHT * factor as i16;
    debug_assert!(weight <= MAX_WEIGHT);
    ((units / factor) as i16, weight)
}

/// The inputs of all pieces of a kind, with 1 where the piece is the own side's and -1 where it is the enemy's.
fn inputs_of(kind: PieceType) -> Vec<(usize, i16)> {
    let own = Color::Black;
    let plane = king_plane(Inputs::Own, Square::S59, own);
    let mut found = Vec::new();
    for owner in Color::ALL {
        let sign = if owner == own { 1 } else { -1 };
        let piece = Piece::new(owner, kind);
        let on_board =
            Square::ALL.map(|square| inputs_on_board(Inputs::Own, plane, own, piece, square));
        let most = if PieceType::HAND.contains(&kind) {
            kind.count_in_set()
        } else {
            0
        };
        let in_hand =
            (1..=most).map(|count| inputs_in_hand(Inputs::Own, plane, own, kind, count, owner));
        let all = on_board.into_iter().chain(in_hand).flatten();
        found.extend(all.map(|input| (input as usize, sign)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::material;
    use crate::eval::nnue::scalar;
    use crate::position::Position;

    /// Positions at the beginning of the lines.
    const POSITIONS: &str = include_str!("../../../tests/data/nnue_evaluations.tsv");

    #[test]
    fn values_are_those_of_material() {
        let network = of_material();
        let lines = POSITIONS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .skip(1);
        let mut compared = 0;
        for line in lines {
            let sfen = line.split('\t').next().unwrap_or_default();
            let position = Position::from_sfen(sfen).expect("a good position");
            let found = scalar::evaluate(&network, &position).expect("two kings");
            let expected = material::evaluate(&position);
            let tolerance = 1 + expected.abs() / 100;
            assert!(
                found.abs_diff(expected) as i32 <= tolerance,
                "{sfen}: {found}, not {expected}"
            );
            compared += 1;
        }
        assert!(compared >= 200);
    }

    #[test]
    fn single_pieces_are_exact() {
        let network = of_material();
        for (hand, value) in [
            ("P", 90),
            ("L", 315),
            ("N", 405),
            ("S", 495),
            ("G", 540),
            ("B", 855),
            ("R", 990),
            ("18P", 18 * 90),
            ("p", -90),
            ("2R", 1980),
        ] {
            let sfen = format!("4k4/9/9/9/9/9/9/9/4K4 b {hand} 1");
            let position = Position::from_sfen(&sfen).expect("a good position");
            let found = scalar::evaluate(&network, &position).expect("two kings");
            assert!(found.abs_diff(value) <= 1, "{hand}: {found}");
        }
    }
}
