//! The positions of a book and the moves between them, in flat arrays.
//!
//! A node is a position with black to move: positions of white are turned. Its moves into other
//! nodes are edges, all others leaves with a value from the book. A node takes 17 bytes, an edge 6,
//! a leaf 4. Every legal move that leads to another position of the book is an edge, whether the
//! book lists it or not.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::book::{Problem, rotated_move};
use crate::types::{Color, Key64, Key128, MAX_MOVES, Move16, MoveList};
use crate::{movegen::legal_on_board, position::Board, util::prefetch};

/// Set for a node whose position has white to move in the book.
const WHITE: u8 = 1;
/// Set for a node whose side to move is in check.
const IN_CHECK: u8 = 2;

/// Moves of nodes with something about each, in flat arrays.
#[derive(Clone, Debug)]
struct Rows<T> {
    /// Where the moves of each node begin, and where the last ones end.
    first: Vec<u64>,
    moves: Vec<Move16>,
    values: Vec<T>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { first: vec![0], moves: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy> Rows<T> {
    fn range(&self, node: usize) -> Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    fn of(&self, node: usize) -> impl Iterator<Item = (Move16, T)> {
        let range = self.range(node);
        let moves = self.moves[range.clone()].iter().copied();
        moves.zip(self.values[range].iter().copied())
    }

    fn values_of(&self, node: usize) -> &[T] {
        &self.values[self.range(node)]
    }

    /// Begins a node, which gets the moves that follow.
    fn add_node(&mut self) {
        self.first.push(self.moves.len() as u64);
    }

    /// Adds a move to the last node.
    fn push(&mut self, mv: Move16, value: T) {
        self.moves.push(mv);
        self.values.push(value);
        if let Some(end) = self.first.last_mut() {
            *end += 1;
        }
    }

    fn append(&mut self, mut part: Self) {
        let base = self.moves.len() as u64;
        let ends = part.first.iter().skip(1);
        self.first.extend(ends.map(|end| end + base));
        self.moves.append(&mut part.moves);
        self.values.append(&mut part.values);
    }
}

/// The graph of a book. Nodes are numbered in the order of the book.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    flags: Vec<u8>,
    /// The node that each edge leads to.
    edges: Rows<u32>,
    /// The value of each leaf.
    leaves: Rows<i16>,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.flags.len()
    }

    /// Moves that lead from one position of the book to another.
    pub fn edges(&self) -> usize {
        self.edges.moves.len()
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
        self.edges.values_of(node)
    }

    /// The values of the leaves of a node.
    pub(super) fn leaf_values(&self, node: usize) -> &[i16] {
        self.leaves.values_of(node)
    }

    /// The edges of a node: moves, from black's view, and nodes.
    pub(super) fn edges_of(&self, node: usize) -> impl Iterator<Item = (Move16, u32)> {
        self.edges.of(node)
    }

    /// The leaves of a node: moves, from black's view, and values.
    pub(super) fn leaves_of(&self, node: usize) -> impl Iterator<Item = (Move16, i16)> {
        self.leaves.of(node)
    }

    /// Begins a node, which gets the edges and leaves that follow.
    fn add_node(&mut self, is_white: bool, is_in_check: bool) {
        let white = if is_white { WHITE } else { 0 };
        let check = if is_in_check { IN_CHECK } else { 0 };
        self.flags.push(white | check);
        self.edges.add_node();
        self.leaves.add_node();
    }

    /// Appends the nodes of another part of the book. Targets count over the whole book already.
    pub(super) fn append(&mut self, mut part: Self) {
        self.flags.append(&mut part.flags);
        self.edges.append(part.edges);
        self.leaves.append(part.leaves);
    }

