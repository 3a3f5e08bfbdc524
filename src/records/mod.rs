//! Game records and teacher data: readers and writers of the formats of the shogi world.
//!
//! Numbers are little endian in all formats, as on all machines that this crate is built for.
//! Parsers return errors that name what was found and what was expected. None panics on bad input.

pub mod apery_move;
pub mod csa;
pub mod encoding;
mod error;
pub mod game;
pub mod hcpe;
pub mod hcpe3;
pub mod jkf;
pub mod kif;
pub mod notation;
pub mod pack;
pub mod packed;
pub mod psum;
pub mod psv;
pub mod sample;
pub mod score;
pub mod sfen_line;
pub mod stored_game;
pub mod teacher;
pub mod text;
pub mod tree;

pub use error::RecordError;

const _: () = assert!(
    cfg!(target_endian = "little"),
    "records are read as they lie"
);
