//! Making opening books: [`games`] counts the moves of games, [`think`] searches positions,
//! [`extend`] grows a book from roots, [`minimax`] carries the values of the leaves back over the
//! graph of a book, and [`merge()`] makes one book of several. Memory is bounded: what is larger is
//! sorted in files ([`SortedWriter`]).

pub mod extend;
pub mod games;
mod merge;
pub mod minimax;
mod sorter;
pub mod think;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::book::{BookError, BookFault, FaultLog, WriteError};
use crate::records::packed::PackedError;
use crate::records::teacher::TeacherError;
use crate::runs::{FolderError, Interrupted, OutputError, ThreadError};
use crate::transposition::TableError;

pub use merge::{MergeRule, MergeRuleError, MergeSettings, MergeSummary, merge};
pub use sorter::SortedWriter;

/// Why a book cannot be made.
#[derive(Debug, Error)]
pub enum MakeError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// An output file cannot be created.
    #[error("{}: {source}", path.display())]
    Output {
        /// The file concerned.
        path: PathBuf,
        /// Why not.
        source: OutputError,
    },
    /// An entry cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file concerned.
        path: PathBuf,
        /// Why not.
        source: WriteError,
    },
    /// A file is no book.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A book cannot be read to its end.
    #[error("{}: {fault}", path.display())]
    Fault {
        /// The file concerned.
        path: PathBuf,
        /// What is wrong, and where.
        fault: BookFault,
    },
    /// The work needs a book of another format.
    #[error("{}: {reason}", path.display())]
    Format {
        /// The file concerned.
        path: PathBuf,
        /// What was found and what was expected.
        reason: String,
    },
    /// A game cannot be read.
    #[error("{}: {source}", path.display())]
    Games {
        /// The file concerned.
        path: PathBuf,
        /// What is wrong, and where.
        source: TeacherError,
    },
    /// The result of an earlier part of the run is for another position.
    #[error("result {number} of the run is for {found}, expected {expected}: it began otherwise")]
    OtherPosition {
        /// Number of the result.
        number: u64,
        /// Its position.
        found: String,
        /// The position that is due.
        expected: String,
    },
    /// A position cannot be unpacked.
    #[error(transparent)]
    Position(#[from] PackedError),
    /// There is too little memory for a transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The results cannot be kept.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The book is too large for the numbers that stand for its positions.
    #[error("the book has more than {} positions", u32::MAX / 2)]
    TooLarge,
    /// A pool of threads cannot be started.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The user ended the work.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl MakeError {
    /// Converts an error of the system, for [`Result::map_err`] after an operation on `path`.
    fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            path: path.clone(),
            source,
        }
    }

    /// Converts an error of creating `path`, for [`Result::map_err`].
    fn output(path: &Path) -> impl Fn(OutputError) -> Self {
        let path = path.to_owned();
        move |source| Self::Output {
            path: path.clone(),
            source,
        }
    }

    /// Keeps a fault of the book `path` in `log`.
    ///
    /// # Errors
    /// The book cannot be read any further.
    fn log(path: &Path, fault: BookFault, log: &mut FaultLog) -> Result<(), Self> {
        if fault.is_end() {
            let path = path.to_owned();
            return Err(Self::Fault { path, fault });
        }
        log.add(fault);
        Ok(())
    }

    /// Converts an error of writing an entry to `path`, for [`Result::map_err`].
    fn write(path: &Path) -> impl Fn(WriteError) -> Self {
        let path = path.to_owned();
        move |source| Self::Write {
            path: path.clone(),
            source,
        }
    }
}
