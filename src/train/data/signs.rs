//! Whether scores and results point the same way: who thinks to be better should win more often, black and white alike.
//!
//! A wrong sign is the most common fault of teacher data and does not show anywhere else: the learner only gets worse. For
//! each side to move the probability to win is fitted by `1 / (1 + exp(-(a + b·score)))`, a draw as half a win. `b` must be
//! positive. `1 / b` is the scale of the sigmoid for the learner. All sums are whole numbers until the fit.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::records::sample::Sample;
use crate::types::Color;

/// Scores beyond this, in centipawns, say no more than this does; mates among them.
const LARGEST_SCORE: i16 = 2_000;
/// Scores of a class, in centipawns.
const CLASS_WIDTH: i16 = 20;
const CLASSES: usize = 2 * (LARGEST_SCORE / CLASS_WIDTH) as usize + 1;

/// Fewer decided games than this say nothing.
const LEAST_DECIDED: u64 = 100;

const ITERATIONS: usize = 50;

/// Positions of one side to move, by classes of scores.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Side {
    /// By class: positions, the sum of their scores, and twice the points (a win is 2, a draw 1).
    classes: Vec<(u64, i64, u64)>,
    decided: u64,
}

/// What was counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Signs([Side; Color::NUM]);

impl Default for Signs {
    fn default() -> Self {
        Self(Color::ALL.map(|_| Side {
            classes: vec![(0, 0, 0); CLASSES],
            decided: 0,
        }))
    }
}

/// A fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slope {
    /// The `a` above.
    pub intercept: f64,
    /// The `b` above, per centipawn.
    pub slope: f64,
}

impl Signs {
    /// Adds the counts of other positions.
    pub fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            for (ours, theirs) in ours.classes.iter_mut().zip(&theirs.classes) {
                ours.0 += theirs.0;
                ours.1 += theirs.1;
                ours.2 += theirs.2;
            }
            ours.decided += theirs.decided;
        }
    }

    /// Counts a position.
    pub fn add(&mut self, sample: &Sample) {
        let side = &mut self.0[sample.side_to_move().index()];
        let score = sample.score.clamp(-LARGEST_SCORE, LARGEST_SCORE);
        let result = sample.result.for_side(sample.side_to_move());
        let shifted = score + LARGEST_SCORE + CLASS_WIDTH / 2;
        let (positions, sum, points) = &mut side.classes[(shifted / CLASS_WIDTH) as usize];
        *positions += 1;
        *sum += i64::from(score);
        *points += (result + 1) as u64;
        side.decided += u64::from(result != 0);
    }

    /// The fit for a side to move; `None` where too little is decided, or no two scores differ.
    pub fn slope(&self, side: Color) -> Option<Slope> {
        let side = &self.0[side.index()];
        let classes: Vec<[f64; 3]> = side.weights().collect();
        (side.decided >= LEAST_DECIDED && classes.len() > 1).then(|| fit(&classes))
    }

    /// Whether nothing speaks against the signs.
    pub fn are_right(&self) -> bool {
        let fits = Color::ALL.map(|side| self.slope(side));
        fits.into_iter().flatten().all(|fit| fit.slope > 0.0)
    }
}

impl Side {
    /// The classes with anything in them: positions, mean score, share of the points.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the sums are exact, the fit is an estimate"
    )]
    fn weights(&self) -> impl Iterator<Item = [f64; 3]> {
        let classes = self.classes.iter().filter(|(positions, ..)| *positions > 0);
        classes.map(|&(positions, sum, points)| {
            let count = positions as f64;
            [count, sum as f64 / count, points as f64 / (2.0 * count)]
        })
    }
}

/// Newton's method on the likelihood of weighted classes, with scores in pawns so that both unknowns are of a size. A
/// little of a prior keeps the slope finite where the scores separate wins from losses perfectly.
fn fit(classes: &[[f64; 3]]) -> Slope {
    /// Of a slope, per pawn.
    const PRIOR: f64 = 1e-3;
    let (mut a, mut b) = (0.0_f64, 0.0_f64);
    for _ in 0..ITERATIONS {
        let (mut gradient_a, mut gradient_b) = (-PRIOR * a, -PRIOR * b);
        let (mut aa, mut ab, mut bb) = (PRIOR, 0.0, PRIOR);
        for &[count, mean, points] in classes {
            let score = mean / 100.0;
            let expected = 1.0 / (1.0 + (-(a + b * score)).exp());
            let error = count * (points - expected);
            let weight = count * expected * (1.0 - expected);
            gradient_a += error;
            gradient_b += error * score;
            aa += weight;
            ab += weight * score;
            bb += weight * score * score;
        }
        let determinant = aa * bb - ab * ab;
        if determinant <= f64::MIN_POSITIVE {
            break;
        }
        // Long steps overshoot where the curve is flat.
        let limit = |step: f64| step.clamp(-1.0, 1.0);
        let step_a = limit((bb * gradient_a - ab * gradient_b) / determinant);
        let step_b = limit((aa * gradient_b - ab * gradient_a) / determinant);
        a += step_a;
        b += step_b;
        if step_a.abs().max(step_b.abs()) < 1e-12 {
            break;
        }
    }
    Slope {
        intercept: a,
        slope: b / 100.0,
    }
}

/// A line for each side to move.
impl fmt::Display for Signs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, name) in Color::ALL.into_iter().zip(["black", "white"]) {
            write!(formatter, "signs, {name} to move: ")?;
            match self.slope(color) {
                None => writeln!(formatter, "too little decided to tell")?,
                Some(Slope { slope, .. }) if slope > 0.0 => writeln!(
                    formatter,
                    "right, winning probability 1 / (1 + exp(-score / {:.0}))",
                    1.0 / slope
                )?,
                Some(Slope { slope, .. }) => writeln!(
                    formatter,
                    "WRONG, who has the higher score loses more often (slope {slope:.6})"
                )?,
            }
        }
        Ok(())
    }
}
