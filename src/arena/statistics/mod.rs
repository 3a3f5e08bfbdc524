//! Statistics of results: the SPRT, which ends a match as soon as they decide between two
//! hypotheses, and Elo with error bars.
//!
//! The SPRT is a generalized sequential probability ratio test over pairs of games. For each of two
//! hypotheses the most likely distribution of pair results is fitted, and the logarithm of the
//! ratio of the two likelihoods (LLR) is compared with Wald's bounds. Hypotheses are differences in
//! logistic or normalized Elo; normalized Elo measures the score in units of its standard deviation
//! per game, so that the length of a test does not depend on time control and openings.
//!
//! With observed frequencies p̂ over the values v, the most likely distribution among those with Σ
//! q·g = 0, for numbers g of both signs, is q = p̂/(1 + x·g), where x solves Σ p̂·g/(1 + x·g) = 0
//! between the poles; there is exactly one such x (Lagrange). For a given mean s, g = v − s. A
//! given t-value is not linear in q; it is linearized around the last q until q converges.
//!
//! References: M. Van den Bergh, "Comments on Normalized Elo",
//! <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>, and "The maximum likelihood
//! estimate of a multinomial distribution with given mean",
//! <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>; fishtest uses the same.

#[cfg(test)]
mod tests;

use std::{f64::consts::PI, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::util::shorten;

/// Normalized Elo per unit of t-value of a single game, 800/ln 10. Equals logistic Elo for small
/// differences and without draws.
const NORMALIZED_ELO_PER_T_VALUE: f64 = 800.0 / std::f64::consts::LN_10;

/// Expected score between equal players.
const EQUAL: f64 = 0.5;

/// Maximum difference of a hypothesis in Elo. Up to here the fit of a t-value converges for all
/// results.
const MOST_ELO: f64 = 200.0;

/// Two hypotheses about the strength of the first engine, and the error probabilities of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// H0: the first engine is stronger by this many Elo.
    pub elo0: f64,
    /// H1: the first engine is stronger by this many Elo, above `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 although H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 although H1 holds.
    pub beta: f64,
    /// The kind of Elo of both hypotheses.
    pub model: Model,
}

/// The kind of Elo in which hypotheses are stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Model {
    /// Ordinary Elo, a function of the score.
    #[default]
    Logistic,
    /// A function of the score and its standard deviation.
    Normalized,
}

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SprtVerdict {
    /// Neither hypothesis is accepted yet.
    Continue,
    /// H0 is accepted: the gain is not as large as `elo1`.
    H0,
    /// H1 is accepted: the gain is larger than `elo0`.
    H1,
}

impl Default for Sprt {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Logistic }
    }
}

impl Sprt {
    /// Checks the range and order of the hypotheses and the range of the probabilities.
    ///
    /// # Errors
    /// Names the first value that is out of range.
    pub fn check(&self) -> Result<(), String> {
        for (name, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !(-MOST_ELO..=MOST_ELO).contains(&value) {
                return Err(format!("{name}={value}, expected {} to {MOST_ELO}", -MOST_ELO));
            }
        }
        if self.elo0 >= self.elo1 {
            let (elo0, elo1) = (self.elo0, self.elo1);
            return Err(format!("elo0={elo0} and elo1={elo1}, expected elo0 below elo1"));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(format!(
                    "{name}={value}, expected a probability above 0 and below 0.5"
                ));
            }
        }
        Ok(())
    }

    /// The lower bound, at which H0 is accepted, and the upper bound, at which H1 is.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio: the logarithm of how much more likely the pairs are under H1 than
    /// under H0; 0 without pairs.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let (count, observed) = Distribution::observed(pairs);
        let [fitted0, fitted1] = [self.elo0, self.elo1].map(|elo| self.most_likely(&observed, elo));
        count * observed.mean_log_ratio(&fitted1, &fitted0)
    }

    /// The result of the test for these pairs.
    pub fn verdict(&self, pairs: &Pentanomial) -> SprtVerdict {
        let (lower, upper) = self.bounds();
        let llr = self.llr(pairs);
        if llr >= upper {
            SprtVerdict::H1
        } else if llr <= lower {
            SprtVerdict::H0
        } else {
            SprtVerdict::Continue
        }
    }

    /// The most likely distribution under the hypothesis of a difference of `elo`, given the
    /// observed one.
    fn most_likely(&self, observed: &Distribution, elo: f64) -> Distribution {
        match self.model {
            Model::Logistic => with_mean(observed, score_of(elo)),
            Model::Normalized => {
                // The standard deviation of the mean of two games is smaller by √2 than that of one
                // game.
                let t_value = 2_f64.sqrt() * elo / NORMALIZED_ELO_PER_T_VALUE;
                with_t_value(observed, EQUAL, t_value)
            }
        }
    }
}

