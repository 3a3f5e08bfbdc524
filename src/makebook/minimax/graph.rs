//! The positions of a book and the moves between them, in flat arrays.
//!
//! A node is a position with black to move: positions of white are turned. Its moves into other
//! nodes are edges, all others leaves with a value from the book. A node takes 17 bytes, an edge 6,
//! a leaf 4.

use crate::types::Move16;

/// Set for a node whose position has white to move in the book.
const WHITE: u8 = 1;
/// Set for a node whose side to move is in check.
const IN_CHECK: u8 = 2;

/// The graph of a book. Nodes are numbered in the order of the book.
#[derive(Clone, Debug)]
pub struct Graph {
    flags: Vec<u8>,
    /// Where the edges of each node begin, and where the last ones end.
    first_edge: Vec<u64>,
    targets: Vec<u32>,
    edge_moves: Vec<Move16>,
    /// Where the leaves of each node begin, and where the last ones end.
    first_leaf: Vec<u64>,
    leaf_moves: Vec<Move16>,
    leaf_values: Vec<i16>,
}

impl Default for Graph {
    fn default() -> Self {
        Self {
            flags: Vec::new(),
            first_edge: vec![0],
            targets: Vec::new(),
            edge_moves: Vec::new(),
            first_leaf: vec![0],
            leaf_moves: Vec::new(),
            leaf_values: Vec::new(),
        }
    }
}

impl Graph {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.flags.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// Whether white is to move in the book.
    pub fn is_white(&self, node: usize) -> bool {
        self.flags[node] & WHITE != 0
    }

    /// Whether the side to move is in check.
    pub(super) fn is_in_check(&self, node: usize) -> bool {
        self.flags[node] & IN_CHECK != 0
    }

    /// The nodes that the edges of a node lead to.
    pub(super) fn targets(&self, node: usize) -> &[u32] {
        &self.targets[self.first_edge[node] as usize..self.first_edge[node + 1] as usize]
    }

    /// The values of the leaves of a node.
    pub(super) fn leaf_values(&self, node: usize) -> &[i16] {
        &self.leaf_values[self.first_leaf[node] as usize..self.first_leaf[node + 1] as usize]
    }

    /// The edges of a node: moves, from black's view, and nodes.
    pub(super) fn edges_of(&self, node: usize) -> impl Iterator<Item = (Move16, u32)> {
        let range = self.first_edge[node] as usize..self.first_edge[node + 1] as usize;
        let moves = self.edge_moves[range.clone()].iter().copied();
        moves.zip(self.targets[range].iter().copied())
    }

    /// The leaves of a node: moves, from black's view, and values.
    pub(super) fn leaves_of(&self, node: usize) -> impl Iterator<Item = (Move16, i16)> {
        let range = self.first_leaf[node] as usize..self.first_leaf[node + 1] as usize;
        let moves = self.leaf_moves[range.clone()].iter().copied();
        moves.zip(self.leaf_values[range].iter().copied())
    }

    /// Begins a node, which gets the edges and leaves that follow.
    pub(super) fn add_node(&mut self, is_white: bool, is_in_check: bool) {
        let white = if is_white { WHITE } else { 0 };
        let check = if is_in_check { IN_CHECK } else { 0 };
        self.flags.push(white | check);
        self.first_edge.push(self.targets.len() as u64);
        self.first_leaf.push(self.leaf_moves.len() as u64);
    }

    /// Adds an edge to the last node.
    pub(super) fn add_edge(&mut self, mv: Move16, target: u32) {
        self.targets.push(target);
        self.edge_moves.push(mv);
        if let Some(end) = self.first_edge.last_mut() {
            *end += 1;
        }
    }

    /// Adds a leaf to the last node.
    pub(super) fn add_leaf(&mut self, mv: Move16, value: i16) {
        self.leaf_moves.push(mv);
        self.leaf_values.push(value);
        if let Some(end) = self.first_leaf.last_mut() {
            *end += 1;
        }
    }

    /// Appends the nodes of another part of the book. Targets count over the whole book already.
    pub(super) fn append(&mut self, mut part: Self) {
        let (edges, leaves) = (self.targets.len() as u64, self.leaf_moves.len() as u64);
        self.flags.append(&mut part.flags);
        let offsets = |offsets: Vec<u64>, base: u64| {
            let later = offsets.into_iter().skip(1);
            later.map(move |offset| offset + base)
        };
        self.first_edge.extend(offsets(part.first_edge, edges));
        self.first_leaf.extend(offsets(part.first_leaf, leaves));
        self.targets.append(&mut part.targets);
        self.edge_moves.append(&mut part.edge_moves);
        self.leaf_moves.append(&mut part.leaf_moves);
        self.leaf_values.append(&mut part.leaf_values);
    }

    /// The graph in which each position stands twice: node `i` for the side that uses the book, and
    /// node `len + i` for its opponent. Edges lead from one half into the other.
    #[must_use]
    pub(super) fn for_both_sides(&self) -> Self {
        let mut both = self.clone();
        both.append(self.clone());
        let (nodes, edges) = (self.len() as u32, self.targets.len());
        for (index, target) in both.targets.iter_mut().enumerate() {
            if index < edges {
                *target += nodes;
            }
        }
        both
    }
}

/// The edges of a graph backwards.
pub(super) struct Parents {
    first: Vec<u64>,
    parents: Vec<u32>,
}

impl Parents {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut first = vec![0_u64; graph.len() + 2];
        // Counted two places further on, so that placing moves each start to where it belongs.
        for &target in &graph.targets {
            first[target as usize + 2] += 1;
        }
        for index in 2..first.len() {
            first[index] += first[index - 1];
        }
        let mut parents = vec![0; graph.targets.len()];
        for node in 0..graph.len() {
            for &target in graph.targets(node) {
                let place = &mut first[target as usize + 1];
                parents[*place as usize] = node as u32;
                *place += 1;
            }
        }
        Self { first, parents }
    }

    /// The nodes with an edge to this one, in ascending order.
    pub(super) fn of_node(&self, node: usize) -> &[u32] {
        &self.parents[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_same_graph_and_parents_are_the_edges_backwards() {
        let mv: Move16 = "7g7f".parse().expect("a move");
        let (mut whole, mut first, mut second) = Default::default();
        for (graph, from) in [(&mut first, 0), (&mut second, 2), (&mut whole, 0)] {
            let graph: &mut Graph = graph;
            let is_whole = from == 0;
            let edges: &[(bool, &[u32])] = if is_whole {
                &[(false, &[1, 2]), (true, &[])]
            } else {
                &[(false, &[1, 0]), (false, &[2])]
            };
            for &(is_white, targets) in edges {
                graph.add_node(is_white, !is_white);
                for &target in targets {
                    graph.add_edge(mv, target);
                }
                graph.add_leaf(mv, 5);
            }
        }
        for targets in [[1, 0].as_slice(), &[2]] {
            whole.add_node(false, true);
            for &target in targets {
                whole.add_edge(mv, target);
            }
            whole.add_leaf(mv, 5);
        }
        first.append(second);
        assert_eq!(format!("{first:?}"), format!("{whole:?}"));
        let parents = Parents::of(&whole);
        let of = |node| parents.of_node(node).to_vec();
        assert_eq!(
            [of(0), of(1), of(2), of(3)],
            [vec![2], vec![0, 2], vec![0, 3], vec![]]
        );
        let both = whole.for_both_sides();
        assert_eq!(
            (both.targets(0), both.targets(4)),
            (&[5, 6][..], &[1, 2][..])
        );
    }
}
