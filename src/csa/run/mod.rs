//! Plays games on a server for as long as asked: logs in, plays, writes the records, logs in again.

mod games;
mod happening;
mod runner;
mod visit;

use super::journal::Journal;
use super::player::PlayerError;
use crate::runs::Stop;
use crate::usi::client::ClientError;
pub use happening::{Happening, RunError, RunSettings};
use runner::Runner;

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
