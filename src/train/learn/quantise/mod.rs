//! Quantisation of a trained network, and its rounding error.

#![expect(
    clippy::cast_precision_loss,
    reason = "small whole numbers, and counts of positions"
)]

mod direct;
mod floats;
mod hidden;
mod transformer;

use super::chunk::{CHUNK, Chunk};
use super::grid::Grid;
use super::layout::Layout;
use super::loss::Target;
use super::pass::Pass;
use super::sample::Sample;
use super::weights::Weights;
use crate::eval::nnue::Network;
use crate::eval::nnue::scalar::value_in;
use transformer::sums;

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
    /// Mean absolute difference.
    pub mean: f64,
    /// Largest absolute difference.
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
    let network = match weights.layout().hidden() {
        None => direct::quantise(weights, grid, text),
        Some(hidden) => {
            let known: Vec<&Sample> = known.collect();
            hidden::quantise(weights, hidden, (grid, scale), text, &known)
        }
    };
    let errors = compare(weights, scale, &network, unknown);
    Quantised { network, errors }
}

/// The inverse of [`quantise`], up to rounding; `None` where the network cannot be trained.
pub(super) fn to_floats(network: &Network, scale: u16) -> Option<Weights> {
    let mut weights = Weights::zeroed(Layout::new(network.shape())?);
    match weights.layout().hidden() {
        None => direct::to_floats(network.output_layer.as_ref()?, scale, &mut weights),
        Some(hidden) => hidden::to_floats(network, hidden, scale, &mut weights),
    }
    let (layout, width) = (weights.layout(), weights.layout().width());
    let transformer = &network.transformer;
    let part = Grid::new(layout, scale).one().recip();
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
    let mut chunk = Chunk::new(weights.layout().feature_set());
    for part in samples.chunks(CHUNK) {
        chunk.fill(part.iter(), |_| Target::exact(0.0));
        let outputs = pass.forward(weights, &chunk);
        for (position, &output) in outputs.iter().enumerate() {
            let sums =
                [0, 1].map(|side| sums(&network.transformer, chunk.features(position, side)));
            let bucket = match weights.layout().hidden() {
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
