//! The order of moves, in stages, so that a cut saves generating the rest.
//!
//! Every move that comes out is legal and comes out once. The move of the table was proved legal before; killers and the
//! counter move, which were refutations from elsewhere too, only raise the score of the same move where it is generated.

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::movegen::CheckSquares;
use crate::position::Position;
use crate::types::{Move, PieceType, Value};

use super::history::{Histories, HistoryContext};
use super::node::KILLERS;
use super::scored_moves::ScoredMoves;
use super::tunables;

/// Captures that lose by exchange wait in a list of this size; more are tried at once.
const MAX_BAD_CAPTURES: usize = 64;
/// Killers and the counter move.
pub(super) const REFUTATIONS: usize = KILLERS + 1;

/// Where moves come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    TtMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    GoodQuiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    GenerateTactical,
    GenerateProbCut,
    ProbCut,
    Evasions,
    /// What quiescence tries.
    Tactical,
}

/// Below every score.
const ANY_SCORE: i32 = i32::MIN;

/// Gives the moves of one node, the most promising first.
pub(super) struct MovePicker {
    stage: Stage,
    next_stage: Stage,
    tt_move: Option<Move>,
    pub(super) refutations: [Option<Move>; REFUTATIONS],
    pub(super) context: HistoryContext,
    /// Own pieces that are attacked by lesser ones, known once quiet moves were generated.
    pub(super) threatened: Bitboard,
    /// What captures must win by exchange in a `ProbCut` search.
    threshold: Value,
    pub(super) moves: ScoredMoves,
    /// From where quiet moves give check.
    pub(super) checks: Option<CheckSquares>,
    bad_captures: ArrayVec<Move, MAX_BAD_CAPTURES>,
    bad_next: usize,
    skips_quiets: bool,
    pub(super) all_moves: bool,
}

impl MovePicker {
    /// All moves. `table_move` is legal; `refutations` are killers and the counter move, whether possible here or not.
    /// `all_moves` includes the senseless non-promotions.
    #[inline(always)]
    pub(super) fn new(
        position: &Position,
        tt_move: Option<Move>,
        refutations: [Option<Move>; REFUTATIONS],
        context: HistoryContext,
        all_moves: bool,
    ) -> Self {
        let next_stage = if position.in_check() {
            Stage::GenerateEvasions
        } else {
            Stage::GenerateCaptures
        };
        // Not by `..`: the lists are large, and are not to be copied.
        let mut picker = Self::starting(tt_move, next_stage, context, all_moves);
        picker.refutations = refutations;
        picker.checks = CheckSquares::of_position(position);
        picker
    }

    /// Quiescence: evasions in check, otherwise captures and promotions of pawns.
    #[inline(always)]
    pub(super) fn tactical(
        position: &Position,
        tt_move: Option<Move>,
        context: HistoryContext,
        all_moves: bool,
    ) -> Self {
        if position.in_check() {
            return Self::starting(tt_move, Stage::GenerateEvasions, context, all_moves);
        }
        let tt_move = tt_move.filter(|&mv| is_tactical(position, mv));
        Self::starting(tt_move, Stage::GenerateTactical, context, all_moves)
    }

    /// Captures that win at least `threshold` by exchange.
    #[inline(always)]
    pub(super) fn winning_captures(
        position: &Position,
        tt_move: Option<Move>,
        threshold: Value,
        context: HistoryContext,
        all_moves: bool,
    ) -> Self {
        let tt_move = tt_move.filter(|&mv| position.piece_on(mv.to()).is_some());
        let mut picker = Self::starting(tt_move, Stage::GenerateProbCut, context, all_moves);
        picker.threshold = threshold;
        picker
    }

    #[inline(always)]
    fn starting(
        tt_move: Option<Move>,
        next_stage: Stage,
        context: HistoryContext,
        all_moves: bool,
    ) -> Self {
        Self {
            stage: if tt_move.is_some() {
                Stage::TtMove
            } else {
                next_stage
            },
            next_stage,
            tt_move,
            refutations: [None; REFUTATIONS],
            context,
            threatened: Bitboard::EMPTY,
            threshold: 0,
            moves: ScoredMoves::default(),
            checks: None,
            bad_captures: ArrayVec::new(),
            bad_next: 0,
            skips_quiets: false,
            all_moves,
        }
    }

