//! The argument `--eval`.

use super::output;
use crate::engine::{EvalFile, load_evaluator};
use crate::eval::Evaluator;

/// Loads the evaluation that `--eval` names. Warnings about the file go to standard error.
///
/// # Errors
/// The file cannot be used.
pub(super) fn load(text: &str) -> anyhow::Result<(EvalFile, Evaluator)> {
    let choice = match text {
        // Without angle brackets, which need quotes in a shell.
        "material" => EvalFile::Material,
        other => EvalFile::from(other),
    };
    let (evaluator, problems) = load_evaluator(&choice)?;
    for problem in problems {
        output::eprint_line(format_args!("note: {problem}"));
    }
    Ok((choice, evaluator))
}

/// The requested evaluation and a checksum of its weights: a run is not resumed with others.
pub(super) fn identity(choice: &EvalFile, evaluator: &Evaluator) -> String {
    let network = match evaluator {
        Evaluator::Material => return choice.to_string(),
        Evaluator::Kppt(model) => {
            return format!("{choice}, checksum {:08x}", model.tables().checksum());
        }
        Evaluator::Nnue(model) => model.network(),
    };
    // Not all networks of other programs can be written; their text says at least what they are.
    match network.checksum() {
        Some(checksum) => format!("{choice}, checksum {checksum:08x}"),
        None => format!("{choice}, {}", network.text()),
    }
}
