//! Sizes and hashes of the sections of a file, which follow from the shape.

use super::dimensions::{Head, Shape};

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
