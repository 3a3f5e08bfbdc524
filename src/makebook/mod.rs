//! Making opening books: from games, by search, by minimax over the graph of a book.
//!
//! | Part | What it is |
//! |---|---|
//! | [`minimax`] | carries the values of the leaves back over the whole graph |
//! | [`Watch`] | the progress of long work, and the request to end it |

mod error;
pub mod minimax;
mod watch;

pub use error::MakeError;
pub use watch::Watch;
