//! Game records and teacher data: what was played, and the texts and bytes that keep it.
//!
//! Parsers return errors that name what they found; none panics.

pub mod apery_move;
pub mod csa;
pub mod encoding;
pub mod game;
pub mod game_reader;
pub mod hcpe;
pub mod hcpe3;
pub mod kif;
pub mod pack;
pub mod packed;
pub mod psum;
pub mod psv;
pub mod sfen_line;
pub mod teacher;
