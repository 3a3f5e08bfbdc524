//! Forward and backward pass, the hot part of training.
//!
//! Blocks of columns are processed in parallel. For each chunk of positions, a block computes its
//! accumulator columns and their contribution to the next layer: the outputs, or the first of two
//! hidden layers, behind which `top` goes on position by position. Once all blocks have done so for
//! some chunks, the gradients of that layer are propagated back. The backward pass gathers the
//! positions of each feature instead of scattering to the features of each position, so each
//! gradient row is written once per chunk. What is read at random, the weights of a block or the
//! columns of a chunk, stays in the cache of the core.
//!
//! Results do not depend on the number of threads or the instruction set: sums have a fixed order,
//! and no fused multiply-add is used.

use rayon::prelude::*;

use super::loss::{Target, loss_and_slope};
use super::net::{BLOCK, Hidden, Layout, MAX_SECOND, Row, Weights};
use super::sample::{CHUNK, Chunk, VIEWS};
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;

/// Chunks that a block processes one after the other, so that its weights are read from memory once
/// for all of them.
const GROUP: usize = 16;

/// The buffers of passes through a network.
#[derive(Debug)]
pub(super) struct Pass {
    layout: Layout,
    /// By block and chunk of a group.
    blocks: Vec<Vec<Scratch>>,
    /// By chunk of a group.
    ends: Vec<End>,
}

/// What follows on the blocks, for one chunk.
#[derive(Debug)]
struct End {
    outputs: Vec<f32>,
    slopes: Vec<f32>,
    /// The layers behind the first hidden layer; `None` where there is none.
    top: Option<Top>,
}

impl Pass {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            layout,
            blocks: (0..layout.blocks()).map(|_| Vec::new()).collect(),
            ends: Vec::new(),
        }
    }

    /// Makes the buffers of a group of chunks.
    fn reserve(&mut self, chunks: usize) {
        let layout = self.layout;
        let is_direct = layout.hidden.is_none();
        for parts in &mut self.blocks {
            parts.resize_with(chunks.max(parts.len()), || Scratch {
                sums: vec![Row::ZERO; VIEWS],
                outputs: vec![0.0; if is_direct { CHUNK } else { 0 }],
                neurons: vec![Row::ZERO; if is_direct { 0 } else { CHUNK }],
            });
        }
        self.ends.resize_with(chunks.max(self.ends.len()), || End {
            outputs: vec![0.0; CHUNK],
            slopes: vec![0.0; CHUNK],
            top: layout.hidden.map(Top::new),
        });
    }

    /// The outputs of the network for the positions of a chunk, in units of the scale.
    pub(super) fn forward(&mut self, weights: &Weights, chunk: &Chunk) -> &[f32] {
        self.forward_blocks(weights, std::slice::from_ref(chunk));
        self.forward_end(weights, chunk, 0);
        &self.ends[0].outputs[..chunk.len()]
    }

    /// Adds the gradient of the loss of all chunks, multiplied by `factor`, to `gradient`. Returns
    /// the loss as the sum over all positions.
    pub(super) fn add_gradient(
        &mut self,
        weights: &Weights,
        chunks: &[Chunk],
        factor: f32,
        gradient: &mut Weights,
    ) -> f64 {
        let mut sum = 0.0;
        for chunks in chunks.chunks(GROUP) {
            self.forward_blocks(weights, chunks);
            for (number, chunk) in chunks.iter().enumerate() {
                self.forward_end(weights, chunk, number);
                let slope = |output, target| {
                    let (loss, by_output) = loss_and_slope(output, target);
                    (loss, by_output * factor)
                };
                sum += self.ends[number].backward(weights, chunk, slope, gradient);
            }
            self.backward_blocks(weights, chunks, gradient);
        }
        sum
    }

    /// The columns of all blocks, and what they contribute to the next layer.
    fn forward_blocks(&mut self, weights: &Weights, chunks: &[Chunk]) {
        self.reserve(chunks.len());
        let hidden = self.layout.hidden;
        let blocks = weights.par_blocks().zip(&mut self.blocks);
        blocks.for_each(|(block, parts)| {
            for (chunk, scratch) in chunks.iter().zip(parts) {
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || match hidden {
                        None => forward_direct(block, chunk, scratch),
                        Some(hidden) if hidden.is_products => {
                            forward_first_layer::<1>(hidden, block, chunk, scratch);
                        }
                        Some(hidden) => forward_first_layer::<2>(hidden, block, chunk, scratch),
                    },
                );
            }
        });
    }

    /// The outputs of a chunk of the group, from the contributions of all blocks.
    fn forward_end(&mut self, weights: &Weights, chunk: &Chunk, number: usize) {
        let End { outputs, top, .. } = &mut self.ends[number];
        let outputs = &mut outputs[..chunk.len()];
        let parts = self.blocks.iter().map(|parts| &parts[number]);
        if let Some(top) = top {
            let parts: Vec<&[Row]> = parts.map(|part| &part.neurons[..]).collect();
            top.forward(weights, &parts, outputs);
            return;
        }
        for (output, info) in outputs.iter_mut().zip(chunk.positions()) {
            *output = weights.top[usize::from(info.bucket)];
        }
        for part in parts {
            for (output, part) in outputs.iter_mut().zip(&part.outputs) {
                *output += part;
            }
        }
    }

    /// The gradients of all blocks.
    fn backward_blocks(&mut self, weights: &Weights, chunks: &[Chunk], gradient: &mut Weights) {
        let hidden = self.layout.hidden;
        let ends = &self.ends;
        let blocks = weights.par_blocks().zip(&mut self.blocks);
        let blocks = blocks.zip(gradient.par_blocks_mut());
        blocks.for_each(|((block, parts), gradient)| {
            for ((chunk, scratch), end) in chunks.iter().zip(parts).zip(ends) {
                let slopes = &end.slopes[..chunk.len()];
                let of_neurons = end.top.as_ref().map_or(&[][..], Top::slopes);
                let first_layer = hidden.map(|hidden| (hidden, &of_neurons[..chunk.len()]));
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || match first_layer {
                        None => backward_direct(block, chunk, scratch, slopes, gradient),
                        Some((hidden, slopes)) if hidden.is_products => {
                            backward_first_layer::<1>(
                                hidden, block, chunk, scratch, slopes, gradient,
                            );
                        }
                        Some((hidden, slopes)) => {
                            backward_first_layer::<2>(
                                hidden, block, chunk, scratch, slopes, gradient,
                            );
                        }
                    },
                );
            }
        });
    }
}

