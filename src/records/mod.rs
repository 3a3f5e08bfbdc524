//! Game records and teacher data: what was played, and the texts and bytes that keep it.
//!
//! Parsers return errors that name what they found; none panics.

pub mod apery_move;
pub mod csa;
pub mod game;
pub mod pack;
pub mod packed;
pub mod sfen_line;
