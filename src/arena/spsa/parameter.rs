//! The tuned parameters: named numbers with a range, as text lines in the order that `OpenBench`
//! and fishtest use.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::util::{counted, shorten};

/// A tuned parameter. Its text is `name, int, start, least, most, step, rate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Name of the USI option.
    pub name: String,
    /// Whether the option takes whole numbers only.
    pub is_integer: bool,
    /// The initial value.
    pub start: f64,
    /// The minimum value.
    pub least: f64,
    /// The maximum value.
    pub most: f64,
    /// Size of the perturbation at the end of the run; it is larger at the beginning. fishtest
    /// calls it c.
    pub step: f64,
    /// Learning rate at the end of the run: the value moves by `step * rate` per point. fishtest
    /// calls it r.
    pub rate: f64,
}

/// What is wrong with a parameter, and what was expected.
#[derive(Clone, PartialEq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ParameterError {
    #[error(
        "{} in '{text}', expected 7: name, int, start, least, most, step, rate",
        counted(*found, "field")
    )]
    Fields { text: String, found: usize },
    #[error("no name in the first field")]
    Name,
    #[error("kind '{0}' in the second field, expected int or float")]
    Kind(String),
    #[error("{field} '{found}' of {name}, expected a number")]
    Number {
        name: String,
        field: &'static str,
        found: String,
    },
    #[error("range {least} to {most} of {name}, expected the smaller end first")]
    Range { name: String, least: f64, most: f64 },
    #[error("range {least} to {most} of {name}, expected whole numbers for an int")]
    Whole { name: String, least: f64, most: f64 },
    #[error("start {start} of {name}, expected a value from {least} to {most}")]
    Start {
        name: String,
        start: f64,
        least: f64,
        most: f64,
    },
    #[error(
        "step {step} of {name}, expected more than 0 and at most {width}, the width of its range"
    )]
    Step { name: String, step: f64, width: f64 },
    #[error("rate {rate} of {name}, expected more than 0")]
    Rate { name: String, rate: f64 },
}

/// What is wrong with a list of parameters, and in which line.
#[derive(Clone, PartialEq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ListError {
    #[error("line {line}: {source}")]
    Parameter { line: usize, source: ParameterError },
    #[error("line {line}: {name} is there already, expected every name once")]
    Twice { line: usize, name: String },
    #[error("no parameters, expected lines of name, int, start, least, most, step, rate")]
    Empty,
}

/// Parses one parameter per line; skips empty lines and those that begin with `#`.
///
/// # Errors
/// The error names the line and what is wrong with it.
pub fn parse_list(text: &str) -> Result<Vec<Parameter>, ListError> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let parameter: Parameter = text
            .parse()
            .map_err(|source| ListError::Parameter { line, source })?;
        let name = parameter.name.clone();
        if parameters.iter().any(|other| is_same(&other.name, &name)) {
            return Err(ListError::Twice { line, name });
        }
        parameters.push(parameter);
    }
    if parameters.is_empty() {
        return Err(ListError::Empty);
    }
    Ok(parameters)
}

/// Whether two names mean the same option; engines ignore case.
fn is_same(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

impl Parameter {
    /// Checks that the numbers are consistent.
    ///
    /// # Errors
    /// The error names the first number that is not valid.
    pub fn check(&self) -> Result<(), ParameterError> {
        let name = || self.name.clone();
        let (start, least, most) = (self.start, self.least, self.most);
        let width = most - least;
        if self.name.is_empty() {
            return Err(ParameterError::Name);
        }
        if !(width > 0.0 && width.is_finite()) {
            let name = name();
            return Err(ParameterError::Range { name, least, most });
        }
        if self.is_integer && (least.fract() != 0.0 || most.fract() != 0.0) {
            let name = name();
            return Err(ParameterError::Whole { name, least, most });
        }
        if !(least..=most).contains(&start) {
            return Err(ParameterError::Start {
                name: name(),
                start,
                least,
                most,
            });
        }
        if !(self.step > 0.0 && self.step <= width) {
            return Err(ParameterError::Step {
                name: name(),
                step: self.step,
                width,
            });
        }
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(ParameterError::Rate {
                name: name(),
                rate: self.rate,
            });
        }
        Ok(())
    }
}

impl FromStr for Parameter {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let &[name, kind, start, least, most, step, rate] = &fields[..] else {
            return Err(ParameterError::Fields {
                text: shorten(text),
                found: fields.len(),
            });
        };
        let number = |field: &'static str, found: &str| {
            found.parse().map_err(|_| ParameterError::Number {
                name: shorten(name),
                field,
                found: shorten(found),
            })
        };
        let parameter = Self {
            name: name.to_owned(),
            is_integer: match kind {
                "int" => true,
                "float" => false,
                _ => return Err(ParameterError::Kind(shorten(kind))),
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
