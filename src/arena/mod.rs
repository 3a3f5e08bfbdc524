//! Matches between USI engines: games under a referee that knows all rules of shogi, statistics of
//! the results (Elo, SPRT), and SPSA tuning.

pub mod engine_text;
mod game;
mod heartbeat;
pub mod journal;
pub mod merge;
mod player;
pub mod referee;
pub mod runner;
pub mod settings;
pub mod sprt;
pub mod spsa;
pub mod statistics;
pub mod summary;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod time_control;

use thiserror::Error;

use crate::openings::OpeningError;
use crate::runs::{FolderError, ThreadError};

/// Why a match or a tuning run cannot begin or go on. Finished games and iterations stay kept.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// The settings, an engine, or results that are kept are not as they must be: what was found
    /// and what was expected.
    #[error("{0}")]
    Fault(String),
    /// The openings cannot be read or made.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The folder of the run cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
}
