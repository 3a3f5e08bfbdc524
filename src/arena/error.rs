//! Why a match cannot begin or continue.

use std::path::PathBuf;

use thiserror::Error;

use super::openings::OpeningError;
use crate::runs::{FolderError, ThreadError};
use crate::usi::client::ClientError;

/// A match is given up when an engine could not be got ready for so many games in a row.
pub(super) const FAILURES_IN_A_ROW: u32 = 3;

/// Why a match cannot begin or go on. What was played is kept.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be got ready.
    #[error("engine {name}: {source}")]
    Engine {
        /// Its name in the match.
        name: String,
        /// Why.
        source: ClientError,
    },
    /// An engine failed again and again.
    #[error(
        "engine {name} could not be got ready for {FAILURES_IN_A_ROW} games in a row: {detail}"
    )]
    EngineGone {
        /// Its name in the match.
        name: String,
        /// The last failure.
        detail: String,
    },
    /// There are not enough openings.
    #[error(
        "{have} openings for {needed} pairs of games, and no opening is played twice by the same engines: \
         give more openings, or ask for at most {} games", 2 * have
    )]
    FewOpenings {
        /// How many there are.
        have: usize,
        /// How many are needed.
        needed: u64,
    },
    /// The openings cannot be had.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Results cannot be kept.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The system refuses a thread.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The results that are there do not belong to this match.
    #[error("{}: {reason}", folder.display())]
    Results {
        /// Where they are.
        folder: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
}
