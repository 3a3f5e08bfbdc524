//! Quantisation of the feature transformer.

#![expect(clippy::cast_precision_loss, reason = "small whole numbers")]

use crate::eval::nnue::FeatureTransformer;
use crate::eval::nnue::scalar::{MAX_ACTIVATION, MAX_FACTOR, QA};
use crate::train::learn::layout::{BIASES, BLOCK, Layout};
use crate::train::learn::rounding::Equations;
use crate::train::learn::sample::{FEATURES, MAX_ACTIVE, Sample};
use crate::train::learn::weights::Weights;
use crate::util::Aligned;

/// Fewest positions with which the feature transformer is rounded jointly.
const MIN_KNOWN: usize = 20_000;

/// The accumulator column that stands for 1.
pub(super) fn one_of(layout: Layout) -> f32 {
    match layout.hidden() {
        None => QA as f32,
        Some(hidden) if hidden.is_products => MAX_FACTOR as f32,
        Some(_) => MAX_ACTIVATION as f32,
    }
}

/// The feature transformer, in multiples of `step`. The weights of each column are rounded jointly
/// for the positions `known`, where these are enough.
pub(super) fn transformer(weights: &Weights, step: f32, known: &[&Sample]) -> FeatureTransformer {
    let (layout, width) = (weights.layout(), weights.layout().width());
    let one = f64::from(one_of(layout) / step);
    // The bias first.
    let mut columns = vec![Vec::new(); width];
    for (number, block) in weights.blocks().enumerate() {
        for place in 0..BLOCK {
            let rows = std::iter::once(BIASES).chain(0..FEATURES);
            let values = rows.map(|row| f64::from(block[row].0[place]) * one);
            columns[layout.column(number, place)] = values.collect();
        }
    }
    let mut equations = Equations::new(1 + FEATURES, width);
    if known.len() >= MIN_KNOWN {
        let mut features = [[0; MAX_ACTIVE]; 2];
        for sample in known {
            let active = sample.features(&mut features);
            for features in &features {
                equations.add_sparse(&features[..active]);
            }
        }
    }
    let rounded = equations.solve(&columns, |_, weight| weight.round());
    let mut transformer = FeatureTransformer {
        biases: Aligned::zeroed(width),
        weights: Aligned::zeroed(FEATURES * width),
    };
    for (column, rounded) in rounded.iter().enumerate() {
        // In range, because the optimiser clamps weights.
        let quantised = rounded.iter().map(|&weight| (weight as f32 * step) as i16);
        for (number, weight) in quantised.enumerate() {
            match number.checked_sub(1) {
                None => transformer.biases[column] = weight,
                Some(feature) => transformer.weights[feature * width + column] = weight,
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
