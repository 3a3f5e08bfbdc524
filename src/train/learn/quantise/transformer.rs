//! Quantisation of the feature transformer.

use crate::eval::nnue::FeatureTransformer;
use crate::train::learn::grid::Grid;
use crate::train::learn::layout::BLOCK;
use crate::train::learn::weights::Weights;
use crate::util::Aligned;

/// The feature transformer; its weights have been rounded by [`Grid::round`].
pub(super) fn transformer(weights: &Weights, grid: Grid) -> FeatureTransformer {
    let (layout, width) = (weights.layout(), weights.layout().width());
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
                to[layout.column(number, place)] = (from.0[place] * grid.one()).round() as i16;
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
