//! Checks that scores and results have consistent signs: the side with the higher score should win
//! more often.
//!
//! A wrong sign is the most common fault of teacher data and has no other symptom than a weaker
//! network. For each side to move, the winning probability is fitted by
//! `1 / (1 + exp(-(a + b·score)))`, where a draw counts as half a win. `b` must be positive;
//! `1 / b`, in units in which a pawn is 90, is about the scale for the learner. All sums are whole
//! numbers until the fit, so they are exact.

use std::fmt;

use crate::records::sample::Sample;
use crate::types::Color;

/// Scores are clamped to this size in centipawns, mates too.
const MAX_SCORE: i16 = 2_000;
/// The width of a class of scores, in centipawns.
const CLASS_WIDTH: i16 = 20;
const CLASSES: usize = 2 * (MAX_SCORE / CLASS_WIDTH) as usize + 1;

/// Units of the scale of `learn`, in which a pawn is 90, in a centipawn.
const LEARNER_UNITS: f64 = 0.9;

/// The least number of won and lost positions for a fit.
const MIN_DECIDED: u64 = 100;

/// The most steps of Newton's method.
const ITERATIONS: usize = 50;

/// The positions of one side to move, by classes of scores.
#[derive(Debug)]
struct Side {
    /// For each class: positions, the sum of their scores, and half points (a win is 2, a draw 1).
    classes: Vec<(u64, i64, u64)>,
    decided: u64,
}

/// Counts of scores and results, by the side to move.
#[derive(Debug)]
pub struct Signs([Side; Color::NUM]);

impl Default for Signs {
    fn default() -> Self {
        Self(Color::ALL.map(|_| Side {
            classes: vec![(0, 0, 0); CLASSES],
            decided: 0,
        }))
    }
}

/// A fitted logistic function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slope {
    /// The `a` of the formula.
    pub intercept: f64,
    /// The `b` of the formula, per centipawn.
    pub slope: f64,
}

impl Signs {
    /// Counts a position with its score and result.
    pub fn add(&mut self, sample: &Sample) {
        let side = &mut self.0[sample.side_to_move().index()];
        let score = sample.score.clamp(-MAX_SCORE, MAX_SCORE);
        let result = sample.result.for_side(sample.side_to_move());
        let shifted = score + MAX_SCORE + CLASS_WIDTH / 2;
        let (positions, sum, points) = &mut side.classes[(shifted / CLASS_WIDTH) as usize];
        *positions += 1;
        *sum += i64::from(score);
        *points += (result + 1) as u64;
        side.decided += u64::from(result != 0);
    }

    /// The fit of a side to move; `None` if too few games are decided, or all scores are in one
    /// class.
    pub fn slope(&self, side: Color) -> Option<Slope> {
        let side = &self.0[side.index()];
        let classes: Vec<[f64; 3]> = side.weights().collect();
        (side.decided >= MIN_DECIDED && classes.len() > 1).then(|| fit(&classes))
    }

    /// Whether no fit has a slope of the wrong sign.
    pub fn are_right(&self) -> bool {
        let fits = Color::ALL.map(|side| self.slope(side));
        fits.into_iter().flatten().all(|fit| fit.slope > 0.0)
    }
}

impl Side {
    /// The classes that are not empty: positions, mean score, and mean result from 0 to 1.
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

/// Fits by Newton's method on the likelihood of the weighted classes. Scores are in pawns, so that
/// both unknowns have the same order of magnitude. A weak prior keeps the slope finite if the
/// scores separate wins from losses perfectly.
fn fit(classes: &[[f64; 3]]) -> Slope {
    /// The precision of the Gaussian prior on both unknowns.
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
        // Long steps overshoot on the flat parts of the curve.
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

/// A line with the verdict for each side to move.
impl fmt::Display for Signs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, name) in Color::ALL.into_iter().zip(["black", "white"]) {
            write!(formatter, "signs, {name} to move: ")?;
            match self.slope(color) {
                None => writeln!(formatter, "too little decided to tell")?,
                Some(Slope { intercept, slope }) if slope > 0.0 => writeln!(
                    formatter,
                    "right, winning probability 1 / (1 + exp(-({intercept:.2} + score / {:.0}))) \
                    in centipawns, --scale {:.0}",
                    1.0 / slope,
                    LEARNER_UNITS / slope
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
