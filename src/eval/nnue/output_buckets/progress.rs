//! Game progress, 0 to 255: a logistic regression over pairs of own king and piece.

use crate::eval::bona_piece::{PIECES_END, piece_numbers};
use crate::eval::perspective::seen_by;
use crate::position::Position;
use crate::types::{Color, Square};

/// Number of values of progress.
pub(super) const PROGRESS_VALUES: u32 = 256;

/// 1.0 in the fixed-point numbers of a file.
const ONE: f64 = 65_536.0;

/// The weights of the regression.
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
        Some(
            self.thresholds
                .partition_point(|&threshold| threshold <= sum) as u32,
        )
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
