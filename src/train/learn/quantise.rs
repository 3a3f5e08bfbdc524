//! The network in the engine's integers, and what the rounding costs.

use super::chunk::{CHUNK, Chunk};
use super::pass::Pass;
use super::sample::{INPUTS, Sample};
use super::weights::{BIASES, BLOCK, OUTPUTS, Weights};
use crate::eval::nnue::buckets::PHASES;
use crate::eval::nnue::inputs::Inputs;
use crate::eval::nnue::scalar::{
    MAX_WEIGHT, ONE_OF_SUMS, ONE_OF_WEIGHTS, value_in,
};
use crate::eval::nnue::{Direct, Network, Transformer};
use crate::util::Aligned;

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

/// Rounds the weights, and compares the values of `samples`.
pub(super) fn quantise(weights: &Weights, scale: u16, text: &str, samples: &[Sample]) -> Quantised {
    let network = round(weights, scale, text);
    let errors = compare(weights, scale, &network, samples);
    Quantised { network, errors }
}

fn round(weights: &Weights, scale: u16, text: &str) -> Network {
    let width = weights.width();
    let mut transformer = Transformer {
        biases: Aligned::zeroed(width),
        weights: Aligned::zeroed(INPUTS * width),
    };
    let mut output_weights = Aligned::zeroed(PHASES * 2 * width);
    for (number, block) in weights.blocks().iter().enumerate() {
        let columns = number * BLOCK..(number + 1) * BLOCK;
        for (row, from) in block.iter().enumerate() {
            let (to, one) = match row {
                ..BIASES => (&mut transformer.weights[row * width..], ONE_OF_SUMS),
                BIASES => (&mut transformer.biases[..], ONE_OF_SUMS),
                _ => (
                    &mut output_weights[(row - OUTPUTS) * width..],
                    ONE_OF_WEIGHTS,
                ),
            };
            for (to, from) in to[columns.clone()].iter_mut().zip(from.0) {
                // No weight is so large that it would be cut off here, the optimiser sees to that.
                *to = (from * one as f32).round() as i16;
            }
        }
    }
    for weight in output_weights.iter_mut() {
        *weight = (*weight).clamp(-MAX_WEIGHT, MAX_WEIGHT);
    }
    let one = (ONE_OF_SUMS * ONE_OF_WEIGHTS) as f32;
    let direct = Direct {
        biases: weights
            .output_biases
            .map(|bias| (bias * one).round() as i32)
            .to_vec(),
        weights: output_weights,
        scale: scale.into(),
    };
    Network::of_direct(Inputs::Own, transformer, direct, text)
}

fn compare(weights: &Weights, scale: u16, network: &Network, samples: &[Sample]) -> ErrorReport {
    let mut report = ErrorReport::default();
    let mut pass = Pass::new(weights.width());
    let mut chunk = Chunk::new();
    for part in samples.chunks(CHUNK) {
        chunk.fill(part.iter(), |_| 0.0);
        let outputs = pass.forward(weights, &chunk);
        for (position, &output) in outputs.iter().enumerate() {
            let sums = [0, 1].map(|side| sums(network, chunk.inputs(position, side)));
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
fn sums(network: &Network, inputs: &[u16]) -> Vec<i16> {
    let transformer = &network.transformer;
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
