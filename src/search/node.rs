//! The data of one node: node types, the window, the locals of the search at a node, and the stack
//! frames that nodes of neighbouring plies read.

use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;

use super::history::{CONTINUATIONS, CastleKeys, ContinuationRow, CorrectionRow, HistoryContext};
use crate::types::value::{self, MAX_PLY};
use crate::types::{Bound, Depth, Key64, Move, Ply, Value};
use crate::{bitboard::Bitboard, transposition::SlotIndex};

/// The kind of a node, known at compile time.
pub(super) trait NodeType {
    /// Whether the node is searched with an open window.
    const PV: bool;
    /// Whether the node is the root.
    const ROOT: bool;
}

/// The root node, which is a PV node.
pub(super) struct Root;
/// A PV node below the root.
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

/// The search window: the open interval between alpha and beta.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) alpha: Value,
    pub(super) beta: Value,
}

impl Window {
    /// The window that contains every value.
    pub(super) const FULL: Self = Self { alpha: -value::INFINITE, beta: value::INFINITE };

    /// The null window above `alpha`.
    #[inline(always)]
    pub(super) const fn above(alpha: Value) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The window from the other side's point of view.
    #[inline(always)]
    #[must_use]
    pub(super) const fn flipped(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// A sequence of moves from one ply on, at most to the maximum ply.
pub(super) type Line = ArrayVec<Move, MAX_PLY>;

/// Number of killer moves per ply.
pub(super) const KILLERS: usize = 2;

/// What the node of one ply leaves for nodes of other plies (Stockfish's `Stack`).
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
#[derive(Clone, Debug)]
pub(super) struct StackFrame {
    /// The move being searched; `None` for a null move.
    pub(super) current_move: Option<Move>,
    /// The TT move during its singular search, which leaves it out.
    pub(super) excluded_move: Option<Move>,
    /// Continuation history of the replies to `current_move`.
    pub(super) continuation_row: ContinuationRow,
    pub(super) correction_row: CorrectionRow,
    /// The keys of both castles, `None` where they were not needed.
    pub(super) castle_keys: Option<CastleKeys>,
    /// Corrected static evaluation; in check that of two plies before; [`value::NONE`] where there
    /// is none.
    pub(super) static_eval: Value,
    /// History score of `current_move`, as late move reduction computed it.
    pub(super) stat_score: i32,
    /// Number of `current_move` among the moves of the node, from 1.
    pub(super) move_count: i32,
    /// Number of nodes at this ply, children of one parent, that failed high.
    pub(super) cutoffs: i32,
    /// Reduction of `current_move` in plies while its reduced search runs, otherwise 0.
    pub(super) reduction: Depth,
    /// The squares that the opponent attacks, from the first quiet move on.
    pub(super) attacked: Bitboard,
    pub(super) in_check: bool,
    pub(super) tt_hit: bool,
    pub(super) tt_pv: bool,
    /// Whether all moves from the root to this node follow the last iteration's principal
    /// variation.
    pub(super) follows_pv: bool,
    pub(super) killers: [Option<Move>; KILLERS],
}

impl StackFrame {
    pub(super) const EMPTY: Self = Self {
        current_move: None,
        excluded_move: None,
        continuation_row: ContinuationRow::NONE,
        correction_row: CorrectionRow::NONE,
        castle_keys: None,
        static_eval: value::NONE,
        stat_score: 0,
        move_count: 0,
        cutoffs: 0,
        reduction: 0,
        attacked: Bitboard::EMPTY,
        in_check: false,
        tt_hit: false,
        tt_pv: false,
        follows_pv: false,
        killers: [None; KILLERS],
    };
}

/// Empty frames before the root, so that looking back needs no bounds check.
const BEFORE_ROOT: usize = CONTINUATIONS + 1;
/// Frames after the last ply, because a node clears those of its children and grandchildren.
const AFTER_LAST: usize = 3;
const FRAMES: usize = BEFORE_ROOT + MAX_PLY + AFTER_LAST;

/// The frames of all plies.
pub(super) struct Stack(Box<[StackFrame; FRAMES]>);

impl Stack {
    pub(super) fn new() -> Self {
        let frames = vec![StackFrame::EMPTY; FRAMES].into_boxed_slice();
        Self(frames.try_into().unwrap_or_else(|_| unreachable!("one length")))
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(StackFrame::EMPTY);
    }

    /// The frame `plies` before `ply`; an empty one before the root.
    #[inline(always)]
    pub(super) fn before(&self, ply: Ply, plies: usize) -> &StackFrame {
        debug_assert!(plies <= BEFORE_ROOT);
        &self.0[BEFORE_ROOT + ply - plies]
    }

    /// The same frame as [`Self::before`], mutable.
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

/// A table entry of this position, its move proved legal and its value adjusted to the ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct TtData {
    pub(super) mv: Option<Move>,
    /// [`value::NONE`] where only the evaluation is known.
    pub(super) value: Value,
    /// Static evaluation without correction, or [`value::NONE`].
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

/// Number of moves of a kind that get a malus when a later move fails high; the rest get none.
const MAX_SEARCHED: usize = 32;

/// The moves of a node that were searched and did not fail high.
#[derive(Default)]
pub(super) struct SearchedMoves {
    pub(super) quiets: ArrayVec<Move, MAX_SEARCHED>,
    pub(super) captures: ArrayVec<Move, MAX_SEARCHED>,
}

impl SearchedMoves {
    /// Records a move that did not fail high.
    #[inline(always)]
    pub(super) fn push(&mut self, mv: Move, is_capture: bool) {
        let list = if is_capture { &mut self.captures } else { &mut self.quiets };
        // Moves beyond the capacity come so late that they need no malus.
        let _ = list.try_push(mv);
    }
}

/// The locals of the search at one node.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
#[expect(clippy::struct_field_names, reason = "cut node and all node are the standard terms")]
pub(super) struct Node {
    pub(super) window: Window,
    pub(super) depth: Depth,
    pub(super) ply: Ply,
    /// Whether the parent expects this node to fail high.
    pub(super) cut_node: bool,
    /// Whether the node is expected to fail low: neither a PV node nor a cut node.
    pub(super) all_node: bool,
    pub(super) in_check: bool,
    pub(super) key: Key64,
    pub(super) slot: SlotIndex,
    pub(super) tt_hit: Option<TtData>,
    /// The table's move; at the root the best move of the last iteration.
    pub(super) tt_move: Option<Move>,
    pub(super) tt_capture: bool,
    pub(super) excluded_move: Option<Move>,
    /// Whether this is a PV node, or the table says that the position once was one.
    pub(super) tt_pv: bool,
    pub(super) context: HistoryContext,
    /// Correction of the static evaluation, see [`Corrections`](super::history::Corrections), in
    /// 1/131072 of the internal unit.
    pub(super) correction: i32,
    /// Static evaluation without correction; [`value::NONE`] in check.
    pub(super) raw_eval: Value,
    /// Static evaluation with correction; in check that of two plies before.
    pub(super) static_eval: Value,
    /// Best estimate of the value before any move: the static evaluation, or a TT value that bounds
    /// it.
    pub(super) eval: Value,
    pub(super) improving: bool,
    pub(super) opponent_worsening: bool,
    /// Reduction in plies of the move that led here.
    pub(super) prior_reduction: Depth,
    pub(super) best_value: Value,
    pub(super) best_move: Option<Move>,
    pub(super) move_count: i32,
    pub(super) raised_alpha: bool,
}

impl Node {
    /// The bound that the best value is, given the window at the start of the node.
    pub(super) fn bound(&self) -> Bound {
        if self.best_value >= self.window.beta {
            Bound::Lower
        } else if self.raised_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// The table's value, `None` where the table has no value.
    #[inline(always)]
    pub(super) fn tt_value(&self) -> Option<Value> {
        let value = self.tt_hit?.value;
        (value != value::NONE).then_some(value)
    }

    /// Depth of the table's value in plies; −1 without an entry.
    #[inline(always)]
    pub(super) fn tt_depth(&self) -> Depth {
        self.tt_hit.map_or(-1, |data| data.depth)
    }
}

/// The facts about a move that is about to be searched.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
pub(super) struct MoveInfo {
    pub(super) mv: Move,
    pub(super) is_capture: bool,
    pub(super) gives_check: bool,
    /// Whether it is a killer or the counter move.
    pub(super) is_refutation: bool,
    /// Whether it moves a piece that a lesser one attacks; false until the picker has generated
    /// quiet moves.
    pub(super) moves_threatened_piece: bool,
    /// Depth without reduction, in plies.
    pub(super) new_depth: Depth,
    /// The part of the reduction that pruning uses, in 1/1024 ply.
    pub(super) reduction: i32,
}

/// Whether a move is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Prune,
    Keep,
    /// Searched if the static exchange evaluation is at least this.
    KeepIfWins(Value),
}
