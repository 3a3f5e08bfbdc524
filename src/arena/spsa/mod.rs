//! SPSA (simultaneous perturbation stochastic approximation): tunes many numbers at once by games
//! between two sets of values that differ in all of them.
//!
//! Each iteration perturbs every parameter up or down at random, plays these values (the plus side)
//! against the opposite ones (the minus side), and moves the parameters towards the side that won.
//! The gains follow fishtest: perturbation c/kᵞ and step a/(A + k)ᵅ, specified by their values at
//! the end of the run. The perturbation depends only on the seed and the number of the iteration,
//! and the state is written after every iteration, so that a killed run can be resumed without a
//! difference.
//!
//! [`run`] and [`State`] know no engines: an [`Objective`] plays. [`tuning`] implements it with
//! engine processes, and runs both in a folder.
//!
//! Reference: J. C. Spall, "Implementation of the simultaneous perturbation algorithm for
//! stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998).

mod parameter;
mod state;
#[cfg(test)]
mod tests;
pub mod tuning;

use std::collections::VecDeque;
use std::path::Path;

use anyhow::{anyhow, bail};

use crate::runs::{Execution, Job, Plan, Stop, execute};
pub use parameter::{Parameter, parse_list};
pub use state::{Point, Settings, State, Value};

/// The objective function of the optimization: plays two sets of values against each other.
pub trait Objective: Sync {
    /// The points of `plus` minus those of `minus`, −2 to 2 for a pair of games; values are in the
    /// order of the parameters. `None` if the games were aborted, which ends the run. Several
    /// threads call this at a time, each with a different iteration.
    ///
    /// # Errors
    /// The run ends; the iteration is played again when the run is resumed.
    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> anyhow::Result<Option<f64>>;
}

/// How a run is executed.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// Number of iterations at a time. Only with 1 the run depends on nothing but the seed and the
    /// results.
    pub concurrency: usize,
    /// The file to which the state is written after every iteration.
    pub path: Option<&'a Path>,
    /// The request to end the run early.
    pub stop: &'a Stop,
}

/// Runs iterations until all are finished, `options.stop` is requested or an error occurs.
/// Iterations that are running then are completed and count, unless the objective aborts them. Each
/// iteration starts from the current values; `on_progress` gets the state after each.
///
/// # Errors
/// The error says which iteration failed, or why the state cannot be written.
///
/// # Panics
/// When the objective panics.
pub fn run(
    state: &mut State,
    objective: &dyn Objective,
    options: &RunOptions,
    on_progress: &mut (dyn FnMut(&State) + Send),
) -> anyhow::Result<()> {
    if let Some(path) = options.path {
        // Fails before hours of games if the file cannot be written.
        state.save(path)?;
    }
    let mut plan = IterationPlan {
        lost: state.unfinished().collect(),
        state,
        path: options.path,
        on_progress,
    };
    let execution = Execution {
        threads: options.concurrency,
        name: "spsa",
        stack_bytes: None,
        stop: options.stop,
    };
    execute(&Iterations(objective), &mut plan, &execution)
}

/// The iterations as a [`Job`].
struct Iterations<'a>(&'a dyn Objective);

/// An iteration and the values of both sides.
struct Iteration {
    number: u64,
    sides: [Vec<Value>; 2],
}

impl Job for Iterations<'_> {
    type Worker = ();
    type Piece = Iteration;
    type Output = f64;
    type Error = anyhow::Error;

    fn worker(&self) -> anyhow::Result<()> {
        Ok(())
    }

    fn perform(&self, (): &mut (), iteration: &Iteration) -> anyhow::Result<Option<f64>> {
        let [plus, minus] = &iteration.sides;
        let iteration = iteration.number;
        let played = self.0.play(iteration, plus, minus);
        played.map_err(|error| anyhow!("iteration {iteration} could not be played: {error}"))
    }
}

/// The order of the iterations, and the update of the values.
struct IterationPlan<'a> {
    state: &'a mut State,
    /// Iterations that an earlier part of the run began and did not finish.
    lost: VecDeque<u64>,
    path: Option<&'a Path>,
    on_progress: &'a mut (dyn FnMut(&State) + Send),
}

impl Plan<Iterations<'_>> for IterationPlan<'_> {
    fn next(&mut self) -> anyhow::Result<Option<Iteration>> {
        let number = self.lost.pop_front().or_else(|| self.state.begin());
        Ok(number.map(|number| Iteration {
            number,
            sides: self.state.sides(number),
        }))
    }

    fn keep(&mut self, Iteration { number, .. }: Iteration, difference: f64) -> anyhow::Result<()> {
        if !difference.is_finite() {
            bail!("iteration {number} resulted in {difference}, expected a difference of points");
        }
        self.state.finish(number, difference);
        if let Some(path) = self.path {
            self.state.save(path)?;
        }
        (self.on_progress)(self.state);
        Ok(())
    }
}
