//! The pass of one block where outputs follow directly on the feature transformer: squared clipped
//! columns, one output per bucket.

use pulp::{Simd, WithSimd};

use super::columns::{Scratch, add_features, columns};
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;
use crate::train::learn::chunk::Chunk;
use crate::train::learn::layout::BLOCK;
use crate::train::learn::weights::Row;

pub(super) fn forward(block: &[Row], chunk: &Chunk, scratch: &mut Scratch) {
    let task = Forward {
        block,
        chunk,
        scratch,
    };
    pulp::Arch::new().dispatch(task);
}

pub(super) fn backward(
    block: &[Row],
    chunk: &Chunk,
    scratch: &mut Scratch,
    slopes: &[f32],
    gradient: &mut [Row],
) {
    let task = Backward {
        block,
        chunk,
        scratch,
        slopes,
        gradient,
    };
    pulp::Arch::new().dispatch(task);
}

/// The forward pass of a block.
struct Forward<'a> {
    block: &'a [Row],
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
                let sum = columns(block, chunk, position, side);
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
    block: &'a [Row],
    chunk: &'a Chunk,
    scratch: &'a mut Scratch,
    slopes: &'a [f32],
    gradient: &'a mut [Row],
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
        for (position, (sums, &slope)) in positions.enumerate() {
            let weights = output_rows(block, chunk, position);
            let first = first_output_row(chunk, position);
            for (side, (sums, weights)) in sums.iter_mut().zip(weights).enumerate() {
                through_activation(sums, slope, weights, &mut gradient[first + side]);
            }
        }
        add_features(&scratch.sums, chunk, gradient);
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

#[inline(always)]
fn first_output_row(chunk: &Chunk, position: usize) -> usize {
    let outputs = chunk.feature_count() + 1;
    outputs + 2 * (usize::from(chunk.positions()[position].bucket) % OUTPUT_BUCKETS)
}

#[inline(always)]
fn output_rows<'a>(block: &'a [Row], chunk: &Chunk, position: usize) -> &'a [Row; 2] {
    let first = first_output_row(chunk, position);
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
