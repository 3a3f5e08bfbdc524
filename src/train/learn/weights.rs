//! The weights of a network in 32-bit floats, in blocks of [`BLOCK`] accumulator columns.
//!
//! A block holds all weights of its columns, row by row: those of each feature, the biases, and the
//! weights of the layer after the feature transformer. It fits into the cache of one core, and its
//! gradient is independent of the other blocks, so blocks are the unit of parallelism. The few
//! weights that belong to no column are the `top`.
//!
//! Gradients and the moments of the optimiser have the same shape and use the same type.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::layout::{BLOCK, Layout};
use super::sample::{FEATURES, MAX_ACTIVE};

/// One value for each column of a block.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [f32; BLOCK]);

impl Row {
    pub(super) const ZERO: Self = Self([0.0; BLOCK]);
}

/// One value for each weight of a network.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weights {
    layout: Layout,
    rows: Vec<Row>,
    /// The weights that belong to no column, in the order of [`Layout`].
    pub(super) top: Vec<f32>,
}

impl Weights {
    /// Zeros.
    pub(super) fn zeroed(layout: Layout) -> Self {
        Self {
            layout,
            rows: bytemuck::zeroed_vec(layout.blocks() * layout.rows()),
            top: vec![0.0; layout.top()],
        }
    }

    /// Random initial weights, small enough that few columns and neurons saturate.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(super) fn random(layout: Layout, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |limit: f32| (random.random::<f32>() * 2.0 - 1.0) * limit;
        // The standard deviation of a column is then a quarter of the activation range.
        let input = 0.25 * (3.0 / MAX_ACTIVE as f32).sqrt();
        let output = (1.0 / layout.first_inputs() as f32).sqrt();
        let mut weights = Self::zeroed(layout);
        for block in weights.blocks_mut() {
            for (number, row) in block.iter_mut().enumerate() {
                for weight in &mut row.0 {
                    *weight = if number == layout.biases() {
                        FIRST_BIAS
                    } else if layout.outputs().contains(&number) {
                        uniform(output)
                    } else if layout.zones() == 1 || layout.shared().contains(&number) {
                        uniform(input)
                    } else {
                        0.0
                    };
                }
            }
        }
        if let Some(hidden) = layout.hidden() {
            weights.top[hidden.first_biases()].fill(FIRST_BIAS);
            weights.top[hidden.second_biases()].fill(FIRST_BIAS);
            for (range, inputs) in [
                (hidden.second_weights(), hidden.second_inputs()),
                (hidden.last_weights(), hidden.second),
            ] {
                let limit = (1.0 / inputs as f32).sqrt();
                weights.top[range].fill_with(|| uniform(limit));
            }
        }
        weights
    }

    /// Copies the weights of a network of the same width with as many zones or one: all weights
    /// where the head is the same, else those of the feature transformer.
    ///
    /// # Panics
    /// Panics where the widths differ, or where there are other zones.
    pub(super) fn copy_from(&mut self, from: &Self) {
        let (own, other) = (self.layout, from.layout);
        assert_eq!(own.width(), other.width());
        assert!(other.zones() == own.zones() || other.zones() == 1);
        // Where columns are in blocks differs between heads.
        let mut places = vec![(0, 0); other.width()];
        for block in 0..other.blocks() {
            for place in 0..BLOCK {
                places[other.column(block, place)] = (block, place);
            }
        }
        let mut rows = vec![(own.biases(), other.biases())];
        if own.zones() == other.zones() {
            rows.extend((0..own.biases()).map(|row| (row, row)));
            rows.extend(own.shared().zip(other.shared()));
        } else {
            rows.extend(own.shared().zip(0..));
        }
        if own.hidden() == other.hidden() {
            rows.extend(own.outputs().zip(other.outputs()));
            self.top.copy_from_slice(&from.top);
        }
        for (number, block) in self.blocks_mut().enumerate() {
            if own.zones() > other.zones() {
                block[..own.biases()].fill(Row::ZERO);
            }
            for &(row, from_row) in &rows {
                for (place, to) in block[row].0.iter_mut().enumerate() {
                    let (block, place) = places[own.column(number, place)];
                    *to = from.rows[block * other.rows() + from_row].0[place];
                }
            }
        }
    }

    /// Divides the weights of features by zone into what all zones have in common, their mean, and
    /// the rest.
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    pub(super) fn share(&mut self) {
        let layout = self.layout;
        for block in self.blocks_mut() {
            let (features, rest) = block.split_at_mut(layout.biases());
            let shared = layout.shared().start - layout.biases();
            for (number, shared) in rest[shared..].iter_mut().enumerate() {
                for column in 0..BLOCK {
                    let own = features.iter().skip(number).step_by(FEATURES);
                    let sum: f32 = own.map(|row| row.0[column]).sum();
                    shared.0[column] = sum / layout.zones() as f32;
                }
                for row in features.iter_mut().skip(number).step_by(FEATURES) {
                    for column in 0..BLOCK {
                        row.0[column] -= shared.0[column];
                    }
                }
            }
        }
    }

    pub(super) const fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn blocks(&self) -> std::slice::ChunksExact<'_, Row> {
        self.rows.chunks_exact(self.layout.rows())
    }

    pub(super) fn blocks_mut(&mut self) -> std::slice::ChunksExactMut<'_, Row> {
        self.rows.chunks_exact_mut(self.layout.rows())
    }

    /// The blocks, to be processed in parallel.
    pub(super) fn par_blocks(&self) -> rayon::slice::ChunksExact<'_, Row> {
        use rayon::prelude::*;
        self.rows.par_chunks_exact(self.layout.rows())
    }

    /// The blocks, to be changed in parallel.
    pub(super) fn par_blocks_mut(&mut self) -> rayon::slice::ChunksExactMut<'_, Row> {
        use rayon::prelude::*;
        self.rows.par_chunks_exact_mut(self.layout.rows())
    }

    /// A part of the top.
    pub(super) fn part(&self, range: Range<usize>) -> &[f32] {
        &self.top[range]
    }
}

/// Initial bias of columns and neurons: a quarter of the activation range.
const FIRST_BIAS: f32 = 0.25;
