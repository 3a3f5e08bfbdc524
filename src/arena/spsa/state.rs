//! The state of a run, as a JSON file that is replaced atomically, and how it changes: the gain
//! sequences, the perturbed values of an iteration, the step after its result.

#![expect(clippy::cast_precision_loss, reason = "nobody plays 2^53 iterations")]

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::{fmt, fs};

use anyhow::{anyhow, bail, ensure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::Parameter;
use crate::runs;
use crate::util::counted;

/// The value of the field `format`.
const FORMAT: &str = "raicho spsa 1";

/// Number of points in the history of a whole run: enough for a graph, few enough to be written
/// after every iteration.
const HISTORY_POINTS: u64 = 200;

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    format: String,
    settings: Settings,
    parameters: Vec<Parameter>,
    /// The current values, in the order of the parameters.
    #[serde(with = "exact")]
    theta: Vec<f64>,
    /// Number of the last iteration that was begun, from 1.
    begun: u64,
    /// Iterations that were begun and have no result.
    unfinished: BTreeSet<u64>,
    history: Vec<Point>,
}

/// The values at some time of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Number of finished iterations.
    pub finished: u64,
    /// The values, in the order of the parameters.
    #[serde(with = "exact")]
    pub theta: Vec<f64>,
}

impl State {
    /// The state before the first iteration.
    ///
    /// # Errors
    /// The error says which setting or parameter is not valid.
    pub fn new(settings: Settings, parameters: Vec<Parameter>) -> anyhow::Result<Self> {
        let theta: Vec<f64> = parameters.iter().map(|parameter| parameter.start).collect();
        let start = Point {
            finished: 0,
            theta: theta.clone(),
        };
        let state = Self {
            format: FORMAT.to_owned(),
            settings,
            parameters,
            theta,
            begun: 0,
            unfinished: BTreeSet::new(),
            history: vec![start],
        };
        state.check()?;
        Ok(state)
    }

    /// The settings of the algorithm.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The tuned parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The current values, in the order of the parameters.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The current values in the form that an engine takes.
    pub fn values(&self) -> Vec<Value> {
        self.parameters
            .iter()
            .zip(&self.theta)
            .map(|(parameter, &number)| Value::nearest(parameter, number))
            .collect()
    }

    /// Number of iterations with a result.
    pub fn finished(&self) -> u64 {
        self.begun - self.unfinished.len() as u64
    }

    /// Whether all iterations have a result.
    pub fn is_done(&self) -> bool {
        self.finished() >= self.settings.iterations
    }

    /// The values over the run, from the start on, at up to about 200 times.
    pub fn history(&self) -> &[Point] {
        &self.history
    }

