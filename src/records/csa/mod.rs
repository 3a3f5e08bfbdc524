//! Game records in CSA format, version 2.2
//! (`http://www2.computer-shogi.org/protocol/record_v22.html`).
//!
//! Where the standard leaves a choice, the writer follows what most programs read. The first line,
//! a comment in 2.2, names the encoding as version 3 does. Scores and variations are comments in
//! the notation of floodgate (`'** -35 -3334FU …`, from black's point of view) after the move and
//! its time. The standard lacks a word for some endings; the writer then uses the nearest word and
//! a comment with the real ending.
//!
//! The crate `csa` (1.0.2) is not used: it reads 24 of the 35 records that this reader is tested
//! with, drops comments (ratings, scores, the server's summary), does not check moves, and its
//! error names neither line nor reason.

mod comments;
mod endings;
mod fault;
mod fields;
mod game;
mod notation;
mod reader;
mod setup;
mod summary;
mod writer;

pub(in crate::records) use endings::{ending_of_word, is_renamed, word_of_ending};
pub use fault::{CsaError, CsaFault};
pub(in crate::records) use notation::{kind, piece_name};
pub use notation::{legal_move, move_text};
pub use reader::{read, read_each, read_server_position};
pub(in crate::records) use summary::by_the_rules as ending_by_the_rules;
pub use writer::{losses, write};

#[cfg(test)]
mod tests;
