//! Static evaluation: the value of a position without search, for the side to move.
//!
//! The kind of evaluation is chosen at run time; dispatching costs one predictable branch per call.
//!
//! Must not know: search, files other than weights.

mod bona_piece;
pub mod kppt;
mod material;
pub mod nnue;

use std::{fmt, sync::Arc};

use crate::{position::Position, types::Value};

/// A way to evaluate positions. Cloning is cheap, because weights are shared.
///
/// ```
/// use raicho::engine::{EvalFile, load_evaluator};
/// use raicho::eval::Evaluator;
/// use raicho::position::Position;
///
/// let (network, _) = load_evaluator(&EvalFile::Embedded)?;
/// // White has no rook. The value is that of the side to move, a pawn is 90.
/// let sfen = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// for evaluator in [network, Evaluator::Material] {
///     assert!(evaluator.for_thread().evaluate(&Position::from_sfen(sfen)?) > 500);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// An [`Evaluator`] with the state that one thread keeps between evaluations: the accumulators of a
/// network, the sums of a three-piece evaluation.
#[derive(Debug, Default)]
pub struct ThreadEvaluator(State);

#[derive(Debug, Default)]
enum State {
    #[default]
    Material,
    Nnue(Arc<nnue::Model>, Box<nnue::Accumulator>),
    Kppt(Arc<kppt::Model>, Box<kppt::Accumulator>),
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
    /// The evaluator of one thread.
    pub fn for_thread(&self) -> ThreadEvaluator {
        ThreadEvaluator(match self {
            Self::Material => State::Material,
            Self::Nnue(model) => State::Nnue(Arc::clone(model), Box::new(model.accumulator())),
            Self::Kppt(model) => State::Kppt(Arc::clone(model), Box::new(model.accumulator())),
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
}

impl ThreadEvaluator {
    /// Whether it computes the values of `evaluator`.
    pub fn is_of(&self, evaluator: &Evaluator) -> bool {
        match (&self.0, evaluator) {
            (State::Material, Evaluator::Material) => true,
            (State::Nnue(own, _), Evaluator::Nnue(other)) => Arc::ptr_eq(own, other),
            (State::Kppt(own, _), Evaluator::Kppt(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }

    /// The value of a position for the side to move, in units of about 1/90 pawn. It is not clamped
    /// to the range of search values. Where a king is missing, all kinds fall back to material.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let value = match &mut self.0 {
            State::Material => None,
            State::Nnue(model, accumulator) => model.evaluate(position, accumulator),
            State::Kppt(model, accumulator) => model.evaluate(position, accumulator),
        };
        value.unwrap_or_else(|| material::evaluate(position))
    }
}
