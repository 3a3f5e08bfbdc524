//! A network in memory: its shape and its weights.

use thiserror::Error;

use super::buckets::Progress;
use super::inputs::Inputs;
use super::shape::{LayerShape, Shape};
use crate::util::{Aligned, cores, for_each_part};

/// What `YaneuraOu` divides by where nothing else is said.
pub const DEFAULT_SCALE: i32 = 16;

/// The most that an output of 1 can be worth in a network of our own.
pub(super) const MAX_OUTPUT_SCALE: u32 = 4096;

/// Why values cannot be made larger or smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EnlargeError {
    /// The network is none of our own.
    #[error("{0}: expected a network of our own; for others there is FV_SCALE")]
    Other(Shape),
    /// The file has no place for the number.
    #[error("an output of 1 would be worth {0}, expected 1 to {MAX_OUTPUT_SCALE}")]
    Scale(u32),
}

/// A network that was read from a file.
#[derive(Debug)]
pub struct Network {
    pub(crate) shape: Shape,
    pub(crate) transformer: Transformer,
    /// One for each bucket; none where the outputs are [`Self::direct`].
    pub(crate) stacks: Vec<Stack>,
    /// The outputs of a network of our own.
    pub(crate) direct: Option<Direct>,
    /// Where buckets depend on it.
    pub(crate) progress: Option<Progress>,
    pub(crate) scale: i32,
    pub(crate) source: String,
    pub(crate) text: String,
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

/// The neurons behind the transformer of a network of our own, one for each bucket.
#[derive(Debug)]
pub(crate) struct Direct {
    /// `[bucket]`, where [`ONE_OF_SUMS`](super::scalar::ONE_OF_SUMS) · [`ONE_OF_WEIGHTS`](super::scalar::ONE_OF_WEIGHTS) is 1.
    pub(crate) biases: Vec<i32>,
    /// `[bucket][side][column]`, the side to move first; at most [`MAX_WEIGHT`](super::scalar::MAX_WEIGHT) in magnitude.
    pub(crate) weights: Aligned<i16>,
    /// What an output of 1 is worth in the unit of values.
    pub(crate) scale: i32,
}

impl Network {
    /// A network of our own. The width is that of the transformer, the other sizes must fit to it.
    pub(crate) fn of_direct(
        inputs: Inputs,
        transformer: Transformer,
        direct: Direct,
        text: &str,
    ) -> Self {
        let shape = Shape::direct(inputs, transformer.biases.len());
        debug_assert_eq!(shape.validate(), Ok(()));
        debug_assert_eq!(transformer.weights.len(), inputs.count() * shape.width);
        debug_assert_eq!(direct.biases.len(), shape.buckets());
        debug_assert_eq!(direct.weights.len(), shape.buckets() * 2 * shape.width);
        Self {
            shape,
            transformer,
            stacks: Vec::new(),
            direct: Some(direct),
            progress: None,
            scale: DEFAULT_SCALE,
            source: String::new(),
            text: text.to_owned(),
        }
    }

    /// Inputs and widths.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// What the output is divided by (`FV_SCALE`), at least 1. Networks of our own know their scale and ignore it.
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    /// Divides the output by something else; less than 1 is taken as 1.
    pub fn set_scale(&mut self, scale: i32) {
        self.scale = scale.max(1);
    }

    /// Makes the values of a network of our own so many times larger. Returns what an output of 1 is worth then in the unit of
    /// values.
    ///
    /// # Errors
    /// Another network, which knows `FV_SCALE`, or values that its file cannot say; nothing has changed then.
    pub fn enlarge(&mut self, factor: f64) -> Result<u32, EnlargeError> {
        let shape = self.shape;
        let direct = self.direct.as_mut().ok_or(EnlargeError::Other(shape))?;
        let scale = (f64::from(direct.scale) * factor).round() as u32;
        if !(1..=MAX_OUTPUT_SCALE).contains(&scale) {
            return Err(EnlargeError::Scale(scale));
        }
        direct.scale = scale as i32;
        Ok(scale)
    }

    /// Where the network came from, for messages.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What the file says of itself, on one line.
    pub fn text(&self) -> &str {
        &self.text
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

impl Direct {
    /// The weights of one bucket, the side to move's half first.
    pub(crate) fn row(&self, bucket: usize) -> &[i16] {
        let inputs = self.weights.len() / self.biases.len();
        &self.weights[bucket * inputs..][..inputs]
    }
}

/// So many integers are copied by all cores at once: they come from memory that is fetched as it is touched.
const MANY: usize = 1 << 22;

/// Integers of a file.
pub(super) fn to_i16(bytes: &[u8]) -> Aligned<i16> {
    let (values, _) = bytes.as_chunks();
    let mut aligned = Aligned::zeroed(values.len());
    let copy = |(to, from): (&mut [i16], &[[u8; 2]])| {
        for (to, from) in to.iter_mut().zip(from) {
            *to = i16::from_le_bytes(*from);
        }
    };
    if values.len() >= MANY {
        let part = values.len().div_ceil(cores());
        let parts = aligned.chunks_mut(part).zip(values.chunks(part));
        if for_each_part(parts, copy).is_ok() {
            return aligned;
        }
    }
    copy((&mut aligned, values));
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
