//! The move picker: yields the moves of a node in stages, the most promising first, so that a
//! cutoff saves generating the rest.
//!
//! Every move is legal and comes once. The TT move was proved legal before; killers and the counter
//! move, which come from other nodes, only raise the score of the same move where it is generated.
//! Captures are scored by the captured piece and capture history (MVV and history), quiet moves by
//! their histories.

use arrayvec::ArrayVec;

use super::history::{Histories, HistoryContext, piece_to};
use super::{node::KILLERS, quiet_scoring::QuietScorer, tunables};
use crate::movegen::{self, CheckSquares};
use crate::types::{MAX_MOVES, Move, MoveList, Piece, PieceType, Square, Value};
use crate::{bitboard::Bitboard, position::Position, types::value::piece_value};

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

// --- The scored moves of one stage, from which the best is selected repeatedly ---
//
// Most nodes are cut off after few moves, so nothing is sorted. Score and index are packed into
// one integer; a selection takes the maximum of the changed group, then of all groups. Both loops
// are branch-free and vectorized. They leave out the selected key by comparison rather than
// reading back what was just written in its place: a vector load of a fresh scalar store stalls.

/// The low bits of a key hold the index of its move, counted down: of equal scores the move
/// generated first comes first.
const PLACE_BITS: u32 = 10;
const LAST_PLACE: usize = (1 << PLACE_BITS) - 1;
/// Greatest absolute value of a score; scores are clamped to it.
pub(super) const MAX_SCORE: i32 = (1 << (31 - PLACE_BITS)) - 1;
/// The key of a selected move and of padding, below the key of any score.
const TAKEN: i32 = i32::MIN;
/// Keys per group.
const LANES: usize = 8;

/// Most keys, with padding.
const MAX_KEYS: usize = MAX_MOVES + LANES;
/// Most groups, with padding.
const MAX_GROUPS: usize = MAX_KEYS / LANES + LANES;

const _: () = assert!(MAX_MOVES <= LAST_PLACE && MAX_KEYS.is_multiple_of(LANES));

/// Packs a score (high bits) and an index, counted down (low bits).
#[inline(always)]
fn key(score: i32, place: usize) -> i32 {
    debug_assert!((-MAX_SCORE..=MAX_SCORE).contains(&score));
    score << PLACE_BITS | (LAST_PLACE - place) as i32
}

/// The index in a key.
#[inline(always)]
fn place_of(key: i32) -> usize {
    LAST_PLACE - (key as usize & LAST_PLACE)
}

/// Moves with their scores.
pub(super) struct ScoredMoves {
    moves: MoveList,
    // One key per move, then `LANES` times `TAKEN`, so that every key is in a group.
    keys: ArrayVec<i32, MAX_KEYS>,
    // The maximum of each group of `LANES` keys, padded in the same way.
    best: ArrayVec<i32, MAX_GROUPS>,
    // The maximum of all keys, `TAKEN` where no move is left.
    next: i32,
}

impl Default for ScoredMoves {
    #[inline(always)]
    fn default() -> Self {
        Self { moves: MoveList::new(), keys: ArrayVec::new(), best: ArrayVec::new(), next: TAKEN }
    }
}

impl ScoredMoves {
    /// Clears the list and returns it for the move generator.
    #[inline(always)]
    pub(super) fn refill(&mut self) -> &mut MoveList {
        self.keys.clear();
        self.best.clear();
        self.next = TAKEN;
        self.moves.clear();
        &mut self.moves
    }

    /// Scores all moves of the list, clamped to ±[`MAX_SCORE`].
    #[inline(always)]
    pub(super) fn score(&mut self, mut score: impl FnMut(Move) -> i32) {
        let mut place = 0;
        for group in self.moves.chunks(LANES) {
            let mut best = TAKEN;
            for &mv in group {
                let score = score(mv).clamp(-MAX_SCORE, MAX_SCORE);
                let key = key(score, place);
                self.keys.push(key);
                best = best.max(key);
                place += 1;
            }
            self.best.push(best);
            self.next = self.next.max(best);
        }
        pad(&mut self.keys);
        pad(&mut self.best);
    }

