//! The training target and the loss function.

use super::sample::{Label, Sample};
use super::settings::{Settings, TreeWeight};
use crate::types::Bound;

/// The logistic function: the winning probability of an output.
pub(super) fn logistic(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}

/// The target of one position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Target {
    /// A winning probability, 0 to 1.
    pub(super) probability: f32,
    /// Which predictions have a loss: all others for an exact target, only smaller ones for a lower
    /// bound, only larger ones for an upper bound.
    pub(super) bound: Bound,
    /// Factor of the loss.
    pub(super) weight: f32,
}

impl Target {
    /// An exact target with full weight.
    pub(super) const fn exact(probability: f32) -> Self {
        Self {
            probability,
            bound: Bound::Exact,
            weight: 1.0,
        }
    }
}

/// How targets follow from samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Targets {
    /// The score that corresponds to an output of 1, in units of 1/90 pawn.
    pub(super) scale: f32,
    /// Weight of the result of the game, 0 to 1; the rest is the score.
    pub(super) result_weight: f32,
    /// Weight of positions of search trees, which have no result.
    pub(super) trees: TreeWeight,
}

impl Targets {
    /// The targets of a run with this weight of the results.
    pub(super) fn new(settings: &Settings, result_weight: f64) -> Self {
        Self {
            scale: f32::from(settings.scale),
            result_weight: result_weight as f32,
            trees: settings.trees,
        }
    }

    pub(super) fn of(&self, sample: &Sample) -> Target {
        let score = logistic(f32::from(sample.score()) / self.scale);
        match sample.label() {
            Label::Game { result } => {
                let result = 0.5 + 0.5 * f32::from(result);
                Target::exact(score + self.result_weight * (result - score))
            }
            Label::Tree { bound, depth } => Target {
                probability: score,
                bound,
                weight: self.trees.of(depth),
            },
        }
    }
}

/// The loss of one position, weight · |probability - target|^power, and its derivative by the
/// output. Both are 0 where the prediction keeps to a bound.
pub(super) fn loss_and_slope(output: f32, target: Target, power: f32) -> (f32, f32) {
    let probability = logistic(output);
    let difference = probability - target.probability;
    let is_kept = match target.bound {
        Bound::Exact => false,
        Bound::Lower => difference >= 0.0,
        Bound::Upper => difference <= 0.0,
    };
    if is_kept {
        return (0.0, 0.0);
    }
    let by_output = target.weight * probability * (1.0 - probability);
    // The usual power needs no `powf`.
    #[expect(clippy::float_cmp, reason = "set by people, not computed")]
    if power == 2.0 {
        let loss = target.weight * (difference * difference);
        return (loss, 2.0 * difference * by_output);
    }
    let distance = difference.abs();
    let slope = power * distance.powf(power - 1.0);
    let loss = target.weight * distance.powf(power);
    (loss, slope.copysign(difference) * by_output)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loss by its definition, in 64-bit floats.
    fn expected(output: f64, target: Target, power: f64) -> f64 {
        let difference = 1.0 / (1.0 + (-output).exp()) - f64::from(target.probability);
        let violation = match target.bound {
            Bound::Exact => difference.abs(),
            Bound::Lower => (-difference).max(0.0),
            Bound::Upper => difference.max(0.0),
        };
        f64::from(target.weight) * violation.powf(power)
    }

    #[test]
    fn the_slope_is_that_of_finite_differences_on_both_sides_of_a_bound() {
        const STEP: f64 = 1e-4;
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            for (power, weight) in [(2.0, 1.0), (2.0, 0.375), (2.5, 0.5)] {
                let target = Target {
                    probability: 0.4,
                    bound,
                    weight,
                };
                for output in [-3.0, -1.0, -0.5, -0.3, 0.0, 2.0] {
                    let (loss, slope) = loss_and_slope(output, target, power);
                    let at = |by: f64| expected(f64::from(output) + by, target, f64::from(power));
                    let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
                    assert!((f64::from(loss) - at(0.0)).abs() < 1e-6);
                    assert!((f64::from(slope) - difference).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn a_kept_bound_has_no_loss() {
        for (bound, kept, broken) in [(Bound::Lower, 1.0, -1.0), (Bound::Upper, -1.0, 1.0)] {
            let target = Target {
                bound,
                ..Target::exact(0.5)
            };
            assert_eq!(loss_and_slope(kept, target, 2.0), (0.0, 0.0));
            let (loss, slope) = loss_and_slope(broken, target, 2.0);
            assert!(loss > 0.0 && slope * broken > 0.0);
        }
    }
}
