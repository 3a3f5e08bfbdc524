//! The layers behind the first hidden layer: its activation, the second layer and the output.
//! Positions are processed in parallel parts of fixed size.

use rayon::prelude::*;

use crate::train::learn::chunk::CHUNK;
use crate::train::learn::weights::{BLOCK, Hidden, MAX_SECOND, Row, Weights};

/// Positions of a part.
const PART: usize = 256;

/// Most inputs of the second layer.
const MAX_INPUTS: usize = 2 * BLOCK;

/// The buffers of the layers.
#[derive(Debug)]
pub(super) struct Top {
    hidden: Hidden,
    /// Sums of the first layer by position, replaced by their gradients in the backward pass.
    neurons: Vec<Row>,
    /// Gradients of the weights by part.
    gradients: Vec<Vec<f32>>,
}

impl Top {
    pub(super) fn new(hidden: Hidden) -> Self {
        Self {
            hidden,
            neurons: vec![Row::ZERO; CHUNK],
            gradients: vec![vec![0.0; hidden.last_bias() + 1]; CHUNK / PART],
        }
    }

    /// The outputs of the network, from the contributions of all blocks to the first layer.
    pub(super) fn forward(&mut self, weights: &Weights, blocks: &[&[Row]], outputs: &mut [f32]) {
        let hidden = self.hidden;
        let parts = self.neurons.par_chunks_mut(PART).enumerate();
        parts
            .zip(outputs.par_chunks_mut(PART))
            .for_each(|((part, neurons), outputs)| {
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        forward(
                            hidden,
                            &weights.top,
                            (blocks, part * PART),
                            neurons,
                            outputs,
                        );
                    },
                );
            });
    }

    /// Replaces the sums of the last [`Self::forward`] by their gradients; those of the weights are
    /// added to `gradient`.
    pub(super) fn backward(&mut self, weights: &Weights, slopes: &[f32], gradient: &mut [f32]) {
        let hidden = self.hidden;
        let parts = slopes.par_chunks(PART).zip(&mut self.gradients);
        parts
            .zip(self.neurons.par_chunks_mut(PART))
            .for_each(|((slopes, gradient), neurons)| {
                gradient.fill(0.0);
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || backward(hidden, &weights.top, slopes, neurons, gradient),
                );
            });
        for part in &self.gradients[..slopes.len().div_ceil(PART)] {
            for (sum, part) in gradient.iter_mut().zip(part) {
                *sum += part;
            }
        }
    }

    /// The gradients of the sums of the first layer, by position, after [`Self::backward`].
    pub(super) fn slopes(&self) -> &[Row] {
        &self.neurons
    }
}

/// Activations of both hidden layers in one position.
struct Activations {
    /// Inputs of the second layer.
    first: [f32; MAX_INPUTS],
    /// Sums of the second layer.
    second: [f32; MAX_SECOND],
}

/// The inputs of the second layer, from the sums of the first.
#[inline(always)]
fn inputs(hidden: Hidden, neurons: &Row) -> [f32; MAX_INPUTS] {
    let mut inputs = [0.0; MAX_INPUTS];
    if hidden.is_products {
        let (squares, clipped) = inputs.split_at_mut(hidden.first);
        let outputs = squares.iter_mut().zip(clipped).zip(&neurons.0);
        for ((square, clipped), &sum) in outputs.take(hidden.first) {
            *square = (sum * sum).min(1.0);
            *clipped = sum.clamp(0.0, 1.0);
        }
    } else {
        for (input, &sum) in inputs.iter_mut().zip(&neurons.0).take(hidden.first) {
            *input = sum.clamp(0.0, 1.0);
        }
    }
    inputs
}

