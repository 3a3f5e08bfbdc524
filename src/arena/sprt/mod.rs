//! SPRT: ends a match as soon as its results decide between two hypotheses.
//!
//! This is a generalized sequential probability ratio test over pairs of games. For each of two
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

#![expect(clippy::cast_precision_loss, reason = "nobody plays 2^53 games")]

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::statistics::{Pentanomial, score_of};
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
        Self {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Logistic,
        }
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
                return Err(format!(
                    "{name}={value}, expected {} to {MOST_ELO}",
                    -MOST_ELO
                ));
            }
        }
        if self.elo0 >= self.elo1 {
            let (elo0, elo1) = (self.elo0, self.elo1);
            return Err(format!(
                "elo0={elo0} and elo1={elo1}, expected elo0 below elo1"
            ));
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
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
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
    value
        .parse()
        .map_err(|_| format!("{name}='{}', expected a number", shorten(value)))
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = self;
        write!(
            f,
            "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}"
        )
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "logistic" => Ok(Self::Logistic),
            "normalized" => Ok(Self::Normalized),
            _ => Err(format!(
                "model='{}', expected logistic or normalized",
                shorten(text)
            )),
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
        let counts = pairs
            .0
            .map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let sum: f64 = counts.iter().sum();
        (sum, Self(counts.map(|count| count / sum)))
    }

    /// The expectation of ln(above/below) under this distribution.
    fn mean_log_ratio(&self, above: &Self, below: &Self) -> f64 {
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
