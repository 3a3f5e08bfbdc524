//! Static evaluation: the value of a position without search, for the side to move.
//!
//! The kind of evaluation is chosen at run time; dispatching costs one predictable branch per call.
//!
//! Must not know: search, files other than weights.

mod bona_piece;
pub mod kppt;
mod material;
pub mod nnue;

use std::fmt;
use std::sync::Arc;

use crate::position::Position;
use crate::types::Value;

/// A way to evaluate positions. Cloning is cheap, because weights are shared.
#[derive(Clone, Debug, Default)]
pub enum Evaluator {
    /// Piece values only, as `YaneuraOu`'s material evaluation of level 1.
    #[default]
    Material,
    /// A neural network.
    Nnue(Arc<nnue::Model>),
    /// The three-piece evaluation.
    Kppt(Arc<kppt::Model>),
}

/// The state that one thread keeps between evaluations: the accumulators of a network, the sums of
/// a three-piece evaluation, nothing for material. It belongs to the [`Evaluator`] that made it.
#[derive(Debug, Default)]
pub struct Accumulator(State);

/// The state by kind of evaluation.
#[derive(Debug, Default)]
enum State {
    #[default]
    Material,
    Nnue(Box<nnue::Accumulator>),
    Kppt(Box<kppt::Accumulator>),
}

/// `<material>`, or source, shape and instruction set.
impl fmt::Display for Evaluator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Material => formatter.write_str("<material>"),
            Self::Nnue(model) => {
                let network = model.network();
                let (source, set) = (network.source(), model.instruction_set());
                write!(formatter, "{source} {}, {set}", network.shape())
            }
            Self::Kppt(model) => {
                let (kind, set) = (model.tables().kind(), model.instruction_set());
                write!(formatter, "{} {kind}, {set}", model.source())
            }
        }
    }
}

/// Two evaluators are equal where they share their weights, not where weights are equal.
impl PartialEq for Evaluator {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Material, Self::Material) => true,
            (Self::Nnue(one), Self::Nnue(other)) => Arc::ptr_eq(one, other),
            (Self::Kppt(one), Self::Kppt(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Evaluator {}

impl Evaluator {
    /// A new accumulator for one thread.
    pub fn accumulator(&self) -> Accumulator {
        Accumulator(match self {
            Self::Material => State::Material,
            Self::Nnue(model) => State::Nnue(Box::new(model.accumulator())),
            Self::Kppt(model) => State::Kppt(Box::new(model.accumulator())),
        })
    }

    /// Whether it is [`Self::Material`], which does not depend on where pieces stand.
    pub fn is_material(&self) -> bool {
        matches!(self, Self::Material)
    }

    /// Explains the evaluation of a position as text. The last line is `static eval <n>`, for the
    /// side to move in units of 1/90 pawn.
    pub fn explain(&self, position: &Position) -> String {
        match self {
            Self::Material => material::explain(position),
            Self::Nnue(model) => nnue::explain(model.network(), position),
            Self::Kppt(model) => kppt::explain(model, position),
        }
    }

    /// The value of a position for the side to move, in units of about 1/90 pawn. It is not clamped
    /// to the range of search values. Where a king is missing, all kinds fall back to material.
    /// `accumulator` must come from [`Self::accumulator`].
    #[inline]
    pub fn evaluate(&self, position: &Position, accumulator: &mut Accumulator) -> Value {
        let value = match (self, &mut accumulator.0) {
            (Self::Nnue(model), State::Nnue(accumulator)) => model.evaluate(position, accumulator),
            (Self::Kppt(model), State::Kppt(accumulator)) => model.evaluate(position, accumulator),
            _ => None,
        };
        if let Some(value) = value {
            return value;
        }
        material::evaluate(position)
    }
}
