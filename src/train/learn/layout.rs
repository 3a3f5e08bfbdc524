//! Which weights a network that is trained has, and where they are.
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

use super::sample::FEATURES;
use crate::eval::nnue::FeatureSet;
use crate::eval::nnue::output_buckets::{OUTPUT_BUCKETS, OutputBuckets};
use crate::eval::nnue::shape::{Head, Shape};

/// Columns of a block: two cache lines per row.
pub(super) const BLOCK: usize = 32;

/// The layout of the weights of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    shape: Shape,
    hidden: Option<Hidden>,
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

    /// The shape of the network.
    pub(super) const fn shape(self) -> Shape {
        self.shape
    }

    /// Number of accumulator columns.
    pub(super) const fn width(self) -> usize {
        self.shape.width
    }

    pub(super) const fn hidden(self) -> Option<Hidden> {
        self.hidden
    }

    /// Number of blocks.
    pub(super) const fn blocks(self) -> usize {
        self.shape.width / BLOCK
    }

    /// The feature set.
    pub(super) const fn feature_set(self) -> FeatureSet {
        self.shape.features
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
        match self.hidden {
            Some(hidden) if hidden.is_products => {
                let half = BLOCK / 2;
                place / half * (self.shape.width / 2) + block * half + place % half
            }
            _ => side * self.shape.width + block * BLOCK + place,
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
