//! The phases after the first, and what comes out of them.

use super::bits::Bits;
use super::check_loops::{self, CheckLoops};
use super::endless::{Arena, solve};
use super::graph::{Graph, Parents};
use super::outcome::{ENDLESS, MAX_PLIES, Outcome, PERPETUAL_CHECK};
use super::settings::{Counts, Rules};
use super::settle::{best, settle};
use crate::types::{Color, Move16};

/// Rounds over all nodes in which outcomes can travel around loops.
const MAX_ROUNDS: u32 = MAX_PLIES as u32 + 100;

/// The outcomes of all moves of a graph.
pub struct Solution {
    /// The outcome of each node, for its parents.
    outcomes: Vec<Outcome>,
    /// Nodes on loops of perpetual check.
    check_loops: Bits,
    /// Added to the target of an edge: the size of the graph if it was doubled, else 0.
    offset: usize,
    /// What was found.
    pub counts: Counts,
}

impl Solution {
    /// Solves a graph.
    pub fn of(graph: &Graph, rules: Rules) -> Self {
        if rules.draw_value == [0; Color::NUM] {
            return Solver::new(graph, rules, 0).solve();
        }
        Solver::new(&graph.for_both_sides(), rules, graph.len()).solve()
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
    pub(super) fn edge(&self, graph: &Graph, target: u32) -> Outcome {
        let node = self.offset + target as usize;
        let mut outcome = self.outcomes[node];
        if self.check_loops.has(node) && graph.is_in_check(target as usize) {
            // The check must not be preferred to a way out that is worth as much.
            outcome.depth = PERPETUAL_CHECK;
        }
        outcome
    }

    /// Puts the moves of a node, from black's view, and their outcomes into `moves`, the best
    /// first.
    pub fn outcomes(&self, graph: &Graph, node: usize, moves: &mut Vec<(Move16, Outcome)>) {
        moves.clear();
        let edges = graph.edges_of(node);
        moves.extend(edges.map(|(mv, target)| (mv, self.edge(graph, target))));
        let leaves = graph.leaves_of(node);
        moves.extend(leaves.map(|(mv, value)| (mv, Outcome::leaf(value))));
        moves.sort_by_key(|(_, outcome)| -outcome.rank());
    }

    /// As [`Solution::outcomes`], with the values that a book gets: a move as good as the best one
    /// but of another depth counts one centipawn less.
    pub fn moves(
        &self,
        graph: &Graph,
        node: usize,
        keeps_best_only: bool,
        moves: &mut Vec<(Move16, Outcome)>,
    ) {
        self.outcomes(graph, node, moves);
        let Some(&(_, first)) = moves.first() else {
            return;
        };
        if keeps_best_only {
            moves.retain(|(_, outcome)| outcome.value == first.value);
        }
        for (_, outcome) in moves {
            if outcome.value == first.value && outcome.depth != first.depth {
                outcome.value -= 1;
            }
        }
    }
}

struct Solver<'a> {
    graph: &'a Graph,
    rules: Rules,
    offset: usize,
    parents: Parents,
    settled: Bits,
    loops: CheckLoops,
    outcomes: Vec<Outcome>,
    rounds: u32,
}

impl<'a> Solver<'a> {
    fn new(graph: &'a Graph, rules: Rules, offset: usize) -> Self {
        let parents = Parents::of(graph);
        let mut outcomes = vec![Outcome::default(); graph.len()];
        let settled = settle(graph, &parents, &mut outcomes);
        Self {
            loops: CheckLoops::find(graph, rules.uses_components),
            graph,
            rules,
            offset,
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
                check_loops::initial(self.graph.is_in_check(node))
            } else {
                Outcome {
                    value: self.draw_for_parent(node),
                    depth: ENDLESS,
                }
            };
        }
        if self.rules.uses_components {
            self.solve_exactly();
        } else {
            self.propagate();
        }
        let is_without_moves = |&node: &usize| {
            self.graph.targets(node).is_empty() && self.graph.leaf_values(node).is_empty()
        };
        let without_moves = (self.offset..self.graph.len()).filter(is_without_moves);
        let without_moves = without_moves.count();
        let nodes = 0..self.graph.len();
        let settled = nodes.filter(|&node| self.settled.has(node)).count();
        Solution {
            counts: Counts {
                positions: self.graph.len() - self.offset,
                without_moves,
                edges: self.graph.edges() / if self.offset > 0 { 2 } else { 1 },
                in_loops: self.graph.len() - settled,
                perpetual_checks: self.loops.in_check,
                large_loops: self.loops.large(),
                rounds: self.rounds,
            },
            outcomes: self.outcomes,
            check_loops: self.loops.nodes,
            offset: self.offset,
        }
    }

    /// What a draw is worth for the side that moved into a node.
    fn draw_for_parent(&self, node: usize) -> i16 {
        let is_opponents = self.offset > 0 && node >= self.offset;
        let is_white = self.graph.is_white(node);
        let user = if is_white == is_opponents {
            Color::Black
        } else {
            Color::White
        };
        let draw = self.rules.draw_value[user.index()];
        if is_opponents { draw } else { -draw }
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
        let inner: Vec<Vec<u32>> = nodes
            .iter()
            .map(|&node| {
                let targets = self.graph.targets(node as usize).iter();
                let index = targets.filter_map(|target| nodes.binary_search(target).ok());
                index.map(|index| index as u32).collect()
            })
            .collect();
        let endless = nodes
            .iter()
            .map(|&node| -self.draw_for_parent(node as usize));
        let endless: Vec<i16> = endless.collect();
        for round in 1..=MAX_ROUNDS {
            self.rounds = round;
            let arena = Arena {
                inner: &inner,
                exits: &self.exits(&nodes),
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

    /// For each of the `nodes` the best outcome of its leaves and of its edges to other nodes.
    fn exits(&self, nodes: &[u32]) -> Vec<Outcome> {
        let exit = |&node: &u32| {
            let leaves = self.graph.leaf_values(node as usize).iter();
            let leaves = leaves.map(|&value| Outcome::leaf(value));
            let targets = self.graph.targets(node as usize).iter();
            let outside = targets.filter(|&&target| !self.is_ordinary(target as usize));
            let outside = outside.map(|&target| self.outcomes[target as usize]);
            leaves.chain(outside).fold(Outcome::NONE, Outcome::or)
        };
        nodes.iter().map(exit).collect()
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