impl End {
    /// The gradients behind the blocks. `slope` gives the loss of an output and its derivative.
    /// Returns the loss as the sum over all positions.
    fn backward(
        &mut self,
        weights: &Weights,
        chunk: &Chunk,
        slope: impl Fn(f32, Target) -> (f32, f32),
        gradient: &mut Weights,
    ) -> f64 {
        let mut sum = 0.0;
        let positions = chunk.positions().iter().zip(&self.outputs);
        for (to, (info, &output)) in self.slopes.iter_mut().zip(positions) {
            let (loss, by_output) = slope(output, info.target);
            sum += f64::from(loss);
            *to = by_output;
        }
        let slopes = &self.slopes[..chunk.len()];
        if let Some(top) = &mut self.top {
            top.backward(weights, slopes, &mut gradient.top);
        } else {
            for (slope, info) in slopes.iter().zip(chunk.positions()) {
                gradient.top[usize::from(info.bucket)] += slope;
            }
        }
        sum
    }
}

// --- One block ---

/// Buffers of one block for one chunk.
#[derive(Debug)]
struct Scratch {
    /// Accumulator columns by view, replaced by their gradients in the backward pass.
    sums: Vec<Row>,
    /// Contribution of the block to the output, by position.
    outputs: Vec<f32>,
    /// Contribution of the block to the neurons of the first hidden layer, by position.
    neurons: Vec<Row>,
}

/// The accumulator columns of a view.
#[inline(always)]
fn columns(block: &[Row], chunk: &Chunk, position: usize, side: usize) -> Row {
    let biases = block[chunk.feature_count()];
    sum_of_rows(biases, block, chunk.features(position, side))
}

/// Adds the gradients of the columns, by view, to those of the features and biases.
#[inline(always)]
fn add_features(sums: &[Row], chunk: &Chunk, gradient: &mut [Row]) {
    let (features, rest) = gradient.split_at_mut(chunk.feature_count());
    for sums in &sums[..2 * chunk.len()] {
        let biases = &mut rest[0];
        for column in 0..BLOCK {
            biases.0[column] += sums.0[column];
        }
    }
    for (feature, row) in features.iter_mut().enumerate() {
        let views = chunk.views(feature);
        if !views.is_empty() {
            *row = sum_of_rows(*row, sums, views);
        }
    }
}

/// The sum of `start` and the rows of `table` with these indices.
#[inline(always)]
fn sum_of_rows(start: Row, table: &[Row], numbers: &[u16]) -> Row {
    let mut sum = start;
    for &number in numbers {
        let row = &table[usize::from(number)];
        for column in 0..BLOCK {
            sum.0[column] += row.0[column];
        }
    }
    sum
}

// --- Outputs directly behind the feature transformer: squared clipped columns, one a bucket ---

