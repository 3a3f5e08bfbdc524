//! The second phase: finds the nodes on loops of perpetual check, where the side that gives the
//! checks loses; and values them.

use super::bits::Bits;
use super::components::components;
use super::endless::{Arena, solve};
use super::graph::Graph;
use super::outcome::{
    ENDLESS, MAX_PLIES, MAX_VALUE, Outcome, PERPETUAL_CHECK, PERPETUALLY_CHECKED,
};

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
        Self {
            nodes,
            in_check: candidates.len(),
            components,
        }
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
        let large = self
            .components
            .iter()
            .filter(|component| component.is_large);
        large.count()
    }
}

fn leads_to(graph: &Graph, node: u32, set: &Bits) -> bool {
    let mut targets = graph.targets(node as usize).iter();
    targets.any(|&target| set.has(target as usize))
}

impl Component {
    fn new(graph: &Graph, mut nodes: Vec<u32>, is_large: bool) -> Self {
        nodes.sort_unstable();
        let inner = nodes.iter().map(|&node| {
            let targets = graph.targets(node as usize).iter();
            let index = targets.filter_map(|target| nodes.binary_search(target).ok());
            index.map(|index| index as u32).collect()
        });
        let in_check = nodes.iter().map(|&node| graph.is_in_check(node as usize));
        Self {
            inner: inner.collect(),
            in_check: in_check.collect(),
            exits: Vec::new(),
            is_large,
            nodes,
        }
    }

    /// Finds the best outcome outside the component for each node; whether any of them changed.
    fn update_exits(&mut self, graph: &Graph, outcomes: &[Outcome]) -> bool {
        let exits: Vec<Outcome> = self
            .nodes
            .iter()
            .map(|&node| {
                let leaf = graph.leaf_values(node as usize).iter().max();
                let first = leaf.map_or(Outcome::NONE, |&value| Outcome::leaf(value));
                let targets = graph.targets(node as usize).iter();
                let outside = targets.filter(|target| self.nodes.binary_search(target).is_err());
                outside.fold(first, |best, &target| best.or(outcomes[target as usize]))
            })
            .collect();
        let is_changed = exits != self.exits;
        self.exits = exits;
        is_changed
    }

    /// The outcomes of all nodes, for their parents.
    fn values(&mut self) -> Vec<Outcome> {
        if !self.is_large {
            let mut walk = Walk {
                component: self,
                is_on_path: vec![false; self.nodes.len()],
                steps: 0,
            };
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
                let closed = if self.component.in_check[target] {
                    Outcome {
                        value: -MAX_VALUE,
                        depth: PERPETUAL_CHECK,
                    }
                } else {
                    Outcome {
                        value: MAX_VALUE,
                        depth: PERPETUALLY_CHECKED,
                    }
                };
                step.best = step.best.or(closed);
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
        let without = Outcome {
            value: Outcome::NONE.value,
            depth: 0,
        };
        Step {
            node,
            next: 0,
            best: if exit == Outcome::NONE { without } else { exit },
        }
    }
}

/// The outcome that a node has before the first valuation.
pub(super) fn initial(is_in_check: bool) -> Outcome {
    Outcome {
        value: if is_in_check { -MAX_VALUE } else { MAX_VALUE },
        depth: ENDLESS,
    }
}
