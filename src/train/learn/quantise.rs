//! The network in the engine's integers, and what the rounding costs.
//!
//! Output weights are rounded to 1/64, and there is room up to 127/64, which training seldom uses up. So they are made as
//! large as they can be, and the scale by which the engine multiplies their sum as much smaller. Each output's weights are
//! rounded together, so that the errors cancel out over positions, see [`super::rounding`].

#![expect(
    clippy::cast_precision_loss,
    reason = "small whole numbers, and counts of positions"
)]

use rayon::prelude::*;

use super::chunk::{CHUNK, Chunk};
use super::pass::Pass;
use super::rounding::Equations;
use super::sample::{INPUTS, Sample};
use super::weights::{BIASES, BLOCK, OUTPUTS, Weights};
use crate::eval::nnue::buckets::PHASES;
use crate::eval::nnue::inputs::Inputs;
use crate::eval::nnue::scalar::{MAX_WEIGHT, ONE_OF_SUMS, ONE_OF_WEIGHTS, value_in};
use crate::eval::nnue::{Direct, Network, Transformer};
use crate::util::Aligned;

/// Weights of wider networks are rounded each on its own: the products of all pairs would take too much memory, and the
/// more weights an output has the less their errors matter.
const WIDEST_TOGETHER: usize = 1024;

/// A trained network, as the engine reads it.
#[derive(Debug)]
pub struct Quantised {
    /// The network.
    pub network: Network,
    /// What rounding costs.
    pub errors: ErrorReport,
}

/// How far the values of the rounded network lie from those of the floats, in units in which a pawn is 90.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ErrorReport {
    /// Positions compared.
    pub positions: usize,
    /// The mean of the distances.
    pub mean: f64,
    /// The largest distance.
    pub most: f64,
    /// The mean size of the values themselves, to compare with.
    pub mean_value: f64,
}

/// Rounds the weights, so that the values of the `known` positions come out as well as they can, and compares those of
/// `unknown` ones.
pub(super) fn quantise<'a>(
    weights: &Weights,
    scale: u16,
    text: &str,
    known: impl Iterator<Item = &'a Sample>,
    unknown: &[Sample],
) -> Quantised {
    let (transformer, mut direct) = round(weights, scale);
    if weights.width() <= WIDEST_TOGETHER {
        choose_outputs(weights, scale, &transformer, &mut direct, known);
    }
    let network = Network::of_direct(Inputs::Own, transformer, direct, text);
    let errors = compare(weights, scale, &network, unknown);
    Quantised { network, errors }
}

/// Each weight on its own.
fn round(weights: &Weights, scale: u16) -> (Transformer, Direct) {
    let width = weights.width();
    let file_scale = file_scale(weights, scale);
    let enlarged = f32::from(scale) / file_scale as f32;
    let mut transformer = Transformer {
        biases: Aligned::zeroed(width),
        weights: Aligned::zeroed(INPUTS * width),
    };
    let mut output_weights = Aligned::zeroed(PHASES * 2 * width);
    for (number, block) in weights.blocks().iter().enumerate() {
        let columns = number * BLOCK..(number + 1) * BLOCK;
        for (row, from) in block.iter().enumerate() {
            let (to, one) = match row {
                ..BIASES => (&mut transformer.weights[row * width..], ONE_OF_SUMS as f32),
                BIASES => (&mut transformer.biases[..], ONE_OF_SUMS as f32),
                _ => (
                    &mut output_weights[(row - OUTPUTS) * width..],
                    ONE_OF_WEIGHTS as f32 * enlarged,
                ),
            };
            for (to, from) in to[columns.clone()].iter_mut().zip(from.0) {
                // No weight is so large that it would be cut off here, the optimiser sees to that.
                *to = (from * one).round() as i16;
            }
        }
    }
    for weight in output_weights.iter_mut() {
        *weight = (*weight).clamp(-MAX_WEIGHT, MAX_WEIGHT);
    }
    let one = (ONE_OF_SUMS * ONE_OF_WEIGHTS) as f32 * enlarged;
    let direct = Direct {
        biases: weights
            .output_biases
            .map(|bias| (bias * one).round() as i32)
            .to_vec(),
        weights: output_weights,
        scale: file_scale,
    };
    (transformer, direct)
}

