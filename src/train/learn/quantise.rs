//! The network in integers.
//!
//! Every pass of the training goes through weights that are rounded to those of the [`Grid`], while
//! the optimiser moves them in full precision: the straight-through estimator (Bengio et al.,
//! "Estimating or propagating gradients through stochastic neurons", 2013), here as in Jacob et
//! al., "Quantization and training of neural networks for efficient integer-arithmetic-only
//! inference", 2018. So what is trained is the network of the file, and [`quantise`] only converts
//! it.
//!
//! This holds for the feature transformer and for outputs directly behind it. Hidden layers have
//! steps that depend on their weights; these are rounded at the end, see [`quantise_hidden`].

use rayon::prelude::*;

use super::net::{BLOCK, Hidden, Layout, Row, Weights};
use super::sample::{ActiveFeatures, CHUNK, Chunk, FEATURES, MAX_ACTIVE, Sample};
use super::{loss::Target, pass::Pass};
use crate::eval::nnue::scalar::{MAX_ACTIVATION, MAX_FACTOR, MAX_OUTPUT_WEIGHT, QA, QB, Sums};
use crate::eval::nnue::scalar::{WEIGHT_BITS, affine, clamped, clip, products, square, value_in};
use crate::eval::nnue::{AffineLayer, FeatureTransformer, LayerStack, Network, OutputLayer};
use crate::util::Aligned;
use crate::{eval::nnue::output_buckets::OUTPUT_BUCKETS, eval::nnue::shape::LayerShape};

/// A quantised network and its rounding error.
#[derive(Debug)]
pub struct Quantised {
    /// The network as the engine evaluates it.
    pub network: Network,
    /// Differences to the network in floats.
    pub errors: ErrorReport,
}

/// Differences between the values of the quantised network and of the floats, in units of 1/90
/// pawn.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ErrorReport {
    /// Number of positions compared.
    pub positions: usize,
    /// Mean absolute difference of the values.
    pub mean: f64,
    /// Largest absolute difference of the values.
    pub most: f64,
    /// Mean absolute value of the network in floats, for comparison.
    pub mean_value: f64,
}

/// Quantises a network whose output of 1 is worth `scale`, and whose weights have been rounded by
/// [`Grid::round`]. Those of hidden layers are rounded for the smallest error on the positions
/// `known`; the error is reported for `unknown`.
pub(super) fn quantise<'a>(
    weights: &Weights,
    scale: u16,
    text: &str,
    known: impl Iterator<Item = &'a Sample>,
    unknown: &[Sample],
) -> Quantised {
    let grid = Grid::new(weights.layout(), scale);
    let network = match weights.layout().hidden {
        None => quantise_direct(weights, grid, text),
        Some(hidden) => {
            let known: Vec<&Sample> = known.collect();
            quantise_hidden(weights, hidden, (grid, scale), text, &known)
        }
    };
    let errors = compare(weights, scale, &network, unknown);
    Quantised { network, errors }
}

/// The inverse of [`quantise`], up to rounding; `None` where the network cannot be trained.
pub(super) fn to_floats(network: &Network, scale: u16) -> Option<Weights> {
    let mut weights = Weights::zeroed(Layout::new(network.shape())?);
    match weights.layout().hidden {
        None => direct_to_floats(network.output_layer.as_ref()?, scale, &mut weights),
        Some(hidden) => hidden_to_floats(network, hidden, scale, &mut weights),
    }
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let transformer = &network.transformer;
    let part = Grid::new(layout, scale).one.recip();
    for (number, block) in weights.blocks_mut().enumerate() {
        for (row, to) in block[..=layout.biases()].iter_mut().enumerate() {
            let from = if row < layout.biases() {
                &transformer.weights[row * width..]
            } else {
                &transformer.biases[..]
            };
            for (place, to) in to.0.iter_mut().enumerate() {
                *to = f32::from(from[layout.column(number, place)]) * part;
            }
        }
    }
    weights.share();
    Some(weights)
}

/// Compares the values of the quantised network with those of the floats.
fn compare(weights: &Weights, scale: u16, network: &Network, samples: &[Sample]) -> ErrorReport {
    let mut report = ErrorReport::default();
    let mut pass = Pass::new(weights.layout());
    let mut chunk = Chunk::new(weights.layout().shape.features);
    for part in samples.chunks(CHUNK) {
        chunk.fill(part.iter(), |_| Target::exact(0.0));
        let outputs = pass.forward(weights, &chunk);
        for (position, &output) in outputs.iter().enumerate() {
            let sums =
                [0, 1].map(|side| sums(&network.transformer, chunk.features(position, side)));
            let bucket = match weights.layout().hidden {
                None => chunk.positions()[position].bucket.into(),
                Some(_) => 0,
            };
            let value = f64::from(value_in(network, &sums, bucket));
            let expected = f64::from(output) * f64::from(scale);
            let error = (value - expected).abs();
            report.positions += 1;
            report.mean += error;
            report.mean_value += expected.abs();
            report.most = report.most.max(error);
        }
    }
    let count = report.positions.max(1) as f64;
    report.mean /= count;
    report.mean_value /= count;
    report
}

