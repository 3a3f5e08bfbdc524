//! Errors of the files in the folder of a run, and the kinds of folders.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// What distinguishes the run folders of one tool from those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunKind {
    /// What a folder holds, for messages: such as `match`.
    pub noun: &'static str,
    /// File name of the settings.
    pub settings: &'static str,
    /// File name of the journal.
    pub journal: &'static str,
    /// Format number of the settings file. Raised when folders of earlier versions can no longer be
    /// read.
    pub format: u32,
}

/// Why a run folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process is writing to this folder.
    #[error("{}: another run is writing there", .0.display())]
    InUse(PathBuf),
    /// A file has invalid content.
    #[error("{}{}: {reason}", path.display(), place(*line))]
    Content {
        /// The file concerned.
        path: PathBuf,
        /// The line, counted from 1; `None` if the fault is not in one line.
        line: Option<usize>,
        /// What is wrong with the content.
        reason: String,
    },
    /// A new run cannot begin because the folder holds one already.
    #[error(
        "{} holds a {noun} already: continue it with --resume, or choose another folder",
        path.display()
    )]
    Occupied {
        /// The folder concerned.
        path: PathBuf,
        /// What it holds, see [`RunKind::noun`].
        noun: &'static str,
    },
    /// A run cannot be resumed because the folder holds none.
    #[error("{} holds no {}: expected a file {} in it", path.display(), kind.noun, kind.settings)]
    Missing {
        /// The folder concerned.
        path: PathBuf,
        /// The kind of run that was expected.
        kind: RunKind,
    },
    /// The run in the folder has different settings.
    #[error("{} holds another {noun}: {difference}", path.display())]
    OtherRun {
        /// The folder concerned.
        path: PathBuf,
        /// What it holds, see [`RunKind::noun`].
        noun: &'static str,
        /// The first difference, see [`difference`](super::difference).
        difference: String,
    },
}

fn place(line: Option<usize>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

/// Converts an error of the system, for [`Result::map_err`] after an operation on `path`.
pub(crate) fn io_error(path: &Path) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io {
        path: path.clone(),
        source,
    }
}

/// Converts an error of the JSON in a line of `path`, for [`Result::map_err`].
pub(super) fn content_error(
    path: &Path,
    line: Option<usize>,
) -> impl Fn(serde_json::Error) -> FolderError {
    let path = path.to_owned();
    move |error| {
        let text = error.to_string();
        // Its own place is that within the line.
        let reason = match (line, text.rfind(" at line ")) {
            (Some(_), Some(end)) => text[..end].to_owned(),
            _ => text,
        };
        FolderError::Content {
            path: path.clone(),
            line,
            reason,
        }
    }
}
