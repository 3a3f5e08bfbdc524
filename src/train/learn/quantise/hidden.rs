//! Quantisation of two hidden layers, as `YaneuraOu` computes them.
//!
//! A weight of 1 is 64, an activation of 1 is 127, except that products and squares of activations
//! of 1 are 126: the factors of weights make up for it. `FV_SCALE`, which divides the output, is as
//! large as the weights of the last layer allow, because larger weights are rounded less.
//! Activations are rounded down; half a step on the biases makes that rounding to the nearest.
//! Layers are rounded one after the other, each for the inputs that the one before really gives,
//! see [`rounding`](crate::train::learn::rounding).

use rayon::prelude::*;

use super::{Grid, sums, transformer};
use crate::eval::nnue::scalar::{
    MAX_ACTIVATION, MAX_FACTOR, Sums, WEIGHT_BITS, affine, clamped, clip, products, square,
};
use crate::eval::nnue::shape::LayerShape;
use crate::eval::nnue::{AffineLayer, LayerStack, Network};
use crate::train::learn::rounding::{Equations, MAX_JOINT_WIDTH};
use crate::train::learn::sample::{ActiveFeatures, MAX_ACTIVE, Sample};
use crate::train::learn::weights::{Hidden, Layout, Weights};

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
pub(super) fn quantise(
    weights: &Weights,
    hidden: Hidden,
    (grid, scale): (Grid, u16),
    text: &str,
    known: &[&Sample],
) -> Network {
    let layout = weights.layout();
    let shape = layout.shape();
    let fv_scale = fv_scale(weights, hidden, scale);
    let transformer = transformer(weights, grid);
    let floats = Floats::new(weights, hidden);
    let positions: Vec<Traced> = if layout.width() <= MAX_JOINT_WIDTH {
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
    let outputs = inputs
        .par_iter()
        .map(|inputs| first_outputs(hidden, &first, inputs));
    let (inputs, shortcuts): (Vec<_>, Vec<_>) = outputs.unzip();
    let second = round(1, &inputs, &no_shortcuts);
    let outputs = inputs.par_iter().map(|inputs| {
        let sums = affine(&second, inputs);
        sums.into_iter().map(clip).collect()
    });
    let inputs: Vec<Vec<u8>> = outputs.collect();
    let last = round(2, &inputs, &shortcuts);
    let stack = LayerStack {
        first,
        second,
        last,
    };
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
    if hidden.is_products {
        products(sums)
    } else {
        clamped(sums)
    }
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
        let product = if hidden.is_products {
            one / ONE_PRODUCT
        } else {
            1.0
        };
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
    let largest = |values: &[f32]| {
        values
            .iter()
            .fold(0.0_f32, |most, value| most.max(value.abs()))
    };
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

/// The inverse of [`quantise`] for all but the feature transformer, up to rounding.
pub(super) fn to_floats(network: &Network, hidden: Hidden, scale: u16, weights: &mut Weights) {
    let factors = Factors::new(hidden, scale, network.scale());
    let LayerStack {
        first,
        second,
        last,
    } = &network.stacks[0];
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
    let parts = [
        (first, hidden.first_biases()),
        (second, hidden.second_biases()),
        (last, last_bias),
    ];
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
        let mut transformer = vec![vec![0.0; layout.width()]; layout.biases() + 1];
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
        Self {
            layout,
            hidden,
            transformer,
            first,
            top: weights.top.clone(),
        }
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
        let active = sample.features(self.layout.feature_set(), &mut features);
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
        Traced {
            features,
            active,
            layers: [first, second, last],
        }
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
