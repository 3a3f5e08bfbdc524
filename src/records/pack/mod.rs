//! `.pack`: whole games, about 4 bytes a ply. The archive of teacher data.
//!
//! The format of the generator in `YaneuraOu-ScriptCollection` (`GenSfen/readme.md`), little
//! endian, without a file header:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | 1 for the start position of an even game, 0 for another |
//! | 32 + 2 | only for another: the position as hcp, and its ply |
//! | 2 + 2 | each move: Apery's 16 bits, and the score of the side to move in centipawns |
//! | 2 | the end: the result code in both square fields of a move, which no move has |
//! | 1 | the reason, see [`PackReason`] |
//!
//! A file may be cut off anywhere and continued: [`PackReader::good_bytes`] tells where its last
//! whole game ends.

mod fault;
mod frame;
mod game;
mod reader;
mod writer;

pub use fault::{PackError, PackFault};
pub use game::{MAX_PLIES, PackGame, PackReason};
pub use reader::{Pack, PackReader};
pub use writer::PackWriter;

#[cfg(test)]
mod tests;