/// Largest magnitude of the weight of an output directly behind the feature transformer.
pub(super) const MAX_OUTPUT: f32 = MAX_OUTPUT_WEIGHT as f32 / (2 * QB) as f32;

/// The integers of a network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Grid {
    /// The integer that stands for 1 in a feature transformer, where weights are multiples of
    /// `multiple`.
    one: f32,
    multiple: f32,
    /// The integer that stands for 1 in the weight of an output; `None` for hidden layers.
    output_one: Option<f32>,
    /// The scale in the file.
    output_scale: i32,
}

impl Grid {
    /// The integers of a network whose output of 1 is worth `scale`.
    pub(super) fn new(layout: Layout, scale: u16) -> Self {
        // Half the scale and twice the weights make finer steps, and leave weights up to 1.
        let output_scale = scale.div_ceil(2);
        let (one, multiple) = match layout.hidden {
            None => (QA, 1.0),
            // Files hold half of the factors of products.
            Some(hidden) if hidden.is_products => (MAX_FACTOR, 2.0),
            Some(_) => (MAX_ACTIVATION, 1.0),
        };
        let output_one = QB as f32 * f32::from(scale) / f32::from(output_scale);
        Self {
            one: one as f32,
            multiple,
            output_one: layout.hidden.is_none().then_some(output_one),
            output_scale: output_scale.into(),
        }
    }

    /// Writes the weights of the network: all that have a step rounded to it, those of features
    /// with the shared ones added, which are not written.
    pub(super) fn round(self, weights: &Weights, to: &mut Weights) {
        let layout = weights.layout();
        let blocks = weights.par_blocks().zip(to.par_blocks_mut());
        blocks.for_each(|(from, to)| {
            let (biases, outputs) = (layout.biases(), layout.outputs());
            let one = self.one / self.multiple;
            let most = f32::from(i16::MAX);
            let shared = &from[layout.shared()];
            for zone in 0..layout.zones() {
                let rows = zone * FEATURES..(zone + 1) * FEATURES;
                round_rows(&from[rows.clone()], shared, &mut to[rows], (one, most));
            }
            let rows = biases..=biases;
            round_rows(&from[rows.clone()], &[], &mut to[rows], (one, most));
            let (from, to) = (&from[outputs.clone()], &mut to[outputs]);
            match self.output_one {
                Some(one) => round_rows(from, &[], to, (one, MAX_OUTPUT_WEIGHT.into())),
                None => to.copy_from_slice(from),
            }
        });
        to.top.copy_from_slice(&weights.top);
    }
}

/// Rounds weights, with `shared` ones added where there are any, to multiples of 1 / `one`, at most
/// `most` of them.
fn round_rows(from: &[Row], shared: &[Row], to: &mut [Row], (one, most): (f32, f32)) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for (number, (from, to)) in from.iter().zip(to).enumerate() {
                let shared = shared.get(number).unwrap_or(&Row::ZERO);
                for column in 0..BLOCK {
                    let steps = ((from.0[column] + shared.0[column]) * one).round_ties_even();
                    to.0[column] = steps.clamp(-most, most) / one;
                }
            }
        },
    );
}

/// The feature transformer; its weights have been rounded by [`Grid::round`].
pub(super) fn transformer(weights: &Weights, grid: Grid) -> FeatureTransformer {
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let mut transformer = FeatureTransformer {
        biases: Aligned::zeroed(width),
        weights: Aligned::zeroed(layout.biases() * width),
    };
    for (number, block) in weights.blocks().enumerate() {
        for (row, from) in block[..=layout.biases()].iter().enumerate() {
            let to = if row < layout.biases() {
                &mut transformer.weights[row * width..][..width]
            } else {
                &mut transformer.biases[..]
            };
            for place in 0..BLOCK {
                // In range, because the optimiser clamps weights.
                to[layout.column(number, place)] = (from.0[place] * grid.one).round() as i16;
            }
        }
    }
    transformer
}

