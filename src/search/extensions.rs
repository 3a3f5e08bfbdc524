//! Singular extension: a TT move that is better than all other moves is searched deeper.
//!
//! A reduced search without the TT move, with a window below the TT value, shows how close the
//! other moves come. If they fail low, the TT move is singular and extended by one to three plies.
//! If they exceed beta, the node fails high at once (multi-cut). Otherwise the TT move may be
//! searched less deep (negative extension). Conditions and margins follow Stockfish.

use crate::types::value::is_decisive;
use crate::types::{Bound, Depth, Ply, Value};

use super::node::{MoveInfo, Node, NodeType, NonPv, Window};
use super::tunables;
use super::worker::{STOPPED, Worker};

/// Divisor of `tunables::singular_margin_per_depth`.
const SINGULAR_MARGIN_SCALE: i32 = 60;
/// Extension in plies where the TT move fails high but other moves come close.
const NOT_SINGULAR_FAIL_HIGH: Depth = -3;
/// Extension in plies where an expected cut node has no singular move.
const NOT_SINGULAR_CUT_NODE: Depth = -2;
/// Divisor of `tunables::double_extension_tt_move_history_weight`.
const TT_MOVE_HISTORY_SCALE: i32 = 131_072;

/// The result of step 11.
pub(super) enum Extension {
    /// The move is searched this many plies deeper; negative for a reduction.
    By(Depth),
    /// Multi-cut: the node returns this value.
    Cut(Value),
}

impl Worker {
    /// Step 11: the extension of a move. Only the TT move can have one; where the node is too
    /// shallow for a test, by [`Self::low_depth_extension`].
    #[inline(always)]
    pub(super) fn singular_extension<N: NodeType>(
        &mut self,
        node: &mut Node,
        move_info: &MoveInfo,
    ) -> Extension {
        let is_candidate =
            !N::ROOT && node.tt_move == Some(move_info.mv) && node.excluded_move.is_none();
        let Some(tt_hit) = node.tt_hit.filter(|_| is_candidate) else {
            return Extension::By(0);
        };
        if node.depth < tunables::singular_min_depth() + Depth::from(node.tt_pv) {
            return Extension::By(Self::low_depth_extension(node, tt_hit.bound));
        }
        let is_tested = node.tt_value().is_some_and(|value| !is_decisive(value))
            && tt_hit.bound != Bound::Upper
            && tt_hit.depth >= node.depth - tunables::singular_max_tt_depth_deficit()
            && !self.is_shuffling(node.ply, move_info);
        if !is_tested {
            return Extension::By(0);
        }
        self.singular_search::<N>(node, move_info, tt_hit.value)
    }

    /// The extension of the TT move of a shallow node: a ply where the move has a lower bound
    /// although the static evaluation is below alpha, because few other moves will (Stoat).
    #[inline(always)]
    fn low_depth_extension(node: &Node, bound: Bound) -> Depth {
        let needed = node.window.alpha - tunables::low_depth_extension_margin();
        Depth::from(bound == Bound::Lower && !node.in_check && node.static_eval <= needed)
    }

    /// Searches all moves but the TT move to half the depth.
    #[inline(never)]
    fn singular_search<N: NodeType>(
        &mut self,
        node: &mut Node,
        move_info: &MoveInfo,
        tt_value: Value,
    ) -> Extension {
        let (ply, beta) = (node.ply, node.window.beta);
        let mut margin = tunables::singular_margin_per_depth();
        if node.tt_pv && !N::PV {
            margin += tunables::singular_margin_tt_pv();
        }
        let singular_beta = tt_value - margin * node.depth / SINGULAR_MARGIN_SCALE;
        self.stack[ply].excluded_move = Some(move_info.mv);
        let window = Window::above(singular_beta - 1);
        let value = self.search::<NonPv>(window, move_info.new_depth / 2, ply, node.cut_node);
        let frame = &mut self.stack[ply];
        frame.excluded_move = None;
        frame.move_count = node.move_count;
        if self.is_stopped() {
            return Extension::Cut(STOPPED);
        }
        if value < singular_beta {
            let (double, triple) = self.multiple_extension_margins::<N>(node);
            node.depth += 1;
            let plies = 1
                + Depth::from(value < singular_beta - double)
                + Depth::from(value < singular_beta - triple);
            return Extension::By(plies);
        }
        if value >= beta && !is_decisive(value) {
            let malus = -tunables::multi_cut_malus_base()
                - tunables::multi_cut_malus_per_depth() * node.depth;
            self.histories.update_tt_move_history(malus.max(-tunables::multi_cut_malus_max()));
            self.update_correction_after_multi_cut(node, value);
            return Extension::Cut(value);
        }
        if tt_value >= beta {
            Extension::By(NOT_SINGULAR_FAIL_HIGH)
        } else if node.cut_node {
            Extension::By(NOT_SINGULAR_CUT_NODE)
        } else {
            Extension::By(0)
        }
    }

    /// How far below the singular beta all other moves must stay for an extension by two plies and
    /// by three plies.
    fn multiple_extension_margins<N: NodeType>(&self, node: &Node) -> (Value, Value) {
        let correction = node.correction.abs() / tunables::singular_correction_divisor();
        let is_far = i32::from(node.ply > self.root_depth as Ply);
        let is_quiet = i32::from(!node.tt_capture);
        let is_pv = i32::from(N::PV);
        let double = tunables::double_extension_margin_base()
            + tunables::double_extension_margin_pv() * is_pv
            - tunables::double_extension_margin_quiet_tt_move() * is_quiet
            - correction
            - tunables::double_extension_tt_move_history_weight()
                * self.histories.tt_move_history()
                / TT_MOVE_HISTORY_SCALE
            - tunables::double_extension_margin_far_from_root() * is_far;
        let triple = tunables::triple_extension_margin_base()
            + tunables::triple_extension_margin_pv() * is_pv
            - tunables::triple_extension_margin_quiet_tt_move() * is_quiet
            + tunables::triple_extension_margin_tt_pv() * i32::from(node.tt_pv)
            - correction
            - tunables::triple_extension_margin_far_from_root() * is_far;
        (double, triple)
    }

    /// Whether a piece moves back and forth, far from the root: each own move starts where the own
    /// move before it ended.
    fn is_shuffling(&self, ply: Ply, move_info: &MoveInfo) -> bool {
        if move_info.is_capture || ply < tunables::shuffling_min_ply() as Ply {
            return false;
        }
        let before = |plies| self.stack.before(ply, plies).current_move;
        let (Some(second), Some(fourth)) = (before(2), before(4)) else {
            return false;
        };
        move_info.mv.from() == Some(second.to()) && second.from() == Some(fourth.to())
    }
}
