//! The weights of a network in 32-bit floats, laid out for training: in blocks of [`BLOCK`] columns of the transformer.
//!
//! A block holds everything that belongs to its columns, row after row: the weights of each input, the biases, and the
//! weights of the outputs. It fits into the cache of one core, and no other block's gradient touches it, so blocks are
//! what threads share out among themselves.
//!
//! Gradients and the moments of the optimiser have the same shape and so the same type.

use bytemuck::{Pod, Zeroable};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::sample::{INPUTS, MOST_ACTIVE};
use crate::eval::nnue::buckets::PHASES;

/// Columns of a block: two cache lines of each input.
pub(super) const BLOCK: usize = 32;

/// The row of biases in a block; the rows of inputs come before it.
pub(super) const BIASES: usize = INPUTS;

/// The first row of output weights: the side to move's of phase 0, the other side's, those of phase 1, and so on.
pub(super) const OUTPUTS: usize = INPUTS + 1;

/// All rows of a block.
pub(super) const ROWS: usize = OUTPUTS + 2 * PHASES;

/// One number for each column of a block.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [f32; BLOCK]);

impl Row {
    pub(super) const ZERO: Self = Self([0.0; BLOCK]);
}

/// The rows of one block.
pub(super) type Block = [Row; ROWS];

/// One number for each weight of a network.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weights {
    rows: Vec<Row>,
    /// What the outputs begin with.
    pub(super) output_biases: [f32; PHASES],
}

impl Weights {
    /// All 0, for a transformer of so many columns, a multiple of [`BLOCK`].
    pub(super) fn zeroed(width: usize) -> Self {
        debug_assert!(width.is_multiple_of(BLOCK));
        Self {
            rows: bytemuck::zeroed_vec(width / BLOCK * ROWS),
            output_biases: [0.0; PHASES],
        }
    }

    /// Made up, where learning begins: small enough that most sums lie where their slope is not 0.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(super) fn random(width: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |limit: f32| (random.random::<f32>() * 2.0 - 1.0) * limit;
        // The sum of all active inputs then varies by a quarter of the range of an activation.
        let input = 0.25 * (3.0 / MOST_ACTIVE as f32).sqrt();
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

    /// Columns of the transformer.
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

/// What sums begin with before anything is learnt.
const FIRST_BIAS: f32 = 0.25;
