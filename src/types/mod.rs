//! Basic types: colours, squares, pieces, hands, moves, keys and values. No rules and no board.

mod hand;
mod key;
mod moves;
mod piece;
mod rules;
mod square;
mod text;
pub mod value;

pub use hand::Hand;
pub use key::{Key, Key64, Key128, Key256};
pub use moves::{MAX_MOVES, Move, Move16, MoveList, MoveTextError};
pub(crate) use piece::for_side;
pub use piece::{Color, Piece, PieceType};
pub use rules::{EnteringKingRule, EnteringKingRuleError, Repetition};
pub use square::{File, Rank, Square};
pub use text::TypeTextError;
pub(crate) use text::deserialize_text;
pub use value::{Bound, Depth, Ply, Score, Value};
