//! Raicho (雷鳥), a USI shogi engine.

pub mod bitboard;
pub mod cli;
pub mod movegen;
pub mod position;
pub mod types;
pub(crate) mod util;
