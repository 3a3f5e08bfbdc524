//! The weights that a network in integers can have. Every pass goes through weights that are
//! rounded to them, while the optimiser moves those in full precision: the straight-through
//! estimator (Bengio et al., "Estimating or propagating gradients through stochastic neurons",
//! 2013), here as in Jacob et al., "Quantization and training of neural networks for efficient
//! integer-arithmetic-only inference", 2018. So what is trained is the network of the file.
//!
//! This holds for the feature transformer and for outputs directly behind it. Hidden layers have
//! steps that depend on their weights; these are rounded at the end, see
//! [`rounding`](super::rounding).

#![expect(clippy::cast_precision_loss, reason = "small whole numbers")]

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::layout::{BLOCK, Layout};
use super::sample::FEATURES;
use super::weights::{Row, Weights};
use crate::eval::nnue::scalar::{MAX_ACTIVATION, MAX_FACTOR, MAX_OUTPUT_WEIGHT, QA, QB};

/// Largest magnitude of the weight of an output directly behind the feature transformer.
pub(super) const MAX_OUTPUT: f32 = MAX_OUTPUT_WEIGHT as f32 / (2 * QB) as f32;

/// The integers of a network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Grid {
    /// The integer that stands for 1 in a feature transformer, where weights are multiples of
    /// `multiple`.
    one: f32,
    multiple: f32,
    /// The integer that stands for 1 in the weight of an output; `None` for hidden layers.
    output_one: Option<f32>,
    /// The scale in the file.
    output_scale: i32,
}

impl Grid {
    /// The integers of a network whose output of 1 is worth `scale`.
    pub(super) fn new(layout: Layout, scale: u16) -> Self {
        // Half the scale and twice the weights make finer steps, and leave weights up to 1.
        let output_scale = scale.div_ceil(2);
        let (one, multiple) = match layout.hidden() {
            None => (QA, 1.0),
            // Files hold half of the factors of products.
            Some(hidden) if hidden.is_products => (MAX_FACTOR, 2.0),
            Some(_) => (MAX_ACTIVATION, 1.0),
        };
        let output_one = QB as f32 * f32::from(scale) / f32::from(output_scale);
        Self {
            one: one as f32,
            multiple,
            output_one: layout.hidden().is_none().then_some(output_one),
            output_scale: output_scale.into(),
        }
    }

    /// The integer that stands for 1 in the feature transformer.
    pub(super) const fn one(self) -> f32 {
        self.one
    }

    /// The integer that stands for 1 in the weight of an output, and the scale of the file.
    pub(super) fn output(self) -> (f32, i32) {
        (self.output_one.unwrap_or(QB as f32), self.output_scale)
    }

    /// Writes the weights of the network: all that have a step rounded to it, those of features
    /// with the shared ones added, which are not written.
    pub(super) fn round(self, weights: &Weights, to: &mut Weights) {
        let layout = weights.layout();
        let blocks = weights.par_blocks().zip(to.par_blocks_mut());
        blocks.for_each(|(from, to)| {
            let (biases, outputs) = (layout.biases(), layout.outputs());
            let one = self.one / self.multiple;
            let shared = &from[layout.shared()];
            for zone in 0..layout.zones() {
                let features = zone * FEATURES..(zone + 1) * FEATURES;
                let (from, to) = (&from[features.clone()], &mut to[features]);
                let most = f32::from(i16::MAX);
                Rounding {
                    from,
                    shared,
                    to,
                    one,
                    most,
                }
                .run();
            }
            Rounding {
                from: &from[biases..=biases],
                shared: &[],
                to: &mut to[biases..=biases],
                one,
                most: f32::from(i16::MAX),
            }
            .run();
            let (from, to) = (&from[outputs.clone()], &mut to[outputs]);
            match self.output_one {
                Some(one) => Rounding {
                    from,
                    shared: &[],
                    to,
                    one,
                    most: MAX_OUTPUT_WEIGHT.into(),
                }
                .run(),
                None => to.copy_from_slice(from),
            }
        });
        to.top.copy_from_slice(&weights.top);
    }
}

/// Rounds weights to multiples of 1 / `one`, at most `most` of them.
struct Rounding<'a> {
    from: &'a [Row],
    /// Added to them before; may be empty.
    shared: &'a [Row],
    to: &'a mut [Row],
    one: f32,
    most: f32,
}

impl Rounding<'_> {
    fn run(self) {
        pulp::Arch::new().dispatch(self);
    }
}

impl WithSimd for Rounding<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (number, (from, to)) in self.from.iter().zip(self.to).enumerate() {
            let shared = self.shared.get(number).unwrap_or(&Row::ZERO);
            for column in 0..BLOCK {
                let steps = ((from.0[column] + shared.0[column]) * self.one).round_ties_even();
                to.0[column] = steps.clamp(-self.most, self.most) / self.one;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::shape::Shape;

    #[test]
    fn weights_are_rounded_to_their_steps() {
        for (name, steps) in [
            ("raicho_64x2-8", [1.0 / 255.0, 1.0 / 128.0]),
            ("raicho4_64x2-8", [1.0 / 255.0, 1.0 / 128.0]),
            ("raicho_64x2-32-32", [1.0 / 127.0, 0.0]),
            ("SFNN_raicho_128_15_32", [1.0 / 127.0, 0.0]),
        ] {
            let shape: Shape = name.parse().expect("a good name");
            let layout = Layout::new(shape).expect("it can be trained");
            let mut weights = Weights::random(layout, 7);
            let (outputs, shared) = (layout.outputs(), layout.shared());
            weights.blocks_mut().next().expect("a block")[outputs.start].0[0] = 1.5;
            let mut rounded = Weights::zeroed(layout);
            Grid::new(layout, 800).round(&weights, &mut rounded);
            assert_eq!(rounded.top, weights.top);
            for (from, to) in weights.blocks().zip(rounded.blocks()) {
                for (number, row) in to.iter().enumerate() {
                    for (place, &found) in row.0.iter().enumerate() {
                        let own = from[number].0[place];
                        let (expected, step) = if shared.contains(&number) {
                            (0.0, 0.0)
                        } else if outputs.contains(&number) {
                            let limit = if steps[1] > 0.0 { MAX_OUTPUT } else { 2.0 };
                            (own.clamp(-limit, limit), steps[1])
                        } else if number < layout.biases() && !shared.is_empty() {
                            let of_all = from[shared.start + number % FEATURES].0[place];
                            (own + of_all, steps[0])
                        } else {
                            (own, steps[0])
                        };
                        let error = (found - expected).abs();
                        assert!(error <= 0.501 * step, "{name}: {found}, not {expected}");
                        let count = if step > 0.0 { found / step } else { 0.0 };
                        assert!((count - count.round()).abs() < 1e-3, "{name}: {found}");
                    }
                }
            }
        }
    }
}
