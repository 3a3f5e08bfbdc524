//! What the search leaves out, and what it searches less deep.

use crate::types::value::{MATE_IN_MAX_PLY, MAX_EVALUATION};
use crate::types::{Depth, Move, Value};

use super::move_picker::{MovePicker, Stage};
use super::node::{Node, NodeType, NonPv, Window};
use super::tunables::{
    futility_base, futility_margin, futility_max_depth, lmp_base, lmp_max_depth, lmr_base,
    lmr_check, lmr_cut_node, lmr_history_divisor, lmr_killer, lmr_not_improving, lmr_pv, lmr_scale,
    lmr_table_capture, null_base, null_depth_divisor, null_min_depth, null_value_divisor,
    null_value_max, razor_base, razor_margin, razor_max_depth, rfp_improving, rfp_margin,
    rfp_max_depth, see_capture_margin, see_max_depth, see_quiet_margin,
};
use super::worker::{STOPPED, Worker};

/// One ply of reduction.
const PLY: i32 = 1024;

/// `PLY` · log2 of 0 (as 0) to 63.
const LOG2: [i32; 64] = {
    let mut table = [0; 64];
    let mut number = 1;
    while number < table.len() {
        table[number] = scaled_log2(number as u64);
        number += 1;
    }
    table
};

/// `PLY` · log2, rounded down, in integers only, so that it is the same on every machine: the integer part is the place of
/// the highest bit, and each squaring of the mantissa yields one more bit.
const fn scaled_log2(number: u64) -> i32 {
    const MANTISSA_BITS: u32 = 31;
    let whole = number.ilog2();
    let mut result = whole as i32;
    let mut mantissa = number << (MANTISSA_BITS - whole);
    let mut bit = 1;
    while bit < PLY {
        mantissa = (mantissa * mantissa) >> MANTISSA_BITS;
        let carry = mantissa >> (MANTISSA_BITS + 1);
        mantissa >>= carry;
        result = result * 2 + carry as i32;
        bit *= 2;
    }
    result
}

/// The reduction of the `count`-th move at `depth` before anything else counts, in 1/1024 ply.
#[inline(always)]
fn base_reduction(depth: Depth, count: i32) -> i32 {
    let log2 = |number: i32| LOG2[(number as usize).min(LOG2.len() - 1)];
    lmr_base() + log2(depth) * log2(count) / PLY * lmr_scale() / PLY
}

