//! The move picker: yields the moves of a node in stages, the most promising first, so that a
//! cutoff saves generating the rest.
//!
//! Every move is legal and comes once. The TT move was proved legal before; killers and the counter
//! move, which come from other nodes, only raise the score of the same move where it is generated.
//! Captures are scored by the captured piece and capture history (MVV and history), quiet moves by
//! their histories.

use arrayvec::ArrayVec;

use crate::movegen::{self, CheckSquares};
use crate::types::{Move, MoveList, Piece, PieceType, Value};
use crate::{bitboard::Bitboard, position::Position, types::value::piece_value};

use super::history::{Histories, HistoryContext, piece_to};
use super::scored_moves::{MAX_SCORE, ScoredMoves};
use super::{node::KILLERS, quiet_scoring::QuietScorer, tunables};

/// Captures that lose material are deferred to a list of this size; more are tried at once.
const MAX_BAD_CAPTURES: usize = 64;
/// Killers and the counter move.
const REFUTATIONS: usize = KILLERS + 1;

/// Stages in the order of a normal node, then those of evasions, quiescence and `ProbCut`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
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
    /// Captures and pawn promotions of quiescence.
    Tactical,
}

/// A limit below every score.
const ANY_SCORE: i32 = i32::MIN;

/// Yields the legal moves of one node in order.
pub(super) struct MovePicker<'a> {
    stage: Stage,
    next_stage: Stage,
    tt_move: Option<Move>,
    pub(super) refutations: [Option<Move>; REFUTATIONS],
    /// Own pieces attacked by less valuable ones; known once quiet moves have been generated.
    pub(super) threatened: Bitboard,
    /// Least static exchange evaluation of the captures of a `ProbCut` search.
    threshold: Value,
    pub(super) moves: ScoredMoves,
    /// The squares from which quiet moves give check.
    pub(super) checks: &'a CheckSquares,
    bad_captures: ArrayVec<Move, MAX_BAD_CAPTURES>,
    bad_next: usize,
    skips_quiets: bool,
    pub(super) all_moves: bool,
}

impl<'a> MovePicker<'a> {
    /// A picker for all moves. `tt_move` is legal; `refutations` may be impossible in this
    /// position. `checks` are the check squares of the position. With `all_moves` non-promotions
    /// that are never better are included.
    #[inline(always)]
    pub(super) fn new(
        position: &Position,
        tt_move: Option<Move>,
        refutations: [Option<Move>; REFUTATIONS],
        checks: &'a CheckSquares,
        all_moves: bool,
    ) -> Self {
        let next_stage =
            if position.in_check() { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
        // No struct update syntax: it would copy the large lists.
        let mut picker = Self::starting(tt_move, next_stage, all_moves);
        picker.refutations = refutations;
        picker.checks = checks;
        picker
    }

    /// A picker for quiescence: evasions in check, otherwise captures and pawn promotions.
    #[inline(always)]
    pub(super) fn tactical(position: &Position, tt_move: Option<Move>, all_moves: bool) -> Self {
        if position.in_check() {
            return Self::starting(tt_move, Stage::GenerateEvasions, all_moves);
        }
        let tt_move = tt_move.filter(|&mv| is_tactical(position, mv));
        Self::starting(tt_move, Stage::GenerateTactical, all_moves)
    }

    /// A picker for `ProbCut`: captures whose static exchange evaluation is at least `threshold`.
    #[inline(always)]
    pub(super) fn winning_captures(
        position: &Position,
        tt_move: Option<Move>,
        threshold: Value,
        all_moves: bool,
    ) -> Self {
        let tt_move = tt_move.filter(|&mv| position.piece_on(mv.to()).is_some());
        let mut picker = Self::starting(tt_move, Stage::GenerateProbCut, all_moves);
        picker.threshold = threshold;
        picker
    }

    #[inline(always)]
    fn starting(tt_move: Option<Move>, next_stage: Stage, all_moves: bool) -> Self {
        Self {
            stage: if tt_move.is_some() { Stage::TtMove } else { next_stage },
            next_stage,
            tt_move,
            refutations: [None; REFUTATIONS],
            threatened: Bitboard::EMPTY,
            threshold: 0,
            moves: ScoredMoves::default(),
            checks: &CheckSquares::NONE,
            bad_captures: ArrayVec::new(),
            bad_next: 0,
            skips_quiets: false,
            all_moves,
        }
    }

    /// Whether a yielded move gives check.
    #[inline(always)]
    pub(super) fn gives_check(&self, position: &Position, mv: Move) -> bool {
        let gives_check = self.checks.is_direct(mv) || position.uncovers_check(mv);
        debug_assert_eq!(gives_check, position.gives_check(mv));
        gives_check
    }

    /// Whether a move is one of the killers or the counter move.
    #[inline(always)]
    pub(super) fn is_refutation(&self, mv: Move) -> bool {
        self.refutations.contains(&Some(mv))
    }

    /// The move that [`Self::next`] will probably yield, to prefetch its table entry. It may be
    /// illegal.
    #[inline(always)]
    pub(super) fn upcoming(&self) -> Option<Move> {
        self.moves.peek()
    }

    /// Skips the remaining quiet moves.
    #[inline(always)]
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// The next legal move, `None` after the last. `context` is that of the node.
    pub(super) fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        context: &mut HistoryContext,
    ) -> Option<Move> {
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
                        self.add_quiets(position, histories, context);
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
                    self.add_evasions(position, histories, context);
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

    /// The best legal move that scores above `limit`, with its score.
    #[inline(always)]
    fn next_legal(&mut self, position: &Position, limit: i32) -> Option<(Move, i32)> {
        loop {
            let (mv, score) = self.moves.take_above(limit)?;
            if Some(mv) != self.tt_move && position.legal(mv) {
                return Some((mv, score));
            }
        }
    }

    /// The best legal evasion. King moves are generated legal.
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

    /// The best legal quiet move that scores above `limit`.
    #[inline]
    fn next_quiet(&mut self, position: &Position, limit: i32) -> Option<Move> {
        if self.skips_quiets {
            return None;
        }
        self.next_legal(position, limit).map(|(mv, _)| mv)
    }
}

/// Whether quiescence tries the move when not in check: a capture or a pawn promotion.
fn is_tactical(position: &Position, mv: Move) -> bool {
    position.piece_on(mv.to()).is_some()
        || mv.is_promotion() && mv.piece().kind() == PieceType::ProPawn
}

/// Score added to capturing evasions, above every quiet one.
const EVASION_CAPTURE_BONUS: i32 = MAX_SCORE / 2;
impl MovePicker<'_> {
    #[inline(never)]
    fn add_captures(&mut self, position: &Position, histories: &Histories) {
        let list = self.moves.refill();
        generate_captures(position, list, self.all_moves);
        self.moves.score(|mv| capture_score(position, histories, mv));
    }

