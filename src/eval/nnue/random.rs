//! Networks of pseudo-random weights, as files of `YaneuraOu`'s format and our own, written by
//! `raicho net random`. Tests use them to cover every shape without external files. Most weights
//! are too small to saturate activations.
//!
//! Value i of stream s is `SplitMix64` (Vigna) of s · 2^40 + i: a seed gives the same bytes on
//! every platform, and other programs can reproduce them in a few lines.

use super::file::format::{LEB128_MAGIC, MAGIC};
use super::network::{FeatureTransformer, Network, OutputLayer};
use super::output_buckets::Progress;
use super::scalar::MAX_OUTPUT_WEIGHT;
use super::shape::{Head, LayerShape, PROGRESS_HASH, Shape};
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
        let biases: Vec<u8> = (0..width)
            .flat_map(|_| Leb128(stream.uniform(120) + 60))
            .collect();
        compressed(&mut bytes, &biases);
        let mut values = Vec::with_capacity(weights + weights / 64);
        values.extend((0..weights).flat_map(|_| Leb128(stream.weight(18))));
        compressed(&mut bytes, &values);
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
    let output_layer = OutputLayer {
        biases,
        weights,
        scale: 64,
    };
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

/// Appends a section of compressed values.
fn compressed(bytes: &mut Vec<u8>, values: &[u8]) {
    bytes.extend(LEB128_MAGIC);
    bytes.extend((values.len() as u32).to_le_bytes());
    bytes.extend(values);
}

/// A number in signed LEB128, as an iterator over its bytes.
struct Leb128(i32);

impl IntoIterator for Leb128 {
    type Item = u8;
    type IntoIter = arrayvec::IntoIter<u8, 5>;

    fn into_iter(self) -> Self::IntoIter {
        let mut bytes = arrayvec::ArrayVec::new();
        let mut value = self.0;
        loop {
            let low = (value & 0x7f) as u8;
            value >>= 7;
            // Only sign bits are left, and the highest payload bit is equal to them.
            if value == -i32::from(low >> 6) {
                bytes.push(low);
                return bytes.into_iter();
            }
            bytes.push(low | 0x80);
        }
    }
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
