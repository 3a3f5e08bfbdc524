//! Raicho (雷鳥), a USI shogi engine.

pub mod bench;
pub mod bitboard;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod movegen;
pub mod position;
pub mod search;
pub mod transposition;
pub mod types;
pub mod usi;
pub(crate) mod util;
