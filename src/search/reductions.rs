//! What is searched less deep, because it is expected to be no better; and what is searched deeper, because it is the only
//! good move.

use crate::types::value::{is_decisive, piece_value};
use crate::types::{Bound, Depth, Move, Ply, Value};

use super::node::{Node, NodeType, NonPv, Window};
use super::tunables::{
    double_base, double_capture, double_history, double_ply, double_pv, lmr_all_node_base,
    lmr_all_node_depth, lmr_all_node_scale, lmr_base, lmr_butterfly, lmr_capture_value,
    lmr_correction, lmr_cut_node, lmr_cut_node_no_table_move, lmr_cutoffs, lmr_cutoffs_all_node,
    lmr_cutoffs_many, lmr_history, lmr_move_count, lmr_not_improving, lmr_offset, lmr_scale,
    lmr_table_capture, lmr_table_move, lmr_was_pv_base, lmr_was_pv_deep, lmr_was_pv_deep_cut,
    lmr_was_pv_first, lmr_was_pv_pv, lmr_was_pv_value, lmr_window, multi_cut_max,
    multi_cut_per_depth, shuffling_min_ply, singular_correction, singular_margin,
    singular_margin_was_pv, singular_min_depth, singular_table_depth, table_move_fails,
    table_move_holds, triple_base, triple_capture, triple_ply, triple_pv, triple_was_pv,
};
use super::worker::{STOPPED, Worker};

/// One ply of reduction.
pub(super) const PLY: i32 = 1024;
/// Margins of extensions are so many parts of a depth.
const SINGULAR_SCALE: i32 = 60;
/// Less deep where the table's move cuts but other moves come near; and where the node is only expected to fail high.
const NOT_SINGULAR_CUT: Depth = -3;
const NOT_SINGULAR: Depth = -2;
/// A good history may make a late move so much deeper than it would be without reduction.
const MAX_GAIN: Depth = 2;
const CAPTURE_VALUE_SCALE: i32 = 128;
const HISTORY_SCALE: i32 = 4096;
const TABLE_HISTORY_SCALE: i32 = 131_072;

