//! Loading the evaluation that the settings ask for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use thiserror::Error;

use super::{EvalFile, Settings};
use crate::eval::Evaluator;
use crate::eval::nnue::file::{NetError, Warning, in_folder};
use crate::eval::nnue::simd::{InstructionSet, InstructionSetError};
use crate::eval::nnue::{Model, Network, instruction_set_from_env};

/// Something about the evaluation that its user should know.
#[derive(Debug, Error)]
pub enum EvalProblem {
    /// The file cannot be used.
    #[error("evaluation file \"{}\", {error}, the embedded evaluation is used", path.display())]
    File {
        /// Where it should be.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<NetError>,
    },
    /// The file is used, but something about it is odd.
    #[error("evaluation file \"{}\", {warning}", path.display())]
    Odd {
        /// Where it is.
        path: PathBuf,
        /// What is odd.
        warning: Box<Warning>,
    },
    /// `RAICHO_SIMD` cannot be followed.
    #[error("RAICHO_SIMD: {0}, the best instruction set of this processor is used")]
    InstructionSet(#[from] InstructionSetError),
    /// The network needs both kings.
    #[error("the evaluation needs both kings on the board, here the material is counted instead")]
    NoKing,
}

/// What an evaluation was made from: while it is the same, so is the evaluation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Source {
    choice: EvalFile,
    path: Option<PathBuf>,
    scale: u32,
    /// When the file was changed last, and its size.
    stamp: Option<(Option<SystemTime>, u64)>,
}

impl Source {
    /// What the settings ask for now.
    pub(super) fn of(settings: &Settings) -> Self {
        let path = settings.eval_path();
        Self {
            choice: settings.eval_file.clone(),
            scale: settings.fv_scale,
            stamp: path
                .as_deref()
                // A folder does not change with the file in it.
                .and_then(|path| in_folder(path).metadata().ok())
                .map(|metadata| (metadata.modified().ok(), metadata.len())),
            path,
        }
    }

    /// Whether the settings still ask for this, whatever has become of the file.
    pub(super) fn is_asked_by(&self, settings: &Settings) -> bool {
        self.choice == settings.eval_file
            && self.scale == settings.fv_scale
            && self.path == settings.eval_path()
    }

    /// The evaluation, and what is odd about it.
    pub(super) fn load(&self) -> (Evaluator, Vec<EvalProblem>) {
        let Some(path) = &self.path else {
            return of_name(&self.choice);
        };
        open(path, self.scale).unwrap_or_else(|error| {
            let path = path.clone();
            let (evaluator, mut problems) = of_name(&EvalFile::Embedded);
            let error = Box::new(error);
            problems.push(EvalProblem::File { path, error });
            (evaluator, problems)
        })
    }
}

/// The evaluation that needs no file.
fn of_name(choice: &EvalFile) -> (Evaluator, Vec<EvalProblem>) {
    match choice {
        EvalFile::Material => (Evaluator::Material, Vec::new()),
        EvalFile::Embedded | EvalFile::Path(_) => lay_out(Network::embedded()),
    }
}

/// For the instruction set that was asked for, or the best.
fn lay_out(network: Network) -> (Evaluator, Vec<EvalProblem>) {
    let (set, problems) = match instruction_set_from_env() {
        Ok(set) => (set, Vec::new()),
        Err(error) => (InstructionSet::best(), vec![error.into()]),
    };
    let model = Model::for_set(network, set);
    (Evaluator::Nnue(Arc::new(model)), problems)
}

/// The evaluation that `choice` names, for programs that can go on with no other.
///
/// # Errors
/// The file cannot be used.
pub fn load_evaluator(choice: &EvalFile) -> Result<(Evaluator, Vec<EvalProblem>), EvalProblem> {
    let EvalFile::Path(path) = choice else {
        return Ok(of_name(choice));
    };
    open(path, 0).map_err(|error| EvalProblem::File {
        path: path.clone(),
        error: Box::new(error),
    })
}

/// `scale` 0 is that of the file.
fn open(path: &Path, scale: u32) -> Result<(Evaluator, Vec<EvalProblem>), NetError> {
    let (mut network, warnings) = Network::open(path)?;
    if scale > 0 {
        network.set_scale(scale as i32);
    }
    let odd = |warning| EvalProblem::Odd {
        path: path.to_owned(),
        warning: Box::new(warning),
    };
    let (evaluator, mut problems) = lay_out(network);
    problems.extend(warnings.into_iter().map(odd));
    Ok((evaluator, problems))
}
