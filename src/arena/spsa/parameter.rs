//! The tuned parameters: named numbers with a range, as text lines in the order that `OpenBench`
//! and fishtest use. The engine must declare them as options.

use std::fmt;
use std::str::FromStr;

use anyhow::{anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

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

/// Parses one parameter per line; skips empty lines and those that begin with `#`.
///
/// # Errors
/// The error names the line and what is wrong with it.
pub fn parse_list(text: &str) -> anyhow::Result<Vec<Parameter>> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let parameter: Parameter = text
            .parse()
            .map_err(|error| anyhow!("line {line}: {error}"))?;
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
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let Self {
            name,
            start,
            least,
            most,
            step,
            rate,
            ..
        } = self;
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
        if !(*step > 0.0 && *step <= width) {
            bail!(
                "step {step} of {name}, expected more than 0 and at most {width}, the width of \
                its range"
            );
        }
        ensure!(
            *rate > 0.0 && rate.is_finite(),
            "rate {rate} of {name}, expected more than 0"
        );
        Ok(())
    }
}

impl FromStr for Parameter {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
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
                    bail!(
                        "kind '{}' in the second field, expected int or float",
                        shorten(kind)
                    );
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
    pub(super) fn check_declared(
        &self,
        declared: &[DeclaredOption],
        fixed: &[(String, String)],
    ) -> Result<(), String> {
        let name = &self.name;
        if let Some((_, value)) = fixed.iter().find(|(set, _)| set.eq_ignore_ascii_case(name)) {
            return Err(format!(
                "option {name} is set to {value} and tuned, expected one of both"
            ));
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
                Err(format!(
                    "option {name} from {min} to {max}, expected all of {least} to {most}"
                ))
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
        assert_eq!(
            error,
            "option Depth is set to 7 and tuned, expected one of both"
        );
    }
}
