//! Loads the evaluation that the settings name, and describes it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use thiserror::Error;

use super::options::{EvalFile, Settings};
use crate::eval::Evaluator;
use crate::eval::nnue::file::{NetError, Warning, in_folder};
use crate::eval::nnue::simd::{InstructionSet, InstructionSetError};
use crate::eval::nnue::{Model, Network, instruction_set_from_env};

/// A network file that cannot be used.
#[derive(Debug, Error)]
#[error("evaluation file \"{}\", {error}", path.display())]
pub struct EvalFileError {
    /// The file that was to be read.
    path: PathBuf,
    /// Why it is refused.
    error: Box<NetError>,
}

/// A problem with the evaluation; the engine plays on, as the message says.
#[derive(Debug, Error)]
pub enum EvalProblem {
    /// The file cannot be used.
    #[error("{0}, the embedded evaluation is used")]
    File(EvalFileError),
    /// The file is used, but does not quite match its format.
    #[error("evaluation file \"{}\", {warning}", path.display())]
    Warning {
        /// The file.
        path: PathBuf,
        /// What does not match.
        warning: Box<Warning>,
    },
    /// The environment variable `RAICHO_SIMD` names an instruction set that cannot be used.
    #[error("RAICHO_SIMD: {0}, the best instruction set of this processor is used")]
    InstructionSet(#[from] InstructionSetError),
    /// The network needs both kings, and the position has fewer.
    #[error("the evaluation needs both kings on the board, here the material is counted instead")]
    NoKing,
}

/// The settings and the state of the file that an evaluation was loaded from. It is loaded again
/// when they differ.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct EvalSource {
    choice: EvalFile,
    path: Option<PathBuf>,
    scale: u32,
    /// Modification time and size of the file, if it has them.
    stamp: Option<(Option<SystemTime>, u64)>,
}

impl EvalSource {
    /// The source that the settings name, with the file as it is now.
    pub(super) fn new(settings: &Settings) -> Self {
        let path = settings.eval_path();
        Self {
            choice: settings.eval_file.clone(),
            scale: settings.fv_scale,
            stamp: path
                .as_deref()
                // The time of a folder does not change with the file in it.
                .and_then(|path| in_folder(path).metadata().ok())
                .map(|metadata| (metadata.modified().ok(), metadata.len())),
            path,
        }
    }

    /// Whether the settings still name this source, whether or not the file has changed.
    pub(super) fn matches(&self, settings: &Settings) -> bool {
        self.choice == settings.eval_file
            && self.scale == settings.fv_scale
            && self.path == settings.eval_path()
    }

    /// Loads the evaluation; the embedded one if the file cannot be used.
    pub(super) fn load(&self) -> (Evaluator, Vec<EvalProblem>) {
        let Some(path) = &self.path else {
            return built_in(&self.choice);
        };
        open(path, self.scale).unwrap_or_else(|error| {
            let (evaluator, mut problems) = built_in(&EvalFile::Embedded);
            problems.push(EvalProblem::File(error));
            (evaluator, problems)
        })
    }
}

/// An evaluation that needs no file.
fn built_in(choice: &EvalFile) -> (Evaluator, Vec<EvalProblem>) {
    match choice {
        EvalFile::Material => (Evaluator::Material, Vec::new()),
        EvalFile::Embedded | EvalFile::Path(_) => evaluator(Network::embedded()),
    }
}

/// The network as an evaluator, for the instruction set that `RAICHO_SIMD` names or the best one.
fn evaluator(network: Network) -> (Evaluator, Vec<EvalProblem>) {
    let (set, problems) = match instruction_set_from_env() {
        Ok(set) => (set, Vec::new()),
        Err(error) => (InstructionSet::best(), vec![error.into()]),
    };
    let model = Model::for_set(network, set);
    (Evaluator::Nnue(Arc::new(model)), problems)
}

/// Loads the evaluation that `choice` names, for programs that have no use for another one.
///
/// # Errors
/// The file cannot be used.
pub fn load_evaluator(choice: &EvalFile) -> Result<(Evaluator, Vec<EvalProblem>), EvalFileError> {
    match choice {
        EvalFile::Path(path) => open(path, 0),
        EvalFile::Embedded | EvalFile::Material => Ok(built_in(choice)),
    }
}

/// Loads a file, or `nn.bin` in a folder. `scale` replaces the scale of the file unless it is 0.
fn open(path: &Path, scale: u32) -> Result<(Evaluator, Vec<EvalProblem>), EvalFileError> {
    let path = in_folder(path);
    let (mut network, warnings) = Network::open(&path).map_err(|error| EvalFileError {
        path: path.clone(),
        error: Box::new(error),
    })?;
    if scale > 0 {
        network.set_scale(scale as i32);
    }
    let (evaluator, mut problems) = evaluator(network);
    problems.extend(warnings.into_iter().map(|warning| EvalProblem::Warning {
        path: path.clone(),
        warning: Box::new(warning),
    }));
    Ok((evaluator, problems))
}

/// One line that names an evaluation: source, shape and instruction set, and the text of the
/// embedded network.
pub(super) fn description(evaluator: &Evaluator) -> String {
    match evaluator {
        Evaluator::Nnue(model) if model.network().is_embedded() => {
            format!("evaluation {evaluator}, \"{}\"", model.network().text())
        }
        Evaluator::Nnue(_) | Evaluator::Material => format!("evaluation {evaluator}"),
    }
}
