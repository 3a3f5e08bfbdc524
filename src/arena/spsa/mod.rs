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
//! [`run`] and [`State`] know no engines: an [`Objective`] plays. [`games`] implements it with
//! engine processes, and [`tuning`] runs both in a folder.
//!
//! Reference: J. C. Spall, "Implementation of the simultaneous perturbation algorithm for
//! stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998).

mod declaration;
pub mod folder;
mod gains;
pub mod games;
mod parameter;
mod run;
mod state;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod tuning;

pub use declaration::DeclarationError;
pub use gains::{Settings, Value};
pub use parameter::{ListError, Parameter, ParameterError, parse_list};
pub use run::{Objective, Outcome, RunError, RunOptions, run};
pub use state::{Point, State, StateError};