#[inline(always)]
fn forward_direct(block: &[Row], chunk: &Chunk, scratch: &mut Scratch) {
    let (sums, _) = scratch.sums.as_chunks_mut::<2>();
    let positions = sums.iter_mut().zip(&mut scratch.outputs);
    for (position, (sums, output)) in positions.take(chunk.len()).enumerate() {
        let weights = output_rows(block, chunk, position);
        let mut lanes = Row::ZERO;
        for side in 0..2 {
            let sum = columns(block, chunk, position, side);
            for column in 0..BLOCK {
                let activation = sum.0[column].clamp(0.0, 1.0);
                lanes.0[column] += activation * activation * weights[side].0[column];
            }
            sums[side] = sum;
        }
        *output = total(lanes);
    }
}

#[inline(always)]
fn backward_direct(
    block: &[Row],
    chunk: &Chunk,
    scratch: &mut Scratch,
    slopes: &[f32],
    gradient: &mut [Row],
) {
    let (sums, _) = scratch.sums.as_chunks_mut::<2>();
    let positions = sums.iter_mut().zip(slopes);
    for (position, (sums, &slope)) in positions.enumerate() {
        let weights = output_rows(block, chunk, position);
        let first = first_output_row(chunk, position);
        for (side, (sums, weights)) in sums.iter_mut().zip(weights).enumerate() {
            through_activation(sums, slope, weights, &mut gradient[first + side]);
        }
    }
    add_features(&scratch.sums, chunk, gradient);
}

/// Replaces accumulator columns by their gradients, and adds to the gradient of the output weights.
#[inline(always)]
fn through_activation(sums: &mut Row, slope: f32, weights: &Row, gradient: &mut Row) {
    for column in 0..BLOCK {
        let sum = sums.0[column];
        let activation = sum.clamp(0.0, 1.0);
        gradient.0[column] += slope * (activation * activation);
        let by_sum = 2.0 * activation * slope * weights.0[column];
        sums.0[column] = if sum < 1.0 { by_sum } else { 0.0 };
    }
}

#[inline(always)]
fn first_output_row(chunk: &Chunk, position: usize) -> usize {
    let outputs = chunk.feature_count() + 1;
    outputs + 2 * (usize::from(chunk.positions()[position].bucket) % OUTPUT_BUCKETS)
}

#[inline(always)]
fn output_rows<'a>(block: &'a [Row], chunk: &Chunk, position: usize) -> &'a [Row; 2] {
    let first = first_output_row(chunk, position);
    block[first..].first_chunk().expect("each bucket has two rows")
}

/// The sum of all columns, added pairwise by halves.
#[inline(always)]
fn total(row: Row) -> f32 {
    let mut lanes = row.0;
    let mut length = BLOCK / 2;
    while length > 0 {
        for column in 0..length {
            lanes[column] += lanes[column + length];
        }
        length /= 2;
    }
    lanes[0]
}

// --- A hidden layer behind the feature transformer ---

/// Columns of each side in a row of products.
const HALF: usize = BLOCK / 2;

/// The activations of the columns of both sides: `ROWS` is 1 for pairwise products, 2 for clipped
/// columns.
#[inline(always)]
fn activations<const ROWS: usize>(sums: &[Row; 2]) -> [Row; ROWS] {
    let mut rows = [Row::ZERO; ROWS];
    for side in 0..2 {
        let clipped = sums[side].0.map(|sum| sum.clamp(0.0, 1.0));
        if ROWS == 1 {
            for column in 0..HALF {
                rows[0].0[side * HALF + column] = clipped[column] * clipped[column + HALF];
            }
        } else {
            rows[side].0 = clipped;
        }
    }
    rows
}

/// Replaces accumulator columns by their gradients.
#[inline(always)]
fn through_activations<const ROWS: usize>(sums: &mut [Row; 2], slopes: &[Row; ROWS]) {
    for side in 0..2 {
        let sums = &mut sums[side].0;
        let is_inside = |sum: f32| sum > 0.0 && sum < 1.0;
        if ROWS == 1 {
            for column in 0..HALF {
                let (one, other) = (sums[column], sums[column + HALF]);
                let slope = slopes[0].0[side * HALF + column];
                let by_one = slope * other.clamp(0.0, 1.0);
                let by_other = slope * one.clamp(0.0, 1.0);
                sums[column] = if is_inside(one) { by_one } else { 0.0 };
                sums[column + HALF] = if is_inside(other) { by_other } else { 0.0 };
            }
        } else {
            for (sum, &slope) in sums.iter_mut().zip(&slopes[side].0) {
                *sum = if is_inside(*sum) { slope } else { 0.0 };
            }
        }
    }
}

