//! Exact values of nodes between which play may go on for ever, in time n log n.
//!
//! Works as an endgame table does: from the ways out of the loops backwards, those first whose
//! values are furthest from that of endless play. What is left at the end is worth endless play.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::outcome::{ENDLESS, Outcome};

/// Nodes with edges among them.
pub(super) struct Arena<'a> {
    /// For each node its edges, as indices.
    pub(super) inner: &'a [Vec<u32>],
    /// For each node its best outcome elsewhere; [`Outcome::NONE`] where there is none.
    pub(super) exits: &'a [Outcome],
    /// For each node what endless play is worth for its side to move. Along an edge the sign
    /// changes.
    pub(super) endless: &'a [i16],
}

/// The outcome of each node, for its parents.
pub(super) fn solve(arena: &Arena<'_>) -> Vec<Outcome> {
    let mut solver = Solver::new(arena);
    solver.decide_all();
    solver.settle_endless();
    solver.outcomes
}

/// How far a value is from endless play (large first), its depth (small first), the node, and the
/// best outcome of its moves.
type Event = (u16, Reverse<u16>, Reverse<u32>, i16);

struct Solver<'a> {
    arena: &'a Arena<'a>,
    parents: Vec<Vec<u32>>,
    /// For each node its edges to undecided nodes.
    open: Vec<u32>,
    /// For each node the best outcome of moves that are worse than endless play.
    best: Vec<Outcome>,
    is_decided: Vec<bool>,
    events: BinaryHeap<Event>,
    outcomes: Vec<Outcome>,
}

impl<'a> Solver<'a> {
    fn new(arena: &'a Arena<'a>) -> Self {
        let nodes = arena.inner.len();
        let mut parents = vec![Vec::new(); nodes];
        for (node, targets) in arena.inner.iter().enumerate() {
            for &target in targets {
                parents[target as usize].push(node as u32);
            }
        }
        Self {
            arena,
            parents,
            open: arena
                .inner
                .iter()
                .map(|targets| targets.len() as u32)
                .collect(),
            best: vec![Outcome::NONE; nodes],
            is_decided: vec![false; nodes],
            events: BinaryHeap::new(),
            outcomes: vec![Outcome::default(); nodes],
        }
    }

    fn decide_all(&mut self) {
        for node in 0..self.open.len() {
            let exit = self.arena.exits[node];
            if exit != Outcome::NONE {
                self.offer(node, exit);
            }
            self.finish_if_complete(node);
        }
        while let Some((_, Reverse(depth), Reverse(node), value)) = self.events.pop() {
            let node = node as usize;
            if self.is_decided[node] {
                continue;
            }
            self.is_decided[node] = true;
            let outcome = Outcome { value, depth }.for_parent();
            self.outcomes[node] = outcome;
            for index in 0..self.parents[node].len() {
                let parent = self.parents[node][index] as usize;
                self.open[parent] -= 1;
                self.offer(parent, outcome);
                self.finish_if_complete(parent);
            }
        }
    }

    /// A move of a node has this outcome. If it is better than endless play, the node is decided
    /// when all that is further from endless play has been.
    fn offer(&mut self, node: usize, outcome: Outcome) {
        if outcome.value > self.arena.endless[node] {
            self.push(node, outcome);
        } else {
            self.best[node] = self.best[node].or(outcome);
        }
    }

    /// A node all of whose moves are known and worse than endless play is decided too.
    fn finish_if_complete(&mut self, node: usize) {
        let best = self.best[node];
        if self.open[node] == 0 && best != Outcome::NONE && best.value < self.arena.endless[node] {
            self.push(node, best);
        }
    }

    fn push(&mut self, node: usize, best: Outcome) {
        let distance = best.value.abs_diff(self.arena.endless[node]);
        self.events.push((
            distance,
            Reverse(best.depth),
            Reverse(node as u32),
            best.value,
        ));
    }

    /// The undecided nodes are worth endless play. Where moves out of the loops are worth that too,
    /// they give the depth.
    fn settle_endless(&mut self) {
        let mut ends: BinaryHeap<(Reverse<u16>, Reverse<u32>)> = BinaryHeap::new();
        for node in 0..self.open.len() {
            if self.is_decided[node] {
                continue;
            }
            let value = self.arena.endless[node];
            let endless = Outcome {
                value,
                depth: ENDLESS,
            };
            self.outcomes[node] = endless.for_parent();
            if self.best[node].value == value {
                ends.push((Reverse(self.best[node].depth), Reverse(node as u32)));
            }
        }
        while let Some((Reverse(depth), Reverse(node))) = ends.pop() {
            let node = node as usize;
            if self.is_decided[node] {
                continue;
            }
            self.is_decided[node] = true;
            let value = self.arena.endless[node];
            let outcome = Outcome { value, depth }.for_parent();
            self.outcomes[node] = outcome;
            for &parent in &self.parents[node] {
                ends.push((Reverse(outcome.depth), Reverse(parent)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(inner: &[&[u32]], exits: &[Option<i16>]) -> Vec<(i16, u16)> {
        let inner: Vec<Vec<u32>> = inner.iter().map(|targets| targets.to_vec()).collect();
        let exits: Vec<Outcome> = exits
            .iter()
            .map(|exit| exit.map_or(Outcome::NONE, Outcome::leaf))
            .collect();
        let endless = vec![0; inner.len()];
        let outcomes = solve(&Arena {
            inner: &inner,
            exits: &exits,
            endless: &endless,
        });
        let pairs = outcomes
            .iter()
            .map(|outcome| (outcome.value, outcome.depth));
        pairs.collect()
    }

    #[test]
    fn a_loop_is_a_draw_unless_somebody_has_a_better_way_out() {
        let circle: [&[u32]; 4] = [&[1], &[2], &[3], &[0]];
        let endless = (0, ENDLESS);
        assert_eq!(values(&circle, &[None; 4]), [endless; 4]);
        // A way out that is worse than a draw is not taken.
        assert_eq!(
            values(&circle, &[Some(-50), None, None, None]),
            [endless; 4]
        );
        // One that is better is, and the others cannot avoid it.
        assert_eq!(
            values(&circle, &[Some(50), None, None, None]),
            [(-50, 1), (50, 4), (-50, 3), (50, 2)]
        );
        // The other side leaves before that.
        assert_eq!(
            values(&circle, &[Some(50), Some(-20), None, None]),
            [(-50, 1), (20, 1), (-50, 3), (50, 2)]
        );
    }
}
