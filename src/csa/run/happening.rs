//! The settings of a run, what happens in it, and why it ends.

use thiserror::Error;

use crate::csa::journal::Entry;
use crate::csa::player::{PlayerError, PlayerSettings};
use crate::csa::session::{Session, SessionSettings};
use crate::csa::summary::Summary;
use crate::runs::FolderError;

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
