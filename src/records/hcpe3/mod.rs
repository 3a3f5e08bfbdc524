//! `.hcpe3`: whole games of dlshogi with the moves that its search considered.
//!
//! Little endian, without a file header. A game begins with 36 bytes: the position as hcp (32), the
//! number of moves (2), the ending (1: bits 0 and 1 the result code, 4 repetition, 8 declaration,
//! 16 maximum length) and the opponent (1). Each move has 6 bytes: the move (2), the score of the
//! side to move in centipawns (2, signed) and the number of candidates (2); then 4 bytes for each
//! candidate: the move and its visits. A move without candidates was played without a search and is
//! not a training sample.

mod game;
mod reader;

pub use game::{Hcpe3Game, Hcpe3Move};
pub use reader::{Hcpe3, Hcpe3Error, Hcpe3Fault, Hcpe3Reader};

#[cfg(test)]
mod tests;
