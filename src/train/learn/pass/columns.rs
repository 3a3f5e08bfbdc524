//! The accumulator columns of a block, and the gradients of its features.

use crate::train::learn::chunk::Chunk;
use crate::train::learn::layout::BLOCK;
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
    let biases = block[chunk.feature_count()];
    sum_of_rows(biases, block, chunk.features(position, side))
}

/// Adds the gradients of the columns, by view, to those of the features and biases.
#[inline(always)]
pub(super) fn add_features(sums: &[Row], chunk: &Chunk, gradient: &mut [Row]) {
    let (features, rest) = gradient.split_at_mut(chunk.feature_count());
    for sums in &sums[..2 * chunk.len()] {
        let biases = &mut rest[0];
        for column in 0..BLOCK {
            biases.0[column] += sums.0[column];
        }
    }
    for (feature, row) in features.iter_mut().enumerate() {
        let views = chunk.views(feature);
        if !views.is_empty() {
            *row = sum_of_rows(*row, sums, views);
        }
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
