//! Quantisation without hidden layers: all weights have been rounded in training, by
//! [`Grid::round`].

use super::transformer::transformer;
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;
use crate::eval::nnue::scalar::{QA, QB};
use crate::eval::nnue::{Network, OutputLayer};
use crate::train::learn::grid::Grid;
use crate::train::learn::layout::BLOCK;
use crate::train::learn::weights::Weights;
use crate::util::Aligned;

/// The quantised network.
pub(super) fn quantise(weights: &Weights, grid: Grid, text: &str) -> Network {
    let (layout, width) = (weights.layout(), weights.layout().width());
    let (one, scale) = grid.output();
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
        layout.feature_set(),
        transformer(weights, grid),
        output_layer,
        text,
    )
}

/// The inverse of [`quantise`].
pub(super) fn to_floats(output_layer: &OutputLayer, scale: u16, weights: &mut Weights) {
    let (layout, width) = (weights.layout(), weights.layout().width());
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
