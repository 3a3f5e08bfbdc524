//! The specification: the value of a position, straight from the weights.

use super::numbers::piece_numbers;
use crate::types::{Color, Value};
use crate::{eval::bona_piece::seen_by, position::Position};

/// What the sums are divided by: the weights are in 1/32 of a unit in which a pawn is 90.
pub const SCALE: i32 = 32;

/// A board part, positive where black is ahead or, in KPP, where the king's side is ahead, and a
/// turn part for the side to move.
pub type Weight = [i32; 2];

/// The weights of a three-piece evaluation. Pieces are given by their piece numbers, 1 to 1547;
/// kings by their squares, 0 to 80. KPP weights are symmetric in both pieces.
pub trait Weights {
    /// The weight of both kings.
    fn kk(&self, black_king: usize, white_king: usize) -> Weight;

    /// The weight of both kings and a piece as black sees it.
    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> Weight;

    /// The weight of a king and two different pieces as the side of that king sees them.
    fn kpp(&self, king: usize, one: usize, other: usize) -> Weight;
}

/// The three sums of a position before they are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sums {
    /// The pairs of pieces as black sees them, then as white does.
    pub(super) pairs: [Weight; Color::NUM],
    /// The weight of both kings (KK) and those of both kings with each piece (KKP).
    pub(super) kings: Weight,
}

impl Sums {
    /// Sums the weights of a position. `None` where a king is missing.
    pub(super) fn of(weights: &impl Weights, position: &Position) -> Option<Self> {
        let [black_king, white_king] =
            [position.king(Color::Black)?.index(), position.king(Color::White)?.index()];
        let mut sums = Self::default();
        for side in Color::ALL {
            let king = seen_by(position.king(side)?, side).index();
            let numbers = piece_numbers(position, side);
            let sum = &mut sums.pairs[side.index()];
            for (index, &one) in numbers.iter().enumerate() {
                for &other in &numbers[..index] {
                    add(sum, weights.kpp(king, one, other));
                }
            }
        }
        add(&mut sums.kings, weights.kk(black_king, white_king));
        for number in piece_numbers(position, Color::Black) {
            add(&mut sums.kings, weights.kkp(black_king, white_king, number));
        }
        Some(sums)
    }

    /// The value for the side to move, in units in which a pawn is 90. Material is a part of it.
    #[inline(always)]
    pub(super) fn value(&self, position: &Position) -> Value {
        let [black, white] = self.pairs;
        let board = black[0].wrapping_sub(white[0]).wrapping_add(self.kings[0]);
        let board = match position.side_to_move() {
            Color::Black => board,
            Color::White => board.wrapping_neg(),
        };
        let turn = black[1].wrapping_add(white[1]).wrapping_add(self.kings[1]);
        let material = SCALE * position.material();
        board.wrapping_add(turn).wrapping_add(material) / SCALE
    }
}

/// Adds a weight. Sums wrap as those of other engines do; sane files are far from the limit.
#[inline(always)]
pub(super) fn add(sum: &mut Weight, weight: Weight) {
    for (sum, weight) in sum.iter_mut().zip(weight) {
        *sum = sum.wrapping_add(weight);
    }
}

/// Subtracts a weight, see [`add`].
#[inline(always)]
pub(super) fn subtract(sum: &mut Weight, weight: Weight) {
    for (sum, weight) in sum.iter_mut().zip(weight) {
        *sum = sum.wrapping_sub(weight);
    }
}

/// The value of a position for the side to move, in units in which a pawn is 90; not clamped.
/// Pieces that are not in the game count nothing. `None` where a king is missing.
pub fn evaluate(weights: &impl Weights, position: &Position) -> Option<Value> {
    Some(Sums::of(weights, position)?.value(position))
}
