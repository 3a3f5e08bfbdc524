//! The loops of perpetual check, where the side that gives the checks loses; and the exact values
//! of nodes between which play may go on for ever.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::graph::{Bits, Graph};
use super::{ENDLESS, MAX_PLIES, MAX_VALUE, Outcome, PERPETUAL_CHECK, PERPETUALLY_CHECKED};

/// Steps after which the walk over all paths of a component is given up. `YaneuraOu` has no such
/// limit and takes exponential time.
const MAX_STEPS: u64 = 1 << 28;

/// The nodes on loops of perpetual check.
pub(super) struct CheckLoops {
    /// Which nodes they are.
    pub(super) nodes: Bits,
    /// Number of those in check.
    pub(super) in_check: usize,
    components: Vec<Component>,
}

/// A set of these nodes all of which can be reached from each other.
struct Component {
    nodes: Vec<u32>,
    /// For each node its edges within the component, as indices of `nodes`.
    inner: Vec<Vec<u32>>,
    /// For each node whether its side to move is in check.
    in_check: Vec<bool>,
    /// For each node the best outcome outside the component when it was last valued.
    exits: Vec<Outcome>,
    /// Whether the component has too many paths.
    is_large: bool,
}

impl CheckLoops {
    /// Finds the loops: from the nodes in check, those are dropped again and again from which no
    /// two moves lead to another one. The nodes between two that remain belong to the loop.
    pub(super) fn find(graph: &Graph, uses_components: bool) -> Self {
        let mut candidates: Vec<u32> = (0..graph.len())
            .filter(|&node| graph.is_in_check(node))
            .map(|node| node as u32)
            .collect();
        let mut remaining = Bits::new(graph.len());
        for &node in &candidates {
            remaining.insert(node as usize);
        }
        for _ in 0..MAX_PLIES {
            let before = candidates.len();
            candidates.retain(|&node| {
                let node = node as usize;
                let leads_on = |&between: &u32| leads_to(graph, between, &remaining);
                let stays = graph.targets(node).iter().any(leads_on);
                if !stays {
                    remaining.remove(node);
                }
                stays
            });
            if candidates.len() == before {
                break;
            }
        }
        let mut nodes = remaining.clone();
        for &node in &candidates {
            for &between in graph.targets(node as usize) {
                if leads_to(graph, between, &remaining) {
                    nodes.insert(between as usize);
                }
            }
        }
        let all: Vec<u32> = nodes.iter().map(|node| node as u32).collect();
        let within = |node: u32| {
            let targets = graph.targets(node as usize).iter().copied();
            targets.filter(|&target| nodes.has(target as usize))
        };
        let components = components(&all, |node| within(node).collect());
        let components = components
            .into_iter()
            .map(|nodes| Component::new(graph, nodes, uses_components))
            .collect();
        Self { nodes, in_check: candidates.len(), components }
    }

    /// Values all nodes anew from the present outcomes of all others, and calls `changed` for each
    /// whose outcome changed.
    pub(super) fn value(
        &mut self,
        graph: &Graph,
        outcomes: &mut [Outcome],
        mut changed: impl FnMut(usize),
    ) {
        // A component comes after those that it leads to.
        for component in &mut self.components {
            if !component.update_exits(graph, outcomes) {
                continue;
            }
            let values = component.values();
            for (&node, value) in component.nodes.iter().zip(values) {
                let node = node as usize;
                if outcomes[node] != value {
                    outcomes[node] = value;
                    changed(node);
                }
            }
        }
    }

    /// Number of components that have too many paths to walk.
    pub(super) fn large(&self) -> usize {
        let components = self.components.iter();
        components.filter(|component| component.is_large).count()
    }
}

/// For each of the sorted `nodes` its edges to others of them, as indices.
pub(super) fn inner_edges(graph: &Graph, nodes: &[u32]) -> Vec<Vec<u32>> {
    let inner = |&node: &u32| {
        let targets = graph.targets(node as usize).iter();
        let index = targets.filter_map(|target| nodes.binary_search(target).ok());
        index.map(|index| index as u32).collect()
    };
    nodes.iter().map(inner).collect()
}

/// For each of the `nodes` the best outcome of its leaves and of its edges to nodes outside.
pub(super) fn exits(
    graph: &Graph,
    outcomes: &[Outcome],
    nodes: &[u32],
    is_outside: impl Fn(u32) -> bool,
) -> Vec<Outcome> {
    let exit = |&node: &u32| {
        let leaf = graph.leaf_values(node as usize).iter().max();
        let first = leaf.map_or(Outcome::NONE, |&value| Outcome::leaf(value));
        let targets = graph.targets(node as usize).iter();
        let outside = targets.filter(|&&target| is_outside(target));
        outside.fold(first, |best, &target| best.or(outcomes[target as usize]))
    };
    nodes.iter().map(exit).collect()
}

