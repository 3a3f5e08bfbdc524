//! The weights of a network in 32-bit floats, in blocks of [`BLOCK`] accumulator columns.
//!
//! A block holds all weights of its columns, row by row: those of each feature, the biases, and the
//! weights of the layer after the feature transformer. It fits into the cache of one core, and its
//! gradient is independent of the other blocks, so blocks are the unit of parallelism. The few
//! weights that belong to no column are the `top`. Gradients and the moments of the optimiser have
//! the same shape and use the same type.
//!
//! A block has a row for each feature, one for the biases, the weights of the next layer and, where
//! the feature set has zones of the own king, a row for each feature without its zone: the *shared*
//! weights. The weight of a feature in a zone is then the sum of the shared one and its own, so
//! that a rare zone learns from all others (a factoriser, as nodchip's trainer of `HalfKP` has).
//! Networks hold only the sums.
//!
//! The weights of the next layer are:
//!
//! | head | row | columns |
//! |---|---|---|
//! | direct | 2 · bucket + side | all |
//! | plain | 2 · neuron + side | all |
//! | products | neuron | products of the side to move, then of the other side |
//!
//! With products, the two factors of a product are in the same block: columns n and n + 16.
//!
//! The top is the biases of the outputs, by bucket, or behind a hidden layer: biases of the first
//! layer, weights `[output][input]` and biases of the second, weights and bias of the last.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::sample::{FEATURES, MAX_ACTIVE};
use crate::eval::nnue::output_buckets::{OUTPUT_BUCKETS, OutputBuckets};
use crate::eval::nnue::shape::{Head, Shape};

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
    /// A network whose weights are all 0.
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
        if let Some(hidden) = layout.hidden {
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
        assert_eq!(own.shape.width, other.shape.width);
        assert!(other.zones() == own.zones() || other.zones() == 1);
        // Where columns are in blocks differs between heads.
        let mut places = vec![(0, 0); other.shape.width];
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
        if own.hidden == other.hidden {
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
        self.rows.par_chunks_exact(self.layout.rows())
    }

    /// The blocks, to be changed in parallel.
    pub(super) fn par_blocks_mut(&mut self) -> rayon::slice::ChunksExactMut<'_, Row> {
        self.rows.par_chunks_exact_mut(self.layout.rows())
    }
}

/// Initial bias of columns and neurons: a quarter of the activation range.
const FIRST_BIAS: f32 = 0.25;

/// Columns of a block: two cache lines per row.
pub(super) const BLOCK: usize = 32;

/// The layout of the weights of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// The shape of the network.
    pub(super) shape: Shape,
    /// The sizes of its hidden layers, if it has any.
    pub(super) hidden: Option<Hidden>,
}

/// The sizes of two hidden layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hidden {
    /// Neurons of the first layer, without the shortcut; up to [`BLOCK`] with it.
    pub(super) first: usize,
    /// Neurons of the second layer.
    pub(super) second: usize,
    /// Whether the inputs are pairwise products, else clipped columns.
    pub(super) is_products: bool,
    /// Whether the last neuron of the first layer is added to the output.
    pub(super) has_shortcut: bool,
}

impl Layout {
    /// The layout of a shape, `None` where it cannot be trained.
    pub(super) fn new(shape: Shape) -> Option<Self> {
        if !shape.features.is_own() || shape.validate().is_err() {
            return None;
        }
        let is_products = match shape.head {
            Head::Direct => {
                return Some(Self {
                    shape,
                    hidden: None,
                });
            }
            Head::Plain => false,
            Head::Stacks {
                buckets,
                shards: None,
            } if buckets == OutputBuckets::default() => true,
            Head::Stacks { .. } => return None,
        };
        let [first, second] = shape.hidden;
        let hidden = Hidden {
            first,
            second,
            is_products,
            has_shortcut: shape.has_shortcut(),
        };
        (hidden.first_outputs() <= MAX_FIRST && second <= MAX_SECOND).then_some(Self {
            shape,
            hidden: Some(hidden),
        })
    }

