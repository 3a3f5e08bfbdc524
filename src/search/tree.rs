//! The inner nodes of a finished search and their values, read from its table: training positions
//! that a search knows besides its root (Veness, Silver, Uther and Blair, "Bootstrapping from Game
//! Tree Search", 2009).
//!
//! The table is walked along legal moves from the root, so every node was reached by play, and the
//! search itself does nothing for it. A node is expanded only if its own depth exceeds the minimum,
//! because its children are usually less deep.

use std::collections::HashSet;

use crate::movegen::legal_moves;
use crate::position::Position;
use crate::transposition::{Entry, TranspositionTable};
use crate::types::value::{self, MAX_PLY, is_decisive};
use crate::types::{Bound, Depth, Key64, Move, Value};

/// What a search found out about an inner node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// The best move, or the one that failed high; often `None` where all moves failed low.
    pub mv: Option<Move>,
    /// Value for the side to move, in the internal unit (a pawn is 90); never a mate.
    pub value: Value,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// Depth of the search below the node, in plies.
    pub depth: Depth,
}

/// Visits the nodes below `root` that the table knows with at least `min_depth`, each once, in an
/// order that depends on the table only. The root, mates, and positions in check are left out.
pub(super) fn visit(
    table: &TranspositionTable,
    root: &Position,
    min_depth: Depth,
    visit: &mut dyn FnMut(&Position, TreeNode),
) {
    let mut walk = Walk {
        table,
        min_depth,
        position: root.clone(),
        seen: HashSet::from([root.key()]),
        visit,
    };
    walk.expand(0);
}

struct Walk<'a> {
    table: &'a TranspositionTable,
    min_depth: Depth,
    position: Position,
    /// Keys of the nodes that were visited.
    seen: HashSet<Key64>,
    visit: &'a mut dyn FnMut(&Position, TreeNode),
}

impl Walk<'_> {
    /// Visits what lies below the current position, which is `ply` plies below the root.
    fn expand(&mut self, ply: usize) {
        for mv in legal_moves(&self.position) {
            let key = self.position.key_after(mv);
            let Some(entry) = self.table.probe(key).entry else {
                continue;
            };
            let is_known = entry.depth >= self.min_depth && entry.value != value::NONE;
            if !is_known || !self.seen.insert(key) {
                continue;
            }
            self.position.do_move(mv);
            self.enter(entry, ply + 1);
            self.position.undo_move();
        }
    }

    /// Visits the current position and what lies below it.
    fn enter(&mut self, entry: Entry, ply: usize) {
        let mv = entry.mv.and_then(|mv| self.position.to_move(mv));
        let is_legal = |mv| self.position.pseudo_legal(mv) && self.position.legal(mv);
        if mv.map_or(entry.mv.is_some(), |mv| !is_legal(mv)) {
            return; // An entry of another position.
        }
        if !is_decisive(entry.value) && !self.position.in_check() {
            let node = TreeNode {
                mv,
                value: entry.value,
                bound: entry.bound,
                depth: entry.depth,
            };
            (self.visit)(&self.position, node);
        }
        if entry.depth > self.min_depth && ply < MAX_PLY {
            self.expand(ply);
        }
    }
}
