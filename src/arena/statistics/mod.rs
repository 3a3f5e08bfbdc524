//! Statistics of results: Elo with error bars and the likelihood of superiority (LOS).
//!
//! The two games of a pair begin with the same opening, so they are not independent. The error bar
//! is therefore computed from pairs (the pentanomial model), where it is usually smaller than from
//! single games. All intervals are 95 % normal approximations on the score, with both ends
//! converted to Elo. Where fewer than five results differ from the most frequent one, the observed
//! variance says little: the interval is then at least the Wilson bound of as many equal results.
//! No LOS is more certain than that of equal results.
//!
//! References: fishtest's mathematics,
//! <https://official-stockfish.github.io/docs/fishtest-wiki/Fishtest-Mathematics.html>; E. B.
//! Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

#![expect(clippy::cast_precision_loss, reason = "nobody plays 2^53 games")]

#[cfg(test)]
mod tests;

use std::f64::consts::PI;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The 97.5 % quantile of the normal distribution: 95 % lie within this many standard deviations.
const Z_95: f64 = 1.959_963_984_540_054;

/// Number of results other than the most frequent one from which on their variance counts.
const FEW: u64 = 5;

/// Wins, draws and losses of the first engine, over single games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wdl {
    /// Games that the first engine won.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that the first engine lost.
    pub losses: u64,
}

impl Wdl {
    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of the first engine: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points of the first engine per game, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        mean(&self.samples())
    }

    /// Share of drawn games, 0 to 1; `None` without games.
    pub fn draw_rate(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// The estimate that treats games as independent; `None` without games.
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::of(&self.samples())
    }

    fn samples(&self) -> [Sample; 3] {
        [(0.0, self.losses), (0.5, self.draws), (1.0, self.wins)]
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// Number of game pairs (same opening, colours swapped) with 0, ½, 1, 1½ and 2 points for the first
/// engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts a pair in which the first engine scored this many half points, 0 to 4.
    ///
    /// # Panics
    /// If `half_points` is above 4.
    pub fn add_pair(&mut self, half_points: usize) {
        assert!(half_points < self.0.len(), "two games have 4 half points");
        self.0[half_points] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Points of the first engine, at most 2 per pair.
    pub fn points(&self) -> f64 {
        let half_points: u64 = (0..).zip(self.0).map(|(half, count)| half * count).sum();
        half_points as f64 / 2.0
    }

    /// Points of the first engine per game, 0 to 1; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        mean(&self.samples())
    }

    /// The estimate from pairs; `None` without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::of(&self.samples())
    }

    fn samples(&self) -> [Sample; 5] {
        std::array::from_fn(|half| (half as f64 / 4.0, self.0[half]))
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// The difference in strength between two engines, with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Points of the first engine per game, 0 to 1.
    pub score: f64,
    /// The Elo difference that corresponds to the score; infinite if one side has all points.
    pub elo: f64,
    /// Lower end of the 95 % interval in Elo, possibly infinite.
    pub low: f64,
    /// Upper end of the 95 % interval in Elo, possibly infinite.
    pub high: f64,
    /// Likelihood of superiority: probability that the first engine is the stronger one, 0 to 1.
    pub los: f64,
}

impl Estimate {
    /// Half the width of the 95 % interval in Elo, the number after "±"; possibly infinite.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    fn of(samples: &[Sample]) -> Option<Self> {
        let score = mean(samples)?;
        let count = samples.iter().map(|&(_, count)| count as f64).sum::<f64>();
        let variance = samples
            .iter()
            .map(|&(value, times)| times as f64 * (value - score).powi(2))
            .sum::<f64>()
            / count;
        let deviation = (variance / count).sqrt();
        let [mut low, mut high] = [-1.0, 1.0].map(|sign| score + sign * Z_95 * deviation);
        let most = samples.iter().map(|&(_, times)| times).max().unwrap_or(0);
        if samples.iter().map(|&(_, times)| times).sum::<u64>() - most < FEW {
            let equals = interval_of_equals(score, count);
            (low, high) = (low.min(equals.0), high.max(equals.1));
        }
        let lead = score - 0.5;
        // Of equal results: the variance around ½ that equal engines would have. For wins and
        // losses this is the usual Φ((W−L)/√(W+L)).
        let of_equals = lead.abs() / count.sqrt();
        let los = if lead == 0.0 {
            0.5
        } else {
            normal_cdf(lead / deviation.max(of_equals))
        };
        Some(Self {
            score,
            elo: elo_of(score),
            low: elo_of(low),
            high: elo_of(high),
            los,
        })
    }
}

/// A score from 0 to 1, and its number of occurrences.
type Sample = (f64, u64);

fn mean(samples: &[Sample]) -> Option<f64> {
    let count: u64 = samples.iter().map(|&(_, count)| count).sum();
    let sum: f64 = samples
        .iter()
        .map(|&(value, times)| value * times as f64)
        .sum();
    (count > 0).then(|| sum / count as f64)
}

/// The interval of the mean if all results were `value`. By Wilson's bound for a proportion of
/// zero, any other result may still have the probability z²/(n+z²), and it may be the best or the
/// worst one.
fn interval_of_equals(value: f64, count: f64) -> (f64, f64) {
    let unseen = Z_95 * Z_95 / (count + Z_95 * Z_95);
    let seen = value * (1.0 - unseen);
    (seen, seen + unseen)
}

/// The Elo difference with the expected score `score`; minus infinity for 0 and below, infinity for
/// 1 and above.
pub fn elo_of(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The expected score, 0 to 1, of a player who is stronger by `elo`.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The cumulative distribution function of the standard normal distribution, with an absolute error
/// below 1e-14.
///
/// Uses the series Φ(x) = ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …), whose terms have the same sign, so
/// that nothing cancels: G. Marsaglia, "Evaluating the Normal Distribution", Journal of Statistical
/// Software 11 (2004).
pub fn normal_cdf(x: f64) -> f64 {
    // Beyond this the tail is below 1e-15.
    const END: f64 = 8.0;
    if x.is_nan() {
        return x;
    }
    if x.abs() > END {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let mut term = x;
    let mut sum = x;
    let mut divisor = 1.0;
    while term.abs() > sum.abs() * f64::EPSILON / 4.0 {
        divisor += 2.0;
        term *= x * x / divisor;
        sum += term;
    }
    let density = (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
    (0.5 + density * sum).clamp(0.0, 1.0)
}
