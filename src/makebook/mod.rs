//! Making opening books: from games, by search, by minimax over the graph of a book.
//!
//! | Part | What it is |
//! |---|---|
//! | [`merge`] | makes one book of several, or sorts one, in bounded memory |
//! | [`games`] | makes a book of the moves of games |
//! | [`extend`] | grows a book from roots, best first |
//! | [`think`] | searches the positions of a list or a book |
//! | [`minimax`] | carries the values of the leaves back over the whole graph |
//! | [`Watch`] | the progress of long work, and the request to end it |

mod combine;
mod error;
pub mod extend;
pub mod games;
mod merge;
pub mod minimax;
mod packing;
mod sorter;
pub mod think;
mod watch;

pub use combine::{MergeRule, MergeRuleError};
pub use error::MakeError;
pub use merge::{MergeSettings, MergeSummary, merge};
pub use watch::Watch;
