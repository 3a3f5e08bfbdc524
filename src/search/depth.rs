//! How deep a move is searched: reductions and extensions.
//!
//! Moves that are expected to fail low are searched less deep (late move reduction), as are nodes
//! without a TT move (internal iterative reduction) and nodes whose own reduction proved too small
//! or too large (hindsight adjustment). A TT move that is better than all others is searched deeper
//! (singular extension). Terms and weights follow Stockfish.

use super::node::{MoveInfo, Node, NodeType, NonPv, Window};
use super::tunables;
use super::worker::{STOPPED, Worker};
use crate::types::value::{self, is_decisive, piece_value};
use crate::types::{Bound, Depth, Move, Ply, Value};
use crate::{bitboard::king_attacks, position::Position};

/// One ply of reduction; reductions are computed in 1/1024 ply.
pub(super) const REDUCTION_SCALE: i32 = 1024;
/// A negative reduction extends a late move by at most this many plies.
const MAX_NEGATIVE_REDUCTION: Depth = 2;
/// Divisor of `tunables::lmr_captured_value_weight`.
const CAPTURE_VALUE_SCALE: i32 = 128;
/// Divisor of `tunables::lmr_history_weight`.
const HISTORY_SCALE: i32 = 4096;

/// `REDUCTION_SCALE` · log2(n) for n from 0 (which counts as 1) to 255.
const LOG2: [i32; 256] = {
    let mut table = [0; 256];
    let mut number = 1;
    while number < table.len() {
        table[number] = scaled_log2(number as u64);
        number += 1;
    }
    table
};

/// `REDUCTION_SCALE` · log2, rounded down. Integers only, so that the result is the same on every
/// machine: the integer part is the index of the highest bit, and each squaring of the mantissa
/// yields one more bit of the fraction.
const fn scaled_log2(number: u64) -> i32 {
    const MANTISSA_BITS: u32 = 31;
    let whole = number.ilog2();
    let mut result = whole as i32;
    let mut mantissa = number << (MANTISSA_BITS - whole);
    let mut bit = 1;
    while bit < REDUCTION_SCALE {
        mantissa = (mantissa * mantissa) >> MANTISSA_BITS;
        let carry = mantissa >> (MANTISSA_BITS + 1);
        mantissa >>= carry;
        result = result * 2 + carry as i32;
        bit *= 2;
    }
    result
}

impl Worker {
    /// Corrects the depth for the reduction of the move that led here, now that both static
    /// evaluations are known: deeper where the opponent's position did not get worse, less deep
    /// where both evaluations together favour the side to move. `prior_eval` is the static
    /// evaluation of the previous ply.
    #[inline(always)]
    pub(super) fn hindsight_adjustment(node: &mut Node, prior_eval: Value) {
        if node.prior_reduction >= tunables::hindsight_deeper_min_reduction()
            && !node.opponent_worsening
        {
            node.depth += 1;
        }
        if node.prior_reduction >= tunables::hindsight_shallower_min_reduction()
            && node.depth >= 2
            && prior_eval != value::NONE
            && node.static_eval + prior_eval > tunables::hindsight_shallower_eval_sum()
        {
            node.depth -= 1;
        }
    }

    /// Step 8, internal iterative reduction: a node without a TT move is searched one ply less
    /// deep.
    #[inline(always)]
    pub(super) fn internal_iterative_reduction(&self, node: &mut Node) {
        if !self.stack[node.ply].follows_pv
            && !node.all_node
            && node.depth >= tunables::iir_min_depth()
            && node.tt_move.is_none()
            && node.prior_reduction <= tunables::iir_max_prior_reduction()
        {
            node.depth -= 1;
        }
    }

    /// The part of the reduction that depends on depth, move count and the node, in 1/1024 ply;
    /// pruning uses it too.
    #[inline(always)]
    pub(super) fn base_reduction(&self, node: &Node) -> i32 {
        let log2 = |number: i32| LOG2[(number as usize).min(LOG2.len() - 1)];
        let log_product = log2(node.depth) * log2(node.move_count) / REDUCTION_SCALE;
        let product = log_product * tunables::lmr_log_product_weight() / REDUCTION_SCALE;
        let delta = node.window.beta - node.window.alpha;
        let mut reduction = product + tunables::lmr_base()
            - delta * tunables::lmr_window_weight() / self.root_delta.max(1);
        if !node.improving {
            reduction += product * tunables::lmr_not_improving_weight() / REDUCTION_SCALE;
        }
        if node.tt_pv {
            reduction += tunables::lmr_tt_pv_pruning();
        }
        reduction
    }

