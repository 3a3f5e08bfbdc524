//! The settings of a player, why it cannot be used, and what it says.

use std::time::Duration;

use thiserror::Error;

use crate::csa::reports::{Prepared, Report};
use crate::usi::client::{ClientError, Program};
use crate::usi::options::OptionError;

/// Which engine plays, and how.
#[derive(Clone, Debug)]
pub struct PlayerSettings {
    /// The program; `None` for the engine inside.
    pub program: Option<Program>,
    /// USI options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Whether it ponders.
    pub ponders: bool,
    /// Longest time for `usiok` and `readyok` of a program.
    pub ready_timeout: Duration,
}

/// An engine that cannot be used as the settings ask.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// The program does not start, or refuses an option.
    #[error(transparent)]
    Program(#[from] ClientError),
    /// Our engine has no such option.
    #[error("Raicho has no option {0}")]
    UnknownOption(String),
    /// Our engine does not take this value.
    #[error("{}", .0.refusal())]
    Option(#[from] OptionError),
    /// The system gives no thread.
    #[error("no thread for the engine: {0}")]
    Thread(std::io::Error),
}

/// What a player says.
#[derive(Debug)]
pub(in crate::csa) enum Word {
    /// It is prepared for a game, or cannot be.
    Prepared(Prepared),
    /// It reports about a search.
    Report(Report),
    /// Something that the user may want to know.
    Note(String),
}

/// Takes the words of a player, on any thread.
pub(in crate::csa) type OnWord = Box<dyn Fn(Word) + Send + Sync>;
