//! Networks of pseudo-random weights, as files of `YaneuraOu`'s format and our own, written by
//! `raicho net random`. Tests use them to cover every shape without external files. Most weights
//! are too small to saturate activations.
//!
//! Value i of stream s is `SplitMix64` (Vigna) of s · 2^40 + i: a seed gives the same bytes on
//! every platform, and other programs can reproduce them in a few lines.

use super::file::{LEB128_MAGIC, MAGIC, leb128};
use super::shape::{Head, LayerShape, PROGRESS_HASH, Shape};
use super::{FeatureTransformer, Network, OutputLayer};
use super::{output_buckets::Progress, scalar::MAX_OUTPUT_WEIGHT};
use crate::util::{Aligned, split_mix};

/// The bytes of a file with a network of this shape, which must be valid. Compressed weights must
/// fit into 4 GB.
pub fn file(shape: &Shape, seed: u64) -> Vec<u8> {
    let stream = &mut Stream(seed << 40);
    if shape.head == Head::Direct
        && let Some(file) = direct(*shape, stream).to_bytes()
    {
        return file;
    }
    let text = shape.text();
    let mut bytes = Vec::new();
    for word in [MAGIC, shape.file_hash(), text.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(text.bytes());
    bytes.extend(shape.transformer_hash().to_le_bytes());
    let (width, weights) = (shape.width, shape.width * shape.features.count());
    let mut first_half = 5;
    if shape.head == Head::Plain {
        let biases = (0..width).map(|_| stream.uniform(60) + 40);
        bytes.extend(biases.flat_map(|value| (value as i16).to_le_bytes()));
        bytes.reserve(weights * size_of::<i16>());
        bytes.extend((0..weights).flat_map(|_| (stream.weight(18) as i16).to_le_bytes()));
    } else {
        let biases = (0..width).map(|_| stream.uniform(120) + 60);
        compressed(&mut bytes, biases);
        compressed(&mut bytes, (0..weights).map(|_| stream.weight(18)));
        first_half = 12;
    }
    if shape.has_progress() {
        bytes.extend(PROGRESS_HASH.to_le_bytes());
        bytes.extend((-20_000_i32).to_le_bytes());
        bytes.extend((0..Progress::WEIGHTS).flat_map(|_| stream.uniform(3000).to_le_bytes()));
    }
    for _ in 0..shape.stacks() {
        bytes.extend(shape.network_hash().to_le_bytes());
        for (layer, half) in shape.layers().into_iter().zip([first_half, 24, 60]) {
            affine(&mut bytes, stream, layer, half);
        }
    }
    bytes
}

/// A network of our own in which some columns saturate the activation and some output weights are
/// the largest.
fn direct(shape: Shape, stream: &mut Stream) -> Network {
    let mut values = |length, half, offset| {
        let mut values = Aligned::zeroed(length);
        for value in values.iter_mut() {
            *value = (stream.weight(half) + offset) as i16;
        }
        values
    };
    let transformer = FeatureTransformer {
        biases: values(shape.width, 60, 127),
        weights: values(shape.width * shape.features.count(), 18, 0),
    };
    let mut weights = Aligned::zeroed(shape.buckets() * 2 * shape.width);
    for weight in weights.iter_mut() {
        *weight = stream.uniform(MAX_OUTPUT_WEIGHT.into()) as i16;
    }
    let biases = (0..shape.buckets()).map(|_| stream.uniform(3000)).collect();
    let output_layer = OutputLayer { biases, weights, scale: 64 };
    Network::with_output_layer(shape.features, transformer, output_layer, &shape.text())
}

/// Appends an affine layer with biases of at most 3000 and weights of at most `half` in magnitude.
fn affine(bytes: &mut Vec<u8>, stream: &mut Stream, shape: LayerShape, half: i32) {
    bytes.extend((0..shape.outputs).flat_map(|_| stream.uniform(3000).to_le_bytes()));
    let padding = shape.padded_inputs() - shape.inputs;
    for _ in 0..shape.outputs {
        bytes.extend((0..shape.inputs).map(|_| stream.uniform(half) as i8 as u8));
        bytes.extend(std::iter::repeat_n(0, padding));
    }
}

/// Appends a section of compressed values, which have 16 bits.
fn compressed(bytes: &mut Vec<u8>, values: impl ExactSizeIterator<Item = i32>) {
    let mut section = Vec::with_capacity(values.len() + values.len() / 64);
    for value in values {
        leb128::encode(value as i16, &mut section);
    }
    bytes.extend(LEB128_MAGIC);
    bytes.extend((section.len() as u32).to_le_bytes());
    bytes.extend(section);
}

/// A stream of uniform integers.
struct Stream(u64);

impl Stream {
    fn word(&mut self) -> u64 {
        let index = self.0.wrapping_sub(1);
        self.0 = self.0.wrapping_add(1);
        split_mix(index)
    }

    /// An integer of at most `half` in magnitude.
    fn uniform(&mut self, half: i32) -> i32 {
        between(self.word(), half)
    }

    /// An integer of at most `half` in magnitude, one in 256 of them multiplied by 8, so that
    /// compressed sections contain values of two bytes.
    fn weight(&mut self, half: i32) -> i32 {
        let word = self.word();
        between(word, half) * if word as u8 == 0 { 8 } else { 1 }
    }
}

fn between(word: u64, half: i32) -> i32 {
    ((word >> 33) % (2 * half as u64 + 1)) as i32 - half
}