/// `PLY` · log2 of 0 (as 0) to 255.
const LOG2: [i32; 256] = {
    let mut table = [0; 256];
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

/// A move that is about to be searched.
pub(super) struct Trial {
    pub(super) mv: Move,
    pub(super) is_capture: bool,
    pub(super) gives_check: bool,
    /// How deep it is searched when nothing reduces it.
    pub(super) next_depth: Depth,
    /// By depth and move number alone, in 1/1024 ply.
    pub(super) reduction: i32,
}

/// What the search without the table's move says about that move.
pub(super) enum Extension {
    /// It is searched so many plies deeper; fewer where negative.
    By(Depth),
    /// The node fails high even without it: its value.
    Cut(Value),
}

impl Worker {
    /// How much less deep a move is searched by the depth and its number, in 1/1024 ply.
    #[inline(always)]
    pub(super) fn basic_reduction(&self, node: &Node) -> i32 {
        let log2 = |number: i32| LOG2[(number as usize).min(LOG2.len() - 1)];
        let product = log2(node.depth) * log2(node.move_count) / PLY * lmr_scale() / PLY;
        let width = node.window.beta - node.window.alpha;
        let mut reduction = product + lmr_base() - width * lmr_window() / self.root_width.max(1);
        if !node.is_improving {
            reduction += product * lmr_not_improving() / PLY;
        }
        if node.was_pv {
            reduction += lmr_was_pv_first();
        }
        reduction
    }

    /// Step 12: how much less deep a move is searched, in 1/1024 ply, by everything that is known. Notes in the frame how
    /// well the move did before.
    #[inline(always)]
    pub(super) fn full_reduction<N: NodeType>(&mut self, node: &Node, trial: &Trial) -> i32 {
        let mut reduction = trial.reduction + lmr_offset();
        if node.was_pv {
            reduction -= lmr_was_pv_base();
            if N::PV {
                reduction -= lmr_was_pv_pv();
            }
            if node
                .table_value()
                .is_none_or(|value| value > node.window.alpha)
            {
                reduction -= lmr_was_pv_value();
            }
            if node.table_depth() >= node.depth {
                reduction -= lmr_was_pv_deep();
                if node.is_cut {
                    reduction -= lmr_was_pv_deep_cut();
                }
            }
        }
        reduction -= node.move_count * lmr_move_count();
        reduction -= node.correction.abs() / lmr_correction();
        if node.is_cut {
            reduction += lmr_cut_node();
            if node.table_move.is_none() {
                reduction += lmr_cut_node_no_table_move();
            }
        }
        if node.table_move_captures {
            reduction += lmr_table_capture();
        }
        let cutoffs = self.frames[node.ply + 1].cutoffs;
        if cutoffs > 1 {
            reduction += lmr_cutoffs();
            if cutoffs > 2 {
                reduction += lmr_cutoffs_many();
            }
            if node.is_all {
                reduction += lmr_cutoffs_all_node();
            }
        }
        if node.table_move == Some(trial.mv) {
            reduction -= lmr_table_move();
        }
        let stat_score = self.stat_score(node, trial);
        self.frames[node.ply].stat_score = stat_score;
        reduction -= stat_score * lmr_history() / HISTORY_SCALE;
        if node.is_all {
            reduction += reduction * lmr_all_node_scale()
                / (lmr_all_node_depth() * node.depth + lmr_all_node_base());
        }
        reduction
    }

    /// How well the move did before.
    #[inline(always)]
    fn stat_score(&self, node: &Node, trial: &Trial) -> i32 {
        let mv = trial.mv;
        if let Some(captured) = self.position.piece_on(mv.to()) {
            return lmr_capture_value() * piece_value(captured.kind()) / CAPTURE_VALUE_SCALE
                + self.histories.capture(mv, captured.kind());
        }
        let [reply, follow_up, ..] = node.context.rows;
        lmr_butterfly() * self.histories.butterfly(mv)
            + self.histories.continuation(reply, mv)
            + self.histories.continuation(follow_up, mv)
    }

    /// How deep a late move is searched at first: never less than one ply, and at most two deeper than without reduction.
    #[inline(always)]
    pub(super) fn reduced_depth<N: NodeType>(next_depth: Depth, reduction: i32) -> Depth {
        (next_depth - reduction / PLY)
            .min(next_depth + MAX_GAIN)
            .max(1)
            + Depth::from(N::PV)
    }

    /// Step 11: is the table's move the only good one? Then it is searched deeper. Where other moves would cut as well the
    /// node is left (multi-cut); where they come near, the move is searched less deep.
    #[inline(always)]
    pub(super) fn extend<N: NodeType>(&mut self, node: &mut Node, trial: &Trial) -> Extension {
        let asks = !N::ROOT
            && node.table_move == Some(trial.mv)
            && node.excluded.is_none()
            && node.depth >= singular_min_depth() + Depth::from(node.was_pv);
        let Some(hit) = node.hit.filter(|_| asks) else {
            return Extension::By(0);
        };
        let is_fit = node.table_value().is_some_and(|value| !is_decisive(value))
            && hit.bound != Bound::Upper
            && hit.depth >= node.depth - singular_table_depth()
            && !self.is_shuffling(node.ply, trial);
        if !is_fit {
            return Extension::By(0);
        }
        self.extension_without::<N>(node, trial, hit.value)
    }

    /// Searches all moves but the table's.
    #[inline(never)]
    fn extension_without<N: NodeType>(
        &mut self,
        node: &mut Node,
        trial: &Trial,
        table_value: Value,
    ) -> Extension {
        let (ply, beta) = (node.ply, node.window.beta);
        let mut margin = singular_margin();
        if node.was_pv && !N::PV {
            margin += singular_margin_was_pv();
        }
        let limit = table_value - margin * node.depth / SINGULAR_SCALE;
        self.frames[ply].excluded = Some(trial.mv);
        let window = Window::above(limit - 1);
        let value = self.search::<NonPv>(window, trial.next_depth / 2, ply, node.is_cut);
        let frame = &mut self.frames[ply];
        frame.excluded = None;
        frame.move_count = node.move_count;
        if self.is_stopped() {
            return Extension::Cut(STOPPED);
        }
        if value < limit {
            let (double, triple) = self.extension_margins::<N>(node);
            node.depth += 1;
            let plies =
                1 + Depth::from(value < limit - double) + Depth::from(value < limit - triple);
            return Extension::By(plies);
        }
        if value >= beta && !is_decisive(value) {
            let malus = -table_move_fails() - multi_cut_per_depth() * node.depth;
            self.histories
                .update_table_move(malus.max(-multi_cut_max()));
            return Extension::Cut(value);
        }
        if table_value >= beta {
            Extension::By(NOT_SINGULAR_CUT)
        } else if node.is_cut {
            Extension::By(NOT_SINGULAR)
        } else {
            Extension::By(0)
        }
    }

    /// How far below the limit all other moves must be for two and for three plies.
    fn extension_margins<N: NodeType>(&self, node: &Node) -> (Value, Value) {
        let correction = node.correction.abs() / singular_correction();
        let is_far = i32::from(node.ply > self.root_depth as Ply);
        let quiet = i32::from(!node.table_move_captures);
        let pv = i32::from(N::PV);
        let double = double_base() + double_pv() * pv
            - double_capture() * quiet
            - correction
            - double_history() * self.histories.table_move() / TABLE_HISTORY_SCALE
            - double_ply() * is_far;
        let triple = triple_base() + triple_pv() * pv - triple_capture() * quiet
            + triple_was_pv() * i32::from(node.was_pv)
            - correction
            - triple_ply() * is_far;
        (double, triple)
    }

    /// Whether a piece only goes to and fro, far from the root.
    fn is_shuffling(&self, ply: Ply, trial: &Trial) -> bool {
        if trial.is_capture || ply < shuffling_min_ply() as Ply {
            return false;
        }
        let before = |plies| self.frames.before(ply, plies).current_move;
        let (Some(second), Some(fourth)) = (before(2), before(4)) else {
            return false;
        };
        trial.mv.from() == Some(second.to()) && second.from() == Some(fourth.to())
    }

    /// Whether the table's move proved best.
    #[inline(always)]
    pub(super) fn learn_of_table_move(&mut self, is_best: bool) {
        let bonus = if is_best {
            table_move_holds()
        } else {
            -table_move_holds()
        };
        self.histories.update_table_move(bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact_at_powers_of_two_and_rise() {
        for (exponent, number) in [1, 2, 4, 8, 16, 32, 64, 128].into_iter().enumerate() {
            assert_eq!(LOG2[number], PLY * exponent as i32);
        }
        assert!(LOG2[1..].is_sorted());
        // 1024 · log2(3) = 1623.03…
        assert_eq!(LOG2[3], 1623);
    }
}
