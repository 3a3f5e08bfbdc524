//! Evaluation: what a position is worth without search, from the side to move.
//!
//! The kind of evaluation is chosen at run time; one enum and one predictable branch per call.
//!
//! Must not know: search, files other than weights.

mod material;
pub mod nnue;

use crate::position::Position;
use crate::types::Value;

pub use material::explain;

/// A way to evaluate positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Evaluator {
    /// Piece values only: `YaneuraOu`'s level 1.
    #[default]
    Material,
}

impl Evaluator {
    /// The value of a position for the side to move.
    #[inline]
    pub fn evaluate(self, position: &Position) -> Value {
        match self {
            Self::Material => material::evaluate(position),
        }
    }
}
