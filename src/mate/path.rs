//! The positions from the root to the current one, to notice when a line comes back to one of them.

use crate::types::Hand;

/// Slots of the filter; few enough for the first-level cache.
const SLOTS: usize = 4096;

#[derive(Clone, Copy)]
struct Step {
    /// Of the board and the side to move.
    key: u64,
    /// What the attacker holds.
    hand: Hand,
    /// Stands for the whole path up to here.
    path_key: u64,
}

/// The path.
pub(super) struct Path {
    steps: Vec<Step>,
    /// How many positions of the path fall into each slot: mostly none, which answers at once.
    seen: Box<[u16; SLOTS]>,
}

impl Path {
    pub(super) fn new() -> Self {
        Self {
            steps: Vec::with_capacity(1024),
            seen: Box::new([0; SLOTS]),
        }
    }

    pub(super) fn enter(&mut self, key: u64, hand: Hand) {
        let path_key = self.key_with(key, hand);
        self.seen[slot(key)] += 1;
        self.steps.push(Step {
            key,
            hand,
            path_key,
        });
    }

    pub(super) fn leave(&mut self) {
        if let Some(step) = self.steps.pop() {
            self.seen[slot(step.key)] -= 1;
        }
    }

    /// How many positions there are: the number of the last.
    #[inline(always)]
    pub(super) fn number(&self) -> usize {
        self.steps.len()
    }

    /// Stands for the path with one more position.
    #[inline(always)]
    pub(super) fn key_with(&self, key: u64, hand: Hand) -> u64 {
        let before = self.steps.last().map_or(0, |step| step.path_key);
        let position = key ^ u64::from(hand.to_bits()).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (before.rotate_left(25) ^ position).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Stands for the path.
    pub(super) fn key(&self) -> u64 {
        self.steps.last().map_or(0, |step| step.path_key)
    }

    /// The number and the attacker's hand of the last position with this board in which he held no less: he has come back and
    /// gained nothing.
    #[inline(always)]
    pub(super) fn repeats(&self, key: u64, hand: Hand) -> Option<(u16, Hand)> {
        if self.seen[slot(key)] == 0 {
            return None;
        }
        let is_repeated = |step: &Step| step.key == key && step.hand.dominates(hand);
        let index = self.steps.iter().rposition(is_repeated)?;
        Some((index as u16 + 1, self.steps[index].hand))
    }
}

const fn slot(key: u64) -> usize {
    // Bit 0 is the side to move.
    (key >> 1) as usize % SLOTS
}