/// Rounds the weights of each output together. The bias, which is finer than the weights, is the first of them and so the
/// last that is rounded.
fn choose_outputs<'a>(
    weights: &Weights,
    scale: u16,
    transformer: &Transformer,
    direct: &mut Direct,
    mut samples: impl Iterator<Item = &'a Sample>,
) {
    let one = ONE_OF_WEIGHTS as f32 * f32::from(scale) / direct.scale as f32;
    let floats: Vec<Vec<f64>> = (0..PHASES)
        .map(|phase| output_floats(weights, phase, one))
        .collect();
    let mut equations: Vec<Equations> = floats
        .iter()
        .map(|floats| Equations::new(floats.len()))
        .collect();
    let mut pass = Pass::new(weights.width());
    let mut chunk = Chunk::new();
    loop {
        chunk.fill(samples.by_ref(), |_| 0.0);
        if chunk.len() == 0 {
            break;
        }
        let outputs = pass.forward(weights, &chunk);
        let phases = equations.par_iter_mut().zip(&floats).enumerate();
        phases.for_each(|(phase, (equations, floats))| {
            for (position, output) in outputs.iter().enumerate() {
                if usize::from(chunk.facts()[position].phase) == phase {
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
    let rows = direct.weights.chunks_exact_mut(2 * weights.width());
    for ((row, bias), rounded) in rows.zip(&mut direct.biases).zip(rounded) {
        *bias = (rounded[0] * f64::from(ONE_OF_SUMS)).round() as i32;
        for (weight, rounded) in row.iter_mut().zip(&rounded[1..]) {
            *weight = *rounded as i16;
        }
    }
}

/// The nearest number that the bias (0) or a weight of an output can have.
fn to_allowed(index: usize, weight: f64) -> f64 {
    if index == 0 {
        return (weight * f64::from(ONE_OF_SUMS)).round() / f64::from(ONE_OF_SUMS);
    }
    let most = f64::from(MAX_WEIGHT);
    weight.round().clamp(-most, most)
}

/// Bias and weights of an output as they were learnt, times `one`.
fn output_floats(weights: &Weights, phase: usize, one: f32) -> Vec<f64> {
    let bias = weights.output_biases[phase];
    let sides = [0, 1].into_iter().flat_map(|side| {
        let row = OUTPUTS + 2 * phase + side;
        weights.blocks().iter().flat_map(move |block| block[row].0)
    });
    let floats = std::iter::once(bias).chain(sides);
    floats.map(|weight| f64::from(weight * one)).collect()
}

/// What bias and weights of an output are multiplied by in a position, with the transformer's rounded weights.
fn activations(transformer: &Transformer, chunk: &Chunk, position: usize) -> Vec<f64> {
    let mut activations = vec![1.0];
    for side in 0..2 {
        let sums = sums(transformer, chunk.inputs(position, side));
        activations.extend(sums.into_iter().map(|sum| {
            let part = f64::from(sum.clamp(0, ONE_OF_SUMS as i16)) / f64::from(ONE_OF_SUMS);
            part * part
        }));
    }
    activations
}

/// What [`quantise`] made the integers of, but for the rounding; `None` where the network is none of our own.
pub(super) fn to_floats(network: &Network, scale: u16) -> Option<Weights> {
    let shape = network.shape();
    let direct = network.direct.as_ref()?;
    if shape.inputs != Inputs::Own {
        return None;
    }
    let width = shape.width;
    let transformer = &network.transformer;
    let output_part = direct.scale as f32 / f32::from(scale) / ONE_OF_WEIGHTS as f32;
    let mut weights = Weights::zeroed(width);
    for (number, block) in weights.blocks_mut().iter_mut().enumerate() {
        let columns = number * BLOCK..(number + 1) * BLOCK;
        for (row, to) in block.iter_mut().enumerate() {
            let (from, part) = match row {
                ..BIASES => (
                    &transformer.weights[row * width..],
                    1.0 / ONE_OF_SUMS as f32,
                ),
                BIASES => (&transformer.biases[..], 1.0 / ONE_OF_SUMS as f32),
                _ => (&direct.weights[(row - OUTPUTS) * width..], output_part),
            };
            for (to, &from) in to.0.iter_mut().zip(&from[columns.clone()]) {
                *to = f32::from(from) * part;
            }
        }
    }
    for (to, &from) in weights.output_biases.iter_mut().zip(&direct.biases) {
        *to = from as f32 * output_part / ONE_OF_SUMS as f32;
    }
    Some(weights)
}

/// The scale in the file: the smallest with which no output weight becomes too large.
fn file_scale(weights: &Weights, scale: u16) -> i32 {
    let rows = weights.blocks().iter().flat_map(|block| &block[OUTPUTS..]);
    let largest = rows
        .flat_map(|row| row.0)
        .fold(0.0_f32, |most, weight| most.max(weight.abs()));
    let part = largest * ONE_OF_WEIGHTS as f32 / f32::from(MAX_WEIGHT);
    ((f32::from(scale) * part).ceil() as i32).clamp(1, scale.into())
}

fn compare(weights: &Weights, scale: u16, network: &Network, samples: &[Sample]) -> ErrorReport {
    let mut report = ErrorReport::default();
    let mut pass = Pass::new(weights.width());
    let mut chunk = Chunk::new();
    for part in samples.chunks(CHUNK) {
        chunk.fill(part.iter(), |_| 0.0);
        let outputs = pass.forward(weights, &chunk);
        for (position, &output) in outputs.iter().enumerate() {
            let sums = [0, 1].map(|side| sums(&network.transformer, chunk.inputs(position, side)));
            let phase = chunk.facts()[position].phase.into();
            let value = f64::from(value_in(network, &sums, phase));
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

/// The sums of the transformer, as the engine adds them up.
fn sums(transformer: &Transformer, inputs: &[u16]) -> Vec<i16> {
    let mut sums = transformer.biases.to_vec();
    let width = sums.len();
    for &input in inputs {
        let column = &transformer.weights[usize::from(input) * width..][..width];
        for (sum, weight) in sums.iter_mut().zip(column) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    sums
}
