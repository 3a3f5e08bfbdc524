//! The shape of a network: its feature set, the widths of its layers, and its head. The shape
//! determines the sizes and hashes of a file. All dimensions are known at run time only.
//!
//! ```text
//! features of each side -> accumulator of `width` columns, the side to move first
//! plain:   clamp(0, 127),         2 * width -> hidden -> hidden -> 1
//! stacks:  products of halves,    width -> hidden (and a shortcut) -> hidden -> 1, one per bucket
//! direct:  clamp(0, 255) squared, 2 * width -> 1, one per bucket
//! ```

#[cfg(test)]
mod tests;
pub(crate) mod text;

use super::features::FeatureSet;
use super::output_buckets::{OUTPUT_BUCKETS, OutputBuckets};

/// Largest width of a feature transformer: accumulator columns of one side.
pub const MAX_WIDTH: usize = 8192;

/// Most neurons of a hidden layer.
pub const MAX_HIDDEN: usize = 256;

/// Widths of our own networks are a multiple of this, so that activations fill whole cache lines.
pub const WIDTH_STEP: usize = 64;

/// Widths of `YaneuraOu`'s networks are a multiple of this: the columns of the widest vector.
pub(crate) const COLUMNS_STEP: usize = 32;

/// Rows of weights are padded to a multiple of this many inputs.
const ROW_STEP: usize = 32;

/// Feature set, layer widths and head of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The feature set of the feature transformer.
    pub features: FeatureSet,
    /// Width of the feature transformer: accumulator columns of one side, a multiple of 32 up to
    /// [`MAX_WIDTH`], in our own networks of [`WIDTH_STEP`].
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
    pub(crate) const fn bytes(self) -> usize {
        self.outputs * (size_of::<i32>() + self.padded_inputs())
    }
}

impl Shape {
    /// A network with two hidden layers and one layer stack.
    pub const fn plain(features: FeatureSet, width: usize, hidden: [usize; 2]) -> Self {
        Self { features, width, hidden, head: Head::Plain }
    }

    /// A network of our own, without hidden layers.
    pub const fn direct(features: FeatureSet, width: usize) -> Self {
        Self { features, width, hidden: [0; 2], head: Head::Direct }
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
            LayerShape { inputs: first_inputs, outputs: first + self.has_shortcut() as usize },
            LayerShape { inputs: second_inputs, outputs: second },
            LayerShape { inputs: second, outputs: 1 },
        ]
    }

    /// Whether kernels and files support this shape.
    ///
    /// # Errors
    /// The first dimension that is out of range.
    pub fn validate(&self) -> Result<(), String> {
        let [first, second] = self.hidden;
        let is_own = self.features.is_own() || self.head == Head::Direct;
        let step = if is_own { WIDTH_STEP } else { COLUMNS_STEP };
        if self.width == 0 || self.width > MAX_WIDTH || !self.width.is_multiple_of(step) {
            let found = self.width;
            return Err(format!("width {found}, expected a multiple of {step} up to {MAX_WIDTH}"));
        }
        if self.head == Head::Direct {
            return Ok(());
        }
        for neurons in self.hidden {
            if neurons == 0 || neurons > MAX_HIDDEN {
                return Err(format!(
                    "hidden layer of {neurons} neurons, expected 1 to {MAX_HIDDEN}"
                ));
            }
        }
        let Head::Stacks { shards, .. } = self.head else {
            return Ok(());
        };
        if !matches!(first % 8, 0 | 7) {
            return Err(format!(
                "first layer of {first} neurons, expected 8n, or 8n-1 with a shortcut"
            ));
        }
        debug_assert!(second > 0);
        let outputs = self.layers()[0].outputs;
        match shards {
            Some(shards) if !shards.fit(self.width, outputs) => Err(
                "common inputs and shards, which do not add up to the width or do not divide the \
                neurons"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }
}

impl Shards {
    /// Whether common inputs and shards add up to the width and the groups divide the outputs.
    fn fit(self, width: usize, outputs: usize) -> bool {
        let all = self.size.checked_mul(self.groups);
        let all = all.and_then(|all| all.checked_add(self.common));
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

// --- Sizes and hashes of the sections of a file ---

/// The hash before the weights of progress.
pub(crate) const PROGRESS_HASH: u32 = 0x6f50_524f;

/// Sizes, in bytes.
impl Shape {
    /// Size of a feature transformer that is not compressed.
    pub(crate) const fn transformer_bytes(&self) -> usize {
        size_of::<i16>() * self.width * (1 + self.features.count())
    }

    /// Size of one layer stack, without its hash.
    pub(crate) const fn stack_bytes(&self) -> usize {
        let [first, second, last] = self.layers();
        first.bytes() + second.bytes() + last.bytes()
    }

    /// Size of all parameters of a plain network, without the two hashes between them.
    pub(crate) const fn plain_bytes(&self) -> usize {
        self.transformer_bytes() + self.stack_bytes()
    }
}

/// Hashes in files of `YaneuraOu`'s format.
impl Shape {
    /// The hash before the feature transformer.
    pub(crate) const fn transformer_hash(&self) -> u32 {
        match self.head {
            Head::Plain | Head::Direct => self.features.hash() ^ (2 * self.width) as u32,
            Head::Stacks { .. } => 0x5f13_4ab8,
        }
    }

    /// The hash before each layer stack.
    pub(crate) const fn network_hash(&self) -> u32 {
        if let Head::Stacks { .. } = self.head {
            return 0x6333_718a;
        }
        let [first, second, last] = self.layers();
        let mut hash = 0xec42_e90d ^ first.inputs as u32;
        hash = clipped_relu_hash(affine_hash(hash, first.outputs));
        hash = clipped_relu_hash(affine_hash(hash, second.outputs));
        affine_hash(hash, last.outputs)
    }

    /// The hash in the header.
    pub(crate) const fn file_hash(&self) -> u32 {
        match self.head {
            Head::Plain | Head::Direct => self.transformer_hash() ^ self.network_hash(),
            Head::Stacks { .. } if self.has_progress() => 0x3c20_3b32 ^ PROGRESS_HASH,
            Head::Stacks { .. } => 0x3c20_3b32,
        }
    }
}

const fn affine_hash(previous: u32, outputs: usize) -> u32 {
    0xcc03_dae4_u32.wrapping_add(outputs as u32) ^ (previous >> 1) ^ (previous << 31)
}

const fn clipped_relu_hash(previous: u32) -> u32 {
    previous.wrapping_add(0x538d_24c7)
}
