//! The moves at the root, with what is known about each.

use crate::movegen;
use crate::position::Position;
use crate::types::value::{self, MAX_PLY};
use crate::types::{Bound, Depth, Move, MoveList, Value};

use super::{Limits, Settings};

/// One root move.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Rank in the running iteration: the value, or `-INFINITE` where it is only known to be no better than others.
    pub(super) rank: Value,
    /// The line, from this move on; never empty.
    pub(super) line: Vec<Move>,
    /// The value of the line, and what it says.
    pub(super) value: Value,
    pub(super) bound: Bound,
    /// The depth at which the line was found, 0 before any search.
    pub(super) depth: Depth,
    pub(super) seldepth: usize,
}

impl RootMove {
    fn new(mv: Move) -> Self {
        Self {
            mv,
            rank: -value::INFINITE,
            line: vec![mv],
            value: -value::INFINITE,
            bound: Bound::Exact,
            depth: 0,
            seldepth: 0,
        }
    }

    /// Records a value with its line.
    pub(super) fn update(&mut self, value: Value, bound: Bound, depth: Depth, rest: &[Move]) {
        self.rank = value;
        self.value = value;
        self.bound = bound;
        self.depth = depth;
        self.line.clear();
        self.line.push(self.mv);
        self.line.extend(rest.iter().take(MAX_PLY));
    }

    /// Whether the line has a value at all.
    pub(super) fn is_searched(&self) -> bool {
        self.depth > 0
    }
}

/// The moves to search: those asked for that are legal, or all legal ones. Senseless non-promotions only where they are
/// asked for.
pub(super) fn root_moves(
    position: &Position,
    limits: &Limits,
    settings: &Settings,
) -> Vec<RootMove> {
    let all = movegen::legal_moves(position);
    let mut moves: Vec<Move> = limits
        .search_moves
        .iter()
        .copied()
        .filter(|mv| all.contains(mv))
        .collect();
    if moves.is_empty() {
        if settings.generate_all_legal_moves {
            moves.extend(&all);
        } else {
            let mut sensible = MoveList::new();
            movegen::legal::<false, 1>(position, &mut sensible);
            moves.extend(&sensible);
        }
    }
    let mut root_moves: Vec<RootMove> = Vec::with_capacity(moves.len());
    for mv in moves {
        if root_moves.iter().all(|known| known.mv != mv) {
            root_moves.push(RootMove::new(mv));
        }
    }
    root_moves
}
