//! The evaluation that a command line asks for.

use super::output;
use crate::engine::{EvalFile, load_evaluator};
use crate::eval::Evaluator;

/// Loads what `--eval` says; what is odd about it goes to stderr.
///
/// # Errors
/// The file cannot be read or is no network.
pub(super) fn load(text: &str) -> anyhow::Result<(EvalFile, Evaluator)> {
    let choice = match text {
        // Angle brackets need quotes in a shell.
        "material" => EvalFile::Material,
        other => EvalFile::from(other),
    };
    let (evaluator, problems) = load_evaluator(&choice)?;
    for problem in problems {
        output::eprint_line(format_args!("note: {problem}"));
    }
    Ok((choice, evaluator))
}
