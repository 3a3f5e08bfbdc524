//! Mates by checks: one seen at once ([`mate_in_one`]), and a solver for long ones ([`MateSolver`]).
//!
//! To read the solver: `outlook` (what is known about a position), `search` (the walk), `expansion` (a node's moves), `hands` (one
//! answer for many hands), `table` (what is remembered), `line` (from a proof to moves), `solver` (the whole).
//!
//! Architecture invariant: knows no evaluation, no clocks of games and no protocol.

mod control;
mod crowd;
mod dual;
mod expansion;
mod hands;
mod judgement;
mod line;
mod one_ply;
mod outlook;
mod path;
mod search;
mod solver;
mod table;
#[cfg(test)]
mod tests;

pub use control::Progress;
pub use dual::{SecondSolution, SecondSolutions};
pub use line::{Line, is_mating_line};
pub use one_ply::mate_in_one;
pub use solver::{MateEvent, MateLimits, MateSolver, Solution, Verdict};
