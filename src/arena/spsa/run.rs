//! Playing the iterations, several at a time.

use std::collections::VecDeque;
use std::error::Error;
use std::marker::PhantomData;
use std::path::Path;

use thiserror::Error;

use super::{State, StateError, Value};
use crate::runs::{Crew, Job, Plan, Stop, ThreadError, execute};

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
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

/// Plays iterations until all are done, `conditions.stop` asks for the end or something fails;
/// those that are being played then are completed and count, unless the objective breaks them off.
/// Each starts from the newest values; `on_progress` sees the state after each.
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
    on_progress: &mut (dyn FnMut(&State) + Send),
) -> Result<Outcome, RunError<O::Error>> {
    if let Some(path) = conditions.path {
        // A place that cannot be written shows before hours of games, not after.
        state.save(path)?;
    }
    let mut course = Course {
        lost: state.unfinished().collect(),
        state,
        path: conditions.path,
        on_progress,
        objective: PhantomData,
    };
    let crew = Crew {
        threads: conditions.concurrency,
        name: "spsa",
        stack_bytes: None,
        stop: conditions.stop,
    };
    execute(&Iterations(objective), &mut course, &crew)?;
    Ok(if state.is_done() {
        Outcome::Done
    } else {
        Outcome::Stopped
    })
}

/// Plays iterations.
struct Iterations<'a, O>(&'a O);

/// An iteration, and the values of both sides.
struct Iteration {
    number: u64,
    sides: [Vec<Value>; 2],
}

impl<O: Objective> Job for Iterations<'_, O> {
    type Worker = ();
    type Piece = Iteration;
    type Output = f64;
    type Error = RunError<O::Error>;

    fn worker(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    fn perform(&self, (): &mut (), iteration: &Iteration) -> Result<Option<f64>, Self::Error> {
        let [plus, minus] = &iteration.sides;
        let iteration = iteration.number;
        let played = self.0.play(iteration, plus, minus);
        played.map_err(|source| RunError::Objective { iteration, source })
    }
}

/// Which iteration comes next, and how the values move.
struct Course<'a, O> {
    state: &'a mut State,
    /// Iterations that an earlier part of the run began and did not complete.
    lost: VecDeque<u64>,
    path: Option<&'a Path>,
    on_progress: &'a mut (dyn FnMut(&State) + Send),
    objective: PhantomData<fn(O)>,
}

impl<O: Objective> Plan<Iterations<'_, O>> for Course<'_, O> {
    fn next(&mut self) -> Result<Option<Iteration>, RunError<O::Error>> {
        let number = self.lost.pop_front().or_else(|| self.state.begin());
        Ok(number.map(|number| Iteration {
            number,
            sides: self.state.sides(number),
        }))
    }

    fn keep(
        &mut self,
        Iteration { number, .. }: Iteration,
        difference: f64,
    ) -> Result<(), RunError<O::Error>> {
        if !difference.is_finite() {
            return Err(RunError::Difference {
                iteration: number,
                difference,
            });
        }
        self.state.finish(number, difference);
        if let Some(path) = self.path {
            self.state.save(path)?;
        }
        (self.on_progress)(self.state);
        Ok(())
    }
}
