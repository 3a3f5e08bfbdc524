//! The gain sequences of SPSA, and the perturbed values of an iteration.

#![expect(clippy::cast_precision_loss, reason = "nobody plays 2^53 iterations")]

use std::fmt;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::Parameter;

/// The settings of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Number of iterations; each is usually one pair of games.
    pub iterations: u64,
    /// Exponent of the decrease of the steps, 0 to 1.
    pub alpha: f64,
    /// Exponent of the decrease of the perturbations, 0 to 1.
    pub gamma: f64,
    /// Number that is added to the iteration in the steps, so that the first steps are not too
    /// large: A in the papers.
    pub stability: f64,
    /// Seed of all perturbations.
    pub seed: u64,
}

impl Settings {
    /// The usual exponents, and a stability of a tenth of the iterations.
    pub fn new(iterations: u64, seed: u64) -> Self {
        Self {
            iterations,
            alpha: 0.602,
            gamma: 0.101,
            stability: 0.1 * iterations as f64,
            seed,
        }
    }

    /// What is wrong with the settings; `None` if they are valid.
    pub(super) fn fault(&self) -> Option<String> {
        let exponents = [("alpha", self.alpha), ("gamma", self.gamma)];
        if self.iterations == 0 {
            return Some("iterations 0, expected at least 1".to_owned());
        }
        for (name, value) in exponents {
            if !(0.0..=1.0).contains(&value) {
                return Some(format!("{name} {value}, expected 0 to 1"));
            }
        }
        if !(self.stability >= 0.0 && self.stability.is_finite()) {
            return Some(format!("stability {}, expected 0 or more", self.stability));
        }
        None
    }

    /// Size of the perturbation of `parameter` in an iteration, from 1: c/kᵞ.
    fn perturbation_size(&self, parameter: &Parameter, iteration: u64) -> f64 {
        parameter.step * (self.iterations as f64 / iteration as f64).powf(self.gamma)
    }

    /// Step of `parameter` for a difference of one point in an iteration: a/(A + k)ᵅ divided by the
    /// perturbation.
    fn gain(&self, parameter: &Parameter, iteration: u64) -> f64 {
        let end = self.stability + self.iterations as f64;
        let now = self.stability + iteration as f64;
        let a = parameter.rate * parameter.step.powi(2) * (end / now).powf(self.alpha);
        a / self.perturbation_size(parameter, iteration)
    }
}

/// The value of an option. Its text is the argument of `value` in `setoption`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// The value of a spin option.
    Integer(i64),
    /// The value of a string option with a number.
    Real(f64),
}

impl Value {
    /// The value as a float.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// The value of `parameter` for `number`. A whole number is rounded down after `rounding` (0 to
    /// 1) is added.
    fn of(parameter: &Parameter, number: f64, rounding: f64) -> Self {
        let number = number.clamp(parameter.least, parameter.most);
        if parameter.is_integer {
            Self::Integer((number + rounding).floor().min(parameter.most) as i64)
        } else {
            Self::Real(number)
        }
    }

    /// The value of `parameter` that is nearest to `number`.
    pub(super) fn nearest(parameter: &Parameter, number: f64) -> Self {
        Self::of(parameter, number, 0.5)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
        }
    }
}

/// The random perturbation of an iteration, determined by the seed and the number of the iteration.
pub(super) struct Perturbation {
    iteration: u64,
    flips: Vec<Flip>,
}

struct Flip {
    /// Direction of the plus side: 1 or −1.
    sign: f64,
    /// Added to numbers before they are rounded down, 0 to 1, so that whole numbers are correct on
    /// average. Both sides use the same, which preserves their distance.
    rounding: f64,
}

impl Perturbation {
    pub(super) fn new(settings: &Settings, parameters: usize, iteration: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(settings.seed);
        generator.set_stream(iteration);
        let flips = (0..parameters)
            .map(|_| Flip {
                sign: if generator.random::<bool>() {
                    1.0
                } else {
                    -1.0
                },
                rounding: generator.random(),
            })
            .collect();
        Self { iteration, flips }
    }

    /// The values of a side: `side` is 1 for plus and −1 for minus.
    pub(super) fn values(
        &self,
        settings: &Settings,
        parameters: &[Parameter],
        theta: &[f64],
        side: f64,
    ) -> Vec<Value> {
        parameters
            .iter()
            .zip(theta)
            .zip(&self.flips)
            .map(|((parameter, number), flip)| {
                let perturbation = settings.perturbation_size(parameter, self.iteration);
                Value::of(
                    parameter,
                    number + side * flip.sign * perturbation,
                    flip.rounding,
                )
            })
            .collect()
    }

    /// Moves `theta` after the plus side scored `difference` points more than the minus side.
    pub(super) fn apply(
        &self,
        settings: &Settings,
        parameters: &[Parameter],
        theta: &mut [f64],
        difference: f64,
    ) {
        for ((parameter, number), flip) in parameters.iter().zip(theta).zip(&self.flips) {
            let gain = settings.gain(parameter, self.iteration);
            *number =
                (*number + gain * difference * flip.sign).clamp(parameter.least, parameter.most);
        }
    }
}
