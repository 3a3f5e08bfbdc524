//! Facts about one node, gathered as the search goes through its steps, and what stays on the stack for other plies.

use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;

use crate::transposition::SlotIndex;
use crate::types::value::{self, MAX_PLY};
use crate::types::{Bound, Depth, Key64, Move, Ply, Value};

use super::correction_history::CorrectionRow;
use super::history::{CONTINUATIONS, ContinuationRow, HistoryContext};

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
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not a state"
)]
#[derive(Clone, Debug)]
pub(super) struct StackFrame {
    /// The move that is being searched; `None` for a null move.
    pub(super) current_move: Option<Move>,
    /// Left out while the search asks whether all other moves are worse.
    pub(super) excluded_move: Option<Move>,
    /// The statistics of what follows `current_move`.
    pub(super) row: ContinuationRow,
    pub(super) correction_row: CorrectionRow,
    /// Corrected; in check that of two plies before; [`value::NONE`] where there is none.
    pub(super) static_eval: Value,
    /// How well `current_move` did before.
    pub(super) stat_score: i32,
    /// The number of `current_move`.
    pub(super) move_count: i32,
    /// How many children failed high.
    pub(super) cutoffs: i32,
    /// By how much `current_move` is searched less deep.
    pub(super) reduction: Depth,
    pub(super) in_check: bool,
    pub(super) tt_hit: bool,
    pub(super) tt_pv: bool,
    /// All moves so far are those of the last iteration's best line.
    pub(super) follows_pv: bool,
    pub(super) killers: [Option<Move>; KILLERS],
}

impl StackFrame {
    pub(super) const EMPTY: Self = Self {
        current_move: None,
        excluded_move: None,
        row: ContinuationRow::NONE,
        correction_row: CorrectionRow::NONE,
        static_eval: value::NONE,
        stat_score: 0,
        move_count: 0,
        cutoffs: 0,
        reduction: 0,
        in_check: false,
        tt_hit: false,
        tt_pv: false,
        follows_pv: false,
        killers: [None; KILLERS],
    };
}

/// Empty frames before the root, so that looking back needs no check.
const BEFORE_ROOT: usize = CONTINUATIONS + 1;
/// Beyond the last ply a node still clears the frames of its children and theirs.
const AFTER_LAST: usize = 3;

/// The frames of all plies.
pub(super) struct Stack(Box<[StackFrame; BEFORE_ROOT + MAX_PLY + AFTER_LAST]>);

impl Stack {
    pub(super) fn new() -> Self {
        Self(Box::new(
            [StackFrame::EMPTY; BEFORE_ROOT + MAX_PLY + AFTER_LAST],
        ))
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(StackFrame::EMPTY);
    }

    /// The frame so many plies before `ply`, an empty one before the root.
    #[inline(always)]
    pub(super) fn before(&self, ply: Ply, plies: usize) -> &StackFrame {
        debug_assert!(plies <= BEFORE_ROOT);
        &self.0[BEFORE_ROOT + ply - plies]
    }

    /// Likewise.
    #[inline(always)]
    pub(super) fn before_mut(&mut self, ply: Ply, plies: usize) -> &mut StackFrame {
        debug_assert!(plies <= BEFORE_ROOT);
        &mut self.0[BEFORE_ROOT + ply - plies]
    }
}

impl Index<Ply> for Stack {
    type Output = StackFrame;

    #[inline(always)]
    fn index(&self, ply: Ply) -> &StackFrame {
        &self.0[BEFORE_ROOT + ply]
    }
}

impl IndexMut<Ply> for Stack {
    #[inline(always)]
    fn index_mut(&mut self, ply: Ply) -> &mut StackFrame {
        &mut self.0[BEFORE_ROOT + ply]
    }
}

/// What the table knows, its move proved legal here.
#[derive(Clone, Copy, Debug)]
pub(super) struct TtData {
    pub(super) mv: Option<Move>,
    /// [`value::NONE`] where only the evaluation is known.
    pub(super) value: Value,
    /// Uncorrected.
    pub(super) eval: Value,
    pub(super) depth: Depth,
    pub(super) bound: Bound,
    pub(super) is_pv: bool,
}

impl TtData {
    /// Whether the value is known to be at least `limit`.
    #[inline(always)]
    pub(super) fn is_at_least(&self, limit: Value) -> bool {
        self.value != value::NONE && self.bound != Bound::Upper && self.value >= limit
    }
}

/// Of the moves that did not cut, so many are marked down in the histories; later ones matter little.
const MAX_SEARCHED: usize = 32;

/// Moves that were tried at a node and did not cut.
pub(super) type SearchedMoves = ArrayVec<Move, MAX_SEARCHED>;

/// The locals of the search at one node.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, not a state"
)]
#[expect(
    clippy::struct_field_names,
    reason = "cut node and all node are the standard terms"
)]
pub(super) struct Node {
    pub(super) window: Window,
    pub(super) depth: Depth,
    pub(super) ply: Ply,
    /// Expected to fail high.
    pub(super) cut_node: bool,
    /// Expected to fail low: neither on a principal variation nor a cut node.
    pub(super) all_node: bool,
    pub(super) in_check: bool,
    pub(super) key: Key64,
    pub(super) slot: SlotIndex,
    pub(super) tt_hit: Option<TtData>,
    /// The table's move; at the root the best move so far.
    pub(super) tt_move: Option<Move>,
    pub(super) tt_capture: bool,
    pub(super) excluded_move: Option<Move>,
    /// On a principal variation now, or when the table learned of it.
    pub(super) tt_pv: bool,
    pub(super) context: HistoryContext,
    /// By how much evaluations of such positions were wrong, see [`super::correction`].
    pub(super) correction: i32,
    /// Without correction; [`value::NONE`] in check.
    pub(super) raw_eval: Value,
    /// Corrected; in check that of two plies before.
    pub(super) static_eval: Value,
    /// The best guess of the value before any move.
    pub(super) eval: Value,
    pub(super) improving: bool,
    pub(super) opponent_worsening: bool,
    /// By how much the move that led here was reduced.
    pub(super) prior_reduction: Depth,
    pub(super) best_value: Value,
    pub(super) best_move: Option<Move>,
    pub(super) move_count: i32,
    pub(super) raised_alpha: bool,
    pub(super) quiets_searched: SearchedMoves,
    pub(super) captures_searched: SearchedMoves,
}

impl Node {
    /// Notes a move that did not cut.
    #[inline(always)]
    pub(super) fn note_searched(&mut self, mv: Move, is_capture: bool) {
        let note_searched = if is_capture {
            &mut self.captures_searched
        } else {
            &mut self.quiets_searched
        };
        // What does not fit was tried so late that it teaches nothing.
        let _ = note_searched.try_push(mv);
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

    /// Whether the table knows a value, and what.
    #[inline(always)]
    pub(super) fn tt_value(&self) -> Option<Value> {
        let value = self.tt_hit?.value;
        (value != value::NONE).then_some(value)
    }

    /// How deep the table's search was; below every depth where it knows nothing.
    #[inline(always)]
    pub(super) fn tt_depth(&self) -> Depth {
        self.tt_hit.map_or(-1, |hit| hit.depth)
    }
}

/// A move that is about to be searched.
pub(super) struct MoveInfo {
    pub(super) mv: Move,
    pub(super) is_capture: bool,
    pub(super) gives_check: bool,
    /// How deep it is searched when nothing reduces it.
    pub(super) new_depth: Depth,
    /// By depth and move number alone, in 1/1024 ply.
    pub(super) reduction: i32,
}