impl FromStr for Sprt {
    type Err = String;

    /// Parses `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized`, separated by spaces or commas;
    /// missing values have their defaults.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut sprt = Self::default();
        for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some(("elo0", value)) => sprt.elo0 = number("elo0", value)?,
                Some(("elo1", value)) => sprt.elo1 = number("elo1", value)?,
                Some(("alpha", value)) => sprt.alpha = number("alpha", value)?,
                Some(("beta", value)) => sprt.beta = number("beta", value)?,
                Some(("model", value)) => sprt.model = value.parse()?,
                _ => {
                    return Err(format!(
                        "'{}', expected elo0=, elo1=, alpha=, beta= or model= with a value",
                        shorten(word)
                    ));
                }
            }
        }
        sprt.check()?;
        Ok(sprt)
    }
}

fn number(name: &str, value: &str) -> Result<f64, String> {
    value.parse().map_err(|_| format!("{name}='{}', expected a number", shorten(value)))
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elo0, elo1, alpha, beta) = (self.elo0, self.elo1, self.alpha, self.beta);
        let model = self.model;
        write!(f, "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}")
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "logistic" => Ok(Self::Logistic),
            "normalized" => Ok(Self::Normalized),
            _ => Err(format!("model='{}', expected logistic or normalized", shorten(text))),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
        })
    }
}

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
struct Distribution([f64; 5]);

impl Distribution {
    /// The number of pairs and the frequencies of the results, both with [`UNSEEN`] in place of
    /// zeros.
    fn observed(pairs: &Pentanomial) -> (f64, Self) {
        let count = |count: u64| if count == 0 { UNSEEN } else { count as f64 };
        let counts = pairs.0.map(count);
        let sum: f64 = counts.iter().sum();
        (sum, Self(counts.map(|count| count / sum)))
    }

    /// The expectation of ln(above/below) under this distribution.
    fn mean_log_ratio(&self, above: &Self, below: &Self) -> f64 {
        let term = |result: usize| self.0[result] * (above.0[result] / below.0[result]).ln();
        (0..VALUES.len()).map(term).sum()
    }

    fn mean_and_variance(&self) -> (f64, f64) {
        let mean: f64 = self.0.iter().zip(VALUES).map(|(p, value)| p * value).sum();
        let square = |(p, value): (&f64, f64)| p * (value - mean).powi(2);
        (mean, self.0.iter().zip(VALUES).map(square).sum())
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
fn with_mean(observed: &Distribution, mean: f64) -> Distribution {
    observed.orthogonal_to(&VALUES.map(|value| value - mean))
}

/// The most likely distribution in which the mean is `t_value` standard deviations above
/// `reference`.
fn with_t_value(observed: &Distribution, reference: f64, t_value: f64) -> Distribution {
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
        let change = |result: usize| (next.0[result] - fitted.0[result]).abs();
        let change = (0..VALUES.len()).map(change).fold(0.0, f64::max);
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
        let term = |(p, number): (&f64, &f64)| p * number / (1.0 + middle * number);
        let sum: f64 = probabilities.iter().zip(numbers).map(term).sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

// --- Elo with error bars ---
//
// Statistics of results: Elo with error bars and the likelihood of superiority (LOS).
//
// The two games of a pair begin with the same opening, so they are not independent. The error bar
// is therefore computed from pairs (the pentanomial model), where it is usually smaller than from
// single games. All intervals are 95 % normal approximations on the score, with both ends
// converted to Elo. Where fewer than five results differ from the most frequent one, the observed
// variance says little: the interval is then at least the Wilson bound of as many equal results.
// No LOS is more certain than that of equal results.
//
// References: fishtest's mathematics,
// <https://official-stockfish.github.io/docs/fishtest-wiki/Fishtest-Mathematics.html>; E. B.
// Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

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
    /// Wins, draws and losses together.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
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

    /// Pairs of which both games are over.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The estimate from pairs; `None` without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::of(&self.samples())
    }

    fn samples(&self) -> [Sample; 5] {
        std::array::from_fn(|half| (half as f64 / 4.0, self.0[half]))
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
        let square = |&(value, times): &Sample| times as f64 * (value - score).powi(2);
        let variance = samples.iter().map(square).sum::<f64>() / count;
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
        let los = if lead == 0.0 { 0.5 } else { normal_cdf(lead / deviation.max(of_equals)) };
        Some(Self { score, elo: elo_of(score), low: elo_of(low), high: elo_of(high), los })
    }
}

/// A score from 0 to 1, and its number of occurrences.
type Sample = (f64, u64);

fn mean(samples: &[Sample]) -> Option<f64> {
    let count: u64 = samples.iter().map(|&(_, count)| count).sum();
    let points = |&(value, times): &Sample| value * times as f64;
    let sum: f64 = samples.iter().map(points).sum();
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

#[cfg(test)]
mod statistics_tests {
    #![expect(clippy::float_cmp, reason = "infinities are exact")]

    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance * expected.abs().max(1.0),
            "found {found}, expected {expected}"
        );
    }

