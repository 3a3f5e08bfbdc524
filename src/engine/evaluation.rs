//! Loading the evaluation that the settings ask for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use thiserror::Error;

use super::{EvalFile, Settings};
use crate::eval::Evaluator;
use crate::eval::nnue::file::{NetError, Warning};
use crate::eval::nnue::simd::InstructionSetError;
use crate::eval::nnue::{Model, Network, chosen_set};

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
                .and_then(|path| path.metadata().ok())
                .map(|metadata| (metadata.modified().ok(), metadata.len())),
            path,
        }
    }

    /// The evaluation, and what is odd about it.
    pub(super) fn load(&self) -> (Evaluator, Vec<EvalProblem>) {
        let Some(path) = &self.path else {
            return (Evaluator::of_name(&self.choice), Vec::new());
        };
        match open(path, self.scale) {
            Ok((evaluator, problems)) => (evaluator, problems),
            Err(error) => {
                let path = path.clone();
                (
                    Evaluator::default(),
                    vec![EvalProblem::File {
                        path,
                        error: Box::new(error),
                    }],
                )
            }
        }
    }
}

impl Evaluator {
    /// The evaluation that needs no file.
    fn of_name(choice: &EvalFile) -> Self {
        match choice {
            EvalFile::Material | EvalFile::Embedded | EvalFile::Path(_) => Self::Material,
        }
    }
}

/// The evaluation that `choice` names, for programs that can go on with no other.
///
/// # Errors
/// The file cannot be used.
pub fn load_evaluator(choice: &EvalFile) -> Result<(Evaluator, Vec<EvalProblem>), EvalProblem> {
    let EvalFile::Path(path) = choice else {
        return Ok((Evaluator::of_name(choice), Vec::new()));
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
    let mut problems: Vec<EvalProblem> = warnings
        .into_iter()
        .map(|warning| EvalProblem::Odd {
            path: path.to_owned(),
            warning: Box::new(warning),
        })
        .collect();
    let model = match chosen_set() {
        Ok(set) => Model::for_set(network, set),
        Err(error) => {
            problems.push(error.into());
            Model::new(network)
        }
    };
    Ok((Evaluator::Nnue(Arc::new(model)), problems))
}
