//! Forward and backward pass, the hot part of training.
//!
//! Blocks of columns are processed in parallel. For each chunk of positions, a block computes its
//! accumulator columns and their contribution to the outputs; once all blocks are done, the
//! gradients of the outputs are propagated back. The backward pass gathers the positions of each
//! feature instead of scattering to the features of each position, so each gradient row is written
//! once.
//!
//! Results do not depend on the number of threads or the instruction set: sums have a fixed order,
//! and no fused multiply-add is used.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::chunk::{CHUNK, Chunk, VIEWS};
use super::loss::loss_and_slope;
use super::weights::{BIASES, BLOCK, Block, OUTPUTS, ROWS, Row, Weights};
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;

/// Buffers of one block for one chunk.
#[derive(Debug)]
struct Scratch {
    /// Accumulator columns by view, replaced by their gradients in the backward pass.
    sums: Vec<Row>,
    /// Contribution of the block to the output, by position.
    outputs: Vec<f32>,
}

/// The buffers of passes through a network.
#[derive(Debug)]
pub(super) struct Pass {
    blocks: Vec<Scratch>,
    outputs: Vec<f32>,
    slopes: Vec<f32>,
}

impl Pass {
    pub(super) fn new(width: usize) -> Self {
        let scratch = || Scratch {
            sums: vec![Row::ZERO; VIEWS],
            outputs: vec![0.0; CHUNK],
        };
        Self {
            blocks: (0..width / BLOCK).map(|_| scratch()).collect(),
            outputs: vec![0.0; CHUNK],
            slopes: vec![0.0; CHUNK],
        }
    }

    /// The outputs of the network for the positions of a chunk, in units of the scale.
    pub(super) fn forward(&mut self, weights: &Weights, chunk: &Chunk) -> &[f32] {
        let blocks = weights.blocks().par_iter().zip(&mut self.blocks);
        blocks.for_each(|(block, scratch)| {
            let task = Forward {
                block,
                chunk,
                scratch,
            };
            pulp::Arch::new().dispatch(task);
        });
        let outputs = &mut self.outputs[..chunk.len()];
        for (output, info) in outputs.iter_mut().zip(chunk.positions()) {
            *output = weights.output_biases[usize::from(info.bucket)];
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
            gradient.output_biases[usize::from(info.bucket)] += *slope;
        }
        let slopes = &self.slopes;
        let blocks = weights.blocks().par_iter().zip(&mut self.blocks);
        let blocks = blocks.zip(gradient.blocks_mut());
        blocks.for_each(|((block, scratch), gradient)| {
            let task = Backward {
                block,
                chunk,
                scratch,
                slopes,
                gradient,
            };
            pulp::Arch::new().dispatch(task);
        });
        sum
    }
}

/// The forward pass of a block.
struct Forward<'a> {
    block: &'a Block,
    chunk: &'a Chunk,
    scratch: &'a mut Scratch,
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            block,
            chunk,
            scratch,
        } = self;
        let (sums, _) = scratch.sums.as_chunks_mut::<2>();
        let positions = sums.iter_mut().zip(&mut scratch.outputs);
        for (position, (sums, output)) in positions.take(chunk.len()).enumerate() {
            let weights = output_rows(block, chunk, position);
            let mut lanes = Row::ZERO;
            for side in 0..2 {
                let sum = sum_of_rows(block[BIASES], block, chunk.features(position, side));
                for column in 0..BLOCK {
                    let activation = sum.0[column].clamp(0.0, 1.0);
                    lanes.0[column] += activation * activation * weights[side].0[column];
                }
                sums[side] = sum;
            }
            *output = total(lanes);
        }
    }
}

/// The backward pass of a block.
struct Backward<'a> {
    block: &'a Block,
    chunk: &'a Chunk,
    scratch: &'a mut Scratch,
    slopes: &'a [f32],
    gradient: &'a mut Block,
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            block,
            chunk,
            scratch,
            slopes,
            gradient,
        } = self;
        let (sums, _) = scratch.sums.as_chunks_mut::<2>();
        let positions = sums.iter_mut().zip(slopes);
        for (position, (sums, &slope)) in positions.take(chunk.len()).enumerate() {
            let weights = output_rows(block, chunk, position);
            let first = first_output_row(chunk, position);
            for (side, (sums, weights)) in sums.iter_mut().zip(weights).enumerate() {
                through_activation(sums, slope, weights, &mut gradient[first + side]);
                let biases = &mut gradient[BIASES];
                for column in 0..BLOCK {
                    biases.0[column] += sums.0[column];
                }
            }
        }
        for (feature, row) in gradient[..BIASES].iter_mut().enumerate() {
            *row = sum_of_rows(*row, &scratch.sums, chunk.views(feature));
        }
    }
}

/// Replaces accumulator columns by their gradients, and adds to the gradient of the output weights.
#[inline(always)]
fn through_activation(sums: &mut Row, slope: f32, weights: &Row, gradient: &mut Row) {
    for column in 0..BLOCK {
        let sum = sums.0[column];
        let activation = sum.clamp(0.0, 1.0);
        gradient.0[column] += slope * (activation * activation);
        let by_sum = 2.0 * activation * slope * weights.0[column];
        sums.0[column] = if sum < 1.0 { by_sum } else { 0.0 };
    }
}

/// The sum of `start` and the rows of `table` with these indices.
#[inline(always)]
fn sum_of_rows(start: Row, table: &[Row], numbers: &[u16]) -> Row {
    let mut sum = start;
    for &number in numbers {
        let row = &table[usize::from(number)];
        for column in 0..BLOCK {
            sum.0[column] += row.0[column];
        }
    }
    sum
}

#[inline(always)]
fn first_output_row(chunk: &Chunk, position: usize) -> usize {
    OUTPUTS + 2 * (usize::from(chunk.positions()[position].bucket) % OUTPUT_BUCKETS)
}

#[inline(always)]
fn output_rows<'a>(block: &'a Block, chunk: &Chunk, position: usize) -> &'a [Row; 2] {
    let first = first_output_row(chunk, position);
    const { assert!(OUTPUTS + 2 * OUTPUT_BUCKETS == ROWS) }
    block[first..]
        .first_chunk()
        .expect("each bucket has two rows")
}

/// The sum of all columns, added pairwise by halves.
#[inline(always)]
fn total(row: Row) -> f32 {
    let mut lanes = row.0;
    let mut length = BLOCK / 2;
    while length > 0 {
        for column in 0..length {
            lanes[column] += lanes[column + length];
        }
        length /= 2;
    }
    lanes[0]
}
