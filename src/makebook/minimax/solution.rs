//! The outcomes of all moves of a graph: nodes from which no loop can be reached get theirs from
//! the leaves backwards, then values are carried around the loops.

use std::collections::VecDeque;

use super::Counts;
use super::graph::{Bits, Graph, Parents};
use super::loops::{self, Arena, CheckLoops, solve};
use crate::types::Move16;

/// The depth of what repeats for ever.
pub(super) const ENDLESS: u16 = 9999;
/// The depth of a move into a loop of perpetual check that loses for the mover's side.
pub(super) const PERPETUAL_CHECK: u16 = 9997;
/// The depth of a loop of perpetual check from the view of the side that gives the checks.
pub(super) const PERPETUALLY_CHECKED: u16 = 9998;
/// Longest line; a draw that is further away counts as [`ENDLESS`].
pub(super) const MAX_PLIES: u16 = 256;
/// The greatest value, and with the opposite sign the smallest.
pub(super) const MAX_VALUE: i16 = 32_000;

/// The value of a move for the side that makes it, and the number of plies to where it arises.
///
/// Of a node it says what the move into that node is worth, so it is seen from the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Centipawns, -32767 to 32767.
    pub value: i16,
    /// Plies, at most 9999.
    pub depth: u16,
}

impl Outcome {
    /// Worse than every move.
    pub(super) const NONE: Self = Self {
        value: -i16::MAX,
        depth: ENDLESS,
    };

    /// The outcome of a move whose value is known from the book.
    pub(super) const fn leaf(value: i16) -> Self {
        Self { value, depth: 0 }
    }

    /// The outcome for the move into a node whose best move has this one.
    #[must_use]
    pub(super) fn for_parent(self) -> Self {
        Self {
            value: -self.value,
            depth: (self.depth + 1).min(ENDLESS),
        }
    }

    /// A number that is greater for a better outcome: by value, then a win that comes sooner or a
    /// loss that comes later; a perpetual check is the last among equal values.
    pub(super) const fn rank(self) -> i32 {
        let depth = self.depth as i32;
        let nearness = if self.depth == PERPETUAL_CHECK {
            0
        } else if self.value >= 0 {
            ENDLESS as i32 + 1 - depth
        } else {
            depth + 1
        };
        self.value as i32 * (1 << 15) + nearness
    }

    /// The better of two.
    #[must_use]
    pub(super) const fn or(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }
}

/// Rounds over all nodes in which outcomes can travel around loops.
const MAX_ROUNDS: u32 = MAX_PLIES as u32 + 100;

/// A draw by repetition.
const DRAW: Outcome = Outcome {
    value: 0,
    depth: ENDLESS,
};

/// The outcomes of all moves of a graph.
pub struct Solution {
    /// The outcome of each node, for its parents.
    outcomes: Vec<Outcome>,
    /// Nodes on loops of perpetual check.
    check_loops: Bits,
    /// What was found.
    pub counts: Counts,
}

impl Solution {
    /// Solves a graph, its loops exactly if `uses_components` says so.
    pub fn of(graph: &Graph, uses_components: bool) -> Self {
        Solver::new(graph, uses_components).solve()
    }

    /// The outcome of the best move of a node for its side to move; `None` without any move.
    pub fn best(&self, graph: &Graph, node: usize) -> Option<Outcome> {
        let leaves = graph.leaves_of(node).map(|(_, value)| Outcome::leaf(value));
        let edges = graph
            .edges_of(node)
            .map(|(_, target)| self.edge(graph, target));
        leaves.chain(edges).max_by_key(|outcome| outcome.rank())
    }

    /// The outcome of a move into the node `target`.
    fn edge(&self, graph: &Graph, target: u32) -> Outcome {
        let node = target as usize;
        let mut outcome = self.outcomes[node];
        if self.check_loops.has(node) && graph.is_in_check(node) {
            // The check must not be preferred to a way out that is worth as much.
            outcome.depth = PERPETUAL_CHECK;
        }
        outcome
    }

