//! The reference implementation: the value of a position from scratch, in plain loops. Every kernel
//! must compute the same number.
//!
//! Arithmetic is that of `YaneuraOu` 9.70: accumulators are 16 bits wide and wrap around, all later
//! sums are 32 bits wide.
//!
//! Networks of our own ([`Head::Direct`]) use `SCReLU` activations (accumulators clamped to
//! 0..=`QA` and squared) and one output neuron per bucket, whose weights are in units of
//! 1/`QB`. With `s` the accumulators of both sides, the side to move first:
//!
//! ```text
//! output = (sum of clamp(s[i], 0, 255)^2 * weight[i]) / 255 + bias
//! value  = output * scale / (255 * 64)
//! ```
//!
//! Both divisions truncate towards 0. The sum needs 64 bits, as a sum of 32 bits holds 260 such
//! products. Weights are at most `MAX_OUTPUT_WEIGHT` in magnitude, so that `clamp(s) * weight`
//! fits into 16 bits (as in the chess engine Lizard). `scale` is the value of an output of 1, in
//! units of 1/90 pawn.

use super::{AffineLayer, LayerStack, Network, OutputLayer};
use super::{features::active_features, output_buckets::game_phase, shape::Head};
use crate::position::Position;
use crate::types::{Color, Value};

/// Fraction bits of the weights of hidden layers.
pub(crate) const WEIGHT_BITS: u32 = 6;

/// Largest activation of hidden layers; the smallest is 0.
pub(crate) const MAX_ACTIVATION: i32 = 127;

/// Largest factor of a pairwise product of accumulator columns.
pub(crate) const MAX_FACTOR: i32 = 2 * MAX_ACTIVATION;

/// Quantisation of the accumulators of networks of our own: the column that stands for 1, and the
/// upper clamp of the activation.
pub(crate) const QA: i32 = 255;

/// Quantisation of the output weights of networks of our own: the weight that stands for 1.
pub(crate) const QB: i32 = 64;

/// Largest magnitude of an output weight of networks of our own.
pub(crate) const MAX_OUTPUT_WEIGHT: i16 = 127;

const _: () = assert!(QA * MAX_OUTPUT_WEIGHT as i32 <= i16::MAX as i32);

/// The accumulators of both sides, the side to move first.
pub(crate) type Sums = [Vec<i16>; 2];

/// The value of a position for the side to move, in units of 1/90 pawn for networks of the usual
/// scale. It is not clamped to the range of search values. `None` where a king is missing.
pub fn evaluate(network: &Network, position: &Position) -> Option<Value> {
    let sums = sums(network, position)?;
    Some(value_in(network, &sums, bucket(network, position)?))
}

/// The accumulators of both sides, `None` where a king is missing.
pub(crate) fn sums(network: &Network, position: &Position) -> Option<Sums> {
    let us = position.side_to_move();
    Some([accumulate(network, position, us)?, accumulate(network, position, !us)?])
}

/// The value that one bucket gives to the accumulators.
pub(crate) fn value_in(network: &Network, sums: &Sums, bucket: usize) -> Value {
    if let Some(output_layer) = &network.output_layer {
        return propagate_direct(output_layer, sums, bucket);
    }
    let stack = &network.stacks[bucket];
    let output = match network.shape.head {
        Head::Stacks { .. } => propagate_products(stack, &products(sums), network.shape.hidden[0]),
        Head::Plain | Head::Direct => propagate_plain(stack, &clamped(sums)),
    };
    output / network.scale
}

/// The output bucket of a position, `None` where a king is missing that it depends on.
pub(crate) fn bucket(network: &Network, position: &Position) -> Option<usize> {
    match network.shape.head {
        Head::Plain => Some(0),
        Head::Stacks { buckets, .. } => {
            let progress = || network.progress.as_ref()?.of(position);
            buckets.index(position, progress)
        }
        Head::Direct => Some(game_phase(position)),
    }
}

