//! The optimiser: Adam (Kingma, Ba 2014) whose weight decay goes past the moments (`AdamW`; Loshchilov, Hutter 2017).

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::weights::{BIASES, BLOCK, Block, Row, Weights};

/// How much of the moments stays at each step.
const FIRST_KEPT: f32 = 0.9;
const SECOND_KEPT: f32 = 0.999;

/// Keeps the quotient finite where a weight has never had a gradient.
const EPSILON: f32 = 1e-8;

/// No weight is larger: the engine's integers end here, 127/64 for those of the outputs.
pub(super) const MAX_WEIGHT: f32 = 1.98;

/// Moments of the gradients so far.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Adam {
    pub(super) first: Weights,
    pub(super) second: Weights,
    /// Steps made.
    pub(super) steps: u64,
}

/// The factors of one step.
#[derive(Clone, Copy)]
struct Factors {
    /// Of the first moment, its correction for the early steps included.
    rate: f32,
    /// Corrects the second moment.
    correction: f32,
    /// What remains of a weight.
    kept: f32,
}

impl Adam {
    pub(super) fn new(width: usize) -> Self {
        Self {
            first: Weights::zeroed(width),
            second: Weights::zeroed(width),
            steps: 0,
        }
    }

    /// Moves the weights against the gradient, which is 0 afterwards. Biases do not decay.
    pub(super) fn step(
        &mut self,
        weights: &mut Weights,
        gradient: &mut Weights,
        rate: f32,
        decay: f32,
    ) {
        self.steps += 1;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let correct = |kept: f32| (1.0 - f64::from(kept).powi(power)).recip() as f32;
        let factors = Factors {
            rate: rate * correct(FIRST_KEPT),
            correction: correct(SECOND_KEPT),
            kept: 1.0 - rate * decay,
        };
        let of_biases = Factors {
            kept: 1.0,
            ..factors
        };
        let moments = self
            .first
            .blocks_mut()
            .par_iter_mut()
            .zip(self.second.blocks_mut());
        let blocks = weights
            .blocks_mut()
            .par_iter_mut()
            .zip(gradient.blocks_mut());
        blocks
            .zip(moments)
            .for_each(|((weights, gradient), (first, second))| {
                let task = Step {
                    weights,
                    gradient,
                    first,
                    second,
                    factors,
                };
                pulp::Arch::new().dispatch(task);
            });
        for (phase, weight) in weights.output_biases.iter_mut().enumerate() {
            let gradient = &mut gradient.output_biases[phase];
            let moments = (
                &mut self.first.output_biases[phase],
                &mut self.second.output_biases[phase],
            );
            of_biases.apply(weight, gradient, moments);
        }
    }
}

impl Factors {
    #[inline(always)]
    fn apply(self, weight: &mut f32, gradient: &mut f32, (first, second): (&mut f32, &mut f32)) {
        *first = FIRST_KEPT * *first + (1.0 - FIRST_KEPT) * *gradient;
        *second = SECOND_KEPT * *second + (1.0 - SECOND_KEPT) * *gradient * *gradient;
        *gradient = 0.0;
        let size = (*second * self.correction).sqrt() + EPSILON;
        let moved = *weight * self.kept - self.rate * *first / size;
        *weight = moved.clamp(-MAX_WEIGHT, MAX_WEIGHT);
    }
}

struct Step<'a> {
    weights: &'a mut Block,
    gradient: &'a mut Block,
    first: &'a mut Block,
    second: &'a mut Block,
    factors: Factors,
}

impl WithSimd for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let moments = self.first.iter_mut().zip(self.second);
        let rows = self.weights.iter_mut().zip(self.gradient).zip(moments);
        for (number, ((weights, gradient), (first, second))) in rows.enumerate() {
            let kept = if number == BIASES {
                1.0
            } else {
                self.factors.kept
            };
            let factors = Factors {
                kept,
                ..self.factors
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
}