impl Worker {
    /// Steps 5 to 7: the whole node is left out where its value is clear enough.
    #[inline(always)]
    pub(super) fn prune_node<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if N::PV || node.in_check {
            return None;
        }
        self.razor::<N>(node)
            .or_else(|| Self::reverse_futility(node))
            .or_else(|| self.null_move(node))
    }

    /// Step 5, razoring: so far below alpha that only captures could help.
    #[inline(always)]
    fn razor<N: NodeType>(&mut self, node: &Node) -> Option<Value> {
        let alpha = node.window.alpha;
        let margin = razor_base() + razor_margin() * node.depth * node.depth;
        if node.depth > razor_max_depth() || node.eval + margin > alpha {
            return None;
        }
        let value = self.quiescence::<N>(Window::above(alpha), node.ply);
        (value <= alpha || self.is_stopped()).then_some(value)
    }

    /// Step 6, reverse futility: so far above beta that the opponent will not come back within the depth left.
    #[inline(always)]
    fn reverse_futility(node: &Node) -> Option<Value> {
        let beta = node.window.beta;
        let mut margin = rfp_margin() * node.depth;
        if node.is_improving {
            margin -= rfp_improving();
        }
        let is_clear = node.depth <= rfp_max_depth()
            && node.eval - margin >= beta
            && node.eval <= MAX_EVALUATION
            && beta.abs() < MATE_IN_MAX_PLY;
        is_clear.then_some(node.eval)
    }

    /// Step 7, null move: good enough even when the opponent may move twice. There is no zugzwang in shogi worth the
    /// name: a move that does no harm nearly always exists.
    #[inline(always)]
    fn null_move(&mut self, node: &Node) -> Option<Value> {
        let (beta, ply) = (node.window.beta, node.ply);
        let is_tried = node.depth >= null_min_depth()
            && node.eval >= beta
            && beta.abs() < MATE_IN_MAX_PLY
            && self.position.last_move().is_some();
        if !is_tried {
            return None;
        }
        let reduction = null_base()
            + node.depth / null_depth_divisor()
            + ((node.eval - beta) / null_value_divisor()).min(null_value_max());
        self.frames[ply].current_move = None;
        self.position.do_null_move();
        self.task.table.prefetch(self.position.key());
        let window = Window::above(beta - 1).flipped();
        let value = -self.search::<NonPv>(window, node.depth - reduction, ply + 1, !node.is_cut);
        self.position.undo_null_move();
        if self.is_stopped() {
            return Some(STOPPED);
        }
        // A mate after passing is no proof.
        let proved = if value >= MATE_IN_MAX_PLY {
            beta
        } else {
            value
        };
        (value >= beta).then_some(proved)
    }

    /// Step 9: a move is left out. Never before one was found that does not get mated, so that mates stay proved.
    #[inline(always)]
    pub(super) fn prune_move(
        &mut self,
        node: &Node,
        picker: &mut MovePicker,
        mv: Move,
        is_capture: bool,
    ) -> bool {
        if node.best_value <= -MATE_IN_MAX_PLY {
            return false;
        }
        if is_capture {
            return picker.stage() == Stage::BadCaptures
                && node.depth <= see_max_depth()
                && !self.position.see_ge(mv, -see_capture_margin() * node.depth);
        }
        if node.in_check {
            return false;
        }
        if node.depth <= lmp_max_depth() && node.move_count > late_move_count(node) {
            picker.skip_quiets();
        }
        let reduced = (node.depth - 1 - base_reduction(node.depth, node.move_count) / PLY).max(0);
        if self.position.gives_check(mv) {
            return false;
        }
        let futile = node.static_eval + futility_base() + futility_margin() * reduced;
        if reduced <= futility_max_depth() && futile <= node.window.alpha {
            picker.skip_quiets();
            return true;
        }
        reduced <= see_max_depth()
            && !self
                .position
                .see_ge(mv, -see_quiet_margin() * reduced * reduced)
    }

    /// Step 10: how deep a late move is searched at first; `node.depth - 1` for no reduction. The move has been made.
    #[inline(always)]
    pub(super) fn reduced_depth<N: NodeType>(
        &self,
        node: &Node,
        mv: Move,
        is_capture: bool,
        stage: Stage,
    ) -> Depth {
        let full = node.depth - 1;
        if is_capture && stage != Stage::BadCaptures {
            return full;
        }
        let mut reduction = base_reduction(node.depth, node.move_count);
        if N::PV {
            reduction -= lmr_pv();
        }
        if node.is_cut {
            reduction += lmr_cut_node();
        }
        if !node.is_improving {
            reduction += lmr_not_improving();
        }
        if stage == Stage::Remembered {
            reduction -= lmr_killer();
        }
        if self.position.in_check() {
            reduction -= lmr_check();
        }
        if node.table_move_captures {
            reduction += lmr_table_capture();
        }
        if !is_capture {
            reduction -= self.histories.quiet(mv) * PLY / lmr_history_divisor();
        }
        (full - reduction / PLY).clamp(1.min(full), full)
    }
}

/// How many quiet moves are tried at most.
#[inline(always)]
fn late_move_count(node: &Node) -> i32 {
    let count = lmp_base() + node.depth * node.depth;
    if node.is_improving { count * 2 } else { count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact_at_powers_of_two_and_rise() {
        for (exponent, number) in [1, 2, 4, 8, 16, 32].into_iter().enumerate() {
            assert_eq!(LOG2[number], PLY * exponent as i32);
        }
        assert!(LOG2[1..].is_sorted());
        // 1024 · log2(3) = 1623.03…
        assert_eq!(LOG2[3], 1623);
    }
}