fn leads_to(graph: &Graph, node: u32, set: &Bits) -> bool {
    let mut targets = graph.targets(node as usize).iter();
    targets.any(|&target| set.has(target as usize))
}

impl Component {
    fn new(graph: &Graph, mut nodes: Vec<u32>, is_large: bool) -> Self {
        nodes.sort_unstable();
        let in_check = nodes.iter().map(|&node| graph.is_in_check(node as usize));
        Self {
            inner: inner_edges(graph, &nodes),
            in_check: in_check.collect(),
            exits: Vec::new(),
            is_large,
            nodes,
        }
    }

    /// Finds the best outcome outside the component for each node; whether any of them changed.
    fn update_exits(&mut self, graph: &Graph, outcomes: &[Outcome]) -> bool {
        let is_outside = |target: u32| self.nodes.binary_search(&target).is_err();
        let exits = exits(graph, outcomes, &self.nodes, is_outside);
        let is_changed = exits != self.exits;
        self.exits = exits;
        is_changed
    }

    /// The outcomes of all nodes, for their parents.
    fn values(&mut self) -> Vec<Outcome> {
        if !self.is_large {
            let mut walk =
                Walk { component: self, is_on_path: vec![false; self.nodes.len()], steps: 0 };
            let values = (0..self.nodes.len()).map(|start| walk.value(start));
            if let Some(values) = values.collect() {
                return values;
            }
            self.is_large = true;
        }
        self.endless_values()
    }

    /// The outcomes if play within the component never ends: the side in check wins, unless both
    /// give checks.
    fn endless_values(&self) -> Vec<Outcome> {
        let alternates = self.inner.iter().enumerate().all(|(node, targets)| {
            let mut targets = targets.iter();
            targets.all(|&target| self.in_check[target as usize] != self.in_check[node])
        });
        let endless = self.in_check.iter().map(|&in_check| match in_check {
            _ if !alternates => 0,
            true => MAX_VALUE,
            false => -MAX_VALUE,
        });
        solve(&Arena {
            inner: &self.inner,
            exits: &self.exits,
            endless: &endless.collect::<Vec<_>>(),
        })
    }
}

/// A walk over all paths of a component that meet no node twice.
struct Walk<'a> {
    component: &'a Component,
    is_on_path: Vec<bool>,
    steps: u64,
}

/// A node on the path, its next edge, and its best outcome so far.
struct Step {
    node: usize,
    next: usize,
    best: Outcome,
}

impl Walk<'_> {
    /// The outcome of the node on which the path begins; `None` after too many steps. A node met
    /// again ends the path with a win of the side in check.
    fn value(&mut self, start: usize) -> Option<Outcome> {
        let mut path = vec![self.enter(start)];
        loop {
            let step = path.last_mut()?;
            let Some(&target) = self.component.inner[step.node].get(step.next) else {
                self.is_on_path[step.node] = false;
                let value = step.best.for_parent();
                path.pop();
                match path.last_mut() {
                    Some(parent) => parent.best = parent.best.or(value),
                    None => return Some(value),
                }
                continue;
            };
            step.next += 1;
            let target = target as usize;
            if self.is_on_path[target] {
                let (value, depth) = if self.component.in_check[target] {
                    (-MAX_VALUE, PERPETUAL_CHECK)
                } else {
                    (MAX_VALUE, PERPETUALLY_CHECKED)
                };
                step.best = step.best.or(Outcome { value, depth });
                continue;
            }
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
            path.push(self.enter(target));
        }
    }

    fn enter(&mut self, node: usize) -> Step {
        self.is_on_path[node] = true;
        let exit = self.component.exits[node];
        // Without a way out any other outcome is better.
        let without = Outcome::leaf(Outcome::NONE.value);
        Step { node, next: 0, best: if exit == Outcome::NONE { without } else { exit } }
    }
}

/// The outcome that a node has before the first valuation.
pub(super) fn initial(is_in_check: bool) -> Outcome {
    Outcome { value: if is_in_check { -MAX_VALUE } else { MAX_VALUE }, depth: ENDLESS }
}

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

