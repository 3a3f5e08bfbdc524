//! SPSA: tunes many numbers at once by games between two settings that differ in all of them.
//!
//! Each iteration moves every parameter a little up or down by the toss of a coin, plays these values against the opposite
//! ones, and shifts the parameters towards the side that won. The gains follow fishtest: perturbation c/kᵞ and step
//! a/(A + k)ᵅ, told by their values at the end of the run. What an iteration tries comes from the seed and its number
//! alone, and the state is written after every iteration, so that a run which was killed goes on as if nothing had been.
//!
//! [`run`] and [`State`] know no engines: an [`Objective`] plays. [`games`] is the one that plays with processes, and
//! [`tuning`] brings both together in a folder.
//!
//! Reference: J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization", IEEE
//! Transactions on Aerospace and Electronic Systems 34 (1998).

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
pub use run::{Conditions, Objective, Outcome, RunError, run};
pub use state::{Point, State, StateError};
