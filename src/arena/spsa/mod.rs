//! SPSA (simultaneous perturbation stochastic approximation): tunes many numbers at once by games
//! between two sets of values that differ in all of them.
//!
//! Each iteration perturbs every parameter up or down at random, plays these values (the plus side)
//! against the opposite ones (the minus side), and moves the parameters towards the side that won.
//! The gains follow fishtest: perturbation c/kᵞ and step a/(A + k)ᵅ, specified by their values at
//! the end of the run. The perturbation depends only on the seed and the number of the iteration,
//! and the state is written after every iteration, so that a killed run can be resumed without a
//! difference.
//!
//! [`run`] and [`State`] know no engines: an [`Objective`] plays. [`tuning`] implements it with
//! engine processes, and runs both in a folder.
//!
//! Reference: J. C. Spall, "Implementation of the simultaneous perturbation algorithm for
//! stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998).

#[cfg(test)]
mod tests;
pub mod tuning;

use std::collections::{BTreeSet, VecDeque};
use std::{fmt, io::Write, path::Path, str::FromStr};

use anyhow::{Result, anyhow, bail, ensure};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::runs::{self, Execution, Job, Plan, Stop, execute};
use crate::usi::client::reply::{DeclaredOption, OptionKind};
use crate::util::{counted, read_file, shorten};

/// The objective function of the optimization: plays two sets of values against each other.
pub trait Objective: Sync {
    /// The points of `plus` minus those of `minus`, −2 to 2 for a pair of games; values are in the
    /// order of the parameters. `None` if the games were aborted, which ends the run. Several
    /// threads call this at a time, each with a different iteration.
    ///
    /// # Errors
    /// The run ends; the iteration is played again when the run is resumed.
    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> Result<Option<f64>>;
}

/// How a run is executed.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// Number of iterations at a time. Only with 1 the run depends on nothing but the seed and the
    /// results.
    pub concurrency: usize,
    /// The file to which the state is written after every iteration.
    pub path: Option<&'a Path>,
    /// The request to end the run early.
    pub stop: &'a Stop,
}

/// Runs iterations until all are finished, `options.stop` is requested or an error occurs.
/// Iterations that are running then are completed and count, unless the objective aborts them. Each
/// iteration starts from the current values; `on_progress` gets the state after each.
///
/// # Errors
/// The error says which iteration failed, or why the state cannot be written.
///
/// # Panics
/// When the objective panics.
pub fn run(
    state: &mut State,
    objective: &dyn Objective,
    options: &RunOptions,
    on_progress: &mut (dyn FnMut(&State) + Send),
) -> Result<()> {
    if let Some(path) = options.path {
        // Fails before hours of games if the file cannot be written.
        state.save(path)?;
    }
    let mut plan = IterationPlan {
        lost: state.unfinished().collect(),
        state,
        path: options.path,
        on_progress,
    };
    let execution = Execution {
        threads: options.concurrency,
        name: "spsa",
        stack_bytes: None,
        stop: options.stop,
    };
    execute(&Iterations(objective), &mut plan, &execution)
}

/// The iterations as a [`Job`].
struct Iterations<'a>(&'a dyn Objective);

/// An iteration and the values of both sides.
struct Iteration {
    number: u64,
    sides: [Vec<Value>; 2],
}

impl Job for Iterations<'_> {
    type Worker = ();
    type Piece = Iteration;
    type Output = f64;
    type Error = anyhow::Error;

    fn worker(&self) -> Result<()> {
        Ok(())
    }

    fn perform(&self, (): &mut (), iteration: &Iteration) -> Result<Option<f64>> {
        let [plus, minus] = &iteration.sides;
        let iteration = iteration.number;
        let played = self.0.play(iteration, plus, minus);
        played.map_err(|error| anyhow!("iteration {iteration} could not be played: {error}"))
    }
}

/// The order of the iterations, and the update of the values.
struct IterationPlan<'a> {
    state: &'a mut State,
    /// Iterations that an earlier part of the run began and did not finish.
    lost: VecDeque<u64>,
    path: Option<&'a Path>,
    on_progress: &'a mut (dyn FnMut(&State) + Send),
}

