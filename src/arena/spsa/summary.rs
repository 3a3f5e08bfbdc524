//! The summary of a run, for people (a table) and for programs (JSON).

use std::fmt;

use serde::Serialize;

use super::folder::Folder;
use super::{Parameter, State};
use crate::util::counted;

/// The summary of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Number of iterations with a result.
    pub iterations: u64,
    /// Number of iterations of the whole run.
    pub iterations_planned: u64,
    /// Number of games of the iterations with a result.
    pub games: u64,
    /// Whether the user interrupted the run.
    pub is_interrupted: bool,
    /// The parameters with their current values.
    pub parameters: Vec<ParameterSummary>,
    /// Number of games lost by each kind of fault.
    pub faults: Vec<FaultCount>,
    /// The folder of the run.
    pub folder: String,
}

/// A parameter with its current value.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterSummary {
    /// Name of the USI option.
    pub name: String,
    /// The initial value.
    pub start: f64,
    /// The current value.
    pub now: f64,
    /// The change, in units of the parameter's step.
    pub change: f64,
    /// The value in the form that the engine takes: a whole number for an int.
    pub value: String,
    /// The parameter with the current value as its start: a line for another run.
    pub line: String,
    /// `now`, rounded to the decimals that are significant.
    #[serde(skip)]
    shown: String,
}

/// Number of games lost by one kind of fault.
#[derive(Clone, Debug, Serialize)]
pub struct FaultCount {
    /// The kind of fault.
    pub reason: String,
    /// Number of games.
    pub games: u64,
}

impl Summary {
    /// The summary of a run that has ended or was stopped.
    pub fn of(state: &State, folder: &Folder) -> Self {
        let summary = |((parameter, &now), value): ((&Parameter, &f64), &super::Value)| {
            let start = rounded(now, parameter);
            ParameterSummary {
                name: parameter.name.clone(),
                start: parameter.start,
                now,
                change: (now - parameter.start) / parameter.step,
                value: value.to_string(),
                shown: start.to_string(),
                line: Parameter {
                    start,
                    ..parameter.clone()
                }
                .to_string(),
            }
        };
        let values = state.values();
        let parameters = state.parameters().iter().zip(state.theta()).zip(&values);
        let faults = folder.faults().into_iter();
        Self {
            iterations: state.finished(),
            iterations_planned: state.settings().iterations,
            games: state.finished() * 2 * u64::from(folder.settings().pairs),
            is_interrupted: !state.is_done(),
            parameters: parameters.map(summary).collect(),
            faults: faults
                .map(|(reason, games)| FaultCount {
                    reason: reason.to_string(),
                    games,
                })
                .collect(),
            folder: folder.path().display().to_string(),
        }
    }

    /// The parameters with their current values as starts, as a file for another run.
    pub fn parameter_lines(&self) -> String {
        let lines = self.parameters.iter().map(|p| p.line.clone() + "\n");
        lines.collect()
    }
}

/// Number of significant decimals for a parameter with this step.
fn decimals(step: f64) -> usize {
    (2.0 - step.log10().floor()).clamp(0.0, 12.0) as usize
}

fn rounded(number: f64, parameter: &Parameter) -> f64 {
    let text = format!("{number:.*}", decimals(parameter.step));
    let number: f64 = text.parse().unwrap_or(number);
    number.clamp(parameter.least, parameter.most)
}

/// The current values in one line, for the progress bar.
pub fn one_line(state: &State) -> String {
    /// Maximum number of values in the line.
    const SHOWN: usize = 4;
    let numbers = state.parameters().iter().zip(state.theta());
    let mut parts: Vec<String> = numbers
        .take(SHOWN)
        .map(|(parameter, number)| format!("{} {}", parameter.name, rounded(*number, parameter)))
        .collect();
    if state.parameters().len() > SHOWN {
        parts.push("…".to_owned());
    }
    parts.join("  ")
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interrupted = if self.is_interrupted {
            ", interrupted"
        } else {
            ""
        };
        writeln!(
            f,
            "{} of {}, {}{interrupted}\n",
            self.iterations,
            counted(self.iterations_planned, "iteration"),
            counted(self.games, "game")
        )?;
        self.write_table(f)?;
        if !self.faults.is_empty() {
            let total: u64 = self.faults.iter().map(|fault| fault.games).sum();
            let counts: Vec<String> = self
                .faults
                .iter()
                .map(|fault| format!("{} {}", fault.games, fault.reason))
                .collect();
            let total = counted(total, "game");
            writeln!(f, "\n{total} lost by a fault: {}", counts.join(", "))?;
        }
        writeln!(f, "\nto begin another run here (--params):")?;
        write!(f, "{}", self.parameter_lines())?;
        write!(f, "\nfiles in {}", self.folder)
    }
}

impl Summary {
    fn write_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = |text: &str| text.to_owned();
        let mut rows = vec![["parameter", "start", "now", "change in steps"].map(title)];
        for parameter in &self.parameters {
            rows.push([
                parameter.name.clone(),
                parameter.start.to_string(),
                parameter.shown.clone(),
                format!("{:+.2}", parameter.change),
            ]);
        }
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let [name, start, now, change] = [0, 1, 2, 3].map(width);
        for [a, b, c, d] in &rows {
            writeln!(f, "{a:name$}  {b:>start$}  {c:>now$}  {d:>change$}")?;
        }
        Ok(())
    }
}