    /// Captures, and pawn moves that promote.
    #[inline(never)]
    fn add_tactical(&mut self, position: &Position, histories: &Histories) {
        let list = self.moves.refill();
        generate_captures(position, list, self.all_moves);
        let board = position.board();
        let us = board.side_to_move();
        let pawns = board.pieces(us, PieceType::Pawn);
        let targets = (pawns.forward(us) & Bitboard::promotion_zone(us)) - board.occupied();
        for to in targets {
            let Some(from) = Bitboard::of(to).forward(!us).first() else {
                continue;
            };
            list.push(Move::promotion(from, to, Piece::new(us, PieceType::ProPawn)));
        }
        self.moves.score(|mv| capture_score(position, histories, mv));
    }

    #[inline(never)]
    fn add_quiets(
        &mut self,
        position: &Position,
        histories: &Histories,
        context: &mut HistoryContext,
    ) {
        self.moves.refill();
        let board = position.board();
        let us = board.side_to_move();
        let attacks = context.lesser_attacks(board);
        let attacked = context.attacked(board);
        self.threatened = board.threatened(us, &attacks);
        let mut quiets = QuietScorer::new(
            position,
            histories,
            context,
            &attacks,
            attacked,
            self.checks,
            &mut self.moves,
        );
        if self.all_moves {
            movegen::quiets_into::<_, true>(position, &mut quiets);
        } else {
            movegen::quiets_into::<_, false>(position, &mut quiets);
        }
        for (index, &mv) in self.refutations.iter().enumerate() {
            // A move that is both a killer and the counter move gets the bonus once.
            if let Some(mv) = mv
                && !self.refutations[..index].contains(&Some(mv))
            {
                self.moves.raise(mv, tunables::order_refutation_bonus());
            }
        }
        self.moves.finish();
    }

    #[inline(never)]
    fn add_evasions(
        &mut self,
        position: &Position,
        histories: &Histories,
        context: &mut HistoryContext,
    ) {
        let list = self.moves.refill();
        if self.all_moves {
            movegen::evasions::<true>(position, list);
        } else {
            movegen::evasions::<false>(position, list);
        }
        let attacked = context.attacked(position.board());
        let row = histories.continuation_row(context.continuation_rows[0]);
        self.moves.score(|mv| {
            if let Some(captured) = position.piece_on(mv.to()) {
                EVASION_CAPTURE_BONUS + piece_value(captured.kind())
            } else {
                histories.butterfly(mv, attacked) + row.value(piece_to(mv.piece(), mv.to()))
            }
        });
    }
}

fn generate_captures(position: &Position, list: &mut MoveList, all_moves: bool) {
    if all_moves {
        movegen::captures::<true>(position, list);
    } else {
        movegen::captures::<false>(position, list);
    }
}

/// Gain in piece value by promotion, 0 for other moves.
#[inline(always)]
pub(super) fn promotion_gain(mv: Move) -> i32 {
    if mv.is_promotion() {
        piece_value(mv.piece().kind()) - piece_value(mv.piece_before().kind())
    } else {
        0
    }
}

#[inline(always)]
fn capture_score(position: &Position, histories: &Histories, mv: Move) -> i32 {
    let Some(captured) = position.piece_on(mv.to()) else {
        return promotion_gain(mv) * tunables::order_victim_weight();
    };
    let victim = piece_value(captured.kind());
    victim * tunables::order_victim_weight() + histories.capture(mv, captured.kind())
}
