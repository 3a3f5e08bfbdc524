//! The tuned parameters: named numbers with a range, as text lines in the order that `OpenBench`
//! and fishtest use. The engine must declare them as options.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::usi::client::reply::{DeclaredOption, OptionKind};
use crate::util::{counted, shorten};

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
        // Engines ignore case in the names of options.
        let is_same = |other: &Parameter| other.name.eq_ignore_ascii_case(&name);
        if parameters.iter().any(is_same) {
            return Err(ListError::Twice { line, name });
        }
        parameters.push(parameter);
    }
    if parameters.is_empty() {
        return Err(ListError::Empty);
    }
    Ok(parameters)
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

/// Why a parameter cannot be tuned with an engine.
#[derive(Clone, PartialEq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum DeclarationError {
    #[error("no option {name}, it has {known}")]
    Unknown { name: String, known: String },
    #[error("option {name} of type {kind}, expected {expected}")]
    Kind {
        name: String,
        kind: &'static str,
        expected: &'static str,
    },
    #[error("option {name} from {min} to {max}, expected all of {least} to {most}")]
    Range {
        name: String,
        min: i64,
        max: i64,
        least: f64,
        most: f64,
    },
    #[error("option {name} is set to {value} and tuned, expected one of both")]
    Fixed { name: String, value: String },
}

impl Parameter {
    /// Checks that the engine accepts every value that may be tried, and that the user has not set
    /// the option.
    pub(super) fn check_declared(
        &self,
        declared: &[DeclaredOption],
        fixed: &[(String, String)],
    ) -> Result<(), DeclarationError> {
        let name = &self.name;
        if let Some((_, value)) = fixed.iter().find(|(set, _)| set.eq_ignore_ascii_case(name)) {
            return Err(DeclarationError::Fixed {
                name: name.clone(),
                value: value.clone(),
            });
        }
        let Some(option) = declared
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
        else {
            return Err(DeclarationError::Unknown {
                name: name.clone(),
                known: known(declared),
            });
        };
        match (&option.kind, self.is_integer) {
            (&OptionKind::Spin { min, max, .. }, true) => {
                // The limits of an int are whole numbers.
                let [least, most] = [self.least, self.most].map(|end| end as i64);
                if min <= least && most <= max {
                    return Ok(());
                }
                Err(DeclarationError::Range {
                    name: option.name.clone(),
                    min,
                    max,
                    least: self.least,
                    most: self.most,
                })
            }
            (OptionKind::String { .. } | OptionKind::Unknown, false) => Ok(()),
            (kind, is_integer) => Err(DeclarationError::Kind {
                name: option.name.clone(),
                kind: kind_name(kind),
                expected: if is_integer {
                    "spin for an int"
                } else {
                    "string for a float: a spin takes whole numbers only"
                },
            }),
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
mod tests {
    use super::*;

    fn declared() -> Vec<DeclaredOption> {
        let spin = OptionKind::Spin {
            default: 5,
            min: 0,
            max: 100,
        };
        let text = OptionKind::String {
            default: "1.5".to_owned(),
        };
        [
            ("Depth", spin),
            ("Scale", text),
            ("Book", OptionKind::Check { default: true }),
        ]
        .map(|(name, kind)| DeclaredOption {
            name: name.to_owned(),
            kind,
        })
        .to_vec()
    }

    #[test]
    fn options_must_take_every_value() {
        for (line, part) in [
            ("depth, int, 40, 0, 100, 4, 0.02", None),
            ("Scale, float, 1, -9, 9, 1, 0.02", None),
            (
                "Dept, int, 40, 0, 100, 4, 0.02",
                Some("no option Dept, it has Depth, Scale, Book"),
            ),
            (
                "depth, int, 40, 0, 101, 4, 0.02",
                Some("option Depth from 0 to 100, expected all of 0 to 101"),
            ),
            (
                "Depth, int, 40, -1, 100, 4, 0.02",
                Some("expected all of -1 to 100"),
            ),
            (
                "Depth, float, 40, 0, 100, 4, 0.02",
                Some("option Depth of type spin, expected string for a float"),
            ),
            (
                "Scale, int, 1, 0, 9, 1, 0.02",
                Some("option Scale of type string, expected spin for an int"),
            ),
            (
                "Book, int, 1, 0, 1, 1, 0.02",
                Some("option Book of type check"),
            ),
        ] {
            let parameter: Parameter = line.parse().unwrap();
            let error = parameter.check_declared(&declared(), &[]).err();
            let message = error.as_ref().map(ToString::to_string);
            assert_eq!(message.is_some(), part.is_some(), "{line}: {message:?}");
            let part = part.unwrap_or_default();
            assert!(message.unwrap_or_default().contains(part), "{line}");
        }
    }

    #[test]
    fn tuned_option_must_not_be_set() {
        let parameter: Parameter = "Depth, int, 40, 0, 100, 4, 0.02".parse().unwrap();
        let fixed = [("depth".to_owned(), "7".to_owned())];
        let error = parameter.check_declared(&declared(), &fixed).unwrap_err();
        assert_eq!(
            error.to_string(),
            "option Depth is set to 7 and tuned, expected one of both"
        );
    }
}
