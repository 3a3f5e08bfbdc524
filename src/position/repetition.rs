//! Repetition: the rule of the game and the judgement of the search, kept apart.
//!
//! The rule (千日手) asks for the fourth occurrence of a position, with the same hands and the same
//! side to move, over the whole game; a side all of whose moves between the first and the fourth
//! gave check loses. The search cannot wait that long: after its root a second occurrence decides,
//! and a board that returns with a better or worse hand is judged too.
//!
//! Captures do not end the look-back, because a captured piece can be dropped again. A counting
//! filter, indexed by the key of the board, answers "never seen" with one load, which is the answer
//! for nearly every node.

use super::base::Position;
use crate::types::Repetition;

/// Occurrences that end a game.
const RULE_OCCURRENCES: usize = 4;

impl Position {
    /// The verdict of the rule: [`Repetition::Draw`], `Win` or `Lose` for the side to move at the
    /// fourth (or a later) occurrence of this position in the game, `None` before.
    pub fn rule_repetition(&self) -> Option<Repetition> {
        self.fourth_occurrence(self.moves_made())
    }

    /// The judgement of a search whose root lies `ply` plies back. A second occurrence after the
    /// root counts as a repetition; with occurrences at or before the root only the fourth does.
    /// The same board with another hand is `Superior` or `Inferior` for the side to move when the
    /// earlier occurrence lies after the root. Nothing is compared across a null move.
    #[inline]
    pub fn search_repetition(&self, ply: usize) -> Option<Repetition> {
        if !self.seen.may_contain_twice(self.board_key().low64()) {
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
            // Moves closer to the root must not hide an equal position: the nearest judgement is
            // kept, the search for an equal one goes on.
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

    /// The verdict where this position has occurred four times within the last `look_back` plies.
    fn fourth_occurrence(&self, look_back: usize) -> Option<Repetition> {
        let key = self.key();
        if !self.seen.may_contain_twice(self.board_key().low64()) {
            return None;
        }
        let current = self.moves_made();
        let mut occurrences = 1;
        // Two moves by each side bring a position back at the earliest.
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

    /// What it means that this position occurred `distance` plies ago: who, if anyone, gave check
    /// all the time.
    fn verdict(&self, distance: usize) -> Repetition {
        let moves_each = distance as u32 / 2;
        let us = self.side_to_move();
        let checks = &self.state().consecutive_checks;
        let we_checked = checks[us.index()] >= moves_each;
        let they_checked = checks[us.opponent().index()] >= moves_each;
        match (we_checked, they_checked) {
            (true, false) => Repetition::Lose,
            (false, true) => Repetition::Win,
            // Both sides giving check with every move is not decided by the rule; it counts as a
            // draw.
            _ => Repetition::Draw,
        }
    }
}
