//! Game records: what was played, and the texts that keep it.
//!
//! Parsers return errors that name what they found; none panics.

pub mod csa;
pub mod game;
pub mod sfen_line;
