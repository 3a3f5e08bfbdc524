//! The scored moves of one stage, from which the best is selected repeatedly.
//!
//! Most nodes are cut off after few moves, so nothing is sorted. Score and index are packed into
//! one integer; a selection takes the maximum of the changed group, then of all groups. Both loops
//! are branch-free and vectorized. They leave out the selected key by comparison rather than
//! reading back what was just written in its place: a vector load of a fresh scalar store stalls.
//!
//! Why unsafe here: [`ScoredMoves::push_each`] appends all quiet moves of a search. It checks the
//! room once for all targets of a piece and counts in a register, which saves 2 % of all
//! instructions.

#![allow(unsafe_code, reason = "room is checked once, see the module text")]

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::types::{MAX_MOVES, Move, MoveList, Square};

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