    /// The moves of a node, from black's view, and their outcomes, the best first.
    pub fn outcomes(&self, graph: &Graph, node: usize) -> Vec<(Move16, Outcome)> {
        let edges = graph.edges_of(node);
        let edges = edges.map(|(mv, target)| (mv, self.edge(graph, target)));
        let leaves = graph.leaves_of(node);
        let leaves = leaves.map(|(mv, value)| (mv, Outcome::leaf(value)));
        let mut moves: Vec<(Move16, Outcome)> = edges.chain(leaves).collect();
        moves.sort_by_key(|(_, outcome)| -outcome.rank());
        moves
    }

    /// As [`Solution::outcomes`], with the values that a book gets: a move as good as the best one
    /// but of another depth counts one centipawn less.
    pub fn moves(&self, graph: &Graph, node: usize) -> Vec<(Move16, Outcome)> {
        let mut moves = self.outcomes(graph, node);
        let first = moves.first().map(|(_, outcome)| *outcome);
        for (_, outcome) in &mut moves {
            let is_as_good = |first: &Outcome| first.value == outcome.value;
            if first
                .filter(is_as_good)
                .is_some_and(|first| first.depth != outcome.depth)
            {
                outcome.value -= 1;
            }
        }
        moves
    }
}

struct Solver<'a> {
    graph: &'a Graph,
    uses_components: bool,
    parents: Parents,
    settled: Bits,
    loops: CheckLoops,
    outcomes: Vec<Outcome>,
    rounds: u32,
}

impl<'a> Solver<'a> {
    fn new(graph: &'a Graph, uses_components: bool) -> Self {
        let parents = Parents::of(graph);
        let mut outcomes = vec![Outcome::default(); graph.len()];
        let settled = settle(graph, &parents, &mut outcomes);
        Self {
            loops: CheckLoops::find(graph, uses_components),
            graph,
            uses_components,
            parents,
            settled,
            outcomes,
            rounds: 0,
        }
    }

    fn solve(mut self) -> Solution {
        for node in 0..self.graph.len() {
            if self.settled.has(node) {
                continue;
            }
            self.outcomes[node] = if self.loops.nodes.has(node) {
                loops::initial(self.graph.is_in_check(node))
            } else {
                DRAW
            };
        }
        if self.uses_components {
            self.solve_exactly();
        } else {
            self.propagate();
        }
        let is_without_moves = |&node: &usize| {
            self.graph.targets(node).is_empty() && self.graph.leaf_values(node).is_empty()
        };
        let nodes = 0..self.graph.len();
        let without_moves = nodes.clone().filter(is_without_moves).count();
        let settled = nodes.filter(|&node| self.settled.has(node)).count();
        Solution {
            counts: Counts {
                positions: self.graph.len(),
                without_moves,
                edges: self.graph.edges(),
                in_loops: self.graph.len() - settled,
                perpetual_checks: self.loops.in_check,
                large_loops: self.loops.large(),
                rounds: self.rounds,
            },
            outcomes: self.outcomes,
            check_loops: self.loops.nodes,
        }
    }

    /// Repeats passes over the nodes in their order, as `YaneuraOu` does, but looks only at those
    /// with a move whose outcome has changed; the others would stay the same.
    fn propagate(&mut self) {
        let mut dirty = Bits::new(self.graph.len());
        for node in 0..self.graph.len() {
            if self.is_ordinary(node) {
                dirty.insert(node);
            }
        }
        for round in 1..=MAX_ROUNDS {
            self.rounds = round;
            let mut changes = 0_u64;
            let mut from = 0;
            while let Some(node) = dirty.next(from) {
                from = node + 1;
                dirty.remove(node);
                let mut outcome = best(self.graph, &self.outcomes, node).for_parent();
                if outcome.depth > MAX_PLIES {
                    outcome.depth = ENDLESS;
                }
                if outcome != self.outcomes[node] {
                    self.outcomes[node] = outcome;
                    changes += 1;
                    self.mark_parents(node, &mut dirty);
                }
            }
            for node in self.value_loops() {
                self.mark_parents(node, &mut dirty);
            }
            if changes == 0 {
                break;
            }
        }
    }

