//! What the moves of a node say about the node: which to try next, and, once they are settled, what follows.

use super::hands;
use super::outlook::{INFINITE, LARGE, NO_HORIZON, Outlook};
use super::search::{AT_ONCE, Child, Search};
use crate::types::{Hand, Move};

/// The sum of what is known about the moves of a node.
pub(super) struct Summary {
    pub(super) cost: u32,
    pub(super) rest: u32,
    pub(super) best: usize,
    /// The least cost of the others.
    pub(super) second: u32,
    /// What the moves besides the best add to `rest`.
    pub(super) others: u32,
}

impl Search<'_> {
    pub(super) fn has_old_child(&self, first: usize) -> bool {
        let number = self.path.number() as u16;
        let is_old = |child: &Child| child.depth <= number && !child.outlook.is_settled();
        self.children[first..].iter().any(is_old)
    }

    /// Whether the moves of a node that begin at `first` include this one by now.
    fn is_active<const OR: bool>(&self, first: usize, child: &Child) -> bool {
        child.after == AT_ONCE
            || self.children[first + usize::from(child.after)]
                .outlook
                .rest::<OR>()
                == 0
    }

    /// `None` where the node is settled.
    pub(super) fn summarize<const OR: bool>(&self, first: usize) -> Option<Summary> {
        let mut summary = Summary {
            cost: INFINITE,
            rest: 0,
            best: first,
            second: INFINITE,
            others: 0,
        };
        let (mut open, mut sum, mut best_cost, mut best_rest) = (0, 0, u32::MAX, 0);
        for (index, child) in self.children[first..].iter().enumerate() {
            let (cost, rest) = (child.outlook.cost::<OR>(), child.outlook.rest::<OR>());
            if cost == 0 {
                return None;
            }
            if rest == 0 || !self.is_active::<OR>(first, child) {
                continue;
            }
            open += 1;
            let crowded = self.crowded_cost(child, cost);
            if crowded < best_cost || crowded == best_cost && rest < best_rest {
                summary.second = summary.second.min(best_cost);
                summary.best = first + index;
                (best_cost, best_rest) = (crowded, rest);
            } else {
                summary.second = summary.second.min(crowded);
            }
            summary.cost = summary.cost.min(cost);
            summary.rest = summary.rest.max(rest);
            sum = (sum + rest).min(LARGE);
        }
        if open == 0 {
            return None;
        }
        if OR {
            summary.others = open - 1;
            summary.rest = (summary.rest + summary.others).min(LARGE);
        } else {
            summary.others = sum - best_rest;
            summary.rest = sum;
        }
        Some(summary)
    }

    /// The cost of a move, higher where other threads work on it.
    #[inline(always)]
    fn crowded_cost(&self, child: &Child, cost: u32) -> u32 {
        match self.control.crowd {
            None => cost,
            Some(crowd) => {
                let others = crowd.size(child.key, child.hand);
                cost.saturating_add(others * (cost / 2 + 1)).min(LARGE)
            }
        }
    }

    /// The outlook of a node all or one of whose moves decide it, and the deciding move.
    pub(super) fn settle<const OR: bool>(&self, first: usize) -> (Outlook, Option<Move>) {
        let children = &self.children[first..];
        let winners = children
            .iter()
            .filter(|child| child.outlook.cost::<OR>() == 0);
        let all = hands::all_hands(self.position.board());
        let board = self.position.board();
        if OR {
            if let Some(child) = winners.min_by_key(|child| (child.outlook.length, child.is_weak()))
            {
                let hand = hands::proof_before_attack(board, child.mv, child.outlook.hand);
                let length = child.outlook.length.saturating_add(1);
                return (Outlook::mate(hand, length), Some(child.mv));
            }
            let (mut hand, mut horizon) = (all, NO_HORIZON);
            for child in children {
                let before = hands::disproof_before_attack(board, child.mv, child.outlook.hand);
                hand = hand.fewest(before);
                horizon = horizon.min(child.outlook.horizon);
            }
            let hand = hands::disproof_without_new_drops(&self.position, hand);
            (Outlook::refuted(hand, self.closed(horizon)), None)
        } else {
            if let Some(child) = winners.max_by_key(|child| child.outlook.horizon) {
                let hand = all.fewest(child.outlook.hand);
                let horizon = self.closed(child.outlook.horizon);
                return (Outlook::refuted(hand, horizon), Some(child.mv));
            }
            let (mut hand, mut length, mut best) = (Hand::EMPTY, 0, None);
            for child in children {
                hand = hand.most(child.outlook.hand);
                if best.is_none() || child.outlook.length >= length {
                    (length, best) = (child.outlook.length + 1, Some(child.mv));
                }
            }
            let hand = hands::proof_against_interposing(&self.position, hand);
            (Outlook::mate(hand, length), best)
        }
    }

    /// A refutation that assumes only itself refuted assumes nothing.
    fn closed(&self, horizon: u16) -> u16 {
        if usize::from(horizon) >= self.path.number() {
            NO_HORIZON
        } else {
            horizon
        }
    }
}
