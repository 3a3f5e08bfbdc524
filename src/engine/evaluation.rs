//! Loads the evaluation that the settings name, and describes it.

use std::path::{Path, PathBuf};
use std::{env, io, sync::Arc};

use thiserror::Error;

use super::{EvalFile, Problem, Settings, Source};
use crate::eval::nnue::{Model, Network, file, instruction_set_from_env};
use crate::eval::{Evaluator, kppt, nnue::simd::InstructionSet};

/// Why an evaluation cannot be loaded: its file or folder, and what is wrong with it.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct EvalFileError(String);

/// What decides which evaluation is loaded: the choice, its path, and the scale of its output.
pub(super) type EvalSettings = (EvalFile, Option<PathBuf>, u32);

/// What a path leads to.
enum Found {
    /// A network, or something that is none.
    Network(PathBuf),
    /// A folder of three-piece files.
    Kppt(PathBuf),
    /// A folder of neither.
    Empty(PathBuf),
    /// There is no such path.
    Nothing,
}

impl Found {
    /// What is at the first of the places of a path that has anything.
    fn of(path: &Path) -> Self {
        let is_missing = |path: &PathBuf| {
            let error = path.metadata().err();
            error.is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        let mut places = places_of(path).into_iter();
        let found = places.find(|place| !is_missing(place));
        found.map_or(Self::Nothing, |place| Self::at(&place))
    }

    /// A file is a network; in a folder, `nn.bin` is, else its three-piece files are looked for.
    fn at(path: &Path) -> Self {
        if !path.is_dir() {
            return Self::Network(path.to_owned());
        }
        let network = path.join(file::FILE_NAME);
        if network.exists() {
            Self::Network(network)
        } else if kppt::files_in(path).is_empty() {
            Self::Empty(path.to_owned())
        } else {
            Self::Kppt(path.to_owned())
        }
    }

    /// The files that are read from there.
    fn files(self) -> Vec<PathBuf> {
        match self {
            Self::Network(path) => vec![path],
            Self::Kppt(path) => kppt::files_in(&path),
            Self::Empty(_) | Self::Nothing => Vec::new(),
        }
    }
}

/// Where a path may lead: from the working folder, or from that of the executable, as clients with
/// a working folder of their own expect.
fn places_of(path: &Path) -> Vec<PathBuf> {
    let mut places = vec![path.to_owned()];
    places.extend(executable_folder().map(|folder| folder.join(path)));
    places.dedup();
    places
}

fn executable_folder() -> Option<PathBuf> {
    env::current_exe().ok()?.parent().map(Path::to_owned)
}

fn not_found(path: &Path) -> EvalFileError {
    let mut folders = Vec::new();
    if path.is_relative() {
        folders.extend(env::current_dir().ok());
        folders.extend(executable_folder());
        folders.dedup();
    }
    let folders = folders.iter().enumerate().map(|(index, folder)| {
        let word = if index == 0 { "in" } else { "or" };
        format!(" {word} \"{}\"", folder.display())
    });
    EvalFileError(format!(
        "no evaluation file or folder \"{}\"{}",
        path.display(),
        folders.collect::<String>()
    ))
}

pub(super) fn settings_of(settings: &Settings) -> EvalSettings {
    let (choice, path) = (settings.eval_file.clone(), settings.eval_path());
    (choice, path, settings.fv_scale)
}

/// What the settings name, with the files as they are now.
pub(super) fn source(settings: &Settings) -> Source<EvalSettings> {
    let settings = settings_of(settings);
    // The time of a folder does not change with the files in it.
    let files = settings.1.iter().flat_map(|path| Found::of(path).files());
    let files: Vec<PathBuf> = files.collect();
    Source::new(settings, &files)
}

/// Loads the evaluation; the embedded one if the file cannot be used.
pub(super) fn load((choice, path, scale): &EvalSettings) -> (Evaluator, Vec<Problem>) {
    let Some(path) = path else {
        return built_in(choice);
    };
    open(path, *scale).unwrap_or_else(|error| {
        let (evaluator, mut problems) = built_in(&EvalFile::Embedded);
        problems.push(Problem::error(format!("{error}, the embedded evaluation is used")));
        (evaluator, problems)
    })
}

/// An evaluation that needs no file.
fn built_in(choice: &EvalFile) -> (Evaluator, Vec<Problem>) {
    match choice {
        EvalFile::Material => (Evaluator::Material, Vec::new()),
        EvalFile::Embedded | EvalFile::Path(_) => evaluator(Network::embedded()),
    }
}

/// The network as an evaluator, for the instruction set that `RAICHO_SIMD` names or the best one.
fn evaluator(network: Network) -> (Evaluator, Vec<Problem>) {
    let (set, problems) = instruction_set();
    let model = Model::for_set(network, set);
    (Evaluator::Nnue(Arc::new(model)), problems)
}

/// The instruction set that `RAICHO_SIMD` names, or the best one.
fn instruction_set() -> (InstructionSet, Vec<Problem>) {
    match instruction_set_from_env() {
        Ok(set) => (set, Vec::new()),
        Err(error) => {
            let text =
                format!("RAICHO_SIMD: {error}, the best instruction set of this processor is used");
            (InstructionSet::best(), vec![Problem::error(text)])
        }
    }
}

/// Loads the evaluation that `choice` names, for programs that have no use for another one.
///
/// # Errors
/// The file cannot be used.
pub fn load_evaluator(choice: &EvalFile) -> Result<(Evaluator, Vec<Problem>), EvalFileError> {
    match choice {
        EvalFile::Path(path) => open(path, 0),
        EvalFile::Embedded | EvalFile::Material => Ok(built_in(choice)),
    }
}

/// Loads a network file, or what a folder has. `scale` replaces the scale of a network unless it
/// is 0.
fn open(path: &Path, scale: u32) -> Result<(Evaluator, Vec<Problem>), EvalFileError> {
    match Found::of(path) {
        Found::Network(path) => open_network(&path, scale),
        Found::Kppt(path) => open_kppt(&path),
        Found::Empty(path) => Err(EvalFileError(format!(
            "evaluation folder \"{}\" has no {} and no three-piece files ({})",
            path.display(),
            file::FILE_NAME,
            kppt::NAMES
        ))),
        Found::Nothing => Err(not_found(path)),
    }
}

/// Loads the three-piece files of a folder.
fn open_kppt(path: &Path) -> Result<(Evaluator, Vec<Problem>), EvalFileError> {
    let name = format!("evaluation folder \"{}\"", path.display());
    let (tables, warning) =
        kppt::Tables::open(path).map_err(|error| EvalFileError(format!("{name}, {error}")))?;
    let (set, mut problems) = instruction_set();
    let model = kppt::Model::new(tables, path.display().to_string(), set);
    problems.extend(warning.map(|warning| Problem::error(format!("{name}, {warning}"))));
    Ok((Evaluator::Kppt(Arc::new(model)), problems))
}

/// Loads a network file.
fn open_network(path: &Path, scale: u32) -> Result<(Evaluator, Vec<Problem>), EvalFileError> {
    let name = format!("evaluation file \"{}\"", path.display());
    let (mut network, warnings) =
        Network::open(path).map_err(|error| EvalFileError(format!("{name}, {error}")))?;
    if scale > 0 {
        network.set_scale(scale as i32);
    }
    let (evaluator, mut problems) = evaluator(network);
    let warnings = warnings.into_iter();
    problems.extend(warnings.map(|warning| Problem::warning(format!("{name}, {warning}"))));
    Ok((evaluator, problems))
}

/// One line that names an evaluation: source, shape and instruction set, and the text of the
/// embedded network.
pub(super) fn description(evaluator: &Evaluator) -> String {
    match evaluator {
        Evaluator::Nnue(model) if model.network().is_embedded() => {
            format!("evaluation {evaluator}, \"{}\"", model.network().text())
        }
        _ => format!("evaluation {evaluator}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_may_lie_beside_the_executable() {
        let folder = executable_folder().expect("the test has a folder");
        let name = format!("raicho-beside-{}", std::process::id());
        let missing = load_evaluator(&EvalFile::from(name.as_str())).expect_err("no such folder");
        let text = missing.to_string();
        let part = format!("\"{}\"", folder.display());
        assert!(text.contains(&part), "{text}");
        let beside = folder.join(&name);
        std::fs::create_dir_all(&beside).expect("a folder can be made");
        let empty = load_evaluator(&EvalFile::from(name.as_str()));
        let _ = std::fs::remove_dir(&beside);
        let error = empty.expect_err("the folder is empty");
        let expected = format!("evaluation folder \"{}\" has no nn.bin", beside.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