impl Plan<Iterations<'_>> for IterationPlan<'_> {
    fn next(&mut self) -> Result<Option<Iteration>> {
        let number = self.lost.pop_front().or_else(|| self.state.begin());
        Ok(number.map(|number| Iteration { number, sides: self.state.sides(number) }))
    }

    fn keep(&mut self, Iteration { number, .. }: Iteration, difference: f64) -> Result<()> {
        if !difference.is_finite() {
            bail!("iteration {number} resulted in {difference}, expected a difference of points");
        }
        self.state.finish(number, difference);
        if let Some(path) = self.path {
            self.state.save(path)?;
        }
        (self.on_progress)(self.state);
        Ok(())
    }
}

// --- The state of a run ---

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
    pub fn new(settings: Settings, parameters: Vec<Parameter>) -> Result<Self> {
        let theta: Vec<f64> = parameters.iter().map(|parameter| parameter.start).collect();
        let start = Point { finished: 0, theta: theta.clone() };
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

    /// What is tuned, with ranges and steps.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The current values, in the order of the parameters.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The current values in the form that an engine takes.
    pub fn values(&self) -> Vec<Value> {
        let value = |(parameter, &number): (&Parameter, &f64)| Value::nearest(parameter, number);
        self.parameters.iter().zip(&self.theta).map(value).collect()
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
    pub fn save(&self, path: &Path) -> Result<()> {
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
    pub fn load(file: &Path) -> Result<Self> {
        let path = file.display();
        let text = read_file(file)
            .map_err(|error| anyhow!("cannot read the state file {path}: {error}"))?;
        let state: Self = serde_json::from_slice(&text)
            .map_err(|error| anyhow!("{path} is no SPSA state file: {error}"))?;
        state.check().map_err(|error| anyhow!("{path} is no usable SPSA state file: {error}"))?;
        Ok(state)
    }

    fn check(&self) -> Result<()> {
        if self.format != FORMAT {
            let found = &self.format;
            bail!("format '{found}', expected '{FORMAT}'");
        }
        self.settings.check()?;
        ensure!(!self.parameters.is_empty(), "no parameters, expected at least one");
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

    fn check_values(&self, place: &str, values: &[f64]) -> Result<()> {
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
    fn has_finished(&self, iteration: u64) -> bool {
        iteration <= self.begun && !self.unfinished.contains(&iteration)
    }

    /// Iterations that were begun and have no result.
    fn unfinished(&self) -> impl Iterator<Item = u64> + '_ {
        self.unfinished.iter().copied()
    }

    /// Begins the next iteration; `None` after the last.
    fn begin(&mut self) -> Option<u64> {
        if self.begun >= self.settings.iterations {
            return None;
        }
        self.begun += 1;
        self.unfinished.insert(self.begun);
        Some(self.begun)
    }

    /// The values of the plus and the minus side of an iteration, around the current values.
    fn sides(&self, iteration: u64) -> [Vec<Value>; 2] {
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
            sign: if generator.random::<bool>() { 1.0 } else { -1.0 },
            rounding: generator.random(),
        };
        self.parameters.iter().map(|_| flip()).collect()
    }

    /// Updates the values with the result of an iteration: the points of the plus side minus those
    /// of the minus side.
    fn finish(&mut self, iteration: u64, difference: f64) {
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
            self.history.push(Point { finished, theta: self.theta.clone() });
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
        Self { iterations, alpha: 0.602, gamma: 0.101, stability: 0.1 * iterations as f64, seed }
    }

    fn check(&self) -> Result<()> {
        ensure!(self.iterations > 0, "iterations 0, expected at least 1");
        for (name, value) in [("alpha", self.alpha), ("gamma", self.gamma)] {
            ensure!((0.0..=1.0).contains(&value), "{name} {value}, expected 0 to 1");
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

// --- The tuned parameters ---

/// A tuned parameter. Its text is `name, int, start, least, most, step, rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Name of the USI option.
    pub name: String,
    /// Whether the option takes whole numbers only.
    pub is_integer: bool,
    /// The value at the beginning of the run.
    pub start: f64,
    /// Lower end of its range, included.
    pub least: f64,
    /// Upper end of its range, included.
    pub most: f64,
    /// Size of the perturbation at the end of the run; it is larger at the beginning. fishtest
    /// calls it c.
    pub step: f64,
    /// Learning rate at the end of the run: the value moves by `step * rate` per point. fishtest
    /// calls it r.
    pub rate: f64,
}

/// Parses one parameter per line; skips empty lines and those that begin with `#`.
///
/// # Errors
/// The error names the line and what is wrong with it.
pub fn parse_list(text: &str) -> Result<Vec<Parameter>> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let parameter: Parameter = text.parse().map_err(|error| anyhow!("line {line}: {error}"))?;
        let name = &parameter.name;
        // Engines ignore case in the names of options.
        let is_same = |other: &Parameter| other.name.eq_ignore_ascii_case(name);
        if parameters.iter().any(is_same) {
            bail!("line {line}: {name} is there already, expected every name once");
        }
        parameters.push(parameter);
    }
    if parameters.is_empty() {
        bail!("no parameters, expected lines of name, int, start, least, most, step, rate");
    }
    Ok(parameters)
}

impl Parameter {
    /// Checks that the numbers are consistent. The error names the first one that is not.
    fn check(&self) -> Result<()> {
        let (name, start, step, rate) = (&self.name, self.start, self.step, self.rate);
        let (least, most) = (self.least, self.most);
        let width = most - least;
        if name.is_empty() {
            bail!("no name in the first field");
        }
        let range = format!("range {least} to {most} of {name}");
        if !(width > 0.0 && width.is_finite()) {
            bail!("{range}, expected the smaller end first");
        }
        if self.is_integer && (least.fract() != 0.0 || most.fract() != 0.0) {
            bail!("{range}, expected whole numbers for an int");
        }
        if !(least..=most).contains(&start) {
            bail!("start {start} of {name}, expected a value from {least} to {most}");
        }
        if !(step > 0.0 && step <= width) {
            bail!(
                "step {step} of {name}, expected more than 0 and at most {width}, the width of \
                its range"
            );
        }
        ensure!(rate > 0.0 && rate.is_finite(), "rate {rate} of {name}, expected more than 0");
        Ok(())
    }
}

impl FromStr for Parameter {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let &[name, kind, start, least, most, step, rate] = &fields[..] else {
            bail!(
                "{} in '{}', expected 7: name, int, start, least, most, step, rate",
                counted(fields.len(), "field"),
                shorten(text)
            );
        };
        let number = |field: &str, found: &str| {
            found.parse().map_err(|_| {
                let (found, name) = (shorten(found), shorten(name));
                anyhow!("{field} '{found}' of {name}, expected a number")
            })
        };
        let parameter = Self {
            name: name.to_owned(),
            is_integer: match kind {
                "int" => true,
                "float" => false,
                _ => {
                    bail!("kind '{}' in the second field, expected int or float", shorten(kind));
                }
            },
            start: number("start", start)?,
            least: number("least", least)?,
            most: number("most", most)?,
            step: number("step", step)?,
            rate: number("rate", rate)?,
        };
        parameter.check()?;
        Ok(parameter)
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_integer { "int" } else { "float" };
        write!(
            f,
            "{}, {kind}, {}, {}, {}, {}, {}",
            self.name, self.start, self.least, self.most, self.step, self.rate
        )
    }
}

impl Parameter {
    /// Checks that the engine accepts every value that may be tried, and that the user has not set
    /// the option. The error says what was found and what was expected.
    fn check_declared(
        &self,
        declared: &[DeclaredOption],
        fixed: &[(String, String)],
    ) -> Result<(), String> {
        let name = &self.name;
        if let Some((_, value)) = fixed.iter().find(|(set, _)| set.eq_ignore_ascii_case(name)) {
            return Err(format!("option {name} is set to {value} and tuned, expected one of both"));
        }
        let mut options = declared.iter();
        let Some(option) = options.find(|option| option.name.eq_ignore_ascii_case(name)) else {
            return Err(format!("no option {name}, it has {}", known(declared)));
        };
        let name = &option.name;
        match (&option.kind, self.is_integer) {
            (&OptionKind::Spin { min, max, .. }, true) => {
                // The limits of an int are whole numbers.
                let [least, most] = [self.least, self.most].map(|end| end as i64);
                if min <= least && most <= max {
                    return Ok(());
                }
                Err(format!("option {name} from {min} to {max}, expected all of {least} to {most}"))
            }
            (OptionKind::String { .. } | OptionKind::Unknown, false) => Ok(()),
            (kind, is_integer) => {
                let expected = if is_integer {
                    "spin for an int"
                } else {
                    "string for a float: a spin takes whole numbers only"
                };
                let kind = kind_name(kind);
                Err(format!("option {name} of type {kind}, expected {expected}"))
            }
        }
    }
}

fn known(declared: &[DeclaredOption]) -> String {
    let names: Vec<&str> = declared.iter().map(|option| option.name.as_str()).collect();
    match names.len() {
        0 => "none".to_owned(),
        _ => names.join(", "),
    }
}

fn kind_name(kind: &OptionKind) -> &'static str {
    match kind {
        OptionKind::Check { .. } => "check",
        OptionKind::Spin { .. } => "spin",
        OptionKind::Combo { .. } => "combo",
        OptionKind::Button => "button",
        OptionKind::String { .. } => "string",
        OptionKind::Filename { .. } => "filename",
        OptionKind::Unknown => "unknown",
    }
}

