//! A network with hidden layers in floats, position by position: what its quantised layers should
//! compute.

use crate::train::learn::layout::{Hidden, Layout};
use crate::train::learn::sample::{ActiveFeatures, MAX_ACTIVE, Sample};
use crate::train::learn::weights::Weights;

/// The weights of a network, in the order of the engine.
pub(super) struct Floats {
    layout: Layout,
    hidden: Hidden,
    /// `[feature or biases][column]`
    transformer: Vec<Vec<f32>>,
    /// `[neuron][input]`
    first: Vec<Vec<f32>>,
    top: Vec<f32>,
}

/// Sums of the layers in one position.
pub(super) struct Traced {
    pub(super) features: [ActiveFeatures; 2],
    /// Number of features of each side.
    pub(super) active: usize,
    /// Sums of the three layers, with the shortcut in the last one.
    pub(super) layers: [Vec<f32>; 3],
}

impl Floats {
    pub(super) fn new(weights: &Weights, hidden: Hidden) -> Self {
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
    pub(super) fn neurons(&self, layer: usize) -> Vec<&[f32]> {
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
    pub(super) fn biases(&self, layer: usize) -> &[f32] {
        let hidden = self.hidden;
        match layer {
            0 => &self.top[hidden.first_biases()],
            1 => &self.top[hidden.second_biases()],
            _ => std::slice::from_ref(&self.top[hidden.last_bias()]),
        }
    }

    /// The sums of all layers.
    pub(super) fn trace(&self, sample: &Sample) -> Traced {
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
