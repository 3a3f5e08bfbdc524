//! Tools for files of teacher data: convert, validate, shuffle, remove duplicates, statistics.
//!
//! All of them stream, so files may be of any size. An output is called `NAME.partial` until it is
//! complete.

mod buckets;
pub mod column;
pub mod dedup;
mod duplicate;
mod files;
mod histogram;
mod lottery;
pub mod pass;
pub mod place;
pub mod shuffle;
pub mod signs;
pub mod stats;
pub mod steps;
mod svg;

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::records::teacher::{Format, TeacherError, UnknownFormat, WriteError};
use crate::runs::{FolderError, Interrupted, ThreadError};
use crate::transposition::TableError;

use column::ColumnError;
pub use files::{Output, Source, Sources};

/// Why a tool failed.
#[derive(Debug, Error)]
pub enum DataError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// A record is invalid, and such records are not skipped.
    #[error("{}: {error}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// The place of the record and its fault.
        error: TeacherError,
    },
    /// The format of the output cannot hold a record.
    #[error("{}: {error}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// The reason.
        error: WriteError,
    },
    /// The extension of a file name is not that of a format.
    #[error("{}: {error}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The extension found.
        error: UnknownFormat,
    },
    /// The scores of another program cannot be used, or positions for it cannot be written.
    #[error("{}: {error}", path.display())]
    Scores {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: ColumnError,
    },
    /// A folder has no file of a known format.
    #[error("{}: no file of a known format, expected {}", .0.display(), Format::names(|_| true))]
    EmptyFolder(PathBuf),
    /// The tool does not write this format.
    #[error("{format} cannot be written here, expected {expected}")]
    Unwritable {
        /// The format that was asked for.
        format: Format,
        /// The names of those that can be written.
        expected: String,
    },
    /// Another process is writing the output.
    #[error("{}: another run is writing this file", .0.display())]
    InUse(PathBuf),
    /// The output would keep less than the input, or needs more.
    #[error(
        "{}: {found} is not written as {output}, expected the same kind of data",
        path.display()
    )]
    OtherKind {
        /// The input.
        path: PathBuf,
        /// Its format.
        found: Format,
        /// The format of the output.
        output: Format,
    },
    /// There is too little memory for a transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The folder that keeps the work.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The work was stopped.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl DataError {
    /// Makes an error of a file operation, for [`Result::map_err`].
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |error| Self::Io { path, error }
    }

    /// Makes an error of the scores of another program, for [`Result::map_err`].
    pub(crate) fn scores(path: &Path) -> impl FnOnce(ColumnError) -> Self + use<> {
        let path = path.to_owned();
        |error| Self::Scores { path, error }
    }

    /// Makes an error of a failed write of a record, for [`Result::map_err`].
    pub(crate) fn write(path: &Path) -> impl FnOnce(WriteError) -> Self {
        let path = path.to_owned();
        |error| Self::Write { path, error }
    }
}

#[cfg(test)]
mod tests;