    /// The graph of positions and their moves with values, in centipawns from the view of the side
    /// to move, both as they stand on the board. Illegal moves are left out.
    pub fn of_positions(boards: &[Board], moves: impl Fn(usize) -> Vec<(Move16, i16)>) -> Self {
        let table = KeyTable::new(boards.iter().map(node_key).collect());
        let mut graph = Self::default();
        for (index, board) in boards.iter().enumerate() {
            let node = Turned::new(board.clone());
            let listed = moves(index).into_iter();
            let listed = listed.filter_map(|(mv, value)| Some((node.turn(mv)?, value)));
            table.link(&node, &listed.collect::<Vec<_>>(), &mut graph);
        }
        graph
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
        for &target in &graph.edges.values {
            first[target as usize + 2] += 1;
        }
        for index in 2..first.len() {
            first[index] += first[index - 1];
        }
        let mut parents = vec![0; graph.edges()];
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

/// A position of the book: black is to move, and `is_white` says that it is turned.
pub(super) struct Turned {
    board: Board,
    is_white: bool,
}

impl Turned {
    pub(super) fn new(board: Board) -> Self {
        match board.side_to_move() {
            Color::Black => Self { board, is_white: false },
            Color::White => Self { board: board.rotated(), is_white: true },
        }
    }

    /// A move of the book from black's view.
    pub(super) fn turn(&self, mv: Move16) -> Option<Move16> {
        turned(mv, self.is_white)
    }

    /// The fault of a move, given from black's view, that is illegal.
    pub(super) fn illegal(&self, mv: Move16) -> Problem {
        let board = if self.is_white { &self.board.rotated() } else { &self.board };
        Problem::Illegal { mv: self.turn(mv).unwrap_or(mv), sfen: board.to_sfen() }
    }
}

/// The move as seen by the other side, if it is white's. `None` where it is no move.
pub(super) fn turned(mv: Move16, is_white: bool) -> Option<Move16> {
    if is_white { rotated_move(mv) } else { Some(mv) }
}

/// The key under which the position is found: it is the one with white to move that a move leads
/// to.
pub(super) fn node_key(board: &Board) -> Lanes {
    let key: Key128 = match board.side_to_move() {
        Color::White => board.key(),
        Color::Black => board.rotated().key(),
    };
    key.lanes()
}

impl KeyTable {
    /// Adds a node with its edges and leaves to `graph`. `listed` are the moves of the book from
    /// black's view; of equal ones the first counts. Returns those that are illegal, which are left
    /// out.
    pub(super) fn link(
        &self,
        node: &Turned,
        listed: &[(Move16, i16)],
        graph: &mut Graph,
    ) -> Vec<Move16> {
        let board = &node.board;
        let mut moves = MoveList::new();
        legal_on_board::<true>(board, &mut moves);
        let is_in_check = board.king_threats(Color::Black).checkers.is_any();
        graph.add_node(node.is_white, is_in_check);

        let key: Key64 = board.key();
        let mut keys: ArrayVec<u64, MAX_MOVES> = ArrayVec::new();
        for &mv in &moves {
            let after = board.key_after(key, mv).low64();
            self.prefetch(after);
            keys.push(after);
        }
        let mut full_key: Option<Key128> = None;
        let mut edges: ArrayVec<Move16, MAX_MOVES> = ArrayVec::new();
        for (&mv, &after) in moves.iter().zip(&keys) {
            let full = || {
                let key = *full_key.get_or_insert_with(|| board.key());
                board.key_after(key, mv).lanes()
            };
            if let Some(target) = self.find(after, full) {
                graph.edges.push(mv.to_move16(), target);
                edges.push(mv.to_move16());
            }
        }

        let mut illegal = Vec::new();
        for (index, &(mv, value)) in listed.iter().enumerate() {
            let is_known =
                edges.contains(&mv) || listed[..index].iter().any(|&(other, _)| other == mv);
            if is_known {
                continue;
            }
            if moves.iter().any(|legal| legal.to_move16() == mv) {
                graph.leaves.push(mv, value);
            } else {
                illegal.push(mv);
            }
        }
        illegal
    }
}

/// A key, as [`Key128::lanes`] has it.
pub(super) type Lanes = [u64; 2];

/// Slots for each two keys.
const SLOTS_PER_TWO: usize = 3;

/// What a slot holds.
enum Slot {
    Empty,
    /// A node whose key has the same tag.
    Node(u32),
    /// A node with another key.
    Other,
}

/// Finds the node of a position by its 128-bit key.
///
/// The table has 8 bytes for each of its slots: 32 bits of the key and the number of the node. A
/// move that leads out of the book, as most moves do, is seen with one access to memory, for which
/// the caller can ask in advance.
pub(super) struct KeyTable {
    keys: Vec<Lanes>,
    /// Bits of the key in the upper half, the number of the node plus 1 in the lower; 0 if empty.
    slots: Vec<u64>,
}

impl KeyTable {
    /// The table of nodes with these keys, fewer than `u32::MAX`. Of equal keys the last counts.
    pub(super) fn new(keys: Vec<Lanes>) -> Self {
        let slots = vec![0; keys.len() * SLOTS_PER_TWO / 2 + 1];
        let mut table = Self { keys, slots };
        for node in 0..table.keys.len() {
            table.insert(node);
        }
        table
    }

    fn insert(&mut self, node: usize) {
        const AHEAD: usize = 16;
        if let Some(later) = self.keys.get(node + AHEAD) {
            self.prefetch(later[0]);
        }
        let key = self.keys[node];
        let mut slot = self.first_slot(key[0]);
        loop {
            match self.look(slot, key[0]) {
                Slot::Empty => break,
                Slot::Node(other) if self.keys[other as usize] == key => break,
                Slot::Node(_) | Slot::Other => slot = self.slot_after(slot),
            }
        }
        self.slots[slot] = tag(key[0]) | (node as u64 + 1);
    }

    /// Brings the slot of a key into the cache.
    fn prefetch(&self, low: u64) {
        prefetch(&self.slots[self.first_slot(low)]);
    }

    /// The node of a key whose lower half is `low`. The `full` key is asked for only if that half
    /// has been seen.
    fn find(&self, low: u64, full: impl FnOnce() -> Lanes) -> Option<u32> {
        let mut full = Some(full);
        let mut key = None;
        let mut slot = self.first_slot(low);
        loop {
            match self.look(slot, low) {
                Slot::Empty => return None,
                Slot::Node(node) => {
                    let key = *key.get_or_insert_with(|| full.take().map_or([0; 2], |full| full()));
                    if self.keys[node as usize] == key {
                        return Some(node);
                    }
                }
                Slot::Other => {}
            }
            slot = self.slot_after(slot);
        }
    }

    fn look(&self, slot: usize, low: u64) -> Slot {
        let content = self.slots[slot];
        if content == 0 {
            Slot::Empty
        } else if content >> 32 << 32 == tag(low) {
            Slot::Node(content as u32 - 1)
        } else {
            Slot::Other
        }
    }

    /// Depends on the upper bits of the key most, as the tag does on the lower.
    fn first_slot(&self, low: u64) -> usize {
        ((u128::from(low) * self.slots.len() as u128) >> 64) as usize
    }

    fn slot_after(&self, slot: usize) -> usize {
        let next = slot + 1;
        if next == self.slots.len() { 0 } else { next }
    }
}

/// The bits of a key that a slot keeps, in the upper half.
const fn tag(low: u64) -> u64 {
    low << 32
}

/// A set of numbers below a limit, one bit each.
#[derive(Clone, Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `limit`.
    pub(super) fn new(limit: usize) -> Self {
        Self(vec![0; limit.div_ceil(64)])
    }

    pub(super) fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// The smallest member that is at least `from`.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let mut index = from / 64;
        let mut word = *self.0.get(index)? & u64::MAX << (from % 64);
        while word == 0 {
            index += 1;
            word = *self.0.get(index)?;
        }
        Some(index * 64 + word.trailing_zeros() as usize)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(self.next(0), |&last| self.next(last + 1))
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
                    graph.edges.push(mv, target);
                }
                graph.leaves.push(mv, 5);
            }
        }
        for targets in [[1, 0].as_slice(), &[2]] {
            whole.add_node(false, true);
            for &target in targets {
                whole.edges.push(mv, target);
            }
            whole.leaves.push(mv, 5);
        }
        first.append(second);
        assert_eq!(format!("{first:?}"), format!("{whole:?}"));
        let parents = Parents::of(&whole);
        let of = |node| parents.of_node(node).to_vec();
        let expected = [vec![2], vec![0, 2], vec![0, 3], vec![]];
        assert_eq!([of(0), of(1), of(2), of(3)], expected);
    }

    #[test]
    fn the_last_of_equal_keys_is_found_and_others_are_not() {
        // Keys that share slots, tags, or both.
        let mut keys: Vec<Lanes> = (0..100).map(|index| [(index % 10) << 60 | 7, index]).collect();
        keys.push(keys[42]);
        let table = KeyTable::new(keys.clone());
        for (index, key) in keys.iter().enumerate() {
            let expected = if index == 42 { 100 } else { index as u32 };
            assert_eq!(table.find(key[0], || *key), Some(expected));
        }
        assert_eq!(table.find(7, || [7, 1000]), None);
        assert_eq!(KeyTable::new(Vec::new()).find(1, || [1, 1]), None);
    }

    #[test]
    fn members_come_in_order() {
        let mut bits = Bits::new(200);
        for number in [0, 63, 64, 130, 199] {
            bits.insert(number);
        }
        bits.remove(64);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 130, 199]);
        assert!(bits.has(63) && !bits.has(64));
        assert_eq!(bits.next(131), Some(199));
        assert_eq!(bits.next(200), None);
        assert_eq!(Bits::new(0).next(0), None);
    }
}
