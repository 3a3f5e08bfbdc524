//! Depth-first proof-number search (df-pn, Nagai 2002) on the tree of checks and their answers.
//!
//! - Graph history interaction: a proof never rests on a repetition, so it holds on every path. A
//!   disproof that rests on one holds on every path only once the repeated position lies at or
//!   below the node (Kishimoto and Müller 2004); until then it is stored under the key of the whole
//!   path.
//! - Dominance: a position with the board of an earlier one on the path, in which the attacker
//!   holds no more than there, counts as a repetition.
//! - Weak proof-number search (Ueda et al. 2008) at OR nodes: the disproof number is the largest of
//!   the children's plus one for each other child, because a sum counts transpositions several
//!   times. At AND nodes the plain sum takes half the nodes on mates of 9 to 11 plies.
//! - 1+ε trick (Pawlewicz and Lew 2007): the threshold of a child is an eighth above its next best
//!   sibling, so that the search switches less often.
//! - Threshold control algorithm (Kishimoto 2010): a node with a child that was met nearer to the
//!   root may be part of a cycle, so it may exceed its thresholds until a new node has been
//!   expanded.
//! - Delayed moves (Kishimoto): interpositions on one square are searched one after another, and a
//!   non-promotion only after the promotion has failed.

use super::entry::Entry;
use super::proof_numbers::{PATH_TOO_LONG, ProofNumbers, Thresholds, limit_after_move};
use super::worker::Worker;
use crate::types::Move;

/// What is known about a node before it is searched.
#[derive(Clone, Copy)]
struct Prior {
    /// Plies left, or `NO_LIMIT`.
    limit: u16,
    /// Nodes searched below it on earlier visits.
    subtree_size: u32,
    min_depth: u16,
    has_path_disproof: bool,
}

impl Prior {
    const fn unknown(limit: u16) -> Self {
        Self {
            limit,
            subtree_size: 0,
            min_depth: u16::MAX,
            has_path_disproof: false,
        }
    }
}

