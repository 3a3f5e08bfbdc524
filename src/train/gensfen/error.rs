//! Errors of self-play.

use std::path::PathBuf;

use thiserror::Error;

use crate::records::pack::PackError;
use crate::runs::{FolderError, ThreadError};
use crate::transposition::TableError;
use crate::types::EnteringKingRuleError;

/// Why a run of self-play fails. Finished games stay kept.
#[derive(Debug, Error)]
pub enum GensfenError {
    /// The run folder cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The settings name an unknown rule for declarations.
    #[error(transparent)]
    Rule(#[from] EnteringKingRuleError),
    /// There is too little memory for a transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// No opening within the limits of the settings was found.
    #[error(
        "game {game}: {attempts} openings were tried, and none is both unfinished and within \
        {limit} centipawns; expected a higher limit, or fewer random plies"
    )]
    NoOpening {
        /// Number of the game.
        game: u64,
        /// Number of openings that were tried.
        attempts: u64,
        /// Maximum advantage of either side in centipawns.
        limit: u32,
    },
    /// Game after game has no position to write. Holds their number.
    #[error(
        "{0} games in a row have no new position: expected more random plies or \
        roots, more nodes, or a smaller --write-minply"
    )]
    NothingNew(u64),
    /// The search returned no move although there is a legal one, which is a bug. Holds the SFEN.
    #[error("the search has no move in {0}, expected one because there is a legal one")]
    NoMove(String),
}

/// Why the run folder cannot be used.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The folder or its journal cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file of games cannot be read.
    #[error("{}: {source}", path.display())]
    Games {
        /// The file of games.
        path: PathBuf,
        /// What is wrong with the file.
        source: Box<PackError>,
    },
}