    /// Appends a move to each target with its score, which must be within ±[`MAX_SCORE`]. Call
    /// [`Self::finish`] after the last.
    ///
    /// # Panics
    /// Panics where there is not room for [`Square::NUM`] more moves. No position comes near that.
    #[inline(always)]
    #[allow(
        unsafe_code,
        reason = "one check of the room for all targets saves 2 % of instructions"
    )]
    pub(super) fn push_each(
        &mut self,
        targets: Bitboard,
        mut scored: impl FnMut(Square) -> (Move, i32),
    ) {
        let mut place = self.moves.len();
        assert!(place <= MAX_MOVES - Square::NUM && place == self.keys.len());
        let (moves, keys) = (self.moves.as_mut_ptr(), self.keys.as_mut_ptr());
        for to in targets {
            let (mv, score) = scored(to);
            // SAFETY: a set has at most `Square::NUM` squares, for which there is room.
            unsafe { moves.wrapping_add(place).write(mv) };
            // SAFETY: the list of keys has room for more elements than that of moves.
            unsafe { keys.wrapping_add(place).write(key(score, place)) };
            place += 1;
        }
        // SAFETY: all moves before `place` are written.
        unsafe { self.moves.set_len(place) };
        // SAFETY: and all keys.
        unsafe { self.keys.set_len(place) };
    }

    /// Adds a bonus to the score of a move, if it is in the list.
    #[inline(always)]
    pub(super) fn raise(&mut self, mv: Move, bonus: i32) {
        // By groups, which are compared without branches.
        let (groups, rest) = self.moves.as_chunks::<LANES>();
        let is_in = |moves: &[Move; LANES]| moves.map(|known| u8::from(known == mv)) != [0; LANES];
        let group = groups.iter().position(is_in);
        let (start, moves) = match group {
            Some(group) => (group * LANES, &groups[group][..]),
            None => (groups.len() * LANES, rest),
        };
        if let Some(place) = moves.iter().position(|&known| known == mv) {
            self.keys[start + place] += bonus << PLACE_BITS;
        }
    }

    /// Completes the list: adds padding and computes the maxima.
    #[inline(always)]
    pub(super) fn finish(&mut self) {
        pad(&mut self.keys);
        self.best.clear();
        self.best.extend(self.keys.as_chunks::<LANES>().0.iter().map(best_of));
        pad(&mut self.best);
        let groups = self.best.as_chunks().0.iter().map(best_of);
        self.next = groups.fold(TAKEN, i32::max);
    }

    /// The move with the best score, `None` where no move is left.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<Move> {
        (self.next != TAKEN).then(|| self.moves[place_of(self.next)])
    }

    /// Removes and returns the best move and its score, if the score is above `limit`.
    #[inline(always)]
    pub(super) fn take_above(&mut self, limit: i32) -> Option<(Move, i32)> {
        let best = self.next;
        let score = best >> PLACE_BITS;
        if best == TAKEN || score <= limit {
            return None;
        }
        let place = place_of(best);
        let group = place / LANES;
        // Relative to the best key, the others keep their order modulo 2³², and it is the least.
        let origin = best.wrapping_add(i32::MIN);
        let relative = |key: i32| key.wrapping_sub(origin);
        let rest = best_of(&self.keys.as_chunks().0[group].map(relative));
        let others = self.best.as_chunks::<LANES>().0.as_flattened().iter();
        let next = others.fold(rest, |next, &key| next.max(relative(key)));
        self.next = next.wrapping_add(origin);
        self.keys[place] = TAKEN;
        self.best[group] = rest.wrapping_add(origin);
        Some((self.moves[place], score))
    }
}

/// Adds a group of `TAKEN`, part of which fills up the last group.
#[inline(always)]
fn pad<const CAPACITY: usize>(keys: &mut ArrayVec<i32, CAPACITY>) {
    let room = keys.try_extend_from_slice(&[TAKEN; LANES]);
    debug_assert!(room.is_ok());
}

#[inline(always)]
fn best_of(keys: &[i32; LANES]) -> i32 {
    keys.iter().copied().fold(TAKEN, i32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;
    use crate::position::Position;
    use crate::types::{Color, File, Piece, PieceType};

    #[test]
    fn the_best_comes_first_and_equal_ones_as_generated() {
        let moves = legal_moves(&Position::startpos());
        let mut list = ScoredMoves::default();
        list.refill().extend(moves.iter().copied());
        let score = |mv: Move| mv.to().index() as i32 / 9 - 4;
        list.score(score);
        let mut expected: Vec<Move> = moves.iter().copied().collect();
        expected.sort_by_key(|&mv| -score(mv));
        let mut taken = Vec::new();
        while let Some((mv, its_score)) = list.take_above(0) {
            assert_eq!(its_score, score(mv));
            assert!(its_score > 0);
            taken.push(mv);
        }
        taken.extend(std::iter::from_fn(|| list.take_above(-MAX_SCORE - 1)).map(|(mv, _)| mv));
        assert_eq!(taken, expected);
        assert!(list.refill().is_empty());
        assert_eq!(list.take_above(i32::MIN), None);
    }

    #[test]
    fn moves_to_many_targets_are_appended_in_their_order() {
        let rook = Piece::new(Color::Black, PieceType::Rook);
        let targets = [Bitboard::file(File::File5), Bitboard::EMPTY, Bitboard::ALL];
        let mut list = ScoredMoves::default();
        list.refill();
        let mut expected = Vec::new();
        for set in targets {
            list.push_each(set, |to| (Move::drop(rook, to), -(to.index() as i32)));
            expected.extend(set.into_iter().map(|to| Move::drop(rook, to)));
        }
        list.finish();
        expected.sort_by_key(|mv| mv.to().index());
        let taken = std::iter::from_fn(|| list.take_above(-MAX_SCORE)).map(|(mv, _)| mv);
        assert_eq!(taken.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn scores_out_of_range_keep_their_side() {
        let moves = legal_moves(&Position::startpos());
        let mut list = ScoredMoves::default();
        list.refill().extend(moves.iter().copied().take(3));
        let mut scores = [i32::MIN, 7, i32::MAX].into_iter();
        list.score(|_| scores.next().expect("three moves"));
        let taken: Vec<_> = std::iter::from_fn(|| list.take_above(i32::MIN)).collect();
        let expected = [(moves[2], MAX_SCORE), (moves[1], 7), (moves[0], -MAX_SCORE)];
        assert_eq!(taken, expected);
    }
}
