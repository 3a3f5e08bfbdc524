//! The optimiser: Adam (Kingma, Ba 2014) with decoupled weight decay (`AdamW`; Loshchilov, Hutter
//! 2017).

use rayon::prelude::*;

use super::quantise::MAX_OUTPUT;
use super::sample::FEATURES;
use super::weights::{BLOCK, Layout, Row, Weights};

/// Decay rates of the first and the second moment per step.
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;

/// Added to the denominator, so that a weight without any gradient stays finite.
const EPSILON: f32 = 1e-8;

/// Weights are clamped to this magnitude, so that those of hidden layers fit into their integers,
/// which end at 127/64.
const MAX_WEIGHT: f32 = 1.98;

/// That of each of the two parts of a weight that zones share: half of it, so that the sums of the
/// accumulator fit into theirs.
const MAX_PART: f32 = MAX_WEIGHT / 2.0;

/// The rate of the weights of a zone, as a part of that of the shared ones: what zones have in
/// common is learnt first.
const ZONE_RATE: f32 = 0.3;

/// The moments of the gradients.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Adam {
    pub(super) first: Weights,
    pub(super) second: Weights,
}

/// The factors of one step.
#[derive(Clone, Copy)]
struct Factors {
    /// Learning rate, including the bias correction of the first moment.
    rate: f32,
    /// Bias correction of the second moment.
    correction: f32,
    /// Factor of weight decay: 1 - rate · decay.
    decay: f32,
    /// Largest magnitude of a weight.
    most: f32,
}

impl Adam {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            first: Weights::zeroed(layout),
            second: Weights::zeroed(layout),
        }
    }

    /// Moves the weights against the gradient, which is 0 afterwards. `step` is the number of steps
    /// before, `decay` the weight decay per unit of `rate`; biases do not decay.
    pub(super) fn step(
        &mut self,
        weights: &mut Weights,
        gradient: &mut Weights,
        step: u64,
        rate: f32,
        decay: f32,
    ) {
        let power = i32::try_from(step + 1).unwrap_or(i32::MAX);
        let correct = |beta: f32| (1.0 - f64::from(beta).powi(power)).recip() as f32;
        let layout = weights.layout();
        let factors = Factors {
            rate: rate * correct(BETA1),
            correction: correct(BETA2),
            decay: 1.0 - rate * decay,
            most: MAX_WEIGHT,
        };
        let of_shared = Factors {
            most: MAX_PART,
            ..factors
        };
        let of_features = if layout.zones() == 1 {
            factors
        } else {
            Factors {
                rate: factors.rate * ZONE_RATE,
                decay: 1.0 - rate * ZONE_RATE * decay,
                ..of_shared
            }
        };
        let of_biases = Factors {
            decay: 1.0,
            ..factors
        };
        let of_outputs = Factors {
            most: if layout.hidden().is_none() {
                MAX_OUTPUT
            } else {
                MAX_WEIGHT
            },
            ..factors
        };
        let moments = self
            .first
            .par_blocks_mut()
            .zip(self.second.par_blocks_mut());
        let blocks = weights.par_blocks_mut().zip(gradient.par_blocks_mut());
        blocks
            .zip(moments)
            .for_each(|((weights, gradient), (first, second))| {
                let factors = [of_features, of_biases, of_outputs, of_shared];
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || step_block(layout, factors, weights, gradient, [first, second]),
                );
            });
        let moments = self.first.top.iter_mut().zip(&mut self.second.top);
        let top = weights.top.iter_mut().zip(&mut gradient.top).zip(moments);
        for (number, ((weight, gradient), moments)) in top.enumerate() {
            let factors = if layout.is_bias(number) {
                of_biases
            } else {
                factors
            };
            factors.apply(weight, gradient, moments);
        }
    }
}

impl Factors {
    /// Updates one weight and its moments, and clears its gradient.
    #[inline(always)]
    fn apply(self, weight: &mut f32, gradient: &mut f32, (first, second): (&mut f32, &mut f32)) {
        *first = BETA1 * *first + (1.0 - BETA1) * *gradient;
        *second = BETA2 * *second + (1.0 - BETA2) * *gradient * *gradient;
        *gradient = 0.0;
        let size = (*second * self.correction).sqrt() + EPSILON;
        let moved = *weight * self.decay - self.rate * *first / size;
        *weight = moved.clamp(-self.most, self.most);
    }
}

/// A step of the weights of one block. The factors are those of the weights of features, of their
/// biases, of the weights of the next layer, and of shared weights.
#[inline(always)]
fn step_block(
    layout: Layout,
    factors: [Factors; 4],
    weights: &mut [Row],
    gradient: &mut [Row],
    [first, second]: [&mut [Row]; 2],
) {
    let (features, rest) = gradient.split_at_mut(layout.biases());
    let shared = layout.shared().start - layout.biases();
    for (number, sum) in rest[shared..].iter_mut().enumerate() {
        for row in features.iter().skip(number).step_by(FEATURES) {
            for column in 0..BLOCK {
                sum.0[column] += row.0[column];
            }
        }
    }
    let moments = first.iter_mut().zip(second);
    let rows = weights.iter_mut().zip(gradient).zip(moments);
    for (number, ((weights, gradient), (first, second))) in rows.enumerate() {
        let factors = if number == layout.biases() {
            factors[1]
        } else if layout.outputs().contains(&number) {
            factors[2]
        } else if layout.shared().contains(&number) {
            factors[3]
        } else {
            factors[0]
        };
        let (Row(first), Row(second)) = (first, second);
        for column in 0..BLOCK {
            factors.apply(
                &mut weights.0[column],
                &mut gradient.0[column],
                (&mut first[column], &mut second[column]),
            );
        }
    }
}
