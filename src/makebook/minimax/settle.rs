//! The first phase: nodes from which no loop can be reached get their final outcome, from the
//! leaves backwards.

use std::collections::VecDeque;

use super::bits::Bits;
use super::graph::{Graph, Parents};
use super::outcome::{MAX_PLIES, Outcome};

/// The best outcome over the moves of a node.
pub(super) fn best(graph: &Graph, outcomes: &[Outcome], node: usize) -> Outcome {
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
pub(super) fn settle(graph: &Graph, parents: &Parents, outcomes: &mut [Outcome]) -> Bits {
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
