//! The weights of a network in 32-bit floats, in blocks of [`BLOCK`] accumulator columns.
//!
//! A block holds all weights of its columns, row by row: those of each feature, the biases, and the
//! output weights. It fits into the cache of one core, and its gradient is independent of the other
//! blocks, so blocks are the unit of parallelism.
//!
//! Gradients and the moments of the optimiser have the same shape and use the same type.

use bytemuck::{Pod, Zeroable};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::sample::{FEATURES, MAX_ACTIVE};
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;

/// Columns of a block: two cache lines per row.
pub(super) const BLOCK: usize = 32;

/// The row of the biases in a block; the rows of the features come before it.
pub(super) const BIASES: usize = FEATURES;

/// The first row of output weights. Each output bucket has a row of the side to move and one of the
/// other side.
pub(super) const OUTPUTS: usize = FEATURES + 1;

/// Number of rows of a block.
pub(super) const ROWS: usize = OUTPUTS + 2 * OUTPUT_BUCKETS;

/// One value for each column of a block.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [f32; BLOCK]);

impl Row {
    pub(super) const ZERO: Self = Self([0.0; BLOCK]);
}

/// The rows of one block.
pub(super) type Block = [Row; ROWS];

/// One value for each weight of a network.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weights {
    rows: Vec<Row>,
    /// The output biases, by bucket.
    pub(super) output_biases: [f32; OUTPUT_BUCKETS],
}

impl Weights {
    /// Zeros, for a feature transformer of `width` columns, a multiple of [`BLOCK`].
    pub(super) fn zeroed(width: usize) -> Self {
        debug_assert!(width.is_multiple_of(BLOCK));
        Self {
            rows: bytemuck::zeroed_vec(width / BLOCK * ROWS),
            output_biases: [0.0; OUTPUT_BUCKETS],
        }
    }

    /// Random initial weights, small enough that few columns saturate.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(super) fn random(width: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |limit: f32| (random.random::<f32>() * 2.0 - 1.0) * limit;
        // The standard deviation of a column is then a quarter of the activation range.
        let input = 0.25 * (3.0 / MAX_ACTIVE as f32).sqrt();
        let output = (1.0 / (2 * width) as f32).sqrt();
        let mut weights = Self::zeroed(width);
        for block in weights.blocks_mut() {
            for (number, row) in block.iter_mut().enumerate() {
                for weight in &mut row.0 {
                    *weight = match number {
                        ..BIASES => uniform(input),
                        BIASES => FIRST_BIAS,
                        _ => uniform(output),
                    };
                }
            }
        }
        weights
    }

    /// Number of accumulator columns.
    pub(super) fn width(&self) -> usize {
        self.rows.len() / ROWS * BLOCK
    }

    pub(super) fn blocks(&self) -> &[Block] {
        self.rows.as_chunks().0
    }

    pub(super) fn blocks_mut(&mut self) -> &mut [Block] {
        self.rows.as_chunks_mut().0
    }
}

/// Initial bias of the columns: a quarter of the activation range.
const FIRST_BIAS: f32 = 0.25;
