//! The dimensions of a network.

use super::error::ShapeError;
use super::limits::{MAX_HIDDEN, MAX_WIDTH, ROW_STEP, WIDTH_STEP};
use crate::eval::nnue::features::FeatureSet;
use crate::eval::nnue::output_buckets::{OUTPUT_BUCKETS, OutputBuckets};

/// Feature set, layer widths and head of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The feature set of the feature transformer.
    pub features: FeatureSet,
    /// Width of the feature transformer: accumulator columns of one side, a multiple of
    /// [`WIDTH_STEP`](super::WIDTH_STEP) up to [`MAX_WIDTH`](super::MAX_WIDTH).
    pub width: usize,
    /// Neurons of the two hidden layers, without the shortcut neuron. 0 where the head has none.
    pub hidden: [usize; 2],
    /// The layers after the feature transformer.
    pub head: Head,
}

/// The kind of layers after the feature transformer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// Two hidden layers over the clipped accumulators of both sides (`ClippedReLU`).
    Plain,
    /// `YaneuraOu`'s SFNN: one layer stack per output bucket, over pairwise products of the
    /// accumulators.
    Stacks {
        /// How the layer stack is chosen.
        buckets: OutputBuckets,
        /// Present where neurons of the first layer see only part of the products.
        shards: Option<Shards>,
    },
    /// Our own: one output neuron per bucket over the squared clipped accumulators (`SCReLU`).
    Direct,
}

/// Groups of first-layer neurons that see the common inputs and a shard of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shards {
    /// Number of leading inputs that all groups see.
    pub common: usize,
    /// Number of inputs in each shard.
    pub size: usize,
    /// Number of groups, at least 2.
    pub groups: usize,
}

/// Inputs and outputs of one affine layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LayerShape {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

impl LayerShape {
    /// Inputs of a row including its padding.
    pub(crate) const fn padded_inputs(self) -> usize {
        self.inputs.next_multiple_of(ROW_STEP)
    }

    /// Size of biases and weights in bytes.
    pub(super) const fn bytes(self) -> usize {
        self.outputs * (size_of::<i32>() + self.padded_inputs())
    }
}

impl Shape {
    /// A network with two hidden layers and one layer stack.
    pub const fn plain(features: FeatureSet, width: usize, hidden: [usize; 2]) -> Self {
        Self {
            features,
            width,
            hidden,
            head: Head::Plain,
        }
    }

    /// A network of our own, without hidden layers.
    pub const fn direct(features: FeatureSet, width: usize) -> Self {
        Self {
            features,
            width,
            hidden: [0; 2],
            head: Head::Direct,
        }
    }

    /// Whether the first layer has a shortcut neuron, which is added to the output as it is. Layer
    /// stacks of 8n-1 neurons have one, which makes them 8n.
    pub const fn has_shortcut(&self) -> bool {
        matches!(self.head, Head::Stacks { .. }) && self.hidden[0] % 8 == 7
    }

    /// Number of layer stacks.
    pub fn stacks(&self) -> usize {
        match self.head {
            Head::Plain => 1,
            Head::Stacks { buckets, .. } => buckets.count(),
            Head::Direct => 0,
        }
    }

    /// Number of output buckets.
    pub fn buckets(&self) -> usize {
        match self.head {
            Head::Plain | Head::Stacks { .. } => self.stacks(),
            Head::Direct => OUTPUT_BUCKETS,
        }
    }

    /// Whether buckets depend on the progress of the game, whose weights are then in the file.
    pub(crate) const fn has_progress(&self) -> bool {
        match self.head {
            Head::Stacks { buckets, .. } => buckets.progress.is_some(),
            Head::Plain | Head::Direct => false,
        }
    }

    /// The three layers of a layer stack; their sizes are 0 where there is none.
    pub(crate) const fn layers(&self) -> [LayerShape; 3] {
        let [first, second] = self.hidden;
        let (first_inputs, second_inputs) = match self.head {
            Head::Plain | Head::Direct => (2 * self.width, first),
            Head::Stacks { .. } => (self.width, 2 * first),
        };
        [
            LayerShape {
                inputs: first_inputs,
                outputs: first + self.has_shortcut() as usize,
            },
            LayerShape {
                inputs: second_inputs,
                outputs: second,
            },
            LayerShape {
                inputs: second,
                outputs: 1,
            },
        ]
    }

    /// Whether kernels and files support this shape.
    ///
    /// # Errors
    /// The first dimension that is out of range.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let [first, second] = self.hidden;
        if self.width == 0 || self.width > MAX_WIDTH || !self.width.is_multiple_of(WIDTH_STEP) {
            return Err(ShapeError::Width(self.width));
        }
        if self.head == Head::Direct {
            return Ok(());
        }
        for neurons in self.hidden {
            if neurons == 0 || neurons > MAX_HIDDEN {
                return Err(ShapeError::Hidden(neurons));
            }
        }
        let Head::Stacks { shards, .. } = self.head else {
            return Ok(());
        };
        if !matches!(first % 8, 0 | 7) {
            return Err(ShapeError::FirstOfStacks(first));
        }
        debug_assert!(second > 0);
        let outputs = self.layers()[0].outputs;
        match shards {
            Some(shards) if !shards.fit(self.width, outputs) => Err(ShapeError::Shards),
            _ => Ok(()),
        }
    }
}

impl Shards {
    /// Whether common inputs and shards add up to the width and the groups divide the outputs.
    fn fit(self, width: usize, outputs: usize) -> bool {
        let all = self
            .size
            .checked_mul(self.groups)
            .and_then(|all| all.checked_add(self.common));
        all == Some(width)
            && self.groups > 1
            && self.size > 0
            && outputs.is_multiple_of(self.groups)
            && self.common.is_multiple_of(WIDTH_STEP)
            && self.size.is_multiple_of(WIDTH_STEP)
    }

    /// Whether neuron `output` of a layer with `outputs` neurons sees input `input`.
    pub(crate) fn connects(self, outputs: usize, output: usize, input: usize) -> bool {
        let group = output / (outputs / self.groups);
        let start = self.common + group * self.size;
        input < self.common || (start..start + self.size).contains(&input)
    }
}
