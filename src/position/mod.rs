//! A shogi position with its game: pieces, hands, keys, threats to the kings, and the history that
//! repetition needs.
//!
//! [`Position::do_move`] and [`Position::undo_move`] are exact inverses. A move is legal where
//! [`Position::pseudo_legal`] and [`Position::legal`] both say so; only legal moves may be made.
//! Moves from storage are converted by [`Position::to_move`] only.
//!
//! Architecture invariant: this layer knows no move lists, no ordering, no evaluation and no
//! search.

mod attacks;
mod base;
mod board;
mod board_filter;
mod declaration;
mod display;
mod do_move;
mod keys;
mod legality;
mod material;
mod repetition;
mod see;
mod sfen;
mod state;
mod structure;
mod threats;
mod validate;
mod without;

pub use attacks::KingThreats;
pub use base::{PastMove, Position};
pub use board::Board;
pub use declaration::Declaration;
pub use sfen::{START_SFEN, SfenError};
pub use threats::LesserAttacks;
pub use validate::InvalidPosition;