    /// Number of blocks of columns.
    pub(super) const fn blocks(self) -> usize {
        self.shape.width / BLOCK
    }

    /// Number of zones of the own king.
    pub(super) const fn zones(self) -> usize {
        self.biases() / FEATURES
    }

    /// The row of the biases in a block; the rows of the features come before it.
    pub(super) const fn biases(self) -> usize {
        self.shape.features.count()
    }

    /// The rows of the weights of the next layer.
    pub(super) const fn outputs(self) -> Range<usize> {
        let start = self.biases() + 1;
        let rows = match self.hidden {
            None => 2 * OUTPUT_BUCKETS,
            Some(hidden) => hidden.first_outputs() * hidden.activations(),
        };
        start..start + rows
    }

    /// The rows of the shared weights; none where there is only one zone.
    pub(super) const fn shared(self) -> Range<usize> {
        let start = self.outputs().end;
        start..start + if self.zones() > 1 { FEATURES } else { 0 }
    }

    /// Number of rows of a block.
    pub(super) const fn rows(self) -> usize {
        self.shared().end
    }

    /// Number of weights that belong to no column.
    pub(super) const fn top(self) -> usize {
        match self.hidden {
            None => OUTPUT_BUCKETS,
            Some(hidden) => hidden.last_bias() + 1,
        }
    }

    /// Number of inputs of the layer after the feature transformer.
    pub(super) const fn first_inputs(self) -> usize {
        match self.hidden {
            Some(hidden) if hidden.is_products => self.shape.width,
            _ => 2 * self.shape.width,
        }
    }

    /// Whether a weight of the top is a bias, which does not decay.
    pub(super) fn is_bias(self, number: usize) -> bool {
        self.hidden.is_none_or(|hidden| {
            !hidden.second_weights().contains(&number) && !hidden.last_weights().contains(&number)
        })
    }

    /// The column of the feature transformer that is in this place of a block.
    pub(super) fn column(self, block: usize, place: usize) -> usize {
        match self.hidden {
            Some(hidden) if hidden.is_products => {
                let half = BLOCK / 2;
                place / half * (self.shape.width / 2) + block * half + place % half
            }
            _ => block * BLOCK + place,
        }
    }

    /// The input of the first hidden layer that an activation of a block is: one of this side, or
    /// with products, of either.
    pub(super) fn first_input(self, block: usize, side: usize, place: usize) -> usize {
        let column = self.column(block, place);
        match self.hidden {
            Some(hidden) if hidden.is_products => column,
            _ => side * self.shape.width + column,
        }
    }
}

/// Most neurons of the first hidden layer, with the shortcut.
pub(super) const MAX_FIRST: usize = BLOCK;

/// Most neurons of the second hidden layer.
pub(super) const MAX_SECOND: usize = 64;

impl Hidden {
    /// Rows of activations of a block in a position: one of each side, or products of both in one.
    pub(super) const fn activations(self) -> usize {
        if self.is_products { 1 } else { 2 }
    }

    /// Neurons of the first layer with the shortcut.
    pub(super) const fn first_outputs(self) -> usize {
        self.first + self.has_shortcut as usize
    }

    /// Inputs of the second layer: clipped sums, with products squares before them.
    pub(super) const fn second_inputs(self) -> usize {
        if self.is_products {
            2 * self.first
        } else {
            self.first
        }
    }

    pub(super) const fn first_biases(self) -> Range<usize> {
        0..self.first_outputs()
    }

    pub(super) const fn second_weights(self) -> Range<usize> {
        let start = self.first_biases().end;
        start..start + self.second * self.second_inputs()
    }

    pub(super) const fn second_biases(self) -> Range<usize> {
        let start = self.second_weights().end;
        start..start + self.second
    }

    pub(super) const fn last_weights(self) -> Range<usize> {
        let start = self.second_biases().end;
        start..start + self.second
    }

    pub(super) const fn last_bias(self) -> usize {
        self.last_weights().end
    }
}