    /// Φ by Simpson's rule over the density.
    fn integrated_cdf(x: f64) -> f64 {
        let steps = 4000;
        let width = x / f64::from(steps);
        let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * PI).sqrt();
        let mut sum = density(0.0) + density(x);
        for step in 1..steps {
            sum += density(f64::from(step) * width) * if step % 2 == 1 { 4.0 } else { 2.0 };
        }
        0.5 + sum * width / 3.0
    }

    #[test]
    fn normal_distribution_has_its_tabulated_values() {
        close(normal_cdf(0.0), 0.5, 1e-15);
        close(normal_cdf(1.0), 0.841_344_746_068_542_9, 1e-15);
        close(normal_cdf(-2.0), 0.022_750_131_948_179_2, 1e-15);
        close(normal_cdf(Z_95), 0.975, 1e-14);
        close(normal_cdf(-5.0), 2.866_515_718_791_94e-7, 1e-15);
        close(normal_cdf(100.0), 1.0, 0.0);
        close(normal_cdf(f64::NEG_INFINITY), 0.0, 0.0);
        assert!(normal_cdf(f64::NAN).is_nan());
        for tenth in -79..=79 {
            let x = f64::from(tenth) / 10.0;
            close(normal_cdf(x), integrated_cdf(x), 1e-11);
        }
    }

    #[test]
    fn elo_and_score_are_inverse() {
        close(elo_of(0.75), 400.0 * 3_f64.log10(), 1e-14);
        close(score_of(400.0), 10.0 / 11.0, 1e-14);
        close(elo_of(0.5), 0.0, 0.0);
        assert_eq!(elo_of(1.0), f64::INFINITY);
        assert_eq!(elo_of(-0.1), f64::NEG_INFINITY);
        for elo in [-700.0, -35.5, 0.0, 1.0, 200.0] {
            close(elo_of(score_of(elo)), elo, 1e-11);
        }
    }

    /// Elo, half the interval and LOS according to fishtest's `stat_util.get_elo`.
    #[test]
    fn pairs_have_the_error_bars_of_fishtest() {
        let cases = cases! {
            [10789, 19328, 33806, 19402, 10543],
            -0.773_577_335_916_542_3,
            1.277_579_895_728_021_8 =>
                0.117_658_858_032_775_1;
            [39, 2226, 31451, 2412, 40], 0.902_981_048_809_024, 0.662_531_485_981_655_3 =>
                0.996_222_097_335_420_7;
            [1187, 7410, 13475, 7378, 1164], -0.442_607_799_223_684_1, 1.729_859_027_617_742_1 =>
                0.308_013_879_122_690_3;
            [50, 400, 1000, 450, 60], 6.204_866_471_299_001, 6.235_842_323_937_144 =>
                0.974_462_699_185_715_3;
            [5, 5, 5, 5, 5], 0.0, 98.889_067_203_268_75 => 0.5;
        };
        for (counts, elo, error, los) in cases {
            let estimate = Pentanomial(counts).estimate().unwrap();
            close(estimate.elo, elo, 1e-11);
            close(estimate.error(), error, 1e-11);
            close(estimate.los, los, 1e-11);
            assert!(estimate.low < estimate.elo && estimate.elo < estimate.high);
        }
    }

    /// Computed by hand from the definition of the variance.
    #[test]
    fn games_have_the_error_bars_of_the_textbook() {
        let games = Wdl { wins: 450, draws: 200, losses: 350 };
        assert_eq!(games.games(), 1000);
        close(games.score().unwrap(), 0.55, 1e-15);
        close(games.draw_rate().unwrap(), 0.2, 1e-15);
        let estimate = games.estimate().unwrap();
        // E[X²] = 0.45 + 0.2/4 = 0.5; the variance is 0.5 - 0.55² = 0.1975.
        let deviation = (0.1975_f64 / 1000.0).sqrt();
        let elo = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
        close(estimate.elo, 34.860_070, 1e-7);
        close(estimate.low, elo(0.55 - 1.96 * deviation), 1e-4);
        close(estimate.high, elo(0.55 + 1.96 * deviation), 1e-4);
        close(estimate.los, integrated_cdf(0.05 / deviation), 1e-10);
    }

    #[test]
    fn pairs_are_counted() {
        let mut pairs = Pentanomial::default();
        for half_points in [0, 1, 2, 3, 4, 4] {
            pairs.add_pair(half_points);
        }
        assert_eq!(pairs, Pentanomial([1, 1, 1, 1, 2]));
        assert_eq!(pairs.pairs(), 6);
    }

    #[test]
    fn nothing_played_is_worth_nothing() {
        assert_eq!(Wdl::default().estimate(), None);
        assert_eq!(Wdl::default().score(), None);
        assert_eq!(Wdl::default().draw_rate(), None);
        assert_eq!(Pentanomial::default().estimate(), None);
    }

    #[test]
    fn equal_results_still_leave_doubt() {
        let won = Pentanomial([0, 0, 0, 0, 10]).estimate().unwrap();
        assert_eq!(won.elo, f64::INFINITY);
        assert_eq!(won.high, f64::INFINITY);
        // Wilson's lower bound for 10 of 10 is 0.7225, as in published tables.
        close(won.low, elo_of(0.722_467), 1e-5);
        assert!(won.los > 0.99 && won.los < 1.0);

        let lost = Pentanomial([10, 0, 0, 0, 0]).estimate().unwrap();
        close(lost.high, -won.low, 1e-12);
        assert_eq!(lost.low, f64::NEG_INFINITY);
        close(lost.los, 1.0 - won.los, 1e-12);

        let drawn = Pentanomial([0, 0, 10, 0, 0]).estimate().unwrap();
        close(drawn.elo, 0.0, 0.0);
        close(drawn.low, -drawn.high, 1e-12);
        assert!(drawn.error() > 50.0 && drawn.error() < 200.0);
        close(drawn.los, 0.5, 0.0);
        let more = Pentanomial([0, 0, 1000, 0, 0]).estimate().unwrap();
        assert!(more.error() < drawn.error() / 50.0);
    }

    #[test]
    fn a_different_result_makes_nothing_more_certain() {
        for pairs in [2, 6, 30] {
            let [equal, other] = [0, 1].map(|drawn| {
                let estimate = Pentanomial([0, 0, 0, drawn, pairs - drawn]).estimate();
                estimate.unwrap()
            });
            assert!(other.low < equal.low, "{pairs}");
            assert!(other.los <= equal.los + 1e-12, "{pairs}");
        }
        let two = Pentanomial([0, 0, 0, 1, 1]).estimate().unwrap();
        close(two.los, normal_cdf(2_f64.sqrt()), 1e-12);
        assert!(two.low < 0.0);
    }

    #[test]
    fn ends_beyond_all_points_are_infinite() {
        let few = Wdl { wins: 3, draws: 1, losses: 0 };
        let estimate = few.estimate().unwrap();
        assert_eq!(estimate.high, f64::INFINITY);
        assert!(estimate.elo.is_finite() && estimate.low.is_finite());
        assert_eq!(estimate.error(), f64::INFINITY);
    }
}