/// The layers forward; the output comes second.
#[inline(always)]
fn propagate(hidden: Hidden, weights: &[f32], neurons: &Row) -> (Activations, f32) {
    let first = inputs(hidden, neurons);
    let length = hidden.second_inputs();
    let mut second = [0.0; MAX_SECOND];
    second[..hidden.second].copy_from_slice(&weights[hidden.second_biases()]);
    let rows = weights[hidden.second_weights()].chunks_exact(length);
    for (sum, row) in second.iter_mut().zip(rows) {
        *sum += dot(row, &first[..length]);
    }
    let mut output = weights[hidden.last_bias()];
    for (sum, weight) in second.iter().zip(&weights[hidden.last_weights()]) {
        output += sum.clamp(0.0, 1.0) * weight;
    }
    if hidden.has_shortcut {
        output += neurons.0[hidden.first];
    }
    (Activations { first, second }, output)
}

/// The scalar product, in eight sums.
#[inline(always)]
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    let ((ones, one), (others, other)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    for (one, other) in ones.iter().zip(others) {
        for lane in 0..8 {
            lanes[lane] += one[lane] * other[lane];
        }
    }
    for (lane, (one, other)) in lanes.iter_mut().zip(one.iter().zip(other)) {
        *lane += one * other;
    }
    lanes.iter().sum()
}

/// The forward pass of a part, whose first position has the number `first`.
#[inline(always)]
fn forward(
    hidden: Hidden,
    weights: &[f32],
    (blocks, first): (&[&[Row]], usize),
    neurons: &mut [Row],
    outputs: &mut [f32],
) {
    let biases = &weights[hidden.first_biases()];
    let positions = neurons.iter_mut().zip(outputs);
    for (position, (neurons, output)) in (first..).zip(positions) {
        let mut sums = Row::ZERO;
        sums.0[..biases.len()].copy_from_slice(biases);
        for block in blocks {
            for neuron in 0..BLOCK {
                sums.0[neuron] += block[position].0[neuron];
            }
        }
        *neurons = sums;
        (_, *output) = propagate(hidden, weights, neurons);
    }
}

/// The backward pass of a part.
#[inline(always)]
fn backward(
    hidden: Hidden,
    weights: &[f32],
    slopes: &[f32],
    neurons: &mut [Row],
    gradient: &mut [f32],
) {
    let length = hidden.second_inputs();
    for (neurons, &slope) in neurons.iter_mut().zip(slopes) {
        let (Activations { first, second }, _) = propagate(hidden, weights, neurons);
        gradient[hidden.last_bias()] += slope;
        let mut by_input = [0.0; MAX_INPUTS];
        for neuron in 0..hidden.second {
            let sum = second[neuron];
            gradient[hidden.last_weights().start + neuron] += slope * sum.clamp(0.0, 1.0);
            if sum <= 0.0 || sum >= 1.0 {
                continue;
            }
            let slope = slope * weights[hidden.last_weights().start + neuron];
            gradient[hidden.second_biases().start + neuron] += slope;
            let row = hidden.second_weights().start + neuron * length;
            let weights = &weights[row..row + length];
            let gradient = &mut gradient[row..row + length];
            for input in 0..length {
                by_input[input] += slope * weights[input];
                gradient[input] += slope * first[input];
            }
        }
        let slopes = by_neuron(hidden, neurons, &by_input, slope);
        *neurons = slopes;
        for (gradient, slope) in gradient[hidden.first_biases()].iter_mut().zip(slopes.0) {
            *gradient += slope;
        }
    }
}

/// The gradients of the sums of the first layer.
#[inline(always)]
fn by_neuron(hidden: Hidden, neurons: &Row, by_input: &[f32; MAX_INPUTS], slope: f32) -> Row {
    let mut slopes = Row::ZERO;
    for neuron in 0..hidden.first {
        let sum = neurons.0[neuron];
        let clipped = if hidden.is_products {
            let by_square = if sum.abs() < 1.0 { 2.0 * sum } else { 0.0 };
            slopes.0[neuron] = by_input[neuron] * by_square;
            by_input[hidden.first + neuron]
        } else {
            by_input[neuron]
        };
        if sum > 0.0 && sum < 1.0 {
            slopes.0[neuron] += clipped;
        }
    }
    if hidden.has_shortcut {
        slopes.0[hidden.first] = slope;
    }
    slopes
}
