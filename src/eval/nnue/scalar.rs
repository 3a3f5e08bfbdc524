//! The specification: what a network says of a position, from scratch and in plain loops.
//!
//! Every faster way to compute it must arrive at the same number. Arithmetic is that of `YaneuraOu` 9.70: sums of the
//! transformer are 16 bits wide and wrap, everything behind it is 32 bits wide.
//!
//! Networks of our own ([`Head::Direct`]) square the sums, clamped to 0 to 255 where 255 is 1 (`SCReLU`), and have one neuron
//! behind them, whose weights are in units of 1/64. With the sums `s` of both sides, the side to move's first:
//!
//! ```text
//! output = (sum of clamp(s[i], 0, 255)^2 * weight[i]) / 255 + bias
//! value  = output * scale / (255 * 64)
//! ```
//!
//! Both divisions drop the fraction, towards 0. Nothing overflows: the sum needs 64 bits, and no weight is more than 127 in
//! magnitude, so that `clamp(s) * weight` fits into 16 bits (the trick of the chess engine Lizard). A sum of
//! 32 bits holds 260 such products. `scale` is what an output of 1 is worth in the unit in which a pawn is 90.

use super::buckets::phase;
use super::features::active;
use super::network::{Affine, Direct, Network, Stack};
use super::shape::Head;
use crate::position::Position;
use crate::types::{Color, Value};

/// Fixed-point numbers between the layers have so many bits behind the point.
pub(crate) const WEIGHT_BITS: u32 = 6;

/// The largest activation; the smallest is 0.
pub(crate) const MAX_ACTIVATION: i32 = 127;

/// The largest factor of a product of two sums.
pub(crate) const MAX_FACTOR: i32 = 2 * MAX_ACTIVATION;

/// Sums of the transformer of a network of our own are clamped to this, which stands for 1.
pub(crate) const ONE_OF_SUMS: i32 = 255;

/// The weight that stands for 1 in the outputs of such a network.
pub(crate) const ONE_OF_WEIGHTS: i32 = 64;

/// The largest weight of its outputs, the smallest is the opposite.
pub(crate) const MAX_WEIGHT: i16 = 127;

const _: () = assert!(ONE_OF_SUMS * MAX_WEIGHT as i32 <= i16::MAX as i32);

/// The sums of both sides, the side to move's first.
pub(crate) type Sums = [Vec<i16>; 2];

/// The value of the position for the side to move; a pawn is 90 in networks of usual scale. Not limited in size: whoever
/// searches with it must clamp it. `None` where a king is missing, which all inputs need.
pub fn evaluate(network: &Network, position: &Position) -> Option<Value> {
    let sums = sums(network, position)?;
    Some(value_in(network, &sums, bucket(network, position)?))
}

/// The sums of the transformer, `None` where a king is missing.
pub(crate) fn sums(network: &Network, position: &Position) -> Option<Sums> {
    let us = position.side_to_move();
    Some([
        accumulate(network, position, us)?,
        accumulate(network, position, !us)?,
    ])
}

/// What the stack or neuron of one bucket says of the sums.
pub(crate) fn value_in(network: &Network, sums: &Sums, bucket: usize) -> Value {
    if let Some(direct) = &network.direct {
        return propagate_directly(direct, sums, bucket);
    }
    let stack = &network.stacks[bucket];
    let output = match network.shape.head {
        Head::Stacks { .. } => propagate_products(stack, &products(sums), network.shape.hidden[0]),
        Head::Plain | Head::Direct => propagate_plain(stack, &clamped(sums)),
    };
    output / network.scale
}

/// The number of the bucket to which the position belongs, `None` where a king is missing that it depends on.
pub(crate) fn bucket(network: &Network, position: &Position) -> Option<usize> {
    match network.shape.head {
        Head::Plain => Some(0),
        Head::Stacks { buckets, .. } => {
            let progress = || network.progress.as_ref()?.of(position);
            buckets.index(position, progress)
        }
        Head::Direct => Some(phase(position)),
    }
}

