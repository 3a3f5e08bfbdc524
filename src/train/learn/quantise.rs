//! Quantisation of a trained network, and its rounding error.
//!
//! Output weights are rounded to 1/64 and limited to 127/64, which training seldom reaches. They
//! are therefore scaled up as far as possible, and the output scale of the file down by the same
//! factor. The weights of each output are rounded jointly, so that errors cancel out over
//! positions, see [`super::rounding`].

#![expect(
    clippy::cast_precision_loss,
    reason = "small whole numbers, and counts of positions"
)]

use rayon::prelude::*;

use super::chunk::{CHUNK, Chunk};
use super::loss::Target;
use super::pass::Pass;
use super::rounding::Equations;
use super::sample::{FEATURES, Sample};
use super::weights::{BIASES, BLOCK, OUTPUTS, Weights};
use crate::eval::nnue::FeatureSet;
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;
use crate::eval::nnue::scalar::{MAX_OUTPUT_WEIGHT, QA, QB, value_in};
use crate::eval::nnue::{FeatureTransformer, Network, OutputLayer};
use crate::util::Aligned;

/// Largest width with joint rounding. In wider networks weights are rounded individually: the
/// products of all pairs would need too much memory, and rounding errors matter less.
const MAX_JOINT_WIDTH: usize = 1024;

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
    /// Mean absolute difference.
    pub mean: f64,
    /// Largest absolute difference.
    pub most: f64,
    /// Mean absolute value of the network in floats, for comparison.
    pub mean_value: f64,
}

/// Quantises a network whose output of 1 is worth `scale`. Output weights are rounded for the
/// smallest error on the positions `known`; the error is reported for `unknown`.
pub(super) fn quantise<'a>(
    weights: &Weights,
    scale: u16,
    text: &str,
    known: impl Iterator<Item = &'a Sample>,
    unknown: &[Sample],
) -> Quantised {
    let (transformer, mut output_layer) = round(weights, scale);
    if weights.width() <= MAX_JOINT_WIDTH {
        choose_outputs(weights, scale, &transformer, &mut output_layer, known);
    }
    let network = Network::with_output_layer(FeatureSet::Raicho, transformer, output_layer, text);
    let errors = compare(weights, scale, &network, unknown);
    Quantised { network, errors }
}

/// Rounds every weight individually.
fn round(weights: &Weights, scale: u16) -> (FeatureTransformer, OutputLayer) {
    let width = weights.width();
    let file_scale = file_scale(weights, scale);
    let stretch = f32::from(scale) / file_scale as f32;
    let mut transformer = FeatureTransformer {
        biases: Aligned::zeroed(width),
        weights: Aligned::zeroed(FEATURES * width),
    };
    let mut output_weights = Aligned::zeroed(OUTPUT_BUCKETS * 2 * width);
    for (number, block) in weights.blocks().iter().enumerate() {
        let columns = number * BLOCK..(number + 1) * BLOCK;
        for (row, from) in block.iter().enumerate() {
            let (to, one) = match row {
                ..BIASES => (&mut transformer.weights[row * width..], QA as f32),
                BIASES => (&mut transformer.biases[..], QA as f32),
                _ => (
                    &mut output_weights[(row - OUTPUTS) * width..],
                    QB as f32 * stretch,
                ),
            };
            for (to, from) in to[columns.clone()].iter_mut().zip(from.0) {
                // In range, because the optimiser clamps weights.
                *to = (from * one).round() as i16;
            }
        }
    }
    for weight in output_weights.iter_mut() {
        *weight = (*weight).clamp(-MAX_OUTPUT_WEIGHT, MAX_OUTPUT_WEIGHT);
    }
    let one = (QA * QB) as f32 * stretch;
    let output_layer = OutputLayer {
        biases: weights
            .output_biases
            .map(|bias| (bias * one).round() as i32)
            .to_vec(),
        weights: output_weights,
        scale: file_scale,
    };
    (transformer, output_layer)
}

/// Rounds the weights of each output jointly. The bias, whose steps are finer, comes first and is
/// therefore rounded last.
fn choose_outputs<'a>(
    weights: &Weights,
    scale: u16,
    transformer: &FeatureTransformer,
    output_layer: &mut OutputLayer,
    mut samples: impl Iterator<Item = &'a Sample>,
) {
    let one = QB as f32 * f32::from(scale) / output_layer.scale as f32;
    let floats: Vec<Vec<f64>> = (0..OUTPUT_BUCKETS)
        .map(|bucket| output_floats(weights, bucket, one))
        .collect();
    let mut equations: Vec<Equations> = floats
        .iter()
        .map(|floats| Equations::new(floats.len()))
        .collect();
    let mut pass = Pass::new(weights.width());
    let mut chunk = Chunk::new();
    loop {
        chunk.fill(samples.by_ref(), |_| Target::exact(0.0));
        if chunk.len() == 0 {
            break;
        }
        let outputs = pass.forward(weights, &chunk);
        let buckets = equations.par_iter_mut().zip(&floats).enumerate();
        buckets.for_each(|(bucket, (equations, floats))| {
            for (position, output) in outputs.iter().enumerate() {
                if usize::from(chunk.positions()[position].bucket) == bucket {
                    let activations = activations(transformer, &chunk, position);
                    let pairs = activations.iter().zip(floats);
                    let value: f64 = pairs.map(|(activation, weight)| activation * weight).sum();
                    equations.add(&activations, f64::from(output * one) - value);
                }
            }
        });
    }
    let rounded: Vec<Vec<f64>> = equations
        .into_par_iter()
        .zip(&floats)
        .map(|(equations, floats)| equations.solve(floats, to_allowed))
        .collect();
    let rows = output_layer.weights.chunks_exact_mut(2 * weights.width());
    for ((row, bias), rounded) in rows.zip(&mut output_layer.biases).zip(rounded) {
        *bias = (rounded[0] * f64::from(QA)).round() as i32;
        for (weight, rounded) in row.iter_mut().zip(&rounded[1..]) {
            *weight = *rounded as i16;
        }
    }
}

