//! Minimax over the graph of a book: the values of the leaves are carried back to all positions.
//!
//! The result is that of `makebook peta_shock` of `YaneuraOu` on the same book, which is where the
//! rules come from: positions with the colours swapped are one node; every legal move that leads to
//! a position of the book is an edge, whether the book lists it or not; loops are draws, and loops
//! of perpetual check lose for the side that gives the checks; among equal values a win comes soon
//! and a loss late. It differs where that is wrong: moves that are illegal or `none` are left out.
//!
//! | Phase | File |
//! |---|---|
//! | find the edges | `link.rs`, with `key_table.rs` into `graph.rs` |
//! | I: settle what reaches no loop | `settle.rs` |
//! | II: find loops of perpetual check | `check_loops.rs`, with `components.rs` |
//! | III and IV: start loops as draws, and carry values around them | `solution.rs` |
//! | exact values of loops, an option of ours | `endless.rs` |
//! | read and write books | `text_book.rs`, `other_book.rs` |

mod bits;
mod build;
mod check_loops;
mod components;
mod endless;
mod graph;
mod key_table;
mod link;
mod other_book;
mod outcome;
mod run;
mod settings;
mod settle;
mod solution;
mod text;
mod text_book;

pub use graph::Graph;
pub use outcome::Outcome;
pub use run::run;
pub use settings::{Counts, MinimaxSettings, Rules, Summary};
pub use solution::Solution;

#[cfg(test)]
mod tests;
