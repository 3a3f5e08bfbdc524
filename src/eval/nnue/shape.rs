//! The shape of a network: its inputs, the widths of its layers, and how it ends. From the shape follow the sizes and hashes
//! of a file.
//!
//! ```text
//! inputs of each side -> width (transformer), the side to move's half first
//! plain:   clamp(0..=127), 2 * width -> hidden -> hidden -> 1
//! stacks:  products of the halves, width -> hidden (and a shortcut) -> hidden -> 1, one such stack for each bucket
//! direct:  clamp(0..=255) squared, 2 * width -> 1, one such neuron for each bucket
//! ```
//!
//! All dimensions are known at run time only.

mod name;
pub(crate) mod text;

use super::buckets::{Buckets, PHASES};
use super::inputs::Inputs;

pub use name::ShapeError;

/// The most that a transformer may be wide, the sum for one side.
pub const MAX_WIDTH: usize = 8192;

/// The most neurons of a hidden layer.
pub const MAX_HIDDEN: usize = 256;

/// Transformers are so wide, or a multiple: whole cache lines of bytes.
pub const WIDTH_STEP: usize = 64;

/// Rows of weights are padded to a multiple of so many inputs.
pub(crate) const ROW_STEP: usize = 32;

/// Inputs, widths and head of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What a position is turned into.
    pub inputs: Inputs,
    /// Sums that the transformer makes for each side.
    pub width: usize,
    /// Neurons of the two hidden layers; the shortcut not counted. 0 where the head has no such layers.
    pub hidden: [usize; 2],
    /// What comes after the transformer.
    pub head: Head,
}

/// What comes after the transformer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// One stack of layers over the clamped sums of both sides.
    Plain,
    /// `YaneuraOu`'s SFNN: a stack for each bucket, over products of sums.
    Stacks {
        /// How the stack is chosen.
        buckets: Buckets,
        /// Whether neurons of the first layer see a part of the products only.
        shards: Option<Shards>,
    },
    /// Our own: one neuron for each phase of the game over the clamped and squared sums of both sides.
    Direct,
}

/// The first layer in groups of neurons: each sees what is common and its own shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shards {
    /// Inputs that all groups see, the first ones.
    pub common: usize,
    /// Inputs of each shard.
    pub size: usize,
    /// How many groups there are, at least 2.
    pub groups: usize,
}

/// Inputs and outputs of one layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LayerShape {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
}

impl LayerShape {
    /// Inputs of a row with its padding.
    pub(crate) const fn padded_inputs(self) -> usize {
        self.inputs.next_multiple_of(ROW_STEP)
    }

    /// Bytes of biases and weights.
    const fn bytes(self) -> usize {
        self.outputs * (size_of::<i32>() + self.padded_inputs())
    }
}

impl Shape {
    /// A network without stacks.
    pub const fn plain(inputs: Inputs, width: usize, hidden: [usize; 2]) -> Self {
        Self {
            inputs,
            width,
            hidden,
            head: Head::Plain,
        }
    }

    /// A network of our own: nothing but outputs behind the transformer.
    pub const fn direct(inputs: Inputs, width: usize) -> Self {
        Self {
            inputs,
            width,
            hidden: [0; 2],
            head: Head::Direct,
        }
    }

    /// Whether the first layer has one more neuron, which is added to the result as it is: in stacks of 8n-1 neurons, so that
    /// they become 8n.
    pub const fn has_shortcut(&self) -> bool {
        matches!(self.head, Head::Stacks { .. }) && self.hidden[0] % 8 == 7
    }

    /// How many stacks of layers there are.
    pub fn stacks(&self) -> usize {
        match self.head {
            Head::Plain => 1,
            Head::Stacks { buckets, .. } => buckets.count(),
            Head::Direct => 0,
        }
    }

    /// In how many ways the sums of the transformer are looked at, each for a part of the positions.
    pub fn buckets(&self) -> usize {
        match self.head {
            Head::Plain | Head::Stacks { .. } => self.stacks(),
            Head::Direct => PHASES,
        }
    }

    /// Whether there are weights for the progress of a game.
    pub(crate) const fn has_progress(&self) -> bool {
        match self.head {
            Head::Stacks { buckets, .. } => buckets.progress.is_some(),
            Head::Plain | Head::Direct => false,
        }
    }

    /// The three layers of a stack, empty ones where there is none.
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

    /// Whether kernels and files can have such a shape.
    ///
    /// # Errors
    /// What is wrong with it.
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

    // --- Sizes in a file ---

    /// Bytes of a transformer that is not compressed.
    pub(crate) const fn transformer_bytes(&self) -> usize {
        size_of::<i16>() * self.width * (1 + self.inputs.count())
    }

    /// Bytes of the layers of one stack, without its hash.
    pub(crate) const fn stack_bytes(&self) -> usize {
        let [first, second, last] = self.layers();
        first.bytes() + second.bytes() + last.bytes()
    }

    /// Bytes of all parameters of a plain network, without the two hashes among them.
    pub(crate) const fn plain_bytes(&self) -> usize {
        self.transformer_bytes() + self.stack_bytes()
    }

    // --- Hashes in a file of YaneuraOu's format ---

    /// The hash before the transformer.
    pub(crate) const fn transformer_hash(&self) -> u32 {
        match self.head {
            Head::Plain | Head::Direct => self.inputs.hash() ^ (2 * self.width) as u32,
            Head::Stacks { .. } => 0x5f13_4ab8,
        }
    }

    /// The hash before each stack.
    pub(crate) const fn network_hash(&self) -> u32 {
        if let Head::Stacks { .. } = self.head {
            return 0x6333_718a;
        }
        let [first, second, last] = self.layers();
        let mut hash = 0xec42_e90d ^ first.inputs as u32;
        hash = clipped_hash(affine_hash(hash, first.outputs));
        hash = clipped_hash(affine_hash(hash, second.outputs));
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

/// The hash before the weights of progress.
pub(crate) const PROGRESS_HASH: u32 = 0x6f50_524f;

const fn affine_hash(previous: u32, outputs: usize) -> u32 {
    0xcc03_dae4_u32.wrapping_add(outputs as u32) ^ (previous >> 1) ^ (previous << 31)
}

const fn clipped_hash(previous: u32) -> u32 {
    previous.wrapping_add(0x538d_24c7)
}

impl Shards {
    /// Whether the parts make up the whole.
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

    /// Whether neuron `output` of so many sees input `input`.
    pub(crate) fn connects(self, outputs: usize, output: usize, input: usize) -> bool {
        let group = output / (outputs / self.groups);
        let start = self.common + group * self.size;
        input < self.common || (start..start + self.size).contains(&input)
    }
}

#[cfg(test)]
mod tests;
