//! The order of moves, in stages, so that a cut saves generating the rest.
//!
//! Every move that comes out is legal and comes out once. Moves that were remembered from elsewhere (table, killers,
//! counter move) are proved legal before anything else is done with them.

use arrayvec::ArrayVec;

use crate::position::Position;
use crate::types::{Depth, MAX_MOVES, Move, Value};

use super::audit;
use super::history::{Context, Histories};
use super::node::KILLERS;
use super::ordering::is_tactical;
use super::tunables::{order_good_capture_divisor, order_good_quiet, order_sort_limit};

/// Captures that lose by exchange wait in a list of this size; more are tried at once.
const MAX_BAD_CAPTURES: usize = 64;
/// Killers and the counter move.
pub(super) const REMEMBERED: usize = KILLERS + 1;

/// Where moves come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    TableMove,
    GenerateCaptures,
    GoodCaptures,
    Remembered,
    GenerateQuiets,
    GoodQuiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    GenerateTactical,
    GenerateProbCut,
    ProbCut,
    /// Evasions, and what quiescence tries: all of a list that was sorted.
    Sorted,
}

/// A move and how promising it is.
#[derive(Clone, Copy)]
pub(super) struct ScoredMove {
    pub(super) score: i32,
    pub(super) mv: Move,
}

/// Gives the moves of one node, the most promising first.
pub(super) struct MovePicker {
    stage: Stage,
    next_stage: Stage,
    table_move: Option<Move>,
    remembered: [Option<Move>; REMEMBERED],
    remembered_next: usize,
    pub(super) context: Context,
    depth: Depth,
    /// What captures must win by exchange in a `ProbCut` search.
    threshold: Value,
    pub(super) moves: ArrayVec<ScoredMove, MAX_MOVES>,
    pub(super) next: usize,
    bad_captures: ArrayVec<Move, MAX_BAD_CAPTURES>,
    bad_next: usize,
    skips_quiets: bool,
    pub(super) all_moves: bool,
}

impl MovePicker {
    /// All moves. `table_move` is legal; `remembered` are killers and the counter move, unproved. `all_moves` includes the
    /// senseless non-promotions.
    #[inline(always)]
    pub(super) fn new(
        position: &Position,
        table_move: Option<Move>,
        remembered: [Option<Move>; REMEMBERED],
        context: Context,
        depth: Depth,
        all_moves: bool,
    ) -> Self {
        let next_stage = if position.in_check() {
            Stage::GenerateEvasions
        } else {
            Stage::GenerateCaptures
        };
        // Not by `..`: the lists are large, and are not to be copied.
        let mut picker = Self::starting(table_move, next_stage, context, all_moves);
        picker.remembered = remembered;
        picker.depth = depth;
        picker
    }

    /// Quiescence: evasions in check, otherwise captures and promotions of pawns.
    #[inline(always)]
    pub(super) fn tactical(
        position: &Position,
        table_move: Option<Move>,
        context: Context,
        all_moves: bool,
    ) -> Self {
        if position.in_check() {
            return Self::starting(table_move, Stage::GenerateEvasions, context, all_moves);
        }
        let table_move = table_move.filter(|&mv| is_tactical(position, mv));
        Self::starting(table_move, Stage::GenerateTactical, context, all_moves)
    }

    /// Captures that win at least `threshold` by exchange.
    #[inline(always)]
    pub(super) fn winning_captures(
        position: &Position,
        table_move: Option<Move>,
        threshold: Value,
        context: Context,
        all_moves: bool,
    ) -> Self {
        let table_move = table_move.filter(|&mv| position.piece_on(mv.to()).is_some());
        let mut picker = Self::starting(table_move, Stage::GenerateProbCut, context, all_moves);
        picker.threshold = threshold;
        picker
    }

    #[inline(always)]
    fn starting(
        table_move: Option<Move>,
        next_stage: Stage,
        context: Context,
        all_moves: bool,
    ) -> Self {
        Self {
            stage: if table_move.is_some() {
                Stage::TableMove
            } else {
                next_stage
            },
            next_stage,
            table_move,
            remembered: [None; REMEMBERED],
            remembered_next: 0,
            context,
            depth: 0,
            threshold: 0,
            moves: ArrayVec::new(),
            next: 0,
            bad_captures: ArrayVec::new(),
            bad_next: 0,
            skips_quiets: false,
            all_moves,
        }
    }

    /// From now on only captures.
    #[inline(always)]
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Where the move that came last came from.
    #[inline(always)]
    pub(super) fn stage(&self) -> Stage {
        self.stage
    }

