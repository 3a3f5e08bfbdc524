//! Making opening books: from games, by search, by minimax over the graph of a book.
//!
//! | Part | What it is |
//! |---|---|
//! | [`merge`] | makes one book of several, or sorts one, in bounded memory |
//! | [`SortedWriter`] | writes a book in the order of its format, in bounded memory |
//! | [`games`] | makes a book of the moves of games |
//! | [`extend`] | grows a book from roots, best first |
//! | [`think`] | searches the positions of a list or a book |
//! | [`minimax`] | carries the values of the leaves back over the whole graph |

mod combine;
mod error;
pub mod extend;
pub mod games;
mod merge;
pub mod minimax;
mod packing;
mod sorted_writer;
mod sorter;
pub mod think;

pub use combine::{MergeRule, MergeRuleError};
pub use error::MakeError;
pub use merge::{MergeSettings, MergeSummary, merge};
pub use sorted_writer::SortedWriter;
