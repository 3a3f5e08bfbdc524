//! The mean losses of held-out positions.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use super::loss::{Targets, loss_and_slope};
use super::sample::Sample;
use super::settings::Settings;

/// Sums of the losses: against the target at the end of the run, against the scores, and against
/// the results of those positions that have one.
pub(super) struct HeldOutLosses {
    targets: [Targets; 3],
    power: f32,
    sums: [f64; 3],
    positions: usize,
    results: usize,
}

impl HeldOutLosses {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            targets: [settings.result_weight.last, 0.0, 1.0]
                .map(|weight| Targets::new(settings, weight)),
            power: settings.power as f32,
            sums: [0.0; 3],
            positions: 0,
            results: 0,
        }
    }

    /// Adds a position with its output.
    pub(super) fn add(&mut self, sample: &Sample, output: f32) {
        let has_result = sample.result().is_some();
        self.positions += 1;
        self.results += usize::from(has_result);
        let known = 2 + usize::from(has_result);
        for (sum, targets) in self.sums.iter_mut().zip(&self.targets[..known]) {
            let (loss, _) = loss_and_slope(output, targets.of(sample), self.power);
            *sum += f64::from(loss);
        }
    }

    pub(super) fn means(&self) -> [f64; 3] {
        let [target, score, result] = self.sums;
        let positions = self.positions.max(1) as f64;
        [
            target / positions,
            score / positions,
            result / self.results.max(1) as f64,
        ]
    }
}
