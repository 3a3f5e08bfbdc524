//! Strongly connected components: sets of nodes all of which can be reached from each other.

use std::collections::HashMap;

/// The components of the graph of `nodes` with these targets, which are among `nodes`. A component
/// comes after all that can be reached from it.
///
/// Source: Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
pub(super) fn components(nodes: &[u32], targets: impl Fn(u32) -> Vec<u32>) -> Vec<Vec<u32>> {
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

/// A node whose targets are being visited.
struct Visit {
    node: u32,
    targets: Vec<u32>,
}

impl Search {
    fn visit(&mut self, start: u32, targets: &impl Fn(u32) -> Vec<u32>) {
        let mut visits = vec![self.enter(start, targets)];
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            if let Some(target) = visit.targets.pop() {
                match self.states.get(&target) {
                    None => visits.push(self.enter(target, targets)),
                    Some(state) if state.is_on_stack => self.lower(node, state.number),
                    Some(_) => {}
                }
                continue;
            }
            visits.pop();
            let state = self.states[&node];
            if let Some(parent) = visits.last() {
                self.lower(parent.node, state.lowest);
            }
            if state.lowest == state.number {
                self.complete(node);
            }
        }
    }

    fn enter(&mut self, node: u32, targets: &impl Fn(u32) -> Vec<u32>) -> Visit {
        let number = self.states.len();
        let state = State {
            number,
            lowest: number,
            is_on_stack: true,
        };
        self.states.insert(node, state);
        self.stack.push(node);
        Visit {
            node,
            targets: targets(node),
        }
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
