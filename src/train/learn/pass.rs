//! A pass through the network, forward and backward: the hot part of training.
//!
//! Threads share out the blocks of columns. For each chunk of positions a block first adds up its sums and what they
//! contribute to the outputs; when all have done so, the outputs' errors go back the same way. The backward pass adds up
//! the positions of each input instead of adding to the inputs of each position, so it only reads what is large.
//!
//! Results do not depend on the number of threads or on the instruction set: sums have a fixed order, and no product is
//! fused with a sum.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::chunk::{CHUNK, Chunk, VIEWS};
use super::loss::loss_and_slope;
use super::weights::{BIASES, BLOCK, Block, OUTPUTS, ROWS, Row, Weights};
use crate::eval::nnue::buckets::PHASES;

/// What a block makes of a chunk.
#[derive(Debug)]
struct Scratch {
    /// By view: sums, then their gradients.
    sums: Vec<Row>,
    /// By position: what the block adds to the output.
    outputs: Vec<f32>,
}

/// The memory of passes through networks of one width.
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

    /// What the network says of the positions of a chunk: an output of 1 is worth the scale.
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
        for (output, facts) in outputs.iter_mut().zip(chunk.facts()) {
            *output = weights.output_biases[usize::from(facts.phase)];
        }
        for scratch in &self.blocks {
            for (output, part) in outputs.iter_mut().zip(&scratch.outputs) {
                *output += part;
            }
        }
        outputs
    }

    /// Adds the gradient of a chunk's loss, multiplied by `factor`, to `gradient`, and returns the loss, the sum over all
    /// positions.
    pub(super) fn learn(
        &mut self,
        weights: &Weights,
        chunk: &Chunk,
        power: f32,
        factor: f32,
        gradient: &mut Weights,
    ) -> f64 {
        self.forward(weights, chunk);
        let mut sum = 0.0;
        let positions = chunk.facts().iter().zip(&self.outputs);
        for (slope, (facts, &output)) in self.slopes.iter_mut().zip(positions) {
            let (loss, by_output) = loss_and_slope(output, facts.target, power);
            sum += f64::from(loss);
            *slope = by_output * factor;
            gradient.output_biases[usize::from(facts.phase)] += *slope;
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

/// The sums of a block, and what they contribute to the outputs.
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
                let sum = sum_of_rows(block[BIASES], block, chunk.inputs(position, side));
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

/// The gradient of a block.
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
        for (input, row) in gradient[..BIASES].iter_mut().enumerate() {
            *row = sum_of_rows(*row, &scratch.sums, chunk.views(input));
        }
    }
}

/// Turns sums into their gradients, and adds to the gradient of the output weights.
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

/// `start` and the rows of `table` with these numbers.
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
    OUTPUTS + 2 * (usize::from(chunk.facts()[position].phase) % PHASES)
}

#[inline(always)]
fn output_rows<'a>(block: &'a Block, chunk: &Chunk, position: usize) -> &'a [Row; 2] {
    let first = first_output_row(chunk, position);
    const { assert!(OUTPUTS + 2 * PHASES == ROWS) }
    block[first..]
        .first_chunk()
        .expect("each phase has two rows")
}

/// The sum of all columns, by halves.
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