#[inline(always)]
fn forward_first_layer<const ROWS: usize>(
    hidden: Hidden,
    block: &[Row],
    chunk: &Chunk,
    scratch: &mut Scratch,
) {
    let neurons = hidden.first_outputs();
    // Transposed, so that the sums over columns need no sums across lanes:
    // `[row of activations][column][neuron]`.
    let mut transposed = [[Row::ZERO; BLOCK]; ROWS];
    let rows = &block[chunk.feature_count() + 1..][..neurons * ROWS];
    for (number, row) in rows.iter().enumerate() {
        for (to, &weight) in transposed[number % ROWS].iter_mut().zip(&row.0) {
            to.0[number / ROWS] = weight;
        }
    }
    let (sums, _) = scratch.sums.as_chunks_mut::<2>();
    let positions = sums.iter_mut().zip(&mut scratch.neurons);
    for (position, (sums, outputs)) in positions.take(chunk.len()).enumerate() {
        for (side, sum) in sums.iter_mut().enumerate() {
            *sum = columns(block, chunk, position, side);
        }
        let mut total = Row::ZERO;
        let activations = activations::<ROWS>(sums);
        for (activations, weights) in activations.iter().zip(&transposed) {
            for (&activation, weights) in activations.0.iter().zip(weights) {
                for neuron in 0..BLOCK {
                    total.0[neuron] += activation * weights.0[neuron];
                }
            }
        }
        *outputs = total;
    }
}

/// `slopes` are the gradients of the neurons, by position.
#[inline(always)]
fn backward_first_layer<const ROWS: usize>(
    hidden: Hidden,
    block: &[Row],
    chunk: &Chunk,
    scratch: &mut Scratch,
    slopes: &[Row],
    gradient: &mut [Row],
) {
    let neurons = hidden.first_outputs();
    let outputs = chunk.feature_count() + 1;
    let (weights, _) = block[outputs..].as_chunks::<ROWS>();
    let (gradients, _) = gradient[outputs..].as_chunks_mut::<ROWS>();
    let (weights, gradients) = (&weights[..neurons], &mut gradients[..neurons]);
    let (sums, _) = scratch.sums.as_chunks_mut::<2>();
    for (sums, slopes) in sums.iter_mut().zip(slopes) {
        let activations = activations::<ROWS>(sums);
        let mut by_activation = [Row::ZERO; ROWS];
        let neurons = weights.iter().zip(&mut *gradients).zip(&slopes.0);
        for ((weights, gradients), &slope) in neurons {
            for row in 0..ROWS {
                for column in 0..BLOCK {
                    by_activation[row].0[column] += slope * weights[row].0[column];
                    gradients[row].0[column] += slope * activations[row].0[column];
                }
            }
        }
        through_activations(sums, &by_activation);
    }
    add_features(&scratch.sums, chunk, gradient);
}

// --- The layers behind the first hidden layer ---

/// Positions of a part.
const PART: usize = 256;

/// Most inputs of the second layer.
const MAX_INPUTS: usize = 2 * BLOCK;

/// The buffers of the layers.
#[derive(Debug)]
struct Top {
    hidden: Hidden,
    /// Sums of the first layer by position, replaced by their gradients in the backward pass.
    neurons: Vec<Row>,
    /// Gradients of the weights by part.
    gradients: Vec<Vec<f32>>,
}

impl Top {
    fn new(hidden: Hidden) -> Self {
        Self {
            hidden,
            neurons: vec![Row::ZERO; CHUNK],
            gradients: vec![vec![0.0; hidden.last_bias() + 1]; CHUNK / PART],
        }
    }

    /// The outputs of the network, from the contributions of all blocks to the first layer.
    fn forward(&mut self, weights: &Weights, blocks: &[&[Row]], outputs: &mut [f32]) {
        let hidden = self.hidden;
        let parts = self.neurons.par_chunks_mut(PART).enumerate();
        parts.zip(outputs.par_chunks_mut(PART)).for_each(|((part, neurons), outputs)| {
            pulp::Arch::new().dispatch(
                #[inline(always)]
                || {
                    forward(hidden, &weights.top, (blocks, part * PART), neurons, outputs);
                },
            );
        });
    }

    /// Replaces the sums of the last [`Self::forward`] by their gradients; those of the weights are
    /// added to `gradient`.
    fn backward(&mut self, weights: &Weights, slopes: &[f32], gradient: &mut [f32]) {
        let hidden = self.hidden;
        let parts = slopes.par_chunks(PART).zip(&mut self.gradients);
        parts.zip(self.neurons.par_chunks_mut(PART)).for_each(|((slopes, gradient), neurons)| {
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
    fn slopes(&self) -> &[Row] {
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
