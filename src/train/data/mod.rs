//! Tools for files of teacher data of any size: convert, validate, shuffle, remove duplicates, count.
//!
//! All of them stream. What they write appears under its name when it is whole; before that it is called `NAME.partial`.

mod buckets;
pub mod dedup;
mod files;
mod histogram;
pub mod pass;
pub mod shuffle;
pub mod signs;
pub mod stats;
pub mod steps;
mod svg;

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::records::teacher::{Format, TeacherError, UnknownFormat, WriteError};
use crate::runs::{FolderError, Stop};

pub use files::{Output, Source, Sources};

/// Why a tool could not do its work.
#[derive(Debug, Error)]
pub enum DataError {
    /// A file fails.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A bad record where bad ones are not skipped.
    #[error("{}: {error}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: TeacherError,
    },
    /// A record that the format of the output cannot hold.
    #[error("{}: {error}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// Why not.
        error: WriteError,
    },
    /// A file name that says no format.
    #[error("{}: {error}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: UnknownFormat,
    },
    /// A folder without teacher data.
    #[error("{}: no file of a known format, expected {}", .0.display(), Format::names(|_| true))]
    EmptyFolder(PathBuf),
    /// A format of games where positions are written.
    #[error(
        "{0} keeps games, expected a format of positions: {names}",
        names = Format::names(|format| format.record_size().is_some())
    )]
    Games(Format),
    /// Another process is writing the output.
    #[error("{}: another run is writing this file at this moment", .0.display())]
    InUse(PathBuf),
    /// The folder that keeps the work.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Somebody asked to stop.
    #[error("interrupted; no output was completed")]
    Interrupted,
}

impl DataError {
    /// For [`Result::map_err`] of something that was done with a file.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |error| Self::Io { path, error }
    }

    /// For [`Result::map_err`] of a record that was written.
    pub(crate) fn write(path: &Path) -> impl FnOnce(WriteError) -> Self {
        let path = path.to_owned();
        |error| Self::Write { path, error }
    }
}

/// How long work is watched and told to end.
pub struct Watch<'a> {
    /// Set from outside to end the work.
    pub stop: &'a Stop,
    /// Is told now and then how many bytes of how many are read.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Watch<'_> {
    pub(in crate::train) fn check(&self, done: u64, total: u64) -> Result<(), DataError> {
        (self.progress)(done, total);
        self.check_stop()
    }

    pub(in crate::train) fn check_stop(&self) -> Result<(), DataError> {
        if self.stop.is_requested() {
            return Err(DataError::Interrupted);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