/// The nearest value that the bias (index 0) or a weight of an output can take.
fn to_allowed(index: usize, weight: f64) -> f64 {
    if index == 0 {
        return (weight * f64::from(QA)).round() / f64::from(QA);
    }
    let most = f64::from(MAX_OUTPUT_WEIGHT);
    weight.round().clamp(-most, most)
}

/// Bias and weights of an output in floats, times `one`.
fn output_floats(weights: &Weights, bucket: usize, one: f32) -> Vec<f64> {
    let bias = weights.output_biases[bucket];
    let sides = [0, 1].into_iter().flat_map(|side| {
        let row = OUTPUTS + 2 * bucket + side;
        weights.blocks().iter().flat_map(move |block| block[row].0)
    });
    let floats = std::iter::once(bias).chain(sides);
    floats.map(|weight| f64::from(weight * one)).collect()
}

/// The factors of bias and weights of an output in a position, with the quantised feature
/// transformer.
fn activations(transformer: &FeatureTransformer, chunk: &Chunk, position: usize) -> Vec<f64> {
    let mut activations = vec![1.0];
    for side in 0..2 {
        let sums = sums(transformer, chunk.features(position, side));
        activations.extend(sums.into_iter().map(|sum| {
            let part = f64::from(sum.clamp(0, QA as i16)) / f64::from(QA);
            part * part
        }));
    }
    activations
}

/// The inverse of [`quantise`], up to rounding; `None` where the network is not one of our own.
pub(super) fn to_floats(network: &Network, scale: u16) -> Option<Weights> {
    let shape = network.shape();
    let output_layer = network.output_layer.as_ref()?;
    if shape.features != FeatureSet::Raicho {
        return None;
    }
    let width = shape.width;
    let transformer = &network.transformer;
    let output_part = output_layer.scale as f32 / f32::from(scale) / QB as f32;
    let mut weights = Weights::zeroed(width);
    for (number, block) in weights.blocks_mut().iter_mut().enumerate() {
        let columns = number * BLOCK..(number + 1) * BLOCK;
        for (row, to) in block.iter_mut().enumerate() {
            let (from, part) = match row {
                ..BIASES => (&transformer.weights[row * width..], 1.0 / QA as f32),
                BIASES => (&transformer.biases[..], 1.0 / QA as f32),
                _ => (
                    &output_layer.weights[(row - OUTPUTS) * width..],
                    output_part,
                ),
            };
            for (to, &from) in to.0.iter_mut().zip(&from[columns.clone()]) {
                *to = f32::from(from) * part;
            }
        }
    }
    for (to, &from) in weights.output_biases.iter_mut().zip(&output_layer.biases) {
        *to = from as f32 * output_part / QA as f32;
    }
    Some(weights)
}

/// The output scale in the file: the smallest for which no output weight exceeds its range.
fn file_scale(weights: &Weights, scale: u16) -> i32 {
    let rows = weights.blocks().iter().flat_map(|block| &block[OUTPUTS..]);
    let largest = rows
        .flat_map(|row| row.0)
        .fold(0.0_f32, |most, weight| most.max(weight.abs()));
    let part = largest * QB as f32 / f32::from(MAX_OUTPUT_WEIGHT);
    ((f32::from(scale) * part).ceil() as i32).clamp(1, scale.into())
}

/// Compares the values of the quantised network with those of the floats.
fn compare(weights: &Weights, scale: u16, network: &Network, samples: &[Sample]) -> ErrorReport {
    let mut report = ErrorReport::default();
    let mut pass = Pass::new(weights.width());
    let mut chunk = Chunk::new();
    for part in samples.chunks(CHUNK) {
        chunk.fill(part.iter(), |_| Target::exact(0.0));
        let outputs = pass.forward(weights, &chunk);
        for (position, &output) in outputs.iter().enumerate() {
            let sums =
                [0, 1].map(|side| sums(&network.transformer, chunk.features(position, side)));
            let bucket = chunk.positions()[position].bucket.into();
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

/// The accumulator of one side, as the engine computes it.
fn sums(transformer: &FeatureTransformer, features: &[u16]) -> Vec<i16> {
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
