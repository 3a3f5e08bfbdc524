//! Maximum-likelihood distributions of pair results under a hypothesis.
//!
//! With observed frequencies p̂ over the values v, the most likely distribution among those with Σ
//! q·g = 0, for numbers g of both signs, is q = p̂/(1 + x·g), where x solves Σ p̂·g/(1 + x·g) = 0
//! between the poles; there is exactly one such x (Lagrange). For a given mean s, g = v − s. A
//! given t-value is not linear in q; it is linearized around the last q until q converges. Sources:
//! see the parent module.

#![expect(clippy::cast_precision_loss, reason = "nobody plays 2^53 games")]

use super::Pentanomial;

/// Count of a result that never occurred, in pairs. With 0 a hypothesis outside the observed
/// results would be impossible rather than unlikely. The value is that of fishtest.
const UNSEEN: f64 = 1e-3;

/// Maximum number of bisections. The interval of floats usually cannot be divided any more long
/// before.
const MOST_HALVINGS: usize = 200;

/// Maximum number of linearizations; about five are usual.
const MOST_ROUNDS: usize = 200;

/// Change of a probability below which the linearization has converged.
const SETTLED: f64 = 1e-12;

/// Score of a pair per game, by half points.
const VALUES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Probabilities of the five results of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distribution([f64; 5]);

impl Distribution {
    /// The number of pairs and the frequencies of the results, both with [`UNSEEN`] in place of
    /// zeros.
    pub(super) fn observed(pairs: &Pentanomial) -> (f64, Self) {
        let counts = pairs
            .0
            .map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let sum: f64 = counts.iter().sum();
        (sum, Self(counts.map(|count| count / sum)))
    }

    /// The expectation of ln(above/below) under this distribution.
    pub(super) fn mean_log_ratio(&self, above: &Self, below: &Self) -> f64 {
        (0..VALUES.len())
            .map(|result| self.0[result] * (above.0[result] / below.0[result]).ln())
            .sum()
    }

    fn mean_and_variance(&self) -> (f64, f64) {
        let mean: f64 = self.0.iter().zip(VALUES).map(|(p, value)| p * value).sum();
        let variance = self
            .0
            .iter()
            .zip(VALUES)
            .map(|(p, value)| p * (value - mean).powi(2))
            .sum();
        (mean, variance)
    }

    /// The most likely distribution under which the expectation of `numbers` is zero.
    fn orthogonal_to(&self, numbers: &[f64; 5]) -> Self {
        let x = multiplier(&self.0, numbers);
        let mut fitted = *self;
        for (p, number) in fitted.0.iter_mut().zip(numbers) {
            *p /= 1.0 + x * number;
        }
        fitted
    }
}

/// The most likely distribution with this mean, between 0 and 1.
pub(super) fn with_mean(observed: &Distribution, mean: f64) -> Distribution {
    observed.orthogonal_to(&VALUES.map(|value| value - mean))
}

/// The most likely distribution in which the mean is `t_value` standard deviations above
/// `reference`.
pub(super) fn with_t_value(observed: &Distribution, reference: f64, t_value: f64) -> Distribution {
    let mut fitted = Distribution([1.0 / VALUES.len() as f64; 5]);
    for _ in 0..MOST_ROUNDS {
        let (mean, variance) = fitted.mean_and_variance();
        let deviation = variance.sqrt();
        // The tangent of q ↦ σ(q) at the last q, in the values of q.
        let numbers = VALUES.map(|value| {
            let distance = (value - mean) / deviation;
            value - reference - t_value * deviation * (1.0 + distance * distance) / 2.0
        });
        let next = observed.orthogonal_to(&numbers);
        let change = (0..VALUES.len())
            .map(|result| (next.0[result] - fitted.0[result]).abs())
            .fold(0.0, f64::max);
        fitted = next;
        if change < SETTLED {
            break;
        }
    }
    fitted
}

/// The x with Σ p·g/(1 + x·g) = 0 between the poles, found by bisection: the sum falls from
/// infinity to minus infinity there.
fn multiplier(probabilities: &[f64; 5], numbers: &[f64; 5]) -> f64 {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..MOST_HALVINGS {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        let sum: f64 = probabilities
            .iter()
            .zip(numbers)
            .map(|(p, number)| p * number / (1.0 + middle * number))
            .sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}