    /// Whether a move that came out gives check.
    #[inline(always)]
    pub(super) fn gives_check(&self, position: &Position, mv: Move) -> bool {
        let gives_check = self
            .checks
            .as_ref()
            .is_some_and(|checks| checks.is_direct(mv) || position.uncovers_check(mv));
        debug_assert_eq!(gives_check, position.gives_check(mv));
        gives_check
    }

    /// The move of this stage that comes out next, if it is legal and wanted by then.
    #[inline(always)]
    pub(super) fn upcoming(&self) -> Option<Move> {
        self.moves.peek()
    }

    /// From now on only captures.
    #[inline(always)]
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// The next move, legal, or `None` after the last.
    pub(super) fn next(&mut self, position: &Position, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = self.next_stage;
                    return self.tt_move;
                }
                Stage::GenerateCaptures => {
                    self.add_captures(position, histories);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.next_legal(position, ANY_SCORE) {
                    Some((mv, score))
                        if position.see_ge(mv, -score / tunables::good_capture_see_divisor()) =>
                    {
                        return Some(mv);
                    }
                    Some((mv, _)) => {
                        if self.bad_captures.try_push(mv).is_err() {
                            return Some(mv);
                        }
                    }
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::GenerateQuiets => {
                    if !self.skips_quiets {
                        self.add_quiets(position, histories);
                    }
                    self.stage = Stage::GoodQuiets;
                }
                Stage::GoodQuiets => {
                    match self.next_quiet(position, tunables::good_quiet_min_score()) {
                        Some(mv) => return Some(mv),
                        None => self.stage = Stage::BadCaptures,
                    }
                }
                Stage::BadCaptures => {
                    if let Some(&mv) = self.bad_captures.get(self.bad_next) {
                        self.bad_next += 1;
                        return Some(mv);
                    }
                    self.stage = Stage::BadQuiets;
                }
                Stage::BadQuiets => return self.next_quiet(position, ANY_SCORE),
                Stage::GenerateEvasions => {
                    self.add_evasions(position, histories);
                    self.stage = Stage::Evasions;
                }
                Stage::GenerateTactical => {
                    self.add_tactical(position, histories);
                    self.stage = Stage::Tactical;
                }
                Stage::GenerateProbCut => {
                    self.add_captures(position, histories);
                    self.stage = Stage::ProbCut;
                }
                Stage::ProbCut => {
                    let (mv, _) = self.next_legal(position, ANY_SCORE)?;
                    if position.see_ge(mv, self.threshold) {
                        return Some(mv);
                    }
                }
                Stage::Evasions => return self.next_evasion(position),
                Stage::Tactical => return self.next_legal(position, ANY_SCORE).map(|(mv, _)| mv),
            }
        }
    }

    /// The best legal move of those that score above `limit`, with its score.
    #[inline]
    fn next_legal(&mut self, position: &Position, limit: i32) -> Option<(Move, i32)> {
        loop {
            let (mv, score) = self.moves.take_above(limit)?;
            if Some(mv) != self.tt_move && position.legal(mv) {
                return Some((mv, score));
            }
        }
    }

    /// The best legal evasion. Those of the king were generated legal.
    #[inline]
    fn next_evasion(&mut self, position: &Position) -> Option<Move> {
        loop {
            let (mv, _) = self.moves.take_above(ANY_SCORE)?;
            let is_legal = || mv.piece().kind() == PieceType::King || position.legal(mv);
            if Some(mv) != self.tt_move && is_legal() {
                return Some(mv);
            }
        }
    }

    /// The best legal quiet move of those that score above `limit`.
    #[inline]
    fn next_quiet(&mut self, position: &Position, limit: i32) -> Option<Move> {
        if self.skips_quiets {
            return None;
        }
        self.next_legal(position, limit).map(|(mv, _)| mv)
    }
}

/// Whether quiescence looks at a move out of check.
fn is_tactical(position: &Position, mv: Move) -> bool {
    position.piece_on(mv.to()).is_some()
        || mv.is_promotion() && mv.piece().kind() == PieceType::ProPawn
}