/// The sums of the transformer for one side, `None` where it has no king.
pub(crate) fn accumulate(
    network: &Network,
    position: &Position,
    perspective: Color,
) -> Option<Vec<i16>> {
    let width = network.shape.width;
    let mut sums = network.transformer.biases.to_vec();
    for input in active(network.shape.inputs, position, perspective)? {
        let column = &network.transformer.weights[input as usize * width..][..width];
        for (sum, weight) in sums.iter_mut().zip(column) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    Some(sums)
}

/// What the first layer behind the transformer gets, `None` where a king is missing or there is no such layer. The fewer of
/// them are not 0, the faster that layer is.
pub fn first_activations(network: &Network, position: &Position) -> Option<Vec<u8>> {
    let sums = sums(network, position)?;
    match network.shape.head {
        Head::Plain => Some(clamped(&sums)),
        Head::Stacks { .. } => Some(products(&sums)),
        Head::Direct => None,
    }
}

/// The first activations of a plain network: all sums, the side to move's first.
pub(crate) fn clamped(sums: &Sums) -> Vec<u8> {
    let clamp = |&sum: &i16| i32::from(sum).clamp(0, MAX_ACTIVATION) as u8;
    sums.iter().flatten().map(clamp).collect()
}

/// The first activations of a network with stacks: products of the two halves of the sums, the side to move's first.
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

/// The layers of a plain network.
fn propagate_plain(stack: &Stack, input: &[u8]) -> i32 {
    let first: Vec<u8> = affine(&stack.first, input).into_iter().map(clip).collect();
    let second: Vec<u8> = affine(&stack.second, &first)
        .into_iter()
        .map(clip)
        .collect();
    affine(&stack.last, &second)[0]
}

/// The layers of a network with stacks: `neurons` of the first layer go on twice, squared and clipped; one more, where there
/// is one, goes straight to the output.
fn propagate_products(stack: &Stack, input: &[u8], neurons: usize) -> i32 {
    let first = affine(&stack.first, input);
    let (first, shortcut) = first.split_at(neurons);
    let squared = first.iter().map(|&sum| square(sum));
    let clipped = first.iter().map(|&sum| clip(sum));
    let both: Vec<u8> = squared.chain(clipped).collect();
    let second: Vec<u8> = affine(&stack.second, &both).into_iter().map(clip).collect();
    let output = affine(&stack.last, &second)[0];
    output.wrapping_add(shortcut.first().copied().unwrap_or(0))
}

/// The value that the neuron of a bucket gives in a network of our own.
fn propagate_directly(direct: &Direct, sums: &Sums, bucket: usize) -> Value {
    let one = i64::from(ONE_OF_SUMS);
    let product = |(&sum, &weight): (&i16, &i16)| {
        let activation = i64::from(sum).clamp(0, one);
        activation * activation * i64::from(weight)
    };
    let all = sums.iter().flatten();
    let sum: i64 = all.zip(direct.row(bucket)).map(product).sum();
    direct.value(sum, bucket)
}

impl Direct {
    /// The value by one bucket, from the sum of weighted squares.
    #[inline(always)]
    pub(crate) fn value(&self, sum: i64, bucket: usize) -> Value {
        let one = i64::from(ONE_OF_SUMS);
        let output = sum / one + i64::from(self.biases[bucket]);
        (output * i64::from(self.scale) / (one * i64::from(ONE_OF_WEIGHTS))) as Value
    }
}

fn affine(layer: &Affine, input: &[u8]) -> Vec<i32> {
    let neuron = |(output, &bias): (usize, &i32)| {
        let products = layer.row(output).iter().zip(input);
        products.fold(bias, |sum, (&weight, &value)| {
            sum.wrapping_add(i32::from(weight) * i32::from(value))
        })
    };
    layer.biases.iter().enumerate().map(neuron).collect()
}

/// `ClippedReLU`.
fn clip(sum: i32) -> u8 {
    (sum >> WEIGHT_BITS).clamp(0, MAX_ACTIVATION) as u8
}

/// `SqrClippedReLU`.
fn square(sum: i32) -> u8 {
    let square = (i64::from(sum) * i64::from(sum)) >> (2 * WEIGHT_BITS + 7);
    square.min(MAX_ACTIVATION.into()) as u8
}
