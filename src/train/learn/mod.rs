//! Training of networks of our own feature set on the CPU, with or without hidden layers, and of
//! three-piece evaluations.
//!
//! | module | content |
//! |---|---|
//! | `settings` | what determines a run |
//! | `files`, `data` | blocks of files, and the positions in them that are learnt from |
//! | `sample`, `filter` | 48 bytes of a position in memory; which positions are selected |
//! | `stream` | shuffled order of the visits, reading ahead where memory is too small |
//! | `learner`, `loss_curve`, `checkpoint` | a run, its loss curve, interrupted runs |
//! | `net`, `weights`, `loss` | the network in 32-bit floats; what it is to predict |
//! | `chunk`, `pass` | features of a part of a batch; forward and backward pass |
//! | `adam` | the optimiser |
//! | `quantise`, `rounding` | the network in integers |
//! | `kppt` | three-piece evaluations instead of networks |
//!
//! A seed gives the same network on any number of threads, because every sum has a fixed order.

mod adam;
mod checkpoint;
mod chunk;
mod data;
mod files;
mod filter;
pub mod kppt;
mod learner;
mod loss;
mod loss_curve;
mod net;
mod pass;
mod quantise;
mod rounding;
mod sample;
mod settings;
mod stream;
mod weights;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::eval::nnue::file::NetError;
use crate::eval::nnue::shape::Shape;
use crate::records::teacher::Format;

pub use data::{Data, Fault, Judged};
pub use files::{FileGroup, Source, Watch};
pub use filter::{Counts, Filter, Tactical};
pub use learner::{Model, Run};
pub use loss::fit_scale;
pub use loss_curve::{Point, best_before_rise};
pub use net::{InitialWeights, Learner};
pub use quantise::{ErrorReport, Quantised};
pub use sample::{Label, Sample};
pub use settings::{DEFAULT_SCALE, ResultWeight, Settings};

/// Why a run cannot begin or go on.
#[derive(Debug, Error)]
pub enum LearnError {
    /// A checkpoint or initial weights cannot be read, or there is not enough memory.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A file of data cannot be opened or read.
    #[error("{}: {error}", file.display())]
    File {
        /// Path of the file.
        file: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The name says no format with scores and results.
    #[error(
        "{}: expected a format with scores and results: {}",
        .0.display(),
        Format::names(Format::has_scores)
    )]
    Format(PathBuf),
    /// A file has become shorter, or its records have other ends.
    #[error(
        "{}: changed while it was read, expected a record to end at byte {end}",
        file.display()
    )]
    Changed {
        /// Path of the file.
        file: PathBuf,
        /// The end of a block.
        end: u64,
    },
    /// No position passed the filter, of this number.
    #[error("no position to learn from among {0}, expected one at least")]
    Empty(u64),
    /// [`Watch::stop`] was set.
    #[error("interrupted")]
    Interrupted,
    /// A setting is out of range.
    #[error("{name} {found}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// The value that is out of range.
        found: String,
        /// The accepted range.
        expected: String,
    },
    /// A file does not begin with the magic of a checkpoint.
    #[error("no checkpoint: the first 8 bytes are not {0}")]
    Magic(String),
    /// The version of a checkpoint is not supported.
    #[error(
        "version {found} of the format, expected {expected}: the run was begun by another version \
        of this program"
    )]
    Version {
        /// The version of the file.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// The header of a checkpoint is not the expected JSON.
    #[error("the header is not understood: {0}")]
    Header(#[from] serde_json::Error),
    /// A checkpoint ends before its checksum.
    #[error("the file is cut off, expected weights and a checksum up to its end")]
    Cut,
    /// The checksum of a checkpoint does not match.
    #[error("checksum {found:08x}, expected {expected:08x}: the file is damaged")]
    Checksum {
        /// The CRC-32 in the file.
        found: u32,
        /// The CRC-32 of the bytes before it.
        expected: u32,
    },
    /// The run learnt from other data than those that were loaded.
    #[error("it belongs to other data, expected the same files, filter, seed and held-out share")]
    OtherData,
    /// A file of initial weights is neither a checkpoint nor a network.
    #[error("neither a checkpoint nor a network")]
    Network(#[from] NetError),
    /// A network has another shape than those that can be trained.
    #[error("a network of shape {0}, expected one of our own (raicho_…)")]
    Shape(Shape),
    /// A network has zones of the own king, and that of the run has none.
    #[error("a network of shape {0}, whose zones cannot be joined")]
    Zones(Shape),
    /// The width of initial weights differs from that of the run.
    #[error("width {found}, expected {expected}")]
    Width {
        /// Width of the weights in the file.
        found: usize,
        /// Width of the run.
        expected: usize,
    },
}

impl LearnError {
    fn file(file: &Path) -> impl FnOnce(io::Error) -> Self {
        let file = file.to_owned();
        |error| Self::File { file, error }
    }
}

#[cfg(test)]
mod tests;
