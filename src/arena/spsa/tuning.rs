//! A run from its beginning, or from where it was left, to its end: the games, kept in their folder.

use thiserror::Error;

use super::folder::{Folder, FolderError};
use super::games::{Fault, GameEvent, Games, GamesError, Session};
use super::summary::Summary;
use super::{Conditions, RunError, State, run};
use crate::runs::Stop;

/// What happens in a run.
pub enum Event<'a> {
    /// An iteration has been played and kept.
    Iteration(&'a State),
    /// A game was lost by a fault.
    Fault(&'a Fault),
    /// Something that the user should know.
    Note(String),
}

/// Why a run cannot go on. What was played is kept.
#[derive(Debug, Error)]
pub enum TuningError {
    /// Games cannot be played, or the state not be kept.
    #[error(transparent)]
    Run(#[from] Box<RunError<GamesError>>),
    /// Other files cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Plays the iterations that are left, `concurrency` at a time.
///
/// # Errors
/// The engine cannot be got ready, openings cannot be had, or the state cannot be kept.
pub fn tune(
    games: Games,
    folder: &Folder,
    state: &mut State,
    concurrency: usize,
    stop: &Stop,
    on_event: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Summary, TuningError> {
    let path = folder.state_path();
    let conditions = Conditions {
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
    folder.write_history(state)?;
    let mut points = state.history().len();
    let mut on_progress = |state: &State| {
        if state.history().len() > points {
            points = state.history().len();
            // The history is in the state too, and the end of the run writes it again.
            if let Err(error) = folder.write_history(state) {
                on_event(Event::Note(error.to_string()));
            }
        }
        on_event(Event::Iteration(state));
    };
    let outcome = run(state, &session, &conditions, &mut on_progress);
    games.close();
    outcome.map_err(Box::new)?;
    folder.write_history(state)?;
    Ok(Summary::of(state, folder))
}
