//! Basic types: colours, squares, pieces, hands, moves, keys and values. No rules and no board.

mod bound;
mod color;
mod entering_king;
mod file_rank;
mod hand;
mod key;
mod moves;
mod piece;
mod piece_type;
mod repetition;
mod square;
pub mod value;

pub use bound::Bound;
pub use color::Color;
pub(crate) use color::for_side;
pub use entering_king::{EnteringKingRule, EnteringKingRuleError};
pub use file_rank::{File, Rank};
pub use hand::Hand;
pub use key::{Key, Key64, Key128, Key256};
pub use moves::{MAX_MOVES, Move, Move16, MoveList, MoveTextError};
pub use piece::Piece;
pub use piece_type::PieceType;
pub use repetition::Repetition;
pub use square::Square;
pub use value::{Depth, Ply, Score, Value};
