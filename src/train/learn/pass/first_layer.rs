//! The pass of one block where a hidden layer follows on the feature transformer: the contributions
//! of its columns to the neurons of that layer.

use pulp::{Simd, WithSimd};

use super::columns::{Scratch, add_features, columns};
use crate::train::learn::chunk::Chunk;
use crate::train::learn::layout::{BLOCK, Hidden};
use crate::train::learn::weights::Row;

/// Columns of each side in a row of products.
const HALF: usize = BLOCK / 2;

pub(super) fn forward(hidden: Hidden, block: &[Row], chunk: &Chunk, scratch: &mut Scratch) {
    let arch = pulp::Arch::new();
    if hidden.is_products {
        arch.dispatch(Forward::<1> {
            neurons: hidden.first_outputs(),
            block,
            chunk,
            scratch,
        });
    } else {
        arch.dispatch(Forward::<2> {
            neurons: hidden.first_outputs(),
            block,
            chunk,
            scratch,
        });
    }
}

pub(super) fn backward(
    hidden: Hidden,
    block: &[Row],
    chunk: &Chunk,
    scratch: &mut Scratch,
    slopes: &[Row],
    gradient: &mut [Row],
) {
    let arch = pulp::Arch::new();
    let neurons = hidden.first_outputs();
    if hidden.is_products {
        arch.dispatch(Backward::<1> {
            neurons,
            block,
            chunk,
            scratch,
            slopes,
            gradient,
        });
    } else {
        arch.dispatch(Backward::<2> {
            neurons,
            block,
            chunk,
            scratch,
            slopes,
            gradient,
        });
    }
}

/// The activations of the columns of both sides: `ROWS` is 1 for pairwise products, 2 for clipped
/// columns.
#[inline(always)]
fn activations<const ROWS: usize>(sums: &[Row; 2]) -> [Row; ROWS] {
    let mut rows = [Row::ZERO; ROWS];
    for side in 0..2 {
        let clipped = sums[side].0.map(|sum| sum.clamp(0.0, 1.0));
        if ROWS == 1 {
            for column in 0..HALF {
                rows[0].0[side * HALF + column] = clipped[column] * clipped[column + HALF];
            }
        } else {
            rows[side].0 = clipped;
        }
    }
    rows
}

/// Replaces accumulator columns by their gradients.
#[inline(always)]
fn through_activations<const ROWS: usize>(sums: &mut [Row; 2], slopes: &[Row; ROWS]) {
    for side in 0..2 {
        let sums = &mut sums[side].0;
        let is_inside = |sum: f32| sum > 0.0 && sum < 1.0;
        if ROWS == 1 {
            for column in 0..HALF {
                let (one, other) = (sums[column], sums[column + HALF]);
                let slope = slopes[0].0[side * HALF + column];
                let by_one = slope * other.clamp(0.0, 1.0);
                let by_other = slope * one.clamp(0.0, 1.0);
                sums[column] = if is_inside(one) { by_one } else { 0.0 };
                sums[column + HALF] = if is_inside(other) { by_other } else { 0.0 };
            }
        } else {
            for (sum, &slope) in sums.iter_mut().zip(&slopes[side].0) {
                *sum = if is_inside(*sum) { slope } else { 0.0 };
            }
        }
    }
}

/// The forward pass of a block.
struct Forward<'a, const ROWS: usize> {
    neurons: usize,
    block: &'a [Row],
    chunk: &'a Chunk,
    scratch: &'a mut Scratch,
}

impl<const ROWS: usize> WithSimd for Forward<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            neurons,
            block,
            chunk,
            scratch,
        } = self;
        // Transposed, so that the sums over columns need no sums across lanes:
        // `[row of activations][column][neuron]`.
        let mut transposed = [[Row::ZERO; BLOCK]; ROWS];
        let rows = &block[chunk.feature_count() + 1..][..neurons * ROWS];
        for (number, row) in rows.iter().enumerate() {
            for (to, &weight) in transposed[number % ROWS].iter_mut().zip(&row.0) {
                to.0[number / ROWS] = weight;
            }
        }
        let (sums, _) = scratch.sums.as_chunks_mut::<2>();
        let positions = sums.iter_mut().zip(&mut scratch.neurons);
        for (position, (sums, outputs)) in positions.take(chunk.len()).enumerate() {
            for (side, sum) in sums.iter_mut().enumerate() {
                *sum = columns(block, chunk, position, side);
            }
            let mut total = Row::ZERO;
            let activations = activations::<ROWS>(sums);
            for (activations, weights) in activations.iter().zip(&transposed) {
                for (&activation, weights) in activations.0.iter().zip(weights) {
                    for neuron in 0..BLOCK {
                        total.0[neuron] += activation * weights.0[neuron];
                    }
                }
            }
            *outputs = total;
        }
    }
}

/// The backward pass of a block.
struct Backward<'a, const ROWS: usize> {
    neurons: usize,
    block: &'a [Row],
    chunk: &'a Chunk,
    scratch: &'a mut Scratch,
    /// Gradients of the neurons, by position.
    slopes: &'a [Row],
    gradient: &'a mut [Row],
}

impl<const ROWS: usize> WithSimd for Backward<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            neurons,
            block,
            chunk,
            scratch,
            slopes,
            gradient,
        } = self;
        let outputs = chunk.feature_count() + 1;
        let (weights, _) = block[outputs..].as_chunks::<ROWS>();
        let (gradients, _) = gradient[outputs..].as_chunks_mut::<ROWS>();
        let (weights, gradients) = (&weights[..neurons], &mut gradients[..neurons]);
        let (sums, _) = scratch.sums.as_chunks_mut::<2>();
        for (sums, slopes) in sums.iter_mut().zip(slopes) {
            let activations = activations::<ROWS>(sums);
            let mut by_activation = [Row::ZERO; ROWS];
            let neurons = weights.iter().zip(&mut *gradients).zip(&slopes.0);
            for ((weights, gradients), &slope) in neurons {
                for row in 0..ROWS {
                    for column in 0..BLOCK {
                        by_activation[row].0[column] += slope * weights[row].0[column];
                        gradients[row].0[column] += slope * activations[row].0[column];
                    }
                }
            }
            through_activations(sums, &by_activation);
        }
        add_features(&scratch.sums, chunk, gradient);
    }
}
