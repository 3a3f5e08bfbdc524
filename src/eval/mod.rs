//! Evaluation: what a position is worth without search, from the side to move.
//!
//! The kind of evaluation is chosen at run time; one enum and one predictable branch per call.
//!
//! Must not know: search, files other than weights.

mod material;
pub mod nnue;

use std::fmt;
use std::sync::Arc;

use crate::position::Position;
use crate::types::Value;

/// A way to evaluate positions. Light to clone: weights are shared.
#[derive(Clone, Debug, Default)]
pub enum Evaluator {
    /// Piece values only: `YaneuraOu`'s level 1.
    #[default]
    Material,
    /// A neural network.
    Nnue(Arc<nnue::Model>),
}

/// What one thread remembers from evaluation to evaluation. It belongs to the evaluator that it was made for.
#[derive(Debug, Default)]
pub struct Memory(Option<Box<nnue::Memory>>);

/// What it is, in a few words: `<material>`, or the shape of a network and the instructions that are used.
impl fmt::Display for Evaluator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Material => formatter.write_str("<material>"),
            Self::Nnue(model) => {
                let network = model.network();
                let (source, set) = (network.source(), model.instruction_set());
                write!(formatter, "{source} {}, {set}", network.shape())
            }
        }
    }
}

/// Whether it is the same, not only alike.
impl PartialEq for Evaluator {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Material, Self::Material) => true,
            (Self::Nnue(one), Self::Nnue(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Evaluator {}

impl Evaluator {
    /// Memory for a thread.
    pub fn memory(&self) -> Memory {
        match self {
            Self::Material => Memory(None),
            Self::Nnue(model) => Memory(Some(Box::new(model.memory()))),
        }
    }

    /// Whether it counts the pieces alone and sees nothing of where they stand.
    pub fn is_material(&self) -> bool {
        matches!(self, Self::Material)
    }

    /// The evaluation of a position in words; the last line is `static eval <n>`, the value for the side to move.
    pub fn explain(&self, position: &Position) -> String {
        match self {
            Self::Material => material::explain(position),
            Self::Nnue(model) => nnue::explain(model.network(), position),
        }
    }

    /// The value of a position for the side to move, a pawn is about 90; not limited in size. Where a network finds no king
    /// that it needs, the material counts. `memory` must come from [`Self::memory`].
    #[inline]
    pub fn evaluate(&self, position: &Position, memory: &mut Memory) -> Value {
        if let (Self::Nnue(model), Some(memory)) = (self, &mut memory.0)
            && let Some(value) = model.evaluate(position, memory)
        {
            return value;
        }
        material::evaluate(position)
    }
}
