//! The network in integers.
//!
//! Every pass of the training goes through weights that are rounded to those of the [`Grid`], while
//! the optimiser moves them in full precision: the straight-through estimator (Bengio et al.,
//! "Estimating or propagating gradients through stochastic neurons", 2013), here as in Jacob et
//! al., "Quantization and training of neural networks for efficient integer-arithmetic-only
//! inference", 2018. So what is trained is the network of the file, and [`quantise`] only converts
//! it.
//!
//! This holds for the feature transformer and for outputs directly behind it. Hidden layers have
//! steps that depend on their weights; these are rounded at the end, see
//! [`hidden`].

#![expect(
    clippy::cast_precision_loss,
    reason = "small whole numbers, and counts of positions"
)]

mod hidden;

use rayon::prelude::*;

use super::loss::Target;
use super::net::{BLOCK, Layout, Row, Weights};
use super::pass::Pass;
use super::sample::{CHUNK, Chunk};
use super::sample::{FEATURES, Sample};
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;
use crate::eval::nnue::scalar::{MAX_ACTIVATION, MAX_OUTPUT_WEIGHT, QA, QB, value_in};
use crate::eval::nnue::{FeatureTransformer, Network, OutputLayer};
use crate::util::Aligned;

/// A quantised network and its rounding error.
#[derive(Debug)]
pub struct Quantised {
    /// The network as the engine evaluates it.
    pub network: Network,
    /// Differences to the network in floats.
    pub errors: ErrorReport,
}

/// Differences between the values of the quantised network and of the floats, in units of 1/90
/// pawn.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ErrorReport {
    /// Number of positions compared.
    pub positions: usize,
    /// Mean absolute difference of the values.
    pub mean: f64,
    /// Largest absolute difference of the values.
    pub most: f64,
    /// Mean absolute value of the network in floats, for comparison.
    pub mean_value: f64,
}

/// Quantises a network whose output of 1 is worth `scale`, and whose weights have been rounded by
/// [`Grid::round`]. Those of hidden layers are rounded for the smallest error on the positions
/// `known`; the error is reported for `unknown`.
pub(super) fn quantise<'a>(
    weights: &Weights,
    scale: u16,
    text: &str,
    known: impl Iterator<Item = &'a Sample>,
    unknown: &[Sample],
) -> Quantised {
    let grid = Grid::new(weights.layout(), scale);
    let network = match weights.layout().hidden {
        None => quantise_direct(weights, grid, text),
        Some(hidden) => {
            let known: Vec<&Sample> = known.collect();
            hidden::quantise(weights, hidden, (grid, scale), text, &known)
        }
    };
    let errors = compare(weights, scale, &network, unknown);
    Quantised { network, errors }
}

/// The inverse of [`quantise`], up to rounding; `None` where the network cannot be trained.
pub(super) fn to_floats(network: &Network, scale: u16) -> Option<Weights> {
    let mut weights = Weights::zeroed(Layout::new(network.shape())?);
    match weights.layout().hidden {
        None => direct_to_floats(network.output_layer.as_ref()?, scale, &mut weights),
        Some(hidden) => hidden::to_floats(network, hidden, scale, &mut weights),
    }
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let transformer = &network.transformer;
    let part = Grid::new(layout, scale).one.recip();
    for (number, block) in weights.blocks_mut().enumerate() {
        for (row, to) in block[..=layout.biases()].iter_mut().enumerate() {
            let from = if row < layout.biases() {
                &transformer.weights[row * width..]
            } else {
                &transformer.biases[..]
            };
            for (to, &from) in to.0.iter_mut().zip(&from[number * BLOCK..]) {
                *to = f32::from(from) * part;
            }
        }
    }
    weights.share();
    Some(weights)
}

/// Compares the values of the quantised network with those of the floats.
fn compare(weights: &Weights, scale: u16, network: &Network, samples: &[Sample]) -> ErrorReport {
    let mut report = ErrorReport::default();
    let mut pass = Pass::new(weights.layout());
    let mut chunk = Chunk::new(weights.layout().shape.features);
    for part in samples.chunks(CHUNK) {
        chunk.fill(part.iter(), |_| Target::exact(0.0));
        let outputs = pass.forward(weights, &chunk);
        for (position, &output) in outputs.iter().enumerate() {
            let sums =
                [0, 1].map(|side| sums(&network.transformer, chunk.features(position, side)));
            let bucket = match weights.layout().hidden {
                None => chunk.positions()[position].bucket.into(),
                Some(_) => 0,
            };
            let value = f64::from(value_in(network, &sums, bucket));
            let expected = f64::from(output) * f64::from(scale);
            let error = (value - expected).abs();
            report.positions += 1;
            report.mean += error;
            report.mean_value += expected.abs();
            report.most = report.most.max(error);
        }
    }
    let count = report.positions.max(1) as f64;
    report.mean /= count;
    report.mean_value /= count;
    report
}

/// Largest magnitude of the weight of an output directly behind the feature transformer.
pub(super) const MAX_OUTPUT: f32 = MAX_OUTPUT_WEIGHT as f32 / (2 * QB) as f32;

