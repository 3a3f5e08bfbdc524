//! Repetition: the rule of the game, and the stricter judgement of the search.
//!
//! The rule (千日手) applies at the fourth occurrence of a position, with the same hands and side to
//! move, in the whole game; a side whose every move between the first and the fourth gave check
//! loses. The search judges earlier: after its root a second occurrence decides, and the return of
//! a board with a better or worse hand is judged too.
//!
//! Captures do not end the look-back, because a captured piece can be dropped again. A counting
//! filter rules out a repetition with one load at nearly every node.

use super::Position;
use crate::types::Repetition;

/// Number of occurrences that ends a game.
const RULE_OCCURRENCES: usize = 4;

impl Position {
    /// The outcome by the rule: `Draw`, `Win` or `Lose` for the side to move at the fourth or a
    /// later occurrence in the game, else `None`.
    pub fn rule_repetition(&self) -> Option<Repetition> {
        self.fourth_occurrence(self.moves_made())
    }

    /// The outcome for a search whose root lies `ply` plies back. After the root a second
    /// occurrence counts as a repetition; at or before it only the fourth does. The same board with
    /// another hand is `Superior` or `Inferior` for the side to move if the earlier occurrence lies
    /// after the root. Nothing is compared across a null move.
    #[inline]
    pub fn search_repetition(&self, ply: usize) -> Option<Repetition> {
        if self.seen.count(self.board_key().low64()) < 2 {
            return None;
        }
        self.search_repetition_slow(ply)
    }

    #[cold]
    fn search_repetition_slow(&self, ply: usize) -> Option<Repetition> {
        let now = self.state();
        let look_back = now.plies_from_null as usize;
        let mut judgement = None;
        for distance in (4..ply.min(look_back + 1)).step_by(2) {
            let before = &self.states[self.moves_made() - distance];
            if before.board_key != now.board_key {
                continue;
            }
            if before.hand == now.hand {
                return Some(self.verdict(distance));
            }
            // An equal position takes precedence over a nearer unequal one, so the search for it
            // continues.
            if judgement.is_none() {
                if now.hand.dominates(before.hand) {
                    judgement = Some(Repetition::Superior);
                } else if before.hand.dominates(now.hand) {
                    judgement = Some(Repetition::Inferior);
                }
            }
        }
        self.fourth_occurrence(look_back).or(judgement)
    }

    /// The outcome if this position has occurred four times within the last `look_back` plies.
    fn fourth_occurrence(&self, look_back: usize) -> Option<Repetition> {
        let key = self.key();
        if self.seen.count(self.board_key().low64()) < RULE_OCCURRENCES {
            return None;
        }
        let current = self.moves_made();
        let mut occurrences = 1;
        // A position returns after two moves of each side at the earliest.
        for distance in (4..=look_back).step_by(2) {
            if self.states[current - distance].key == key {
                occurrences += 1;
                if occurrences == RULE_OCCURRENCES {
                    return Some(self.verdict(distance));
                }
            }
        }
        None
    }

    /// The outcome of a repetition of the position `distance` plies ago.
    fn verdict(&self, distance: usize) -> Repetition {
        let moves_each = distance as u32 / 2;
        let us = self.side_to_move();
        let checks = &self.state().consecutive_checks;
        let we_checked = checks[us.index()] >= moves_each;
        let they_checked = checks[us.opponent().index()] >= moves_each;
        match (we_checked, they_checked) {
            (true, false) => Repetition::Lose,
            (false, true) => Repetition::Win,
            // The rule does not decide perpetual check by both sides; it counts as a draw.
            _ => Repetition::Draw,
        }
    }
}

/// A counting filter over the boards of a game, which rules out a repetition with one load: upper
/// bounds on the number of occurrences of each board, indexed by the low bits of its key. A count
/// that reaches 255 stays there, so that it remains an upper bound. 4 KB, to stay in the
/// first-level cache, and none before the first move: lists of positions are long.
#[derive(Clone)]
pub(super) struct BoardFilter {
    first: u64,
    counts: Option<Box<[u8; Self::SLOTS]>>,
}

impl BoardFilter {
    const SLOTS: usize = 4096;

    pub(super) const fn new(first: u64) -> Self {
        Self { first, counts: None }
    }

    /// Removes every board but a first one, and keeps the memory.
    pub(super) fn reset(&mut self, first: u64) {
        self.first = first;
        if let Some(counts) = &mut self.counts {
            counts.fill(0);
            self.add(first);
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, board_key: u64) {
        let count = match &mut self.counts {
            Some(counts) => &mut counts[Self::slot(board_key)],
            None => &mut self.begun()[Self::slot(board_key)],
        };
        *count = count.saturating_add(1);
    }

    /// The counts at the first move.
    #[cold]
    fn begun(&mut self) -> &mut [u8; Self::SLOTS] {
        let counts = self.counts.insert(Box::new([0; Self::SLOTS]));
        counts[Self::slot(self.first)] = 1;
        counts
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, board_key: u64) {
        if let Some(counts) = &mut self.counts {
            let count = &mut counts[Self::slot(board_key)];
            *count -= u8::from(*count != u8::MAX);
        }
    }

    /// At least the number of times that the board was added, up to 255.
    #[inline(always)]
    pub(super) fn count(&self, board_key: u64) -> usize {
        match &self.counts {
            Some(counts) => counts[Self::slot(board_key)].into(),
            None => 1,
        }
    }

    #[inline(always)]
    const fn slot(board_key: u64) -> usize {
        board_key as usize % Self::SLOTS
    }
}