/// The accumulator of one side, `None` where it has no king.
pub(crate) fn accumulate(
    network: &Network,
    position: &Position,
    perspective: Color,
) -> Option<Vec<i16>> {
    let width = network.shape.width;
    let mut sums = network.transformer.biases.to_vec();
    for feature in active_features(network.shape.features, position, perspective)? {
        let column = &network.transformer.weights[feature as usize * width..][..width];
        for (sum, weight) in sums.iter_mut().zip(column) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    Some(sums)
}

/// The inputs of the first hidden layer, `None` where a king is missing or the head has no such
/// layer. Kernels are faster where more of them are 0.
pub fn first_activations(network: &Network, position: &Position) -> Option<Vec<u8>> {
    let sums = sums(network, position)?;
    match network.shape.head {
        Head::Plain => Some(clamped(&sums)),
        Head::Stacks { .. } => Some(products(&sums)),
        Head::Direct => None,
    }
}

/// The inputs of the first hidden layer of a plain network: all columns, the side to move first.
pub(crate) fn clamped(sums: &Sums) -> Vec<u8> {
    let clamp = |&sum: &i16| i32::from(sum).clamp(0, MAX_ACTIVATION) as u8;
    sums.iter().flatten().map(clamp).collect()
}

/// The inputs of a layer stack: pairwise products of the halves of each accumulator, the side to
/// move first.
pub(crate) fn products(sums: &Sums) -> Vec<u8> {
    let factor = |&sum: &i16| i32::from(sum).clamp(0, MAX_FACTOR);
    let mut products = Vec::new();
    for side in sums {
        let (first, second) = side.split_at(side.len() / 2);
        for (one, other) in first.iter().zip(second) {
            products.push(((factor(one) * factor(other)) >> 9) as u8);
        }
    }
    products
}

/// The output of the layers of a plain network.
fn propagate_plain(stack: &LayerStack, input: &[u8]) -> i32 {
    let first: Vec<u8> = affine(&stack.first, input).into_iter().map(clip).collect();
    let second = affine(&stack.second, &first).into_iter();
    let second: Vec<u8> = second.map(clip).collect();
    affine(&stack.last, &second)[0]
}

/// The output of a layer stack: the first `neurons` of the first layer are passed on squared and
/// clipped; the shortcut neuron, where there is one, is added to the output.
fn propagate_products(stack: &LayerStack, input: &[u8], neurons: usize) -> i32 {
    let first = affine(&stack.first, input);
    let (first, shortcut) = first.split_at(neurons);
    let squared = first.iter().map(|&sum| square(sum));
    let clipped = first.iter().map(|&sum| clip(sum));
    let both: Vec<u8> = squared.chain(clipped).collect();
    let second: Vec<u8> = affine(&stack.second, &both).into_iter().map(clip).collect();
    let output = affine(&stack.last, &second)[0];
    output.wrapping_add(shortcut.first().copied().unwrap_or(0))
}

/// The value of a network of our own by one bucket.
fn propagate_direct(output_layer: &OutputLayer, sums: &Sums, bucket: usize) -> Value {
    let one = i64::from(QA);
    let product = |(&sum, &weight): (&i16, &i16)| {
        let activation = i64::from(sum).clamp(0, one);
        activation * activation * i64::from(weight)
    };
    let all = sums.iter().flatten();
    let sum: i64 = all.zip(output_layer.row(bucket)).map(product).sum();
    output_layer.value(sum, bucket)
}

impl OutputLayer {
    /// The value by one bucket, from the sum of weighted squares.
    #[inline(always)]
    pub(crate) fn value(&self, sum: i64, bucket: usize) -> Value {
        let one = i64::from(QA);
        let output = sum / one + i64::from(self.biases[bucket]);
        (output * i64::from(self.scale) / (one * i64::from(QB))) as Value
    }
}

/// The sums of an affine layer, before the activation.
pub(crate) fn affine(layer: &AffineLayer, input: &[u8]) -> Vec<i32> {
    let neuron = |(output, &bias): (usize, &i32)| {
        let products = layer.row(output).iter().zip(input);
        products.fold(bias, |sum, (&weight, &value)| {
            sum.wrapping_add(i32::from(weight) * i32::from(value))
        })
    };
    layer.biases.iter().enumerate().map(neuron).collect()
}

/// `ClippedReLU`.
pub(crate) fn clip(sum: i32) -> u8 {
    (sum >> WEIGHT_BITS).clamp(0, MAX_ACTIVATION) as u8
}

/// `SqrClippedReLU`.
pub(crate) fn square(sum: i32) -> u8 {
    let square = (i64::from(sum) * i64::from(sum)) >> (2 * WEIGHT_BITS + 7);
    square.min(MAX_ACTIVATION.into()) as u8
}