/// The accumulator of one side, as the engine computes it.
pub(super) fn sums(transformer: &FeatureTransformer, features: &[u16]) -> Vec<i16> {
    let mut sums = transformer.biases.to_vec();
    let width = sums.len();
    for &feature in features {
        let column = &transformer.weights[usize::from(feature) * width..][..width];
        for (sum, weight) in sums.iter_mut().zip(column) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    sums
}

/// The quantised network without hidden layers: all weights have been rounded in training.
fn quantise_direct(weights: &Weights, grid: Grid, text: &str) -> Network {
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let (one, scale) = (grid.output_one.unwrap_or(QB as f32), grid.output_scale);
    let mut output_weights = Aligned::zeroed(OUTPUT_BUCKETS * 2 * width);
    for (number, block) in weights.blocks().enumerate() {
        for (row, from) in block[layout.outputs()].iter().enumerate() {
            let to = &mut output_weights[row * width + number * BLOCK..];
            for (to, from) in to.iter_mut().zip(from.0) {
                *to = (from * one).round() as i16;
            }
        }
    }
    let round = |bias: &f32| (bias * one * QA as f32).round() as i32;
    let output_layer = OutputLayer {
        biases: weights.top.iter().map(round).collect(),
        weights: output_weights,
        scale,
    };
    let (features, transformer) = (layout.shape.features, transformer(weights, grid));
    Network::with_output_layer(features, transformer, output_layer, text)
}

/// The inverse of [`quantise_direct`].
fn direct_to_floats(output_layer: &OutputLayer, scale: u16, weights: &mut Weights) {
    let (layout, width) = (weights.layout(), weights.layout().shape.width);
    let part = output_layer.scale as f32 / f32::from(scale) / QB as f32;
    for (number, block) in weights.blocks_mut().enumerate() {
        for (row, to) in block[layout.outputs()].iter_mut().enumerate() {
            let from = &output_layer.weights[row * width + number * BLOCK..];
            for (to, &from) in to.0.iter_mut().zip(from) {
                *to = f32::from(from) * part;
            }
        }
    }
    for (to, &from) in weights.top.iter_mut().zip(&output_layer.biases) {
        *to = from as f32 * part / QA as f32;
    }
}

// --- Two hidden layers ---
//
// Quantisation of two hidden layers, as `YaneuraOu` computes them.
//
// A weight of 1 is 64, an activation of 1 is 127, except that products and squares of activations
// of 1 are 126: the factors of weights make up for it. `FV_SCALE`, which divides the output, is as
// large as the weights of the last layer allow, because larger weights are rounded less.
// Activations are rounded down; half a step on the biases makes that rounding to the nearest.
// Layers are rounded one after the other, each for the inputs that the one before really gives,
// see [`Equations`].

/// Layers are fitted to every third of the known positions, to save time.
const KNOWN_STEP: usize = 3;

/// The integer that stands for a weight of 1.
const ONE_WEIGHT: f32 = (1 << WEIGHT_BITS) as f32;

/// The sum that stands for 1.
const ONE_SUM: f32 = ONE_WEIGHT * MAX_ACTIVATION as f32;

/// Half a step of the activations, in sums.
const HALF_STEP: f32 = ONE_WEIGHT / 2.0;

/// The activation that stands for a product of 1, before it is rounded down.
const ONE_PRODUCT: f32 = (MAX_FACTOR * MAX_FACTOR) as f32 / 512.0;

/// The activation that stands for a square of 1.
const ONE_SQUARE: f32 = ONE_SUM * ONE_SUM / (1 << (2 * WEIGHT_BITS + 7)) as f32;

/// Largest `FV_SCALE` that is written.
const MAX_FV_SCALE: i32 = 128;

/// The quantised network. Weights are rounded for the smallest error on the positions `known`,
/// layer after layer.
fn quantise_hidden(
    weights: &Weights,
    hidden: Hidden,
    (grid, scale): (Grid, u16),
    text: &str,
    known: &[&Sample],
) -> Network {
    let layout = weights.layout();
    let shape = layout.shape;
    let fv_scale = fv_scale(weights, hidden, scale);
    let transformer = transformer(weights, grid);
    let floats = Floats::new(weights, hidden);
    let positions: Vec<Traced> = if layout.shape.width <= MAX_JOINT_WIDTH {
        let known = known.par_iter().step_by(KNOWN_STEP);
        known.map(|sample| floats.trace(sample)).collect()
    } else {
        Vec::new()
    };
    let inputs: Vec<Vec<u8>> = positions
        .par_iter()
        .map(|traced| {
            let of_side = |side: usize| sums(&transformer, &traced.features[side][..traced.active]);
            first_inputs(hidden, &[of_side(0), of_side(1)])
        })
        .collect();
    let factors = Factors::new(hidden, scale, fv_scale);
    let round = |number: usize, inputs: &[Vec<u8>], shortcuts: &[f64]| {
        let expected = positions.iter().zip(shortcuts);
        let expected: Vec<Vec<f64>> = expected
            .map(|(traced, &shortcut)| factors.sums(number, &traced.layers[number], shortcut))
            .collect();
        let layer_shape = shape.layers()[number];
        layer(&floats, &factors, number, layer_shape, inputs, &expected)
    };
    let no_shortcuts = vec![0.0; positions.len()];
    let first = round(0, &inputs, &no_shortcuts);
    let outputs = |inputs: &Vec<u8>| first_outputs(hidden, &first, inputs);
    let (inputs, shortcuts): (Vec<_>, Vec<_>) = inputs.par_iter().map(outputs).unzip();
    let second = round(1, &inputs, &no_shortcuts);
    let outputs = inputs.par_iter().map(|inputs| {
        let sums = affine(&second, inputs);
        sums.into_iter().map(clip).collect()
    });
    let inputs: Vec<Vec<u8>> = outputs.collect();
    let last = round(2, &inputs, &shortcuts);
    let stack = LayerStack { first, second, last };
    Network::with_stack(shape, transformer, stack, fv_scale, text)
}

/// The inputs of the second layer, and the sum of the shortcut neuron, 0 where there is none.
fn first_outputs(hidden: Hidden, first: &AffineLayer, inputs: &[u8]) -> (Vec<u8>, f64) {
    let sums = affine(first, inputs);
    let (neurons, shortcut) = sums.split_at(hidden.first);
    let mut outputs = Vec::with_capacity(hidden.second_inputs());
    if hidden.is_products {
        outputs.extend(neurons.iter().map(|&sum| square(sum)));
    }
    outputs.extend(neurons.iter().map(|&sum| clip(sum)));
    (outputs, shortcut.first().copied().map_or(0.0, f64::from))
}

/// The inputs of the first layer, from the accumulators of both sides.
fn first_inputs(hidden: Hidden, sums: &Sums) -> Vec<u8> {
    if hidden.is_products { products(sums) } else { clamped(sums) }
}

/// One layer, rounded for these inputs and expected sums.
fn layer(
    floats: &Floats,
    factors: &Factors,
    number: usize,
    shape: LayerShape,
    inputs: &[Vec<u8>],
    expected: &[Vec<f64>],
) -> AffineLayer {
    let neurons = floats.neurons(number);
    let biases = floats.biases(number);
    // The bias comes first, as the weight of an input that is always one activation.
    let wanted: Vec<Vec<f64>> = neurons
        .iter()
        .zip(biases)
        .enumerate()
        .map(|(neuron, (row, &bias))| {
            let (one, half) = factors.of_bias(number, neuron);
            let bias = f64::from(bias * one + half) / f64::from(MAX_ACTIVATION);
            let weights = row.iter().enumerate();
            let weights = weights.map(|(input, weight)| {
                f64::from(weight * factors.of_weight(number, neuron, input))
            });
            std::iter::once(bias).chain(weights).collect()
        })
        .collect();
    let mut equations = Equations::new(1 + shape.inputs, neurons.len());
    for (inputs, expected) in inputs.iter().zip(expected) {
        let activations = std::iter::once(MAX_ACTIVATION as u8).chain(inputs.iter().copied());
        let activations: Vec<f64> = activations.map(f64::from).collect();
        let errors = wanted.iter().zip(expected).map(|(weights, expected)| {
            let products = weights.iter().zip(&activations);
            expected - products.map(|(weight, input)| weight * input).sum::<f64>()
        });
        let errors: Vec<f64> = errors.collect();
        equations.add(&activations, &errors);
    }
    let rounded = equations.solve(&wanted, |index, weight| {
        if index == 0 {
            let one = f64::from(MAX_ACTIVATION);
            return (weight * one).round() / one;
        }
        let most = f64::from(i8::MAX);
        weight.round().clamp(-most, most)
    });
    let mut weights = vec![0; shape.outputs * shape.padded_inputs()];
    let rows = weights.chunks_exact_mut(shape.padded_inputs());
    for (row, rounded) in rows.zip(&rounded) {
        for (to, weight) in row.iter_mut().zip(&rounded[1..]) {
            *to = *weight as i8 as u8;
        }
    }
    let biases = rounded.iter().flat_map(|neuron| {
        let bias = (neuron[0] * f64::from(MAX_ACTIVATION)).round() as i32;
        bias.to_le_bytes()
    });
    AffineLayer::from_bytes(shape, &biases.collect::<Vec<u8>>(), &weights)
}

/// The factors between floats and integers.
struct Factors {
    hidden: Hidden,
    /// Of the weights of the first layer.
    first: f32,
    /// Of the weights of the second layer that squares have.
    square: f32,
    /// The sum of the last layer that stands for an output of 1, relative to [`ONE_SUM`]. The
    /// shortcut has it too.
    last: f32,
}

impl Factors {
    fn new(hidden: Hidden, scale: u16, fv_scale: i32) -> Self {
        let one = MAX_ACTIVATION as f32;
        let is_products = hidden.is_products;
        let product = if is_products { one / ONE_PRODUCT } else { 1.0 };
        Self {
            hidden,
            first: ONE_WEIGHT * product,
            square: ONE_WEIGHT * one / ONE_SQUARE,
            last: f32::from(scale) * fv_scale as f32 / ONE_SUM,
        }
    }

    fn is_shortcut(&self, layer: usize, neuron: usize) -> bool {
        layer == 0 && neuron >= self.hidden.first
    }

    /// The factor of a weight.
    fn of_weight(&self, layer: usize, neuron: usize, input: usize) -> f32 {
        match layer {
            0 if self.is_shortcut(layer, neuron) => self.first * self.last,
            0 => self.first,
            1 if self.hidden.is_products && input < self.hidden.first => self.square,
            1 => ONE_WEIGHT,
            _ => ONE_WEIGHT * self.last,
        }
    }

    /// The factor of a bias and what is added to it afterwards.
    fn of_bias(&self, layer: usize, neuron: usize) -> (f32, f32) {
        if layer == 2 || self.is_shortcut(layer, neuron) {
            (ONE_SUM * self.last, 0.0)
        } else {
            (ONE_SUM, HALF_STEP)
        }
    }

    /// The sums in integers of the layer, from those in floats. `shortcut` is what the shortcut
    /// neuron adds to the last layer.
    fn sums(&self, layer: usize, floats: &[f32], shortcut: f64) -> Vec<f64> {
        let sums = floats.iter().enumerate().map(|(neuron, &sum)| {
            let (one, half) = self.of_bias(layer, neuron);
            f64::from(sum * one + half) - if layer == 2 { shortcut } else { 0.0 }
        });
        sums.collect()
    }
}

/// The largest `FV_SCALE` with which all weights of the output fit.
fn fv_scale(weights: &Weights, hidden: Hidden, scale: u16) -> i32 {
    let largest = |values: &[f32]| values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    let mut most = largest(&weights.top[hidden.last_weights()]);
    if hidden.has_shortcut {
        let row = weights.layout().outputs().start + hidden.first * hidden.activations();
        for block in weights.blocks() {
            for row in &block[row..row + hidden.activations()] {
                most = most.max(largest(&row.0) * MAX_ACTIVATION as f32 / ONE_PRODUCT);
            }
        }
    }
    let fits = f32::from(i8::MAX) / (ONE_WEIGHT * most.max(f32::MIN_POSITIVE));
    let fv_scale = (fits * ONE_SUM / f32::from(scale)).floor() as i32;
    fv_scale.clamp(1, MAX_FV_SCALE)
}

/// The inverse of [`quantise_hidden`] for all but the feature transformer, up to rounding.
fn hidden_to_floats(network: &Network, hidden: Hidden, scale: u16, weights: &mut Weights) {
    let factors = Factors::new(hidden, scale, network.scale());
    let stack = &network.stacks[0];
    let (first, second, last) = (&stack.first, &stack.second, &stack.last);
    let layout = weights.layout();
    for (number, block) in weights.blocks_mut().enumerate() {
        for (row, to) in block[layout.outputs()].iter_mut().enumerate() {
            let (neuron, side) = (row / hidden.activations(), row % hidden.activations());
            for (place, to) in to.0.iter_mut().enumerate() {
                let input = layout.first_input(number, side, place);
                let factor = factors.of_weight(0, neuron, input);
                *to = f32::from(first.row(neuron)[input]) / factor;
            }
        }
    }
    let top = &mut weights.top;
    let last_bias = hidden.last_bias()..hidden.last_bias() + 1;
    let parts =
        [(first, hidden.first_biases()), (second, hidden.second_biases()), (last, last_bias)];
    for (number, (layer, range)) in parts.into_iter().enumerate() {
        for (neuron, (to, &bias)) in top[range].iter_mut().zip(&layer.biases).enumerate() {
            let (one, half) = factors.of_bias(number, neuron);
            *to = (bias as f32 - half) / one;
        }
    }
    let length = hidden.second_inputs();
    for (place, to) in top[hidden.second_weights()].iter_mut().enumerate() {
        let (neuron, input) = (place / length, place % length);
        *to = f32::from(second.row(neuron)[input]) / factors.of_weight(1, neuron, input);
    }
    for (input, to) in top[hidden.last_weights()].iter_mut().enumerate() {
        *to = f32::from(last.row(0)[input]) / factors.of_weight(2, 0, input);
    }
}

/// A network with hidden layers in floats, position by position: what its quantised layers should
/// compute. Its weights are in the order of the engine.
struct Floats {
    layout: Layout,
    hidden: Hidden,
    /// `[feature or biases][column]`
    transformer: Vec<Vec<f32>>,
    /// `[neuron][input]`
    first: Vec<Vec<f32>>,
    top: Vec<f32>,
}

/// Sums of the layers in one position.
struct Traced {
    features: [ActiveFeatures; 2],
    /// Number of features of each side.
    active: usize,
    /// Sums of the three layers, with the shortcut in the last one.
    layers: [Vec<f32>; 3],
}

impl Floats {
    fn new(weights: &Weights, hidden: Hidden) -> Self {
        let layout = weights.layout();
        let mut transformer = vec![vec![0.0; layout.shape.width]; layout.biases() + 1];
        let mut first = vec![vec![0.0; layout.first_inputs()]; hidden.first_outputs()];
        for (number, block) in weights.blocks().enumerate() {
            for (to, row) in transformer.iter_mut().zip(block) {
                for (place, &weight) in row.0.iter().enumerate() {
                    to[layout.column(number, place)] = weight;
                }
            }
            for (row, weights) in block[layout.outputs()].iter().enumerate() {
                let (neuron, side) = (row / hidden.activations(), row % hidden.activations());
                for (place, &weight) in weights.0.iter().enumerate() {
                    first[neuron][layout.first_input(number, side, place)] = weight;
                }
            }
        }
        Self { layout, hidden, transformer, first, top: weights.top.clone() }
    }

    /// The weights of each neuron of a layer, from 0.
    fn neurons(&self, layer: usize) -> Vec<&[f32]> {
        let hidden = self.hidden;
        match layer {
            0 => self.first.iter().map(|row| &row[..]).collect(),
            1 => {
                let rows = &self.top[hidden.second_weights()];
                rows.chunks_exact(hidden.second_inputs()).collect()
            }
            _ => vec![&self.top[hidden.last_weights()]],
        }
    }

    /// The biases of a layer.
    fn biases(&self, layer: usize) -> &[f32] {
        let hidden = self.hidden;
        match layer {
            0 => &self.top[hidden.first_biases()],
            1 => &self.top[hidden.second_biases()],
            _ => std::slice::from_ref(&self.top[hidden.last_bias()]),
        }
    }

    /// The sums of all layers.
    fn trace(&self, sample: &Sample) -> Traced {
        let hidden = self.hidden;
        let mut features = [[0; MAX_ACTIVE]; 2];
        let active = sample.features(self.layout.shape.features, &mut features);
        let biases = &self.transformer[self.layout.biases()];
        let mut inputs = Vec::with_capacity(2 * biases.len());
        for features in &features {
            let mut sums = biases.clone();
            for &feature in &features[..active] {
                let row = &self.transformer[usize::from(feature)];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            let clipped = |sum: &f32| sum.clamp(0.0, 1.0);
            if hidden.is_products {
                let (one, other) = sums.split_at(sums.len() / 2);
                let pairs = one.iter().zip(other);
                inputs.extend(pairs.map(|(one, other)| clipped(one) * clipped(other)));
            } else {
                inputs.extend(sums.iter().map(clipped));
            }
        }
        let first = self.affine(0, &inputs);
        let neurons = &first[..hidden.first];
        let mut inputs = Vec::with_capacity(hidden.second_inputs());
        if hidden.is_products {
            inputs.extend(neurons.iter().map(|sum| (sum * sum).min(1.0)));
        }
        inputs.extend(neurons.iter().map(|sum| sum.clamp(0.0, 1.0)));
        let second = self.affine(1, &inputs);
        let inputs: Vec<f32> = second.iter().map(|sum| sum.clamp(0.0, 1.0)).collect();
        let mut last = self.affine(2, &inputs);
        if hidden.has_shortcut {
            last[0] += first[hidden.first];
        }
        Traced { features, active, layers: [first, second, last] }
    }

    fn affine(&self, layer: usize, inputs: &[f32]) -> Vec<f32> {
        let neurons = self.neurons(layer);
        let neurons = neurons.iter().zip(self.biases(layer));
        let sums = neurons.map(|(row, bias)| {
            let products = row.iter().zip(inputs).map(|(weight, input)| weight * input);
            bias + products.sum::<f32>()
        });
        sums.collect()
    }
}

// --- Joint rounding ---
//
// Joint rounding of the weights of a neuron, so that the other weights compensate the error of
// each.
//
// Rounding weights individually adds hundreds of independent errors to the value of a position.
// Better integers are those that minimise the squared error over many positions, which is a
// closest vector problem. Babai's nearest plane algorithm ("On Lovász' lattice reduction and the
// nearest lattice point problem", 1986) approximates it: weights are rounded one after the other,
// and the remaining ones are adjusted for the error. GPTQ quantises large language models in the
// same way (Frantar et al., 2022).
//
// The error of the layers before is compensated too, as far as the weights can.

/// Largest width with joint rounding. In wider networks weights are rounded individually: the
/// products of all pairs would need too much memory, and rounding errors matter less.
const MAX_JOINT_WIDTH: usize = 1024;

/// Regularisation towards the trained weights, relative to the mean square of an activation. It
/// keeps weights that the positions do not determine.
const REGULARISATION: f64 = 0.003;

/// Size of a matrix, in numbers, from which its rows are eliminated in parallel.
const PARALLEL_FROM: usize = 1 << 18;

/// Fewest rows that a thread takes at once.
const PARALLEL_ROWS: usize = 64;

/// The normal equations of the least squares problem of neurons with the same inputs.
#[derive(Clone, Debug)]
struct Equations {
    /// Number of weights of a neuron.
    size: usize,
    /// Upper triangle of the sums of products of two activations, `[first][second]`.
    products: Vec<f64>,
    /// Sums of activation times error, `[neuron][activation]`.
    errors: Vec<Vec<f64>>,
}

impl Equations {
    /// Equations for neurons of `size` weights, without positions.
    fn new(size: usize, neurons: usize) -> Self {
        Self { size, products: vec![0.0; size * size], errors: vec![vec![0.0; size]; neurons] }
    }

    /// Adds a position: the factors of the weights, and the error of each neuron that their sum
    /// should make up for.
    fn add(&mut self, activations: &[f64], errors: &[f64]) {
        debug_assert_eq!(activations.len(), self.size);
        let rows = self.products.chunks_exact_mut(self.size);
        for (first, (row, &activation)) in rows.zip(activations).enumerate() {
            if activation != 0.0 {
                for (product, other) in row[first..].iter_mut().zip(&activations[first..]) {
                    *product += activation * other;
                }
                for (sums, error) in self.errors.iter_mut().zip(errors) {
                    sums[first] += activation * error;
                }
            }
        }
    }

    /// Rounds the weights of each neuron for the smallest error. `round` returns the nearest value
    /// that the weight of an index can take. The last weights are rounded first.
    fn solve(
        mut self,
        neurons: &[Vec<f64>],
        round: impl Fn(usize, f64) -> f64 + Sync,
    ) -> Vec<Vec<f64>> {
        let has_positions = self.factorise();
        let pairs = neurons.par_iter().zip(&self.errors);
        pairs
            .map(|(weights, errors)| {
                if has_positions {
                    self.solve_one(weights, errors, &round)
                } else {
                    let pairs = weights.iter().enumerate();
                    pairs.map(|(index, &weight)| round(index, weight)).collect()
                }
            })
            .collect()
    }

    /// Replaces the products by their Cholesky factor (upper triangle). False without positions.
    fn factorise(&mut self) -> bool {
        let size = self.size;
        let trace: f64 = (0..size).map(|index| self.products[index * (size + 1)]).sum();
        if trace <= 0.0 {
            return false;
        }
        for index in 0..size {
            self.products[index * (size + 1)] += REGULARISATION * trace / size as f64;
        }
        factorise(&mut self.products, size);
        true
    }

    /// The rounded weights of a neuron, by the factorised products.
    fn solve_one(
        &self,
        weights: &[f64],
        errors: &[f64],
        round: impl Fn(usize, f64) -> f64,
    ) -> Vec<f64> {
        let (size, factor) = (self.size, &self.products);
        let changes = self.least_squares(errors);
        // Optimal minus rounded value of each weight.
        let mut differences = vec![0.0; size];
        let mut rounded = vec![0.0; size];
        for index in (0..size).rev() {
            let row = &factor[index * size..][..size];
            let compensation = dot(&row[index + 1..], &differences[index + 1..]) / row[index];
            let best = weights[index] + changes[index];
            rounded[index] = round(index, best + compensation);
            differences[index] = best - rounded[index];
        }
        rounded
    }

    /// The least squares change of the weights of a neuron, by the factorised products.
    fn least_squares(&self, errors: &[f64]) -> Vec<f64> {
        let (size, factor) = (self.size, &self.products);
        let mut changes = errors.to_vec();
        for index in 0..size {
            let row = &factor[index * size..][..size];
            changes[index] /= row[index];
            let change = changes[index];
            for (other, part) in changes[index + 1..].iter_mut().zip(&row[index + 1..]) {
                *other -= change * part;
            }
        }
        for index in (0..size).rev() {
            let row = &factor[index * size..][..size];
            let known = dot(&row[index + 1..], &changes[index + 1..]);
            changes[index] = (changes[index] - known) / row[index];
        }
        changes
    }
}

/// Replaces a positive definite matrix by its Cholesky factor, in place. Only the upper triangle is
/// used.
fn factorise(matrix: &mut [f64], size: usize) {
    for index in 0..size {
        let (done, left) = matrix.split_at_mut((index + 1) * size);
        let row = &mut done[index * size + index..];
        let root = row[0].sqrt();
        for number in row.iter_mut() {
            *number /= root;
        }
        let eliminate = |(offset, other): (usize, &mut [f64])| {
            let first = offset + 1;
            let part = row[first];
            if part != 0.0 {
                for (number, own) in other[index + first..].iter_mut().zip(&row[first..]) {
                    *number -= part * own;
                }
            }
        };
        if left.len() >= PARALLEL_FROM {
            let rows = left.par_chunks_exact_mut(size).enumerate();
            rows.with_min_len(PARALLEL_ROWS).for_each(eliminate);
        } else {
            left.chunks_exact_mut(size).enumerate().for_each(eliminate);
        }
    }
}

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod rounding_tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    const SIZE: usize = 40;

    fn positions(count: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let mut activation = || random.random::<f64>().powi(2);
        let mut position = || {
            // Alike in part, as the sums of a transformer are.
            let common = activation();
            (0..SIZE).map(|_| 0.5 * common + 0.5 * activation()).collect()
        };
        (0..count).map(|_| position()).collect()
    }

    fn mean_error(weights: &[f64], rounded: &[f64], positions: &[Vec<f64>]) -> f64 {
        let error = |position: &Vec<f64>| (dot(weights, position) - dot(rounded, position)).abs();
        positions.iter().map(error).sum::<f64>() / positions.len() as f64
    }

    #[test]
    fn rounding_together_is_better_than_each_on_its_own() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let weights: Vec<f64> = (0..SIZE).map(|_| random.random::<f64>() * 20.0 - 10.0).collect();
        let (known, unknown) = (positions(2000, &mut random), positions(500, &mut random));
        let mut equations = Equations::new(SIZE, 1);
        for position in &known {
            equations.add(position, &[0.0]);
        }
        let [together] =
            &equations.solve(std::slice::from_ref(&weights), |_, weight| weight.round())[..]
        else {
            panic!("one neuron");
        };
        let alone: Vec<f64> = weights.iter().map(|weight| weight.round()).collect();
        assert!(together.iter().all(|weight| weight.fract() == 0.0));
        let mut pairs = together.iter().zip(&weights);
        let near = pairs.all(|(a, b)| (a - b).abs() < 4.0);
        assert!(near, "{together:?}");
        let errors = [together, &alone].map(|rounded| mean_error(&weights, rounded, &unknown));
        assert!(errors[0] < 0.7 * errors[1], "{errors:?}");
    }

    #[test]
    fn what_is_missing_is_added() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let weights = vec![3.0; SIZE];
        let expected: Vec<f64> = (0..SIZE).map(|index| 3.0 + (index % 5) as f64).collect();
        let mut equations = Equations::new(SIZE, 1);
        for position in &positions(4000, &mut random) {
            let missing = dot(&expected, position) - dot(&weights, position);
            equations.add(position, &[missing]);
        }
        let solved = equations.solve(&[weights], |_, weight| weight.round());
        assert_eq!(solved, [expected]);
    }

    #[test]
    fn without_positions_each_is_rounded_on_its_own() {
        let rounded = Equations::new(3, 2)
            .solve(&[vec![0.4, -1.6, 7.0], vec![1.7, 0.2, -0.4]], |_, weight| weight.round());
        assert_eq!(rounded, [[0.0, -2.0, 7.0], [2.0, 0.0, 0.0]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::shape::Shape;

    #[test]
    fn weights_are_rounded_to_their_steps() {
        for (name, steps) in [
            ("raicho_64x2-8", [1.0 / 255.0, 1.0 / 128.0]),
            ("raicho4_64x2-8", [1.0 / 255.0, 1.0 / 128.0]),
            ("raicho12_64x2-8", [1.0 / 255.0, 1.0 / 128.0]),
            ("raicho_64x2-32-32", [1.0 / 127.0, 0.0]),
            ("SFNN_raicho_128_15_32", [1.0 / 127.0, 0.0]),
        ] {
            let shape: Shape = name.parse().expect("a good name");
            let layout = Layout::new(shape).expect("it can be trained");
            let mut weights = Weights::random(layout, 7);
            let (outputs, shared) = (layout.outputs(), layout.shared());
            weights.blocks_mut().next().expect("a block")[outputs.start].0[0] = 1.5;
            let mut rounded = Weights::zeroed(layout);
            Grid::new(layout, 800).round(&weights, &mut rounded);
            assert_eq!(rounded.top, weights.top);
            for (from, to) in weights.blocks().zip(rounded.blocks()) {
                for (number, row) in to.iter().enumerate() {
                    for (place, &found) in row.0.iter().enumerate() {
                        let own = from[number].0[place];
                        let (expected, step) = if shared.contains(&number) {
                            (0.0, 0.0)
                        } else if outputs.contains(&number) {
                            let limit = if steps[1] > 0.0 { MAX_OUTPUT } else { 2.0 };
                            (own.clamp(-limit, limit), steps[1])
                        } else if number < layout.biases() && !shared.is_empty() {
                            let of_all = from[shared.start + number % FEATURES].0[place];
                            (own + of_all, steps[0])
                        } else {
                            (own, steps[0])
                        };
                        let error = (found - expected).abs();
                        assert!(error <= 0.501 * step, "{name}: {found}, not {expected}");
                        let count = if step > 0.0 { found / step } else { 0.0 };
                        assert!((count - count.round()).abs() < 1e-3, "{name}: {found}");
                    }
                }
            }
        }
    }
}