/// The integers of a network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Grid {
    /// The integer that stands for 1 in a feature transformer.
    one: f32,
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
        let one = if layout.hidden.is_none() {
            QA
        } else {
            MAX_ACTIVATION
        };
        let output_one = QB as f32 * f32::from(scale) / f32::from(output_scale);
        Self {
            one: one as f32,
            output_one: layout.hidden.is_none().then_some(output_one),
            output_scale: output_scale.into(),
        }
    }

    /// Writes the weights of the network: all that have a step rounded to it, those of features
    /// with the shared ones added, which are not written.
    pub(super) fn round(self, weights: &Weights, to: &mut Weights) {
        let layout = weights.layout();
        let blocks = weights.par_blocks().zip(to.par_blocks_mut());
        blocks.for_each(|(from, to)| {
            let (biases, outputs) = (layout.biases(), layout.outputs());
            let one = self.one;
            let most = f32::from(i16::MAX);
            let shared = &from[layout.shared()];
            for zone in 0..layout.zones() {
                let rows = zone * FEATURES..(zone + 1) * FEATURES;
                round_rows(&from[rows.clone()], shared, &mut to[rows], (one, most));
            }
            let rows = biases..=biases;
            round_rows(&from[rows.clone()], &[], &mut to[rows], (one, most));
            let (from, to) = (&from[outputs.clone()], &mut to[outputs]);
            match self.output_one {
                Some(one) => round_rows(from, &[], to, (one, MAX_OUTPUT_WEIGHT.into())),
                None => to.copy_from_slice(from),
            }
        });
        to.top.copy_from_slice(&weights.top);
    }
}

/// Rounds weights, with `shared` ones added where there are any, to multiples of 1 / `one`, at most
/// `most` of them.
fn round_rows(from: &[Row], shared: &[Row], to: &mut [Row], (one, most): (f32, f32)) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for (number, (from, to)) in from.iter().zip(to).enumerate() {
                let shared = shared.get(number).unwrap_or(&Row::ZERO);
                for column in 0..BLOCK {
                    let steps = ((from.0[column] + shared.0[column]) * one).round_ties_even();
                    to.0[column] = steps.clamp(-most, most) / one;
                }
            }
        },
    );
}

/// The feature transformer; its weights have been rounded by [`Grid::round`].
pub(super) fn transformer(weights: &Weights, grid: Grid) -> FeatureTransformer {
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let mut transformer = FeatureTransformer {
        biases: Aligned::zeroed(width),
        weights: Aligned::zeroed(layout.biases() * width),
    };
    for (number, block) in weights.blocks().enumerate() {
        for (row, from) in block[..=layout.biases()].iter().enumerate() {
            let to = if row < layout.biases() {
                &mut transformer.weights[row * width..][..width]
            } else {
                &mut transformer.biases[..]
            };
            for (to, from) in to[number * BLOCK..].iter_mut().zip(from.0) {
                // In range, because the optimiser clamps weights.
                *to = (from * grid.one).round() as i16;
            }
        }
    }
    transformer
}

/// The accumulator of one side, as the engine computes it.
pub(super) fn sums(transformer: &FeatureTransformer, features: &[u16]) -> Vec<i16> {
    let mut sums = transformer.biases.to_vec();
    let width = sums.len();
    for &feature in features {
        let column = &transformer.weights[usize::from(feature) * width..][..width];
        for (sum, weight) in sums.iter_mut().zip(column) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    sums
}

/// The quantised network without hidden layers: all weights have been rounded in training.
fn quantise_direct(weights: &Weights, grid: Grid, text: &str) -> Network {
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let (one, scale) = (grid.output_one.unwrap_or(QB as f32), grid.output_scale);
    let mut output_weights = Aligned::zeroed(OUTPUT_BUCKETS * 2 * width);
    for (number, block) in weights.blocks().enumerate() {
        for (row, from) in block[layout.outputs()].iter().enumerate() {
            let to = &mut output_weights[row * width + number * BLOCK..];
            for (to, from) in to.iter_mut().zip(from.0) {
                *to = (from * one).round() as i16;
            }
        }
    }
    let round = |bias: &f32| (bias * one * QA as f32).round() as i32;
    let output_layer = OutputLayer {
        biases: weights.top.iter().map(round).collect(),
        weights: output_weights,
        scale,
    };
    Network::with_output_layer(
        layout.shape.features,
        transformer(weights, grid),
        output_layer,
        text,
    )
}

/// The inverse of [`quantise_direct`].
fn direct_to_floats(output_layer: &OutputLayer, scale: u16, weights: &mut Weights) {
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let part = output_layer.scale as f32 / f32::from(scale) / QB as f32;
    for (number, block) in weights.blocks_mut().enumerate() {
        for (row, to) in block[layout.outputs()].iter_mut().enumerate() {
            let from = &output_layer.weights[row * width + number * BLOCK..];
            for (to, &from) in to.0.iter_mut().zip(from) {
                *to = f32::from(from) * part;
            }
        }
    }
    for (to, &from) in weights.top.iter_mut().zip(&output_layer.biases) {
        *to = from as f32 * part / QA as f32;
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
