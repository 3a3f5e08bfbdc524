//! Errors of matches.

use std::path::PathBuf;

use thiserror::Error;

use super::openings::OpeningError;
use crate::runs::{FolderError, ThreadError};
use crate::usi::client::ClientError;
use crate::util::counted;

/// Number of consecutive games for which an engine does not become ready, after which the match
/// ends.
pub(super) const FAILURES_IN_A_ROW: u32 = 3;

/// Why a match cannot begin or continue. Finished games stay kept.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be started.
    #[error("engine {name}: {source}")]
    Engine {
        /// Its name in the match.
        name: String,
        /// The error of the USI client.
        source: ClientError,
    },
    /// An engine repeatedly did not become ready.
    #[error(
        "engine {name} could not be got ready for {FAILURES_IN_A_ROW} games in a row: {detail}"
    )]
    EngineGone {
        /// Its name in the match.
        name: String,
        /// The details of the last failure.
        detail: String,
    },
    /// A resumed match has fewer games than were played.
    #[error("--games {games}: {played} are played already, expected --games {played} or more")]
    FewGames {
        /// Number of games of each pairing.
        games: u64,
        /// The number with which the match has all games that were played.
        played: u64,
    },
    /// There are fewer openings than the match needs.
    #[error(
        "{} for {} of games, and no opening is played twice by the same engines: give more \
         openings, or ask for at most {} games",
        counted(*have, "opening"), counted(*needed, "pair"), 2 * have
    )]
    FewOpenings {
        /// Number of available openings.
        have: usize,
        /// Number of openings that the match needs.
        needed: u64,
    },
    /// The openings cannot be read or made.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The match folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The games in a folder do not belong to this match.
    #[error("{}: {reason}", folder.display())]
    Results {
        /// The folder of these games.
        folder: PathBuf,
        /// What does not agree.
        reason: String,
    },
}
