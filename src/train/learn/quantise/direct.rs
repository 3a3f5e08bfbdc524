//! Quantisation without hidden layers.
//!
//! Output weights are rounded to 1/64 and limited to 127/64, which training seldom reaches. They
//! are therefore scaled up as far as possible, and the output scale of the file down by the same
//! factor. The weights of each output are rounded jointly, so that errors cancel out over
//! positions, see [`rounding`](crate::train::learn::rounding).

use rayon::prelude::*;

use super::transformer::{sums, transformer};
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;
use crate::eval::nnue::scalar::{MAX_OUTPUT_WEIGHT, QA, QB};
use crate::eval::nnue::{FeatureSet, FeatureTransformer, Network, OutputLayer};
use crate::train::learn::chunk::{CHUNK, Chunk};
use crate::train::learn::layout::{BLOCK, OUTPUTS};
use crate::train::learn::loss::Target;
use crate::train::learn::pass::Pass;
use crate::train::learn::rounding::{Equations, MAX_JOINT_WIDTH};
use crate::train::learn::sample::Sample;
use crate::train::learn::weights::Weights;
use crate::util::Aligned;

/// The quantised network. Output weights are rounded for the smallest error on the positions
/// `known`.
pub(super) fn quantise(weights: &Weights, scale: u16, text: &str, known: &[&Sample]) -> Network {
    let transformer = transformer(weights, 1.0, known);
    let mut output_layer = round(weights, scale);
    if weights.layout().width() <= MAX_JOINT_WIDTH {
        choose_outputs(weights, scale, &transformer, &mut output_layer, known);
    }
    Network::with_output_layer(FeatureSet::Raicho, transformer, output_layer, text)
}

/// Rounds every output weight individually.
fn round(weights: &Weights, scale: u16) -> OutputLayer {
    let width = weights.layout().width();
    let file_scale = file_scale(weights, scale);
    let stretch = f32::from(scale) / file_scale as f32;
    let mut output_weights = Aligned::zeroed(OUTPUT_BUCKETS * 2 * width);
    for (number, block) in weights.blocks().enumerate() {
        for (row, from) in block[OUTPUTS..].iter().enumerate() {
            let to = &mut output_weights[row * width + number * BLOCK..];
            for (to, from) in to.iter_mut().zip(from.0) {
                *to = (from * QB as f32 * stretch).round() as i16;
            }
        }
    }
    for weight in output_weights.iter_mut() {
        *weight = (*weight).clamp(-MAX_OUTPUT_WEIGHT, MAX_OUTPUT_WEIGHT);
    }
    let one = (QA * QB) as f32 * stretch;
    let round = |bias: &f32| (bias * one).round() as i32;
    OutputLayer {
        biases: weights.top.iter().map(round).collect(),
        weights: output_weights,
        scale: file_scale,
    }
}

/// Rounds the weights of each output jointly. The bias, whose steps are finer, comes first and is
/// therefore rounded last.
fn choose_outputs(
    weights: &Weights,
    scale: u16,
    transformer: &FeatureTransformer,
    output_layer: &mut OutputLayer,
    samples: &[&Sample],
) {
    let one = QB as f32 * f32::from(scale) / output_layer.scale as f32;
    let floats: Vec<Vec<f64>> = (0..OUTPUT_BUCKETS)
        .map(|bucket| output_floats(weights, bucket, one))
        .collect();
    let mut equations: Vec<Equations> = floats
        .iter()
        .map(|floats| Equations::new(floats.len(), 1))
        .collect();
    let mut pass = Pass::new(weights.layout());
    let mut chunk = Chunk::new();
    for part in samples.chunks(CHUNK) {
        chunk.fill(part.iter().copied(), |_| Target::exact(0.0));
        let outputs = pass.forward(weights, &chunk);
        let buckets = equations.par_iter_mut().zip(&floats).enumerate();
        buckets.for_each(|(bucket, (equations, floats))| {
            for (position, output) in outputs.iter().enumerate() {
                if usize::from(chunk.positions()[position].bucket) == bucket {
                    let activations = activations(transformer, &chunk, position);
                    let pairs = activations.iter().zip(floats);
                    let value: f64 = pairs.map(|(activation, weight)| activation * weight).sum();
                    equations.add(&activations, &[f64::from(output * one) - value]);
                }
            }
        });
    }
    let rounded: Vec<Vec<f64>> = equations
        .into_par_iter()
        .zip(&floats)
        .flat_map_iter(|(equations, floats)| {
            equations.solve(std::slice::from_ref(floats), to_allowed)
        })
        .collect();
    let rows = output_layer
        .weights
        .chunks_exact_mut(2 * weights.layout().width());
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
    let bias = weights.top[bucket];
    let sides = [0, 1].into_iter().flat_map(|side| {
        let row = OUTPUTS + 2 * bucket + side;
        weights.blocks().flat_map(move |block| block[row].0)
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

/// The output scale in the file: the smallest for which no output weight exceeds its range.
fn file_scale(weights: &Weights, scale: u16) -> i32 {
    let rows = weights.blocks().flat_map(|block| &block[OUTPUTS..]);
    let largest = rows
        .flat_map(|row| row.0)
        .fold(0.0_f32, |most, weight| most.max(weight.abs()));
    let part = largest * QB as f32 / f32::from(MAX_OUTPUT_WEIGHT);
    ((f32::from(scale) * part).ceil() as i32).clamp(1, scale.into())
}

/// The inverse of [`round`], up to rounding.
pub(super) fn to_floats(output_layer: &OutputLayer, scale: u16, weights: &mut Weights) {
    let width = weights.layout().width();
    let part = output_layer.scale as f32 / f32::from(scale) / QB as f32;
    for (number, block) in weights.blocks_mut().enumerate() {
        for (row, to) in block[OUTPUTS..].iter_mut().enumerate() {
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