#[cfg(test)]
mod parameter_tests {
    use super::*;

    fn declared() -> Vec<DeclaredOption> {
        let spin = OptionKind::Spin { default: 5, min: 0, max: 100 };
        let text = OptionKind::String { default: "1.5".to_owned() };
        [("Depth", spin), ("Scale", text), ("Book", OptionKind::Check { default: true })]
            .map(|(name, kind)| DeclaredOption { name: name.to_owned(), kind })
            .to_vec()
    }

    #[test]
    fn options_must_take_every_value() {
        for (line, part) in cases! {
            "depth, int, 40, 0, 100, 4, 0.02" => None;
            "Scale, float, 1, -9, 9, 1, 0.02" => None;
            "Dept, int, 40, 0, 100, 4, 0.02" => Some("no option Dept, it has Depth, Scale, Book");
            "depth, int, 40, 0, 101, 4, 0.02" =>
                Some("option Depth from 0 to 100, expected all of 0 to 101");
            "Depth, int, 40, -1, 100, 4, 0.02" => Some("expected all of -1 to 100");
            "Depth, float, 40, 0, 100, 4, 0.02" =>
                Some("option Depth of type spin, expected string for a float");
            "Scale, int, 1, 0, 9, 1, 0.02" =>
                Some("option Scale of type string, expected spin for an int");
            "Book, int, 1, 0, 1, 1, 0.02" => Some("option Book of type check");
        } {
            let parameter: Parameter = line.parse().unwrap();
            let error = parameter.check_declared(&declared(), &[]).err();
            assert_eq!(error.is_some(), part.is_some(), "{line}: {error:?}");
            let part = part.unwrap_or_default();
            assert!(error.unwrap_or_default().contains(part), "{line}");
        }
    }

    #[test]
    fn tuned_option_must_not_be_set() {
        let parameter: Parameter = "Depth, int, 40, 0, 100, 4, 0.02".parse().unwrap();
        let fixed = [("depth".to_owned(), "7".to_owned())];
        let error = parameter.check_declared(&declared(), &fixed).unwrap_err();
        assert_eq!(error, "option Depth is set to 7 and tuned, expected one of both");
    }
}
