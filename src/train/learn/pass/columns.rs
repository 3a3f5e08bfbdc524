//! The accumulator columns of a block, and the gradients of its features.

use crate::train::learn::chunk::Chunk;
use crate::train::learn::layout::{BIASES, BLOCK};
use crate::train::learn::weights::Row;

/// Buffers of one block for one chunk.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Accumulator columns by view, replaced by their gradients in the backward pass.
    pub(super) sums: Vec<Row>,
    /// Contribution of the block to the output, by position.
    pub(super) outputs: Vec<f32>,
    /// Contribution of the block to the neurons of the first hidden layer, by position.
    pub(super) neurons: Vec<Row>,
}

/// The accumulator columns of a view.
#[inline(always)]
pub(super) fn columns(block: &[Row], chunk: &Chunk, position: usize, side: usize) -> Row {
    sum_of_rows(block[BIASES], block, chunk.features(position, side))
}

/// Adds the gradients of the columns, by view, to those of the features and biases.
#[inline(always)]
pub(super) fn add_features(sums: &[Row], chunk: &Chunk, gradient: &mut [Row]) {
    for sums in &sums[..2 * chunk.len()] {
        let biases = &mut gradient[BIASES];
        for column in 0..BLOCK {
            biases.0[column] += sums.0[column];
        }
    }
    for (feature, row) in gradient[..BIASES].iter_mut().enumerate() {
        *row = sum_of_rows(*row, sums, chunk.views(feature));
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
