//! Backing up: the numbers of a node from those of its children, and which child to search next.

use super::proof_hands;
use super::proof_numbers::{INFINITE, MAX_UNSOLVED, NO_REPETITION, ProofNumbers};
use super::worker::{Child, NOT_DELAYED, Worker};
use crate::types::{Hand, Move};

/// The numbers of an unsolved node, as φ and δ, and its most promising child.
pub(super) struct Summary {
    /// Least φ of the children.
    pub(super) phi: u32,
    /// δ of the children, accumulated.
    pub(super) delta: u32,
    /// Index into [`Worker::children`] of the child to search next.
    pub(super) best: usize,
    /// Least φ of the other children, virtual costs included.
    pub(super) second_phi: u32,
    /// What the children besides the best one contribute to `delta`.
    pub(super) delta_of_others: u32,
}

impl Worker<'_> {
    /// Whether an unsolved child of the current node was met before at this depth or nearer to the
    /// root, so that the node may be part of a cycle.
    pub(super) fn has_old_child(&self, first: usize) -> bool {
        let number = self.path.len() as u16;
        let is_old = |child: &Child| child.min_depth <= number && !child.numbers.is_solved();
        self.children[first..].iter().any(is_old)
    }

    /// Whether a child is not delayed, or no longer: the move before it failed.
    fn is_active<const OR: bool>(&self, first: usize, child: &Child) -> bool {
        child.delayed_by == NOT_DELAYED
            || self.children[first + usize::from(child.delayed_by)]
                .numbers
                .delta::<OR>()
                == 0
    }

    /// The numbers of the current node, whose children begin at index `first`. `None` where they
    /// solve it.
    ///
    /// δ is the sum over the children of an AND node. At an OR node it is their maximum plus one
    /// for each other child (weak proof-number search).
    pub(super) fn summarize<const OR: bool>(&self, first: usize) -> Option<Summary> {
        let mut summary = Summary {
            phi: INFINITE,
            delta: 0,
            best: first,
            second_phi: INFINITE,
            delta_of_others: 0,
        };
        let (mut unsolved, mut sum, mut best_phi, mut best_delta) = (0, 0, u32::MAX, 0);
        for (index, child) in self.children[first..].iter().enumerate() {
            let (phi, delta) = (child.numbers.phi::<OR>(), child.numbers.delta::<OR>());
            if phi == 0 {
                return None;
            }
            if delta == 0 || !self.is_active::<OR>(first, child) {
                continue;
            }
            unsolved += 1;
            let virtual_phi = self.with_virtual_cost(child, phi);
            if virtual_phi < best_phi || virtual_phi == best_phi && delta < best_delta {
                summary.second_phi = summary.second_phi.min(best_phi);
                summary.best = first + index;
                (best_phi, best_delta) = (virtual_phi, delta);
            } else {
                summary.second_phi = summary.second_phi.min(virtual_phi);
            }
            summary.phi = summary.phi.min(phi);
            summary.delta = summary.delta.max(delta);
            sum = (sum + delta).min(MAX_UNSOLVED);
        }
        if unsolved == 0 {
            return None;
        }
        if OR {
            summary.delta_of_others = unsolved - 1;
            summary.delta = (summary.delta + summary.delta_of_others).min(MAX_UNSOLVED);
        } else {
            summary.delta_of_others = sum - best_delta;
            summary.delta = sum;
        }
        Some(summary)
    }

    /// φ of a child, raised by half for each thread that searches below it.
    #[inline]
    fn with_virtual_cost(&self, child: &Child, phi: u32) -> u32 {
        match self.control.virtual_costs {
            None => phi,
            Some(costs) => {
                let threads = costs.threads(child.key, child.hand);
                phi.saturating_add(threads * (phi / 2 + 1))
                    .min(MAX_UNSOLVED)
            }
        }
    }

    /// The numbers of a node that its children solve, and the deciding move.
    pub(super) fn solved_numbers<const OR: bool>(
        &self,
        first: usize,
    ) -> (ProofNumbers, Option<Move>) {
        let children = &self.children[first..];
        let winners = children
            .iter()
            .filter(|child| child.numbers.phi::<OR>() == 0);
        let all = proof_hands::all_hands(self.position.board());
        let board = self.position.board();
        if OR {
            let key = |child: &&Child| (child.numbers.length, child.is_weak_non_promotion());
            if let Some(child) = winners.min_by_key(key) {
                let hand = proof_hands::proof_before_attack(board, child.mv, child.numbers.hand);
                let length = child.numbers.length.saturating_add(1);
                return (ProofNumbers::proven(hand, length), Some(child.mv));
            }
            let (mut hand, mut repetition_start) = (all, NO_REPETITION);
            for child in children {
                let before =
                    proof_hands::disproof_before_attack(board, child.mv, child.numbers.hand);
                hand = hand.fewest(before);
                repetition_start = repetition_start.min(child.numbers.repetition_start);
            }
            let hand = proof_hands::disproof_without_new_drops(&self.position, hand);
            let repetition_start = self.outside_of_node(repetition_start);
            (ProofNumbers::disproven(hand, repetition_start), None)
        } else {
            if let Some(child) = winners.max_by_key(|child| child.numbers.repetition_start) {
                let hand = all.fewest(child.numbers.hand);
                let repetition_start = self.outside_of_node(child.numbers.repetition_start);
                return (
                    ProofNumbers::disproven(hand, repetition_start),
                    Some(child.mv),
                );
            }
            let (mut hand, mut length, mut best) = (Hand::EMPTY, 0, None);
            for child in children {
                hand = hand.most(child.numbers.hand);
                if best.is_none() || child.numbers.length >= length {
                    (length, best) = (child.numbers.length + 1, Some(child.mv));
                }
            }
            let hand = proof_hands::proof_against_interposing(&self.position, hand);
            (ProofNumbers::proven(hand, length), best)
        }
    }

    /// The start of a repetition as the current node passes it on to its parent: a disproof whose
    /// lines repeat nothing above this node holds on every path (Kishimoto and Müller 2004).
    fn outside_of_node(&self, repetition_start: u16) -> u16 {
        if usize::from(repetition_start) >= self.path.len() {
            NO_REPETITION
        } else {
            repetition_start
        }
    }
}
