//! Playing the iterations, several at a time.

use std::collections::VecDeque;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use thiserror::Error;

use super::super::stop::Stop;
use super::{State, StateError, Value};

/// Two sets of values against each other.
pub trait Objective: Sync {
    /// Why no result came out.
    type Error: Error + Send + 'static;

    /// How many points `plus` makes more than `minus`, −2 to 2 for a pair of games; the values are in the order of the
    /// parameters. `None` if the games were broken off, which ends the run. Several threads call this at a time, each with
    /// another iteration.
    ///
    /// # Errors
    /// Ends the run; the iteration is played again when it is resumed.
    fn play(
        &self,
        iteration: u64,
        plus: &[Value],
        minus: &[Value],
    ) -> Result<Option<f64>, Self::Error>;
}

/// How a run is carried out.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// How many iterations are played at a time. With 1 the same seed and the same results take the same path.
    pub concurrency: usize,
    /// Where the state is written after every iteration.
    pub path: Option<&'a Path>,
    /// Ends the run after the iterations that are being played.
    pub stop: &'a Stop,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All iterations are finished.
    Done,
    /// It was stopped and can go on.
    Stopped,
}

/// Why a run ended early; the state holds all results until then and can go on.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum RunError<E: Error + 'static> {
    #[error("iteration {iteration} could not be played: {source}")]
    Objective { iteration: u64, source: E },
    #[error("iteration {iteration} resulted in {difference}, expected a difference of points")]
    Difference { iteration: u64, difference: f64 },
    #[error(transparent)]
    State(#[from] StateError),
}

/// What a thread sends back: a panic, or what the objective said.
type Played<E> = thread::Result<Result<Option<f64>, E>>;

/// Plays iterations until all are done, `conditions.stop` asks for the end or something fails; those that are being played
/// then are waited for and count, unless the objective breaks them off. Each starts from the newest values; `on_progress` sees the state after each.
///
/// # Errors
/// Says which iteration failed, or why the state cannot be written.
///
/// # Panics
/// Where the objective does.
pub fn run<O: Objective>(
    state: &mut State,
    objective: &O,
    conditions: &Conditions,
    on_progress: &mut dyn FnMut(&State),
) -> Result<Outcome, RunError<O::Error>> {
    if let Some(path) = conditions.path {
        // A place that cannot be written shows before hours of games, not after.
        state.save(path)?;
    }
    let mut lost: VecDeque<u64> = state.unfinished().collect();
    let (sender, receiver) = mpsc::channel::<(u64, Played<O::Error>)>();
    let mut playing = 0;
    let (mut failure, mut is_broken_off) = (None, false);
    thread::scope(|scope| {
        loop {
            while playing < conditions.concurrency.max(1)
                && failure.is_none()
                && !is_broken_off
                && !conditions.stop.is_requested()
            {
                let Some(iteration) = lost.pop_front().or_else(|| state.begin()) else {
                    break;
                };
                let [plus, minus] = state.sides(iteration);
                let sender = sender.clone();
                scope.spawn(move || {
                    let play = AssertUnwindSafe(|| objective.play(iteration, &plus, &minus));
                    // Nobody listens any more only where another objective has panicked.
                    let _ = sender.send((iteration, catch_unwind(play)));
                });
                playing += 1;
            }
            if playing == 0 {
                break;
            }
            let (iteration, played) = receiver.recv().expect("we hold a sender ourselves");
            playing -= 1;
            let result = take(state, iteration, played, conditions.path);
            match result {
                Ok(true) => on_progress(state),
                Ok(false) => is_broken_off = true,
                // The first failure is usually the cause of the others.
                Err(error) => failure = failure.take().or(Some(error)),
            }
        }
    });
    match failure {
        Some(error) => Err(error),
        None if state.is_done() => Ok(Outcome::Done),
        None => Ok(Outcome::Stopped),
    }
}

/// Brings the result of an iteration into the state and the state onto the disk, if there is a result.
fn take<E: Error + 'static>(
    state: &mut State,
    iteration: u64,
    played: Played<E>,
    path: Option<&Path>,
) -> Result<bool, RunError<E>> {
    let played = played
        .unwrap_or_else(|panic| resume_unwind(panic))
        .map_err(|source| RunError::Objective { iteration, source })?;
    let Some(difference) = played else {
        return Ok(false);
    };
    if !difference.is_finite() {
        return Err(RunError::Difference {
            iteration,
            difference,
        });
    }
    state.finish(iteration, difference);
    if let Some(path) = path {
        state.save(path)?;
    }
    Ok(true)
}
