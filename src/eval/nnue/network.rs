//! A network in memory: its shape and its weights.

use super::buckets::Progress;
use super::shape::{LayerShape, Shape};
use crate::util::Aligned;

/// What `YaneuraOu` divides by where nothing else is said.
pub const DEFAULT_SCALE: i32 = 16;

/// A network that was read from a file.
#[derive(Debug)]
pub struct Network {
    pub(crate) shape: Shape,
    pub(crate) transformer: Transformer,
    /// One for each bucket, at least one.
    pub(crate) stacks: Vec<Stack>,
    /// Where buckets depend on it.
    pub(crate) progress: Option<Progress>,
    pub(crate) scale: i32,
    pub(crate) source: String,
}

/// The first layer, from inputs to sums. Doubled where the shape has stacks, as `YaneuraOu` keeps them.
#[derive(Debug)]
pub(crate) struct Transformer {
    /// `[column]`
    pub(crate) biases: Aligned<i16>,
    /// `[input][column]`
    pub(crate) weights: Aligned<i16>,
}

/// A layer of neurons: biases and weights, whose rows are padded with zeros.
#[derive(Debug)]
pub(crate) struct Affine {
    pub(crate) inputs: usize,
    /// [`Self::inputs`] rounded up to a multiple of 32.
    pub(crate) padded_inputs: usize,
    pub(crate) outputs: usize,
    /// `[output]`
    pub(crate) biases: Vec<i32>,
    /// `[output][input]`, rows of [`Self::padded_inputs`].
    pub(crate) weights: Aligned<i8>,
}

/// The layers behind the transformer.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) first: Affine,
    pub(crate) second: Affine,
    pub(crate) last: Affine,
}

impl Network {
    /// Inputs and widths.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// What the output is divided by (`FV_SCALE`), at least 1.
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    /// Divides the output by something else; less than 1 is taken as 1.
    pub fn set_scale(&mut self, scale: i32) {
        self.scale = scale.max(1);
    }

    /// Where the network came from, for messages.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl Transformer {
    /// Biases and weights of `bytes`, whose number the caller has checked.
    pub(super) fn from_bytes(biases: &[u8], weights: &[u8]) -> Self {
        Self {
            biases: to_i16(biases),
            weights: to_i16(weights),
        }
    }
}

impl Affine {
    /// Biases and weights of `bytes`, whose number the caller has checked.
    pub(super) fn from_bytes(shape: LayerShape, biases: &[u8], weights: &[u8]) -> Self {
        let padded_inputs = shape.padded_inputs();
        let mut aligned = Aligned::zeroed(weights.len());
        aligned.copy_from_slice(bytemuck::cast_slice(weights));
        for row in aligned.chunks_exact_mut(padded_inputs) {
            // Whatever a writer left there: the specification knows no such weights, and kernels need not mask them.
            row[shape.inputs..].fill(0);
        }
        Self {
            inputs: shape.inputs,
            padded_inputs,
            outputs: shape.outputs,
            biases: to_i32(biases),
            weights: aligned,
        }
    }

    /// The weights of one neuron, without padding.
    pub(crate) fn row(&self, output: usize) -> &[i8] {
        &self.weights[output * self.padded_inputs..][..self.inputs]
    }
}

fn to_i16(bytes: &[u8]) -> Aligned<i16> {
    let (values, _) = bytes.as_chunks();
    let mut aligned = Aligned::zeroed(values.len());
    for (to, from) in aligned.iter_mut().zip(values) {
        *to = i16::from_le_bytes(*from);
    }
    aligned
}

/// Integers of a file.
pub(super) fn to_i32(bytes: &[u8]) -> Vec<i32> {
    let (values, _) = bytes.as_chunks();
    values
        .iter()
        .map(|value| i32::from_le_bytes(*value))
        .collect()
}
