//! How far an iteration perturbs and how far its result moves the parameters; the values it tries.

#![expect(clippy::cast_precision_loss, reason = "nobody plays 2^53 iterations")]

use std::fmt;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::Parameter;

/// The course of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How many iterations there are; an iteration is usually a pair of games.
    pub iterations: u64,
    /// How fast the steps shrink: with the power `alpha` of the iteration.
    pub alpha: f64,
    /// How fast the perturbations shrink: with the power `gamma` of the iteration.
    pub gamma: f64,
    /// So many iterations are added to the count, so that the first steps are not wild: A in the papers.
    pub stability: f64,
    /// The seed of all coins.
    pub seed: u64,
}

impl Settings {
    /// The usual exponents, and a tenth of the iterations for stability.
    pub fn new(iterations: u64, seed: u64) -> Self {
        Self {
            iterations,
            alpha: 0.602,
            gamma: 0.101,
            stability: 0.1 * iterations as f64,
            seed,
        }
    }

    /// What is wrong with the numbers, if anything.
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

    /// How far `parameter` is moved up and down in an iteration; they count from 1.
    fn perturbation(&self, parameter: &Parameter, iteration: u64) -> f64 {
        parameter.step * (self.iterations as f64 / iteration as f64).powf(self.gamma)
    }

    /// How far a difference of one point moves `parameter` in an iteration.
    fn gain(&self, parameter: &Parameter, iteration: u64) -> f64 {
        let end = self.stability + self.iterations as f64;
        let now = self.stability + iteration as f64;
        let a = parameter.rate * parameter.step.powi(2) * (end / now).powf(self.alpha);
        a / self.perturbation(parameter, iteration)
    }
}

/// A value that an engine is given; its text is what follows `value` in `setoption`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// Any number.
    Real(f64),
}

impl Value {
    /// The number itself.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// The value of `parameter` nearest to `number` after `lift` (0 to 1) decided what becomes of a fraction.
    fn of(parameter: &Parameter, number: f64, lift: f64) -> Self {
        let number = number.clamp(parameter.least, parameter.most);
        if parameter.is_integer {
            Self::Integer((number + lift).floor().min(parameter.most) as i64)
        } else {
            Self::Real(number)
        }
    }

    /// The value of `parameter` nearest to `number`.
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

/// The coins of an iteration: nothing but the seed and the number of the iteration decides them.
pub(super) struct Trial {
    iteration: u64,
    coins: Vec<Coin>,
}

struct Coin {
    /// 1 or −1.
    sign: f64,
    /// What is added to whole numbers before they are cut, so that they are right on average. Both sides get the same,
    /// which keeps their distance.
    lift: f64,
}

impl Trial {
    pub(super) fn new(settings: &Settings, parameters: usize, iteration: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(settings.seed);
        generator.set_stream(iteration);
        let coins = (0..parameters)
            .map(|_| Coin {
                sign: if generator.random::<bool>() {
                    1.0
                } else {
                    -1.0
                },
                lift: generator.random(),
            })
            .collect();
        Self { iteration, coins }
    }

    /// The values of the side that is moved along the coins (`side` 1) or against them (−1).
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
            .zip(&self.coins)
            .map(|((parameter, number), coin)| {
                let perturbation = settings.perturbation(parameter, self.iteration);
                Value::of(
                    parameter,
                    number + side * coin.sign * perturbation,
                    coin.lift,
                )
            })
            .collect()
    }

    /// Moves `theta` after the plus side made so many points more than the minus side.
    pub(super) fn apply(
        &self,
        settings: &Settings,
        parameters: &[Parameter],
        theta: &mut [f64],
        difference: f64,
    ) {
        for ((parameter, number), coin) in parameters.iter().zip(theta).zip(&self.coins) {
            let gain = settings.gain(parameter, self.iteration);
            *number =
                (*number + gain * difference * coin.sign).clamp(parameter.least, parameter.most);
        }
    }
}