impl Worker<'_> {
    /// Searches the current position until it is solved or the search must stop.
    pub(super) fn solve_position<const OR: bool>(&mut self, limit: u16) -> ProofNumbers {
        loop {
            let prior = Prior::unknown(limit);
            let numbers = self.search_node::<OR>(Thresholds::INFINITE, prior);
            if numbers.is_solved() || self.should_stop() {
                return numbers;
            }
        }
    }

    /// Searches the position after a move, which is a node of kind `OR`, until it is solved or the
    /// search must stop.
    pub(super) fn solve_after<const OR: bool>(&mut self, mv: Move, limit: u16) -> ProofNumbers {
        self.do_move(mv);
        let numbers = self.solve_position::<OR>(limit);
        self.undo_move();
        numbers
    }

    /// Searches the current node until it is solved, one of its numbers reaches its threshold, or
    /// the search must stop.
    fn search_node<const OR: bool>(
        &mut self,
        thresholds: Thresholds,
        prior: Prior,
    ) -> ProofNumbers {
        let (first, nodes_before) = (self.children.len(), self.nodes);
        let raised_before = self.raised_thresholds;
        if self.path.len() > self.control.max_plies {
            let hand = self.position.hand(self.attacker);
            return ProofNumbers::disproven(hand, PATH_TOO_LONG);
        }
        self.expand::<OR>(prior.limit);
        if prior.subtree_size <= 1 && self.raised_thresholds > 0 {
            self.raised_thresholds -= 1;
        }
        self.raised_thresholds += u32::from(self.has_old_child(first));
        let (mut numbers, mut best);
        loop {
            let summary = self.summarize::<OR>(first);
            let Some(summary) = summary else {
                let (numbers, mv) = self.solved_numbers::<OR>(first);
                self.leave_node(first, numbers, mv, prior, nodes_before);
                self.raised_thresholds = self.raised_thresholds.min(raised_before);
                return numbers;
            };
            numbers = if OR {
                ProofNumbers::unsolved(summary.phi, summary.delta)
            } else {
                ProofNumbers::unsolved(summary.delta, summary.phi)
            };
            best = self.children[summary.best].mv;
            let mut phi = thresholds.phi::<OR>();
            let mut delta = thresholds.delta::<OR>();
            if self.raised_thresholds > 0 {
                phi = phi.max(summary.phi + 1);
                delta = delta.max(summary.delta + 1);
            }
            if summary.phi >= phi || summary.delta >= delta || self.should_stop() {
                break;
            }
            let child = &self.children[summary.best].numbers;
            let second_phi = summary.second_phi;
            let epsilon_phi = second_phi.saturating_add(second_phi / 8 + 1);
            // With virtual costs the chosen child need not be the cheapest: its own numbers are the
            // least thresholds that let it be expanded.
            let phi = phi.min(epsilon_phi).max(child.phi::<OR>() + 1);
            let delta = (delta - summary.delta_of_others).max(child.delta::<OR>() + 1);
            let thresholds = Thresholds::from_phi_delta::<OR>(phi, delta);
            self.search_child::<OR>(summary.best, thresholds, prior.limit);
            if self.is_stopped() {
                break;
            }
        }
        numbers.hand = self.position.hand(self.attacker);
        self.leave_node(first, numbers, Some(best), prior, nodes_before);
        self.raised_thresholds = self.raised_thresholds.min(raised_before);
        numbers
    }

    fn search_child<const OR: bool>(&mut self, index: usize, thresholds: Thresholds, limit: u16) {
        let child = self.children[index];
        let prior = Prior {
            limit: limit_after_move(limit),
            subtree_size: child.subtree_size,
            min_depth: child.min_depth,
            has_path_disproof: child.has_path_disproof,
        };
        let nodes_before = self.nodes;
        let virtual_costs = self.control.virtual_costs;
        if let Some(costs) = virtual_costs {
            costs.enter(child.key, child.hand);
        }
        self.do_move(child.mv);
        let numbers = if OR {
            self.search_node::<false>(thresholds, prior)
        } else {
            self.search_node::<true>(thresholds, prior)
        };
        self.undo_move();
        if let Some(costs) = virtual_costs {
            costs.leave(child.key, child.hand);
        }
        let nodes = self.nodes_since(nodes_before);
        let child = &mut self.children[index];
        child.numbers = numbers;
        child.subtree_size = child.subtree_size.saturating_add(nodes);
        child.min_depth = child.min_depth.min(self.path.len() as u16 + 1);
    }

    /// Stores the current node in the table and drops its children.
    fn leave_node(
        &mut self,
        first: usize,
        numbers: ProofNumbers,
        best: Option<Move>,
        prior: Prior,
        nodes_before: u64,
    ) {
        self.children.truncate(first);
        if self.is_stopped() && !self.control.is_resumed && !numbers.is_solved() {
            // Nobody will read it, and touching unused memory of a new table for each node of the
            // path would delay the stop.
            return;
        }
        let nodes = self.nodes_since(nodes_before);
        let mut entry = Entry {
            numbers,
            subtree_size: prior.subtree_size.saturating_add(nodes).max(1),
            limit: prior.limit,
            min_depth: prior.min_depth.min(self.path.len() as u16),
            mv: best.map(Move::to_move16),
            has_path_disproof: prior.has_path_disproof,
        };
        if numbers.depends_on_path() {
            let repetition_start = numbers.repetition_start;
            if repetition_start == PATH_TOO_LONG {
                return;
            }
            let key = self.path.key();
            self.table
                .store_path_disproof(key, repetition_start, numbers.hand, entry.subtree_size);
            if prior.has_path_disproof {
                return;
            }
            entry.has_path_disproof = true;
            entry.numbers = ProofNumbers::unsolved(1, 1);
            entry.numbers.hand = self.position.hand(self.attacker);
        }
        self.table.store(self.board_key(), &entry);
    }

    fn nodes_since(&self, nodes_before: u64) -> u32 {
        (self.nodes - nodes_before).min(u64::from(u32::MAX)) as u32
    }
}