    /// Replaces the file at `path` atomically: after a kill there is the old state or the new one.
    ///
    /// # Errors
    /// The error names the file.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        runs::replace_with(path, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            file.write_all(b"\n")
        })
        .map_err(|error| {
            let path = path.display();
            anyhow!("cannot write the state file {path}: {error}")
        })
    }

    /// Reads a state that [`Self::save`] wrote.
    ///
    /// # Errors
    /// The error names the file and what is wrong with it.
    pub fn load(file: &Path) -> anyhow::Result<Self> {
        let path = file.display();
        let text = fs::read(file)
            .map_err(|error| anyhow!("cannot read the state file {path}: {error}"))?;
        let state: Self = serde_json::from_slice(&text)
            .map_err(|error| anyhow!("{path} is no SPSA state file: {error}"))?;
        state
            .check()
            .map_err(|error| anyhow!("{path} is no usable SPSA state file: {error}"))?;
        Ok(state)
    }

    fn check(&self) -> anyhow::Result<()> {
        if self.format != FORMAT {
            let found = &self.format;
            bail!("format '{found}', expected '{FORMAT}'");
        }
        self.settings.check()?;
        ensure!(
            !self.parameters.is_empty(),
            "no parameters, expected at least one"
        );
        for parameter in &self.parameters {
            parameter.check()?;
        }
        self.check_values("theta", &self.theta)?;
        for point in &self.history {
            self.check_values("a point of the history", &point.theta)?;
        }
        let begun = (self.begun, 0, self.settings.iterations);
        let unfinished = self.unfinished().map(|found| (found, 1, self.begun));
        for (found, least, most) in unfinished.chain([begun]) {
            if !(least..=most).contains(&found) {
                bail!("iteration {found}, expected {least} to {most}");
            }
        }
        Ok(())
    }

    fn check_values(&self, place: &str, values: &[f64]) -> anyhow::Result<()> {
        let (found, expected) = (values.len(), self.parameters.len());
        if found != expected {
            let found = counted(found, "value");
            bail!("{found} in {place}, expected {expected}, one for each parameter");
        }
        for (parameter, &value) in self.parameters.iter().zip(values) {
            let (least, most) = (parameter.least, parameter.most);
            if !(least..=most).contains(&value) {
                let name = &parameter.name;
                bail!("value {value} of {name}, expected {least} to {most}");
            }
        }
        Ok(())
    }

    /// Whether an iteration, numbered from 1, has a result.
    pub(super) fn has_finished(&self, iteration: u64) -> bool {
        iteration <= self.begun && !self.unfinished.contains(&iteration)
    }

    /// Iterations that were begun and have no result.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = u64> + '_ {
        self.unfinished.iter().copied()
    }

    /// Begins the next iteration; `None` after the last.
    pub(super) fn begin(&mut self) -> Option<u64> {
        if self.begun >= self.settings.iterations {
            return None;
        }
        self.begun += 1;
        self.unfinished.insert(self.begun);
        Some(self.begun)
    }

    /// The values of the plus and the minus side of an iteration, around the current values.
    pub(super) fn sides(&self, iteration: u64) -> [Vec<Value>; 2] {
        let flips = self.flips(iteration);
        [1.0, -1.0].map(|side| {
            let numbers = self.parameters.iter().zip(&self.theta).zip(&flips);
            let values = numbers.map(|((parameter, number), flip)| {
                let size = self.settings.perturbation_size(parameter, iteration);
                Value::of(parameter, number + side * flip.sign * size, flip.rounding)
            });
            values.collect()
        })
    }

    /// The random perturbation of an iteration, determined by the seed and the number of the
    /// iteration.
    fn flips(&self, iteration: u64) -> Vec<Flip> {
        let mut generator = ChaCha8Rng::seed_from_u64(self.settings.seed);
        generator.set_stream(iteration);
        let mut flip = || Flip {
            sign: if generator.random::<bool>() {
                1.0
            } else {
                -1.0
            },
            rounding: generator.random(),
        };
        self.parameters.iter().map(|_| flip()).collect()
    }

    /// Updates the values with the result of an iteration: the points of the plus side minus those
    /// of the minus side.
    pub(super) fn finish(&mut self, iteration: u64, difference: f64) {
        let flips = self.flips(iteration);
        let numbers = self.theta.iter_mut().zip(&flips);
        for (parameter, (number, flip)) in self.parameters.iter().zip(numbers) {
            let moved = self.settings.gain(parameter, iteration) * difference * flip.sign;
            *number = (*number + moved).clamp(parameter.least, parameter.most);
        }
        self.unfinished.remove(&iteration);
        let finished = self.finished();
        let part = |count: u64| {
            u128::from(count) * u128::from(HISTORY_POINTS) / u128::from(self.settings.iterations)
        };
        if part(finished) > part(finished - 1) {
            self.history.push(Point {
                finished,
                theta: self.theta.clone(),
            });
        }
    }
}

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

    fn check(&self) -> anyhow::Result<()> {
        ensure!(self.iterations > 0, "iterations 0, expected at least 1");
        for (name, value) in [("alpha", self.alpha), ("gamma", self.gamma)] {
            ensure!(
                (0.0..=1.0).contains(&value),
                "{name} {value}, expected 0 to 1"
            );
        }
        let stability = self.stability;
        ensure!(
            stability >= 0.0 && stability.is_finite(),
            "stability {stability}, expected 0 or more"
        );
        Ok(())
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
    fn nearest(parameter: &Parameter, number: f64) -> Self {
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

/// The perturbation of one parameter.
struct Flip {
    /// Direction of the plus side: 1 or −1.
    sign: f64,
    /// Added to numbers before they are rounded down, 0 to 1, so that whole numbers are correct on
    /// average. Both sides use the same, which preserves their distance.
    rounding: f64,
}

/// Serialization of floats as text. JSON numbers lose their last bit when they are parsed, and a
/// resumed run would differ.
mod exact {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(numbers: &[f64], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(numbers.iter().map(f64::to_string))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<f64>, D::Error> {
        Vec::<String>::deserialize(input)?
            .iter()
            .map(|text| {
                text.parse()
                    .map_err(|_| D::Error::custom(format_args!("'{text}', expected a number")))
            })
            .collect()
    }
}
