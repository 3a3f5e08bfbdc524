//! Plays games on a server for as long as asked: logs in, plays, writes the records, logs in again.

mod runner;
mod visit;

use thiserror::Error;

use super::journal::{Entry, Journal};
use super::player::{PlayerError, PlayerSettings};
use super::session::{Session, SessionSettings};
use super::summary::Summary;
use crate::runs::{FolderError, Stop};
use crate::usi::client::ClientError;
use runner::Runner;

/// Where and how to play.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Name or address of the server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How to log in and play.
    pub session: SessionSettings,
    /// The engine.
    pub player: PlayerSettings,
    /// Number of games to finish; `None` for ever. Games that are broken off do not count.
    pub games: Option<u64>,
}

/// What happens, for whoever watches.
#[derive(Debug)]
pub enum Happening<'a> {
    /// Something to know.
    Note(&'a str),
    /// The server let us in.
    LoggedIn,
    /// A game is offered.
    Offered(&'a Summary),
    /// A game was finished or given up; this is its line of the journal.
    Finished(&'a Entry),
    /// A moment of the session; comes at least ten times a second.
    Moment(&'a Session),
}

/// Why a run cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// The engine cannot be used.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The record of a game or its line of the journal could not be written up to the end.
    #[error("{games} not written: {error}")]
    Unwritten {
        /// The ids of the games.
        games: String,
        /// Why.
        error: FolderError,
    },
    /// The first login was refused.
    #[error("{host} refuses the login of {name}: wrong password, or the name is logged in already")]
    LoginRefused {
        /// The server.
        host: String,
        /// The account.
        name: String,
    },
}

/// Plays until the number of games is reached or `stop` is requested: after the running game, or by
/// resigning it.
///
/// # Errors
/// See [`RunError`]. A lost connection is no error, and neither is a full disk that has space again
/// before the end: no game begins until the records of the earlier ones are written.
pub fn run(
    settings: &RunSettings,
    journal: Journal,
    stop: &Stop,
    watch: &dyn Fn(Happening<'_>),
) -> Result<(), RunError> {
    match Runner::start(settings, journal, stop, watch) {
        Ok(mut runner) => runner.play_games(),
        // The user did not want to wait for the engine.
        Err(PlayerError::Program(ClientError::GivenUp(_))) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
