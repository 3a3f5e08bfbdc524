//! A random sample of the inner nodes of the searches of one game.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rand_chacha::ChaCha8Rng;

use super::random::{Purpose, below, generator};
use super::score::centipawns;
use super::settings::TreeSampling;
use crate::position::Position;
use crate::records::packed::PackedSfen;
use crate::records::tree::TreePosition;
use crate::search::{Solo, TreeNode};
use crate::types::Move;

/// Draws inner nodes of searches.
pub(super) struct TreeSampler {
    sampling: TreeSampling,
    random: ChaCha8Rng,
    /// The nodes drawn so far, each position once.
    nodes: Vec<TreePosition>,
    /// The index of each position in `nodes`.
    indices: HashMap<PackedSfen, usize>,
}

impl TreeSampler {
    /// The sampler of a game with this number. Other random numbers of the game do not depend on
    /// it.
    pub(super) fn new(sampling: &TreeSampling, seed: u64, game: u64) -> Self {
        Self {
            sampling: sampling.clone(),
            random: generator(Purpose::Tree, seed, game, 0),
            nodes: Vec::new(),
            indices: HashMap::new(),
        }
    }

    /// Draws from the tree of the last search of `solo`, which began at `root`: each node with the
    /// same probability (reservoir sampling).
    pub(super) fn draw(&mut self, root: &Position, solo: &Solo) {
        let (mut drawn, mut count) = (Vec::new(), 0);
        let (limit, random) = (self.sampling.positions, &mut self.random);
        solo.visit_tree(root, self.sampling.min_depth, &mut |position, node| {
            count += 1;
            if drawn.len() < limit {
                drawn.push(tree_position(position, node));
                return;
            }
            let place = below(random, count);
            if place < limit {
                drawn[place] = tree_position(position, node);
            }
        });
        drawn.into_iter().for_each(|node| self.add(node));
    }

    /// Adds a node, which replaces a less deep one of the same position: the trees of neighbouring
    /// moves overlap.
    fn add(&mut self, node: TreePosition) {
        match self.indices.entry(node.position) {
            Entry::Vacant(entry) => {
                entry.insert(self.nodes.len());
                self.nodes.push(node);
            }
            Entry::Occupied(entry) => {
                let known = &mut self.nodes[*entry.get()];
                if node.depth > known.depth {
                    *known = node;
                }
            }
        }
    }

    /// The nodes in the order in which their positions were first drawn.
    pub(super) fn finish(self) -> Vec<TreePosition> {
        self.nodes
    }
}

fn tree_position(position: &Position, node: TreeNode) -> TreePosition {
    TreePosition {
        position: PackedSfen::of(position),
        score: centipawns(node.value),
        mv: node.mv.map(Move::to_move16),
        ply: u16::try_from(position.game_ply()).unwrap_or(u16::MAX),
        depth: node.depth as u8,
        bound: node.bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Bound;

    #[test]
    fn the_deeper_value_of_a_position_remains() {
        let sampling = TreeSampling {
            positions: 1,
            min_depth: 1,
        };
        let mut sampler = TreeSampler::new(&sampling, 1, 1);
        let position: Position = Position::startpos();
        let node = |value, depth| TreeNode {
            mv: None,
            value,
            bound: Bound::Lower,
            depth,
        };
        for (value, depth) in [(90, 4), (180, 5), (270, 4), (0, 5)] {
            sampler.add(tree_position(&position, node(value, depth)));
        }
        let nodes = sampler.finish();
        assert_eq!(nodes.len(), 1);
        assert_eq!((nodes[0].score, nodes[0].depth), (200, 5));
    }
}
