//! Mate search: [`mate_in_one`], which needs no search, and [`MateSolver`], a df-pn solver for long
//! mates by checks (tsume). [`ResumableSolver`] is the same in slices, beside another search.
//!
//! Reading order: `proof_numbers`, `worker` (state of a thread), `expansion` (children of a node),
//! `backup` (numbers of a node from its children), `df_pn` (the search), `table` and `proof_hands`
//! (one entry for many hands), `main_line`, `solver`.
//!
//! Architecture invariant: knows no evaluation, no game clocks and no protocol.

mod backup;
mod df_pn;
mod entry;
mod expansion;
mod main_line;
mod mating_line;
mod one_ply;
mod path;
mod progress;
mod proof_hands;
mod proof_numbers;
mod resumable;
mod second_solutions;
mod solver;
mod table;
#[cfg(test)]
mod tests;
mod virtual_cost;
mod worker;

pub use mating_line::{Line, is_mating_line};
pub use one_ply::mate_in_one;
pub use progress::{MateEvent, Progress};
pub use resumable::{ResumableSolver, Slice};
pub use second_solutions::{SecondSolution, SecondSolutions};
pub use solver::{MateLimits, MateSolver, Solution, Verdict};