/// The outcome of each node, for its parents, in time n log n.
///
/// Works as an endgame table does: from the ways out of the loops backwards, those first whose
/// values are furthest from that of endless play. What is left at the end is worth endless play.
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
        let open = arena.inner.iter().map(|targets| targets.len() as u32);
        Self {
            arena,
            parents,
            open: open.collect(),
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
        self.events.push((distance, Reverse(best.depth), Reverse(node as u32), best.value));
    }

    /// The undecided nodes are worth endless play. Where moves out of the loops are worth that too,
    /// they give the depth.
    fn settle_endless(&mut self) {
        let mut ends: BinaryHeap<(Reverse<u16>, Reverse<u32>)> = BinaryHeap::new();
        for node in 0..self.open.len() {
            if self.is_decided[node] {
                continue;
            }
            let (value, depth) = (self.arena.endless[node], ENDLESS);
            self.outcomes[node] = Outcome { value, depth }.for_parent();
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

/// The components of the graph of `nodes` with these targets, which are among `nodes`. A component
/// comes after all that can be reached from it.
///
/// Source: Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
fn components(nodes: &[u32], targets: impl Fn(u32) -> Vec<u32>) -> Vec<Vec<u32>> {
    let mut search = Search {
        states: HashMap::with_capacity(nodes.len()),
        stack: Vec::new(),
        components: Vec::new(),
    };
    for &node in nodes {
        if !search.states.contains_key(&node) {
            search.visit(node, &targets);
        }
    }
    search.components
}

struct Search {
    states: HashMap<u32, State>,
    /// Visited nodes whose component is not complete.
    stack: Vec<u32>,
    components: Vec<Vec<u32>>,
}

#[derive(Clone, Copy)]
struct State {
    /// When the node was visited.
    number: usize,
    /// The first visited node that can be reached from it.
    lowest: usize,
    is_on_stack: bool,
}

/// A node and those of its targets that were not visited yet.
type Visit = (u32, Vec<u32>);

impl Search {
    fn visit(&mut self, start: u32, targets: &impl Fn(u32) -> Vec<u32>) {
        let mut visits = vec![self.enter(start, targets)];
        while let Some((node, open)) = visits.last_mut() {
            let node = *node;
            if let Some(target) = open.pop() {
                match self.states.get(&target) {
                    None => visits.push(self.enter(target, targets)),
                    Some(state) if state.is_on_stack => self.lower(node, state.number),
                    Some(_) => {}
                }
                continue;
            }
            visits.pop();
            let state = self.states[&node];
            if let Some(&(parent, _)) = visits.last() {
                self.lower(parent, state.lowest);
            }
            if state.lowest == state.number {
                self.complete(node);
            }
        }
    }

    fn enter(&mut self, node: u32, targets: &impl Fn(u32) -> Vec<u32>) -> Visit {
        let number = self.states.len();
        let state = State { number, lowest: number, is_on_stack: true };
        self.states.insert(node, state);
        self.stack.push(node);
        (node, targets(node))
    }

    fn lower(&mut self, node: u32, number: usize) {
        if let Some(state) = self.states.get_mut(&node) {
            state.lowest = state.lowest.min(number);
        }
    }

    /// Takes the component of `root`, its first visited node, off the stack.
    fn complete(&mut self, root: u32) {
        let place = self.stack.iter().rposition(|&node| node == root);
        let component = self.stack.split_off(place.unwrap_or(0));
        for node in &component {
            if let Some(state) = self.states.get_mut(node) {
                state.is_on_stack = false;
            }
        }
        self.components.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(inner: &[&[u32]], exits: &[Option<i16>]) -> Vec<(i16, u16)> {
        let inner: Vec<Vec<u32>> = inner.iter().map(|targets| targets.to_vec()).collect();
        let exits: Vec<Outcome> =
            exits.iter().map(|exit| exit.map_or(Outcome::NONE, Outcome::leaf)).collect();
        let endless = vec![0; inner.len()];
        let outcomes = solve(&Arena { inner: &inner, exits: &exits, endless: &endless });
        let pairs = outcomes.iter().map(|outcome| (outcome.value, outcome.depth));
        pairs.collect()
    }

    #[test]
    fn a_loop_is_a_draw_unless_somebody_has_a_better_way_out() {
        let circle: [&[u32]; 4] = [&[1], &[2], &[3], &[0]];
        let endless = (0, ENDLESS);
        assert_eq!(values(&circle, &[None; 4]), [endless; 4]);
        // A way out that is worse than a draw is not taken.
        let expected = [endless; 4];
        assert_eq!(values(&circle, &[Some(-50), None, None, None]), expected);
        // One that is better is, and the others cannot avoid it.
        let expected = [(-50, 1), (50, 4), (-50, 3), (50, 2)];
        assert_eq!(values(&circle, &[Some(50), None, None, None]), expected);
        // The other side leaves before that.
        assert_eq!(
            values(&circle, &[Some(50), Some(-20), None, None]),
            [(-50, 1), (20, 1), (-50, 3), (50, 2)]
        );
    }

    #[test]
    fn components_come_after_what_they_lead_to() {
        // 0 → 1 ⇄ 2 → 3 → 4 → 5 → 3, and 6 alone.
        let edges: [&[u32]; 7] = [&[1], &[2], &[1, 3], &[4], &[5], &[3], &[]];
        let nodes: Vec<u32> = (0..7).collect();
        let mut found = components(&nodes, |node| edges[node as usize].to_vec());
        for component in &mut found {
            component.sort_unstable();
        }
        assert_eq!(found, [vec![3, 4, 5], vec![1, 2], vec![0], vec![6]]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_recursion() {
        let nodes: Vec<u32> = (0..200_000).collect();
        let found = components(&nodes, |node| vec![(node + 1) % 200_000]);
        assert_eq!(found.len(), 1);
    }
}
