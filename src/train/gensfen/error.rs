//! Why a run of self-play cannot begin or continue.

use std::path::PathBuf;

use thiserror::Error;

use crate::records::pack::PackError;
use crate::runs::{FolderError, ThreadError};
use crate::transposition::TableError;
use crate::types::EnteringKingRuleError;

/// What ends a run before its time.
#[derive(Debug, Error)]
pub enum GensfenError {
    /// The folder.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The rule of declarations.
    #[error(transparent)]
    Rule(#[from] EnteringKingRuleError),
    /// Memory.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refuses a thread.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The settings leave nothing to begin with.
    #[error(
        "game {game}: {attempts} openings were tried, and none is both unfinished and within {limit} centipawns; expected a higher limit, or fewer random plies"
    )]
    NoOpening {
        /// The number of the game.
        game: u64,
        /// How many were tried.
        attempts: u64,
        /// What no side may be ahead by.
        limit: u32,
    },
    /// A bug.
    #[error("the search has no move in {0}, expected one because there is a legal one")]
    NoMove(String),
}

/// Why games cannot be kept.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The games cannot be read again.
    #[error("{}: {source}", path.display())]
    Games {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<PackError>,
    },
}
