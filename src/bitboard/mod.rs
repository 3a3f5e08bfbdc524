//! Sets of squares and attack tables, all built at compile time.
//!
//! [`Bitboard`] is the set. The attack functions take the occupied squares where a slider needs
//! them: pawns, knights, silvers, golds and kings attack by table, sliders by arithmetic and small
//! tables.

mod lines;
mod reach;
mod set;
mod sliders;
mod squares;
mod steps;
#[cfg(test)]
mod tests;

pub use lines::{between, is_aligned, line};
pub use reach::{Reach, reach_around};
pub use set::Bitboard;
pub use sliders::{
    bishop_attacks, bishop_lines, lance_attacks, lance_line, rook_attacks, rook_lines,
};
pub use squares::Squares;
pub use steps::{gold_attacks, king_attacks, knight_attacks, pawn_attacks, silver_attacks};
