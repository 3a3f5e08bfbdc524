//! Reductions: moves that are expected to fail low are searched less deep (late move reduction), as
//! are nodes without a TT move (internal iterative reduction) and nodes whose own reduction proved
//! too small or too large (hindsight adjustment). Terms and weights follow Stockfish.

use crate::types::value::{self, piece_value};
use crate::types::{Depth, Move, Value};
use crate::{bitboard::king_attacks, position::Position};

use super::node::{MoveInfo, Node, NodeType};
use super::{tunables, worker::Worker};

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
