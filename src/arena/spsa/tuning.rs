//! Runs a tuning from its beginning or from where it was interrupted, and keeps it in its folder.

use thiserror::Error;

use super::folder::{Folder, FolderError};
use super::games::{Fault, GameEvent, Games, GamesError, Session};
use super::summary::Summary;
use super::{RunError, RunOptions, State, run};
use crate::runs::Stop;

/// An event of a run.
pub enum Event<'a> {
    /// An iteration was finished and kept.
    Iteration(&'a State),
    /// A game was lost by a fault of the engine.
    Fault(&'a Fault),
    /// A note for the user.
    Note(String),
}

/// Why a run failed. Finished iterations stay kept.
#[derive(Debug, Error)]
pub enum TuningError {
    /// Games cannot be played, or the state cannot be written.
    #[error(transparent)]
    Run(#[from] Box<RunError<GamesError>>),
    /// Another file of the folder cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Runs the remaining iterations, `concurrency` at a time.
///
/// # Errors
/// The engine does not become ready, openings cannot be made, or the state cannot be written.
pub fn tune(
    games: Games,
    folder: &Folder,
    state: &mut State,
    concurrency: usize,
    stop: &Stop,
    on_event: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Summary, TuningError> {
    let path = folder.state_path();
    let options = RunOptions {
        concurrency,
        path: Some(&path),
        stop,
    };
    let watch = |event: GameEvent<'_>| match event {
        GameEvent::Fault(fault, dialogue) => {
            if let Err(error) = folder.keep_fault(fault, &dialogue) {
                on_event(Event::Note(format!("a fault is not kept: {error}")));
            }
            on_event(Event::Fault(fault));
        }
        GameEvent::Note(note) => on_event(Event::Note(note)),
    };
    let session = Session {
        games: &games,
        stop,
        on_event: &watch,
    };
    if let Some(warning) = games.warning() {
        on_event(Event::Note(warning));
    }
    folder.write_history(state)?;
    let mut points = state.history().len();
    let mut on_progress = |state: &State| {
        if state.history().len() > points {
            points = state.history().len();
            // The history is also in the state, and is written again at the end of the run.
            if let Err(error) = folder.write_history(state) {
                on_event(Event::Note(error.to_string()));
            }
        }
        on_event(Event::Iteration(state));
    };
    let outcome = run(state, &session, &options, &mut on_progress);
    games.close();
    outcome.map_err(Box::new)?;
    folder.write_history(state)?;
    Ok(Summary::of(state, folder))
}
