//! Three-piece evaluation (KPPT): a weight for each pair of pieces seen from each king.
//!
//! The evaluation of Bonanza (Hoki, 2006), with a part for the side to move as NDF (2014), Apery
//! and `YaneuraOu` have it. Three tables are summed: KK over both kings, KKP over both kings and
//! each piece, KPP over each king and each pair of the other 38 pieces. Every weight has a board
//! part, which counts for black, and a turn part, which counts for the side to move.
//!
//! [`Tables::open`] reads the files of Apery and `YaneuraOu`. [`scalar::evaluate`] is the
//! specification; [`Model`] computes the same value from the sums of the positions before.
//!
//! Must not know: search, options, where files lie.

mod accumulator;
mod exchange;
mod explain;
mod file;
mod kernel;
mod model;
mod numbers;
pub mod scalar;
mod tables;

pub use super::bona_piece::{HAND_END, PIECES_END, PIECES_IN_SET, number_in_hand, number_on_board};
pub use explain::explain;
pub use file::{KpptError, NAMES, SYNTHESIZED, Warning, files_in};
pub use model::{Accumulator, Model};
pub use tables::{Kind, Tables};
