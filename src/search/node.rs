//! Facts about one node, gathered as the search goes through its steps, and what stays on the stack for other plies.

use arrayvec::ArrayVec;

use crate::transposition::SlotIndex;
use crate::types::value::{self, MAX_PLY};
use crate::types::{Bound, Depth, Key64, Move, Ply, Value};

/// What kind of node this is, known at compile time.
pub(super) trait NodeType {
    /// On a principal variation: the window is open.
    const PV: bool;
    /// The root.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node on a principal variation.
pub(super) struct Pv;
/// A node with a null window.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// The open interval of values that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) alpha: Value,
    pub(super) beta: Value,
}

impl Window {
    /// All values.
    pub(super) const FULL: Self = Self {
        alpha: -value::INFINITE,
        beta: value::INFINITE,
    };

    /// Only asks whether the value is above `alpha`.
    #[inline(always)]
    pub(super) const fn above(alpha: Value) -> Self {
        Self {
            alpha,
            beta: alpha + 1,
        }
    }

    /// The window as the other side sees it.
    #[inline(always)]
    #[must_use]
    pub(super) const fn flipped(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// A line of moves.
pub(super) type Line = ArrayVec<Move, MAX_PLY>;

/// How many killers a ply remembers.
pub(super) const KILLERS: usize = 2;

/// What one ply leaves for its neighbours.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The move that is being searched; `None` for a null move.
    pub(super) current_move: Option<Move>,
    /// [`value::NONE`] in check.
    pub(super) static_eval: Value,
    pub(super) killers: [Option<Move>; KILLERS],
    pub(super) line: Line,
}

impl Frame {
    pub(super) const EMPTY: Self = Self {
        current_move: None,
        static_eval: value::NONE,
        killers: [None; KILLERS],
        line: Line::new_const(),
    };
}

/// What the table knows, its move proved legal here.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableHit {
    pub(super) mv: Option<Move>,
    pub(super) value: Value,
    pub(super) eval: Value,
    pub(super) depth: Depth,
    pub(super) bound: Bound,
    pub(super) is_pv: bool,
}

/// Of the moves that did not cut, so many are marked down in the histories; later ones matter little.
const MAX_TRIED: usize = 64;

/// Moves that were tried at a node and did not cut.
pub(super) type Tried = ArrayVec<Move, MAX_TRIED>;

/// The locals of the search at one node.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not a state"
)]
pub(super) struct Node {
    pub(super) window: Window,
    pub(super) depth: Depth,
    pub(super) ply: Ply,
    pub(super) is_cut: bool,
    pub(super) in_check: bool,
    pub(super) key: Key64,
    pub(super) slot: SlotIndex,
    pub(super) hit: Option<TableHit>,
    pub(super) table_move_captures: bool,
    /// On a principal variation now, or when the table learned of it.
    pub(super) was_pv: bool,
    /// [`value::NONE`] in check.
    pub(super) static_eval: Value,
    /// The best guess of the value before any move; [`value::NONE`] in check.
    pub(super) eval: Value,
    pub(super) is_improving: bool,
    pub(super) best_value: Value,
    pub(super) best_move: Option<Move>,
    pub(super) move_count: i32,
    pub(super) raised_alpha: bool,
    pub(super) quiets_tried: Tried,
    pub(super) captures_tried: Tried,
}

impl Node {
    pub(super) fn table_move(&self) -> Option<Move> {
        self.hit.and_then(|hit| hit.mv)
    }

    /// What the value that was found says, given the window at the start.
    pub(super) fn bound(&self) -> Bound {
        if self.best_value >= self.window.beta {
            Bound::Lower
        } else if self.raised_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}