    /// Step 12, late move reduction: the complete reduction, in 1/1024 ply. Stores the move's
    /// history score in the stack frame.
    #[inline(always)]
    pub(super) fn lmr_reduction<N: NodeType>(&mut self, node: &Node, move_info: &MoveInfo) -> i32 {
        let mut reduction = move_info.reduction + tunables::lmr_search_offset();
        if node.tt_pv {
            reduction -= tunables::lmr_tt_pv();
            if N::PV {
                reduction -= tunables::lmr_tt_pv_pv_node();
            }
            if node.tt_value().is_none_or(|value| value > node.window.alpha) {
                reduction -= tunables::lmr_tt_pv_value_above_alpha();
            }
            if node.tt_depth() >= node.depth {
                reduction -= tunables::lmr_tt_pv_deep_entry();
                if node.cut_node {
                    reduction -= tunables::lmr_tt_pv_deep_entry_cut_node();
                }
            }
        }
        reduction -= node.move_count * tunables::lmr_per_move_count();
        reduction -= node.correction.abs() / tunables::lmr_correction_divisor();
        if node.cut_node {
            reduction += tunables::lmr_cut_node();
            if node.tt_move.is_none() {
                reduction += tunables::lmr_cut_node_no_tt_move();
            }
        }
        if node.tt_capture {
            reduction += tunables::lmr_tt_capture();
        }
        let cutoffs = self.stack[node.ply + 1].cutoffs;
        if cutoffs > 1 {
            reduction += tunables::lmr_child_cutoffs();
            if cutoffs > 2 {
                reduction += tunables::lmr_child_cutoffs_many();
            }
            if node.all_node {
                reduction += tunables::lmr_child_cutoffs_all_node();
            }
        }
        if node.tt_move == Some(move_info.mv) {
            reduction -= tunables::lmr_tt_move();
        }
        if is_supported_drop(&self.position, move_info.mv) {
            reduction -= tunables::lmr_supported_drop();
        }
        if move_info.is_refutation {
            reduction -= tunables::lmr_refutation();
        }
        if move_info.moves_threatened_piece {
            reduction -= tunables::lmr_threatened_piece();
        }
        if N::ROOT {
            reduction -= tunables::lmr_root();
        }
        if !node.in_check {
            let below = node.window.alpha - node.static_eval;
            let max = tunables::lmr_below_alpha_max();
            reduction += (below * tunables::lmr_below_alpha_weight()).clamp(-max, max);
        }
        let stat_score = self.stat_score(node, move_info);
        self.stack[node.ply].stat_score = stat_score;
        reduction -= stat_score * tunables::lmr_history_weight() / HISTORY_SCALE;
        if node.all_node {
            reduction += reduction * tunables::lmr_all_node_weight()
                / (tunables::lmr_all_node_divisor_per_depth() * node.depth
                    + tunables::lmr_all_node_divisor_base());
        }
        reduction
    }

    /// The history score of the move: for a capture its value and capture history, for a quiet move
    /// the butterfly history and the first two continuation histories.
    #[inline(always)]
    fn stat_score(&self, node: &Node, move_info: &MoveInfo) -> i32 {
        let mv = move_info.mv;
        if let Some(captured) = self.position.piece_on(mv.to()) {
            return tunables::lmr_captured_value_weight() * piece_value(captured.kind())
                / CAPTURE_VALUE_SCALE
                + self.histories.capture(mv, captured.kind());
        }
        let [reply, follow_up, ..] = node.context.continuation_rows;
        tunables::lmr_butterfly_weight()
            * self.histories.butterfly(mv, self.stack[node.ply].attacked)
            + self.histories.continuation(reply, mv)
            + self.histories.continuation(follow_up, mv)
    }

    /// The depth of the reduced search: at least one ply, and at most [`MAX_NEGATIVE_REDUCTION`]
    /// plies above `new_depth`; one ply more in PV nodes.
    #[inline(always)]
    pub(super) fn reduced_depth<N: NodeType>(new_depth: Depth, reduction: i32) -> Depth {
        (new_depth - reduction / REDUCTION_SCALE).min(new_depth + MAX_NEGATIVE_REDUCTION).max(1)
            + Depth::from(N::PV)
    }
}

/// Whether a move drops a piece beside the enemy king onto a square that an own piece attacks. Such
/// moves make mating nets, whose worth shows late. Idea: Stoat.
#[inline(always)]
fn is_supported_drop(position: &Position, mv: Move) -> bool {
    let board = position.board();
    let us = mv.piece().color();
    mv.is_drop()
        && board.king(!us).is_some_and(|king| {
            king_attacks(king).contains(mv.to())
                && board.attacked_around(us, king, board.occupied()).contains(mv.to())
        })
}

// --- Singular extension ---
//
// A reduced search without the TT move, with a window below the TT value, shows how close the
// other moves come. If they fail low, the TT move is singular and extended by one to three plies.
// If they exceed beta, the node fails high at once (multi-cut). Otherwise the TT move may be
// searched less deep (negative extension). Conditions and margins follow Stockfish.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_drops_are_beside_the_king_and_protected() {
        let position = Position::from_sfen("4k4/9/4S4/9/9/9/9/9/4K4 b 2G 1").expect("a position");
        let is_supported = |text: &str| {
            let moves = crate::movegen::legal_moves(&position);
            let mv = moves.iter().find(|mv| mv.to_string() == text);
            is_supported_drop(&position, *mv.expect("a legal move"))
        };
        // The silver protects 6b, 5b, 4b; 6a and 4a are beside the king too.
        for text in ["G*6b", "G*5b", "G*4b"] {
            assert!(is_supported(text), "{text}");
        }
        for text in ["G*6a", "G*4a", "G*5d", "G*7b", "5c5b", "5c4b"] {
            assert!(!is_supported(text), "{text}");
        }
    }

    #[test]
    fn logarithms_are_exact_at_powers_of_two_and_rise() {
        for (exponent, number) in [1, 2, 4, 8, 16, 32, 64, 128].into_iter().enumerate() {
            assert_eq!(LOG2[number], REDUCTION_SCALE * exponent as i32);
        }
        assert!(LOG2[1..].is_sorted());
        // 1024 · log2(3) = 1623.03…
        assert_eq!(LOG2[3], 1623);
    }
}
