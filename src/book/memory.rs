//! A book in memory: an index of positions in order, and one array with the moves of all.

use std::ops::Range;

use rayon::prelude::*;

use super::entry::{BookMove, merge_moves};
use crate::records::packed::PackedSfen;

/// A position of the index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) position: PackedSfen,
    /// From 1; 0 where the file gives none.
    pub(super) ply: u32,
    /// Index of its first move.
    pub(super) first_move: usize,
    pub(super) move_count: u32,
}

impl Node {
    /// Where its moves are.
    pub(super) fn moves(&self) -> Range<usize> {
        self.first_move..self.first_move + self.move_count as usize
    }
}

/// Positions with their moves.
#[derive(Default, Debug)]
pub(super) struct MemoryBook {
    /// In order of position, equal ones in the order of the file.
    nodes: Vec<Node>,
    moves: Vec<BookMove>,
    says_ply_one_only: bool,
}

impl MemoryBook {
    /// Takes positions in the order of their file.
    pub(super) fn new(mut nodes: Vec<Node>, mut moves: Vec<BookMove>) -> Self {
        let says_ply_one_only = nodes.len() > 1 && nodes.iter().all(|node| node.ply == 1);
        let order = |node: &Node| (node.position, node.first_move);
        if !nodes.is_sorted_by_key(order) {
            nodes.par_sort_unstable_by_key(order);
        }
        nodes.shrink_to_fit();
        moves.shrink_to_fit();
        Self {
            nodes,
            moves,
            says_ply_one_only,
        }
    }

    /// Number of positions, where those of different plies count each.
    pub(super) fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// Whether all of several positions say that they are the first of a game.
    pub(super) const fn says_ply_one_only(&self) -> bool {
        self.says_ply_one_only
    }

    /// The moves of a position at a ply, or at any for `None`: those of all entries together.
    pub(super) fn find(&self, position: &PackedSfen, ply: Option<u32>) -> Vec<BookMove> {
        let start = self.nodes.partition_point(|node| node.position < *position);
        let nodes = self.nodes[start..].iter();
        let mut moves = Vec::new();
        for node in nodes.take_while(|node| node.position == *position) {
            if fits(node.ply, ply) {
                merge_moves(&mut moves, &self.moves[node.moves()]);
            }
        }
        moves
    }
}

/// Whether an entry of ply `found` answers for the ply `wanted`. An entry without a ply fits all.
pub(super) fn fits(found: u32, wanted: Option<u32>) -> bool {
    found == 0 || wanted.is_none_or(|wanted| wanted == found)
}