    /// Finds the exact outcomes of the nodes outside and inside loops of perpetual check in turn,
    /// until both stay the same.
    fn solve_exactly(&mut self) {
        let nodes = (0..self.graph.len()).filter(|&node| self.is_ordinary(node));
        let nodes: Vec<u32> = nodes.map(|node| node as u32).collect();
        let inner = loops::inner_edges(self.graph, &nodes);
        let endless = vec![DRAW.value; nodes.len()];
        for round in 1..=MAX_ROUNDS {
            self.rounds = round;
            let arena = Arena {
                inner: &inner,
                exits: &loops::exits(self.graph, &self.outcomes, &nodes, |target| {
                    !self.is_ordinary(target as usize)
                }),
                endless: &endless,
            };
            let mut is_changed = false;
            for (&node, outcome) in nodes.iter().zip(solve(&arena)) {
                is_changed |= self.outcomes[node as usize] != outcome;
                self.outcomes[node as usize] = outcome;
            }
            is_changed |= !self.value_loops().is_empty();
            if !is_changed {
                break;
            }
        }
    }

    /// Values the loops of perpetual check and returns the nodes that changed.
    fn value_loops(&mut self) -> Vec<usize> {
        let mut changed = Vec::new();
        self.loops
            .value(self.graph, &mut self.outcomes, |node| changed.push(node));
        changed
    }

    fn mark_parents(&self, node: usize, dirty: &mut Bits) {
        for &parent in self.parents.of_node(node) {
            if self.is_ordinary(parent as usize) {
                dirty.insert(parent as usize);
            }
        }
    }

    /// Whether a node is neither settled nor on a loop of perpetual check.
    fn is_ordinary(&self, node: usize) -> bool {
        !self.settled.has(node) && !self.loops.nodes.has(node)
    }
}

/// The best outcome over the moves of a node.
fn best(graph: &Graph, outcomes: &[Outcome], node: usize) -> Outcome {
    let leaf = graph.leaf_values(node).iter().max();
    let first = leaf.map_or(Outcome::NONE, |&value| {
        Outcome::leaf(value).or(Outcome::NONE)
    });
    graph
        .targets(node)
        .iter()
        .fold(first, |best, &target| best.or(outcomes[target as usize]))
}

/// Settles nodes and returns which.
///
/// `YaneuraOu` does it by at most 256 passes over the nodes in their order, each settling a node if
/// all its edges lead to settled ones, also to those of the same pass. Here the number of the pass
/// that would settle a node follows from those of its targets, and nodes of later passes stay
/// unsettled as they do there.
fn settle(graph: &Graph, parents: &Parents, outcomes: &mut [Outcome]) -> Bits {
    let nodes = graph.len();
    let mut settled = Bits::new(nodes);
    let mut open: Vec<u16> = (0..nodes)
        .map(|node| graph.targets(node).len() as u16)
        .collect();
    let mut passes = vec![1_u16; nodes];
    let mut queue: VecDeque<u32> = VecDeque::new();
    for first in 0..nodes {
        if !graph.targets(first).is_empty() {
            continue;
        }
        queue.push_back(first as u32);
        while let Some(node) = queue.pop_front() {
            let node = node as usize;
            outcomes[node] = best(graph, outcomes, node).for_parent();
            settled.insert(node);
            for &parent in parents.of_node(node) {
                let parent = parent as usize;
                let pass = passes[node] + u16::from(node > parent);
                passes[parent] = passes[parent].max(pass);
                open[parent] -= 1;
                if open[parent] == 0 && passes[parent] <= MAX_PLIES {
                    queue.push_back(parent as u32);
                }
            }
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_come_soon_losses_late_and_perpetual_checks_last() {
        let outcome = |value, depth| Outcome { value, depth };
        let ascending = [
            outcome(-100, 3),
            outcome(-100, 4),
            outcome(0, PERPETUAL_CHECK),
            outcome(0, ENDLESS),
            outcome(0, 5),
            outcome(0, 4),
            outcome(7, ENDLESS),
            outcome(7, 0),
        ];
        assert!(ascending.is_sorted_by_key(|outcome| outcome.rank()));
        for pair in ascending.windows(2) {
            assert_eq!(pair[0].or(pair[1]), pair[1]);
            assert_eq!(pair[1].or(pair[0]), pair[1]);
        }
        assert_eq!(outcome(30, 9999).for_parent(), outcome(-30, 9999));
    }
}
