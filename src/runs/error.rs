//! Errors of the files in the folder of a run, and the kinds of folders.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// What tells the folders of one tool from those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunKind {
    /// What a folder holds, such as `match`.
    pub noun: &'static str,
    /// Name of the settings file.
    pub settings: &'static str,
    /// Name of the journal.
    pub journal: &'static str,
    /// Raised when folders of older versions can no longer be read.
    pub format: u32,
}

/// Why the folder of a run cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process writes there.
    #[error("{}: another run is writing there at this moment", .0.display())]
    InUse(PathBuf),
    /// A file cannot be understood.
    #[error("{}{}: {reason}", path.display(), place(*line))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
    /// A new run was to begin where there is one.
    #[error(
        "{} holds a {noun} already: go on with it by --resume, or choose another folder",
        path.display()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        noun: &'static str,
    },
    /// A run was to go on where there is none.
    #[error("{} holds no {}: expected a file {} in it", path.display(), kind.noun, kind.settings)]
    Missing {
        /// The folder.
        path: PathBuf,
        /// What was looked for.
        kind: RunKind,
    },
    /// The run in the folder has other settings.
    #[error("{} holds another {noun}: {difference}", path.display())]
    OtherRun {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        noun: &'static str,
        /// The first difference.
        difference: String,
    },
}

fn place(line: Option<usize>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

/// For [`Result::map_err`] of something that was done with a file.
pub(crate) fn io_error(path: &Path) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io {
        path: path.clone(),
        source,
    }
}

/// For something in a file that is no JSON of the right kind.
pub(super) fn content_error(
    path: &Path,
    line: Option<usize>,
) -> impl Fn(serde_json::Error) -> FolderError {
    let path = path.to_owned();
    move |error| FolderError::Content {
        path: path.clone(),
        line,
        reason: error.to_string(),
    }
}
