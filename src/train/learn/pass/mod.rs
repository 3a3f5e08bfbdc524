//! Forward and backward pass, the hot part of training.
//!
//! Blocks of columns are processed in parallel. For each chunk of positions, a block computes its
//! accumulator columns and their contribution to the next layer; once all blocks are done, the
//! gradients of that layer are propagated back. The backward pass gathers the positions of each
//! feature instead of scattering to the features of each position, so each gradient row is written
//! once.
//!
//! | module | content |
//! |---|---|
//! | `columns` | the accumulator columns of a block and their gradients |
//! | `direct` | output neurons directly over the columns |
//! | `first_layer` | the first of two hidden layers, within a block |
//! | `top` | the layers after it, position by position |
//!
//! Results do not depend on the number of threads or the instruction set: sums have a fixed order,
//! and no fused multiply-add is used.

mod columns;
mod direct;
mod first_layer;
mod top;

use rayon::prelude::*;

use super::chunk::{CHUNK, Chunk, VIEWS};
use super::layout::Layout;
use super::loss::loss_and_slope;
use super::weights::{Row, Weights};
use columns::Scratch;
use top::Top;

/// The buffers of passes through a network.
#[derive(Debug)]
pub(super) struct Pass {
    layout: Layout,
    blocks: Vec<Scratch>,
    outputs: Vec<f32>,
    slopes: Vec<f32>,
    /// The layers behind the first hidden layer; `None` where there is none.
    top: Option<Top>,
}

impl Pass {
    pub(super) fn new(layout: Layout) -> Self {
        let is_direct = layout.hidden().is_none();
        let scratch = || Scratch {
            sums: vec![Row::ZERO; VIEWS],
            outputs: vec![0.0; if is_direct { CHUNK } else { 0 }],
            neurons: vec![Row::ZERO; if is_direct { 0 } else { CHUNK }],
        };
        Self {
            layout,
            blocks: (0..layout.blocks()).map(|_| scratch()).collect(),
            outputs: vec![0.0; CHUNK],
            slopes: vec![0.0; CHUNK],
            top: layout.hidden().map(Top::new),
        }
    }

    /// The outputs of the network for the positions of a chunk, in units of the scale.
    pub(super) fn forward(&mut self, weights: &Weights, chunk: &Chunk) -> &[f32] {
        let hidden = self.layout.hidden();
        let blocks = weights.par_blocks().zip(&mut self.blocks);
        blocks.for_each(|(block, scratch)| match hidden {
            None => direct::forward(block, chunk, scratch),
            Some(hidden) => first_layer::forward(hidden, block, chunk, scratch),
        });
        let outputs = &mut self.outputs[..chunk.len()];
        if let Some(top) = &mut self.top {
            let parts: Vec<&[Row]> = self.blocks.iter().map(|part| &part.neurons[..]).collect();
            top.forward(weights, &parts, outputs);
            return outputs;
        }
        for (output, info) in outputs.iter_mut().zip(chunk.positions()) {
            *output = weights.top[usize::from(info.bucket)];
        }
        for scratch in &self.blocks {
            for (output, part) in outputs.iter_mut().zip(&scratch.outputs) {
                *output += part;
            }
        }
        outputs
    }

    /// Adds the gradient of the loss of a chunk, multiplied by `factor`, to `gradient`. Returns the
    /// loss as the sum over all positions.
    pub(super) fn add_gradient(
        &mut self,
        weights: &Weights,
        chunk: &Chunk,
        power: f32,
        factor: f32,
        gradient: &mut Weights,
    ) -> f64 {
        self.forward(weights, chunk);
        let mut sum = 0.0;
        let positions = chunk.positions().iter().zip(&self.outputs);
        for (slope, (info, &output)) in self.slopes.iter_mut().zip(positions) {
            let (loss, by_output) = loss_and_slope(output, info.target, power);
            sum += f64::from(loss);
            *slope = by_output * factor;
        }
        let slopes = &self.slopes[..chunk.len()];
        let hidden = self.layout.hidden();
        let neuron_slopes = if let Some(top) = &mut self.top {
            top.backward(weights, slopes, &mut gradient.top)
        } else {
            for (slope, info) in slopes.iter().zip(chunk.positions()) {
                gradient.top[usize::from(info.bucket)] += slope;
            }
            &[]
        };
        let blocks = weights.par_blocks().zip(&mut self.blocks);
        let blocks = blocks.zip(gradient.par_blocks_mut());
        blocks.for_each(|((block, scratch), gradient)| match hidden {
            None => direct::backward(block, chunk, scratch, slopes, gradient),
            Some(hidden) => {
                first_layer::backward(hidden, block, chunk, scratch, neuron_slopes, gradient);
            }
        });
        sum
    }
}
