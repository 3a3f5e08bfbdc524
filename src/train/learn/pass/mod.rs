//! Forward and backward pass, the hot part of training.
//!
//! Blocks of columns are processed in parallel. For each chunk of positions, a block computes its
//! accumulator columns and their contribution to the next layer; once all blocks have done so for
//! some chunks, the gradients of that layer are propagated back. The backward pass gathers the
//! positions of each feature instead of scattering to the features of each position, so each
//! gradient row is written once per chunk. What is read at random, the weights of a block or the
//! columns of a chunk, stays in the cache of the core.
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
use super::loss::{Target, loss_and_slope};
use super::weights::{Row, Weights};
use columns::Scratch;
use top::Top;

/// Chunks that a block processes one after the other, so that its weights are read from memory once
/// for all of them.
const GROUP: usize = 16;

/// The buffers of passes through a network.
#[derive(Debug)]
pub(super) struct Pass {
    layout: Layout,
    /// By block and chunk of a group.
    blocks: Vec<Vec<Scratch>>,
    /// By chunk of a group.
    ends: Vec<End>,
}

/// What follows on the blocks, for one chunk.
#[derive(Debug)]
struct End {
    outputs: Vec<f32>,
    slopes: Vec<f32>,
    /// The layers behind the first hidden layer; `None` where there is none.
    top: Option<Top>,
}

impl Pass {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            layout,
            blocks: (0..layout.blocks()).map(|_| Vec::new()).collect(),
            ends: Vec::new(),
        }
    }

    /// Makes the buffers of a group of chunks.
    fn reserve(&mut self, chunks: usize) {
        let layout = self.layout;
        let is_direct = layout.hidden().is_none();
        for parts in &mut self.blocks {
            parts.resize_with(chunks.max(parts.len()), || Scratch {
                sums: vec![Row::ZERO; VIEWS],
                outputs: vec![0.0; if is_direct { CHUNK } else { 0 }],
                neurons: vec![Row::ZERO; if is_direct { 0 } else { CHUNK }],
            });
        }
        self.ends.resize_with(chunks.max(self.ends.len()), || End {
            outputs: vec![0.0; CHUNK],
            slopes: vec![0.0; CHUNK],
            top: layout.hidden().map(Top::new),
        });
    }

    /// The outputs of the network for the positions of a chunk, in units of the scale.
    pub(super) fn forward(&mut self, weights: &Weights, chunk: &Chunk) -> &[f32] {
        self.forward_blocks(weights, std::slice::from_ref(chunk));
        self.forward_end(weights, chunk, 0);
        &self.ends[0].outputs[..chunk.len()]
    }

    /// Adds the gradient of the loss of all chunks, multiplied by `factor`, to `gradient`. Returns
    /// the loss as the sum over all positions.
    pub(super) fn add_gradient(
        &mut self,
        weights: &Weights,
        chunks: &[Chunk],
        power: f32,
        factor: f32,
        gradient: &mut Weights,
    ) -> f64 {
        let mut sum = 0.0;
        for chunks in chunks.chunks(GROUP) {
            self.forward_blocks(weights, chunks);
            for (number, chunk) in chunks.iter().enumerate() {
                self.forward_end(weights, chunk, number);
                let slope = |output, target| {
                    let (loss, by_output) = loss_and_slope(output, target, power);
                    (loss, by_output * factor)
                };
                sum += self.ends[number].backward(weights, chunk, slope, gradient);
            }
            self.backward_blocks(weights, chunks, gradient);
        }
        sum
    }

    /// The columns of all blocks, and what they contribute to the next layer.
    fn forward_blocks(&mut self, weights: &Weights, chunks: &[Chunk]) {
        self.reserve(chunks.len());
        let hidden = self.layout.hidden();
        let blocks = weights.par_blocks().zip(&mut self.blocks);
        blocks.for_each(|(block, parts)| {
            for (chunk, scratch) in chunks.iter().zip(parts) {
                match hidden {
                    None => direct::forward(block, chunk, scratch),
                    Some(hidden) => first_layer::forward(hidden, block, chunk, scratch),
                }
            }
        });
    }

    /// The outputs of a chunk of the group, from the contributions of all blocks.
    fn forward_end(&mut self, weights: &Weights, chunk: &Chunk, number: usize) {
        let End { outputs, top, .. } = &mut self.ends[number];
        let outputs = &mut outputs[..chunk.len()];
        let parts = self.blocks.iter().map(|parts| &parts[number]);
        if let Some(top) = top {
            let parts: Vec<&[Row]> = parts.map(|part| &part.neurons[..]).collect();
            top.forward(weights, &parts, outputs);
            return;
        }
        for (output, info) in outputs.iter_mut().zip(chunk.positions()) {
            *output = weights.top[usize::from(info.bucket)];
        }
        for part in parts {
            for (output, part) in outputs.iter_mut().zip(&part.outputs) {
                *output += part;
            }
        }
    }

    /// The gradients of all blocks.
    fn backward_blocks(&mut self, weights: &Weights, chunks: &[Chunk], gradient: &mut Weights) {
        let hidden = self.layout.hidden();
        let ends = &self.ends;
        let blocks = weights.par_blocks().zip(&mut self.blocks);
        let blocks = blocks.zip(gradient.par_blocks_mut());
        blocks.for_each(|((block, parts), gradient)| {
            for ((chunk, scratch), end) in chunks.iter().zip(parts).zip(ends) {
                if let (Some(hidden), Some(top)) = (hidden, &end.top) {
                    let slopes = &top.slopes()[..chunk.len()];
                    first_layer::backward(hidden, block, chunk, scratch, slopes, gradient);
                } else {
                    let slopes = &end.slopes[..chunk.len()];
                    direct::backward(block, chunk, scratch, slopes, gradient);
                }
            }
        });
    }
}

impl End {
    /// The gradients behind the blocks. `slope` gives the loss of an output and its derivative.
    /// Returns the loss as the sum over all positions.
    fn backward(
        &mut self,
        weights: &Weights,
        chunk: &Chunk,
        slope: impl Fn(f32, Target) -> (f32, f32),
        gradient: &mut Weights,
    ) -> f64 {
        let mut sum = 0.0;
        let positions = chunk.positions().iter().zip(&self.outputs);
        for (to, (info, &output)) in self.slopes.iter_mut().zip(positions) {
            let (loss, by_output) = slope(output, info.target);
            sum += f64::from(loss);
            *to = by_output;
        }
        let slopes = &self.slopes[..chunk.len()];
        if let Some(top) = &mut self.top {
            top.backward(weights, slopes, &mut gradient.top);
        } else {
            for (slope, info) in slopes.iter().zip(chunk.positions()) {
                gradient.top[usize::from(info.bucket)] += slope;
            }
        }
        sum
    }
}