    /// The next move, legal, or `None` after the last.
    pub(super) fn next(&mut self, position: &Position, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = self.next_stage;
                    return self.table_move;
                }
                Stage::GenerateCaptures => {
                    self.add_captures(position, histories);
                    self.sort(i32::MIN);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.next_legal(position) {
                    Some((mv, score))
                        if position.see_ge(mv, -score / order_good_capture_divisor()) =>
                    {
                        return Some(mv);
                    }
                    Some((mv, _)) => {
                        if self.bad_captures.try_push(mv).is_err() {
                            return Some(mv);
                        }
                    }
                    None => self.stage = Stage::Remembered,
                },
                Stage::Remembered => match self.next_remembered(position) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::GenerateQuiets => {
                    if !self.skips_quiets {
                        self.add_quiets(position, histories);
                        self.sort(order_sort_limit() * self.depth);
                    }
                    self.stage = Stage::GoodQuiets;
                }
                Stage::GoodQuiets => {
                    match self.next_quiet(position, |score| score > order_good_quiet()) {
                        Some(mv) => return Some(mv),
                        None => self.stage = Stage::BadCaptures,
                    }
                }
                Stage::BadCaptures => {
                    if let Some(&mv) = self.bad_captures.get(self.bad_next) {
                        self.bad_next += 1;
                        return Some(mv);
                    }
                    self.next = 0;
                    self.stage = Stage::BadQuiets;
                }
                Stage::BadQuiets => {
                    return self.next_quiet(position, |score| score <= order_good_quiet());
                }
                Stage::GenerateEvasions => {
                    self.add_evasions(position, histories);
                    self.sort(i32::MIN);
                    self.stage = Stage::Sorted;
                }
                Stage::GenerateTactical => {
                    self.add_captures(position, histories);
                    self.add_pawn_promotions(position);
                    self.sort(i32::MIN);
                    self.stage = Stage::Sorted;
                }
                Stage::GenerateProbCut => {
                    self.add_captures(position, histories);
                    self.sort(i32::MIN);
                    self.stage = Stage::ProbCut;
                }
                Stage::ProbCut => {
                    let (mv, _) = self.next_legal(position)?;
                    if position.see_ge(mv, self.threshold) {
                        return Some(mv);
                    }
                }
                Stage::Sorted => return self.next_legal(position).map(|(mv, _)| mv),
            }
        }
    }

    /// Sorts the moves that score at least `limit` to the front, the best first, equal ones in the order in which they were
    /// generated. The others stay behind them: sorting what is hardly ever reached costs more than it helps.
    #[inline]
    fn sort(&mut self, limit: i32) {
        let moves = &mut self.moves[self.next..];
        let mut sorted = 0;
        for index in 0..moves.len() {
            let candidate = moves[index];
            if candidate.score < limit {
                continue;
            }
            moves[index] = moves[sorted];
            let mut place = sorted;
            while place > 0 && moves[place - 1].score < candidate.score {
                moves[place] = moves[place - 1];
                place -= 1;
            }
            moves[place] = candidate;
            sorted += 1;
        }
    }

    /// The next legal move of those generated, with its score.
    #[inline]
    fn next_legal(&mut self, position: &Position) -> Option<(Move, i32)> {
        loop {
            let &ScoredMove { score, mv } = self.moves.get(self.next)?;
            self.next += 1;
            if Some(mv) != self.table_move && position.legal(mv) {
                return Some((mv, score));
            }
        }
    }

    /// The next legal quiet move whose score is `wanted`.
    #[inline]
    fn next_quiet(&mut self, position: &Position, wanted: impl Fn(i32) -> bool) -> Option<Move> {
        while !self.skips_quiets {
            let &ScoredMove { score, mv } = self.moves.get(self.next)?;
            self.next += 1;
            if wanted(score)
                && Some(mv) != self.table_move
                && !self.remembered.contains(&Some(mv))
                && position.legal(mv)
            {
                return Some(mv);
            }
        }
        None
    }

    /// The next killer or counter move that is a legal quiet move here.
    fn next_remembered(&mut self, position: &Position) -> Option<Move> {
        while self.remembered_next < REMEMBERED {
            let index = self.remembered_next;
            self.remembered_next += 1;
            let Some(mv) = self.remembered[index] else {
                continue;
            };
            let is_new = Some(mv) != self.table_move
                && !self.remembered[..index].contains(&Some(mv))
                && position.piece_on(mv.to()).is_none();
            if is_new && !self.skips_quiets && position.pseudo_legal(mv) && position.legal(mv) {
                audit::remembered(position, Some(mv), "killer or counter move");
                return Some(mv);
            }
            // Left for the quiet moves, where it may be legal but unknown to their stage otherwise.
            self.remembered[index] = None;
        }
        None
    }
}
