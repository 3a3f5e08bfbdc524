//! The path from the root to the current position: detects repetitions, and gives the key of the
//! whole path under which path-dependent disproofs are stored.

use crate::types::Hand;

/// Slots of the filter: 8 KB, to fit into the first-level cache.
const SLOTS: usize = 4096;

#[derive(Clone, Copy)]
struct Node {
    /// Board and side to move.
    key: u64,
    /// The attacker's hand.
    hand: Hand,
    /// Hash of all positions of the path up to this one.
    path_key: u64,
}

/// The positions from the root to the current one.
pub(super) struct Path {
    nodes: Vec<Node>,
    /// Number of positions of the path per slot. An empty slot, the usual case, rules a repetition
    /// out with one load.
    counts: Box<[u16; SLOTS]>,
}

impl Path {
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::with_capacity(1024),
            counts: Box::new([0; SLOTS]),
        }
    }

    pub(super) fn push(&mut self, key: u64, hand: Hand) {
        let path_key = self.key_with(key, hand);
        self.counts[slot(key)] += 1;
        self.nodes.push(Node {
            key,
            hand,
            path_key,
        });
    }

    pub(super) fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.counts[slot(node.key)] -= 1;
        }
    }

    /// Number of positions, root included; also the number of the current position, counted from 1.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The key of the path extended by one position.
    #[inline]
    pub(super) fn key_with(&self, key: u64, hand: Hand) -> u64 {
        let before = self.key();
        let position = key ^ u64::from(hand.to_bits()).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (before.rotate_left(25) ^ position).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The key of the path.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.nodes.last().map_or(0, |node| node.path_key)
    }

    /// The latest position with this board in which the attacker held at least `hand`: its number,
    /// counted from 1, and the hand held there. Returning with no more in hand counts as a
    /// repetition.
    #[inline]
    pub(super) fn find_repetition(&self, key: u64, hand: Hand) -> Option<(u16, Hand)> {
        if self.counts[slot(key)] == 0 {
            return None;
        }
        let is_repeated = |node: &Node| node.key == key && node.hand.dominates(hand);
        let index = self.nodes.iter().rposition(is_repeated)?;
        Some((index as u16 + 1, self.nodes[index].hand))
    }
}

const fn slot(key: u64) -> usize {
    // Bit 0 is the side to move.
    (key >> 1) as usize % SLOTS
}
