//! What the search leaves out: whole nodes whose value is clear enough, and moves that will hardly matter.

use crate::bitboard::Bitboard;
use crate::types::value::{MATE_IN_MAX_PLY, is_decisive, is_loss, is_win, piece_value};
use crate::types::{Bound, Depth, Ply, Value};

use super::correction::CorrectionRow;
use super::history::Row;
use super::move_picker::MovePicker;
use super::node::{Node, NodeType, NonPv, Window};
use super::reductions::{PLY, Trial};
use super::tunables::{
    capture_futility_base, capture_futility_depth, capture_futility_history,
    capture_futility_max_depth, futility_above_alpha, futility_base, futility_margin,
    futility_max_depth, futility_no_best, futility_threat, hindsight_deeper, hindsight_margin,
    hindsight_shallower, history_prune, history_prune_butterfly, history_reduction_divisor,
    iir_max_prior_reduction, iir_min_depth, lmp_base, null_base, null_depth, null_depth_divisor,
    null_improving, null_margin, null_verification_depth, probcut_improving, probcut_margin,
    probcut_min_depth, probcut_reduction, probcut_table_depth, probcut_table_margin, razor_base,
    razor_margin, rfp_improving, rfp_margin, rfp_max_depth, rfp_no_table, rfp_threat_first,
    rfp_threat_second, rfp_uncertainty, rfp_worsens, see_capture_history, see_capture_margin,
    see_capture_min_alpha, see_quiet_margin,
};
use super::worker::{STOPPED, Worker};

/// Margins that scale with another margin are in 1/1024 of it, histories likewise.
const SCALE: i32 = 1024;
const BUTTERFLY_SCALE: i32 = 32;
/// The value of a node that reverse futility leaves out lies between beta and the evaluation: so many thirds are beta.
const BETA_THIRDS: Value = 2;
const THIRDS: Value = 3;
/// A verified null move searches so many quarters of its depth without another.
const VERIFIED_QUARTERS: Depth = 3;

/// Whether a move is worth a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Prune,
    Keep,
    /// If the exchange that it begins wins at least so much.
    KeepIfWins(Value),
}

impl Worker {
    /// Steps 5 to 9: the whole node is left out where its value is clear enough.
    #[inline(always)]
    pub(super) fn prune_node<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if !node.in_check {
            if !N::PV
                && let Some(value) = self
                    .razor::<N>(node)
                    .or_else(|| self.reverse_futility(node))
                    .or_else(|| self.null_move(node))
            {
                return Some(value);
            }
            node.is_improving |= node.static_eval >= node.window.beta;
            self.reduce_without_table_move::<N>(node);
            if !N::ROOT
                && let Some(value) = self.probcut(node)
            {
                return Some(value);
            }
        }
        if N::ROOT {
            return None;
        }
        Self::probcut_by_table(node)
    }

    /// Looks back at the reduction that led here: it was too much where the opponent's position did not get worse, and too
    /// little where it did.
    #[inline(always)]
    pub(super) fn adjust_depth(node: &mut Node, opponent: Value) {
        if node.prior_reduction >= hindsight_deeper() && !node.opponent_worsens {
            node.depth += 1;
        }
        if node.prior_reduction >= hindsight_shallower()
            && node.depth >= 2
            && node.static_eval + opponent > hindsight_margin()
        {
            node.depth -= 1;
        }
    }

    /// Step 5, razoring: so far below alpha that only captures could help.
    #[inline(always)]
    fn razor<N: NodeType>(&mut self, node: &Node) -> Option<Value> {
        let alpha = node.window.alpha;
        let margin = razor_base() + razor_margin() * node.depth * node.depth;
        if node.eval + margin >= alpha {
            return None;
        }
        Some(self.quiescence::<N>(Window::above(alpha), node.ply))
    }

    /// Step 6, reverse futility: so far above beta that the opponent will not come back within the depth left.
    #[inline(always)]
    fn reverse_futility(&self, node: &Node) -> Option<Value> {
        let beta = node.window.beta;
        let per_ply = if node.hit.is_some() {
            rfp_margin()
        } else {
            rfp_margin() - rfp_no_table()
        };
        let mut eased = 0;
        if node.is_improving {
            eased += rfp_improving();
        }
        if node.opponent_worsens {
            eased += rfp_worsens();
        }
        let margin = per_ply * node.depth - eased * per_ply / SCALE
            + node.correction.abs() / rfp_uncertainty();
        let is_clear = !node.was_pv
            && node.depth <= rfp_max_depth()
            && node.eval >= beta
            && node.eval - margin >= beta
            && (node.table_move.is_none() || node.table_move_captures)
            && !is_loss(beta)
            && !is_win(node.eval)
            && node.eval - margin - self.value_threatened() >= beta;
        is_clear.then_some((BETA_THIRDS * beta + (THIRDS - BETA_THIRDS) * node.eval) / THIRDS)
    }

    /// How far below the evaluation the value may be because lesser pieces threaten own ones: one can move away, two cannot.
    #[inline(always)]
    fn value_threatened(&self) -> Value {
        let board = self.position.board();
        let us = board.side_to_move();
        let (mut first, mut second) = (0, 0);
        for square in board.threatened(us, &board.lesser_attacks(!us)) {
            let piece = board.piece_on(square);
            let value = piece.map_or(0, |piece| piece_value(piece.kind()));
            second = second.max(first.min(value));
            first = first.max(value);
        }
        (first * rfp_threat_first() + second * rfp_threat_second()) / SCALE
    }

    /// Step 7, null move: good enough even when the opponent may move twice. There is no zugzwang in shogi worth the
    /// name: a move that does no harm nearly always exists. Deep in the tree it is verified all the same.
    #[inline(always)]
    fn null_move(&mut self, node: &Node) -> Option<Value> {
        let (beta, ply) = (node.window.beta, node.ply);
        let mut needed = beta - null_depth() * node.depth + null_margin();
        if node.is_improving {
            needed -= null_improving();
        }
        let is_tried = node.is_cut
            && node.static_eval >= needed
            && node.excluded.is_none()
            && ply >= self.null_min_ply
            && !is_loss(beta)
            && self.position.last_move().is_some();
        if !is_tried {
            return None;
        }
        self.null_move_value(node)
    }

    #[inline(never)]
    fn null_move_value(&mut self, node: &Node) -> Option<Value> {
        let (beta, ply) = (node.window.beta, node.ply);
        let key = self.position.key().flipped();
        self.task.table.prefetch(self.table_key(key));
        let depth = node.depth - null_base() - node.depth / null_depth_divisor();
        let frame = &mut self.frames[ply];
        frame.current_move = None;
        frame.row = Row::NONE;
        frame.correction_row = CorrectionRow::NONE;
        self.position.do_null_move();
        let window = Window::above(beta - 1).flipped();
        let value = -self.search::<NonPv>(window, depth, ply + 1, false);
        self.position.undo_null_move();
        if self.is_stopped() {
            return Some(STOPPED);
        }
        // A win after passing is no proof.
        if value < beta || is_win(value) {
            return None;
        }
        if self.null_min_ply > 0 || node.depth < null_verification_depth() {
            return Some(value);
        }
        // Verified by a search in which this side may not pass.
        self.null_min_ply = ply + (VERIFIED_QUARTERS * depth.max(0) / 4) as Ply;
        let verified = self.search::<NonPv>(Window::above(beta - 1), depth, ply, false);
        self.null_min_ply = 0;
        if self.is_stopped() {
            return Some(STOPPED);
        }
        (verified >= beta).then_some(value)
    }

    /// Step 8, internal iterative reduction: without a move from the table, find one cheaply first.
    #[inline(always)]
    fn reduce_without_table_move<N: NodeType>(&self, node: &mut Node) {
        if !self.frames[node.ply].follows_pv
            && !node.is_all
            && node.depth >= iir_min_depth()
            && node.table_move.is_none()
            && node.prior_reduction <= iir_max_prior_reduction()
        {
            node.depth -= 1;
        }
    }

    /// Step 9, `ProbCut`: a capture that is far above beta after a shallow search will be above beta after a deep one.
    #[inline(always)]
    fn probcut(&mut self, node: &Node) -> Option<Value> {
        let beta = node.window.beta;
        let mut limit = beta + probcut_margin();
        if node.is_improving {
            limit -= probcut_improving();
        }
        let is_tried = node.depth >= probcut_min_depth()
            && !is_decisive(beta)
            && node.table_value().is_none_or(|value| value >= limit);
        if !is_tried {
            return None;
        }
        self.probcut_value(node, limit)
    }

    #[inline(never)]
    fn probcut_value(&mut self, node: &Node, limit: Value) -> Option<Value> {
        let ply = node.ply;
        let depth = node.depth - probcut_reduction();
        let mut picker = MovePicker::winning_captures(
            &self.position,
            node.table_move,
            limit - node.static_eval,
            node.context,
            self.all_moves,
        );
        while let Some(mv) = picker.next(&self.position, &self.histories) {
            if node.excluded == Some(mv) {
                continue;
            }
            let window = Window::above(limit - 1).flipped();
            self.prefetch_after(mv);
            self.do_move(mv, ply);
            let mut value = -self.quiescence::<NonPv>(window, ply + 1);
            if value >= limit && depth > 0 {
                value = -self.search::<NonPv>(window, depth, ply + 1, !node.is_cut);
            }
            self.undo_move();
            if self.is_stopped() {
                return Some(STOPPED);
            }
            if value >= limit {
                if node.excluded.is_none() {
                    self.store_value(node, value, Bound::Lower, depth + 1, Some(mv));
                }
                if !is_decisive(value) {
                    return Some(value - (limit - node.window.beta));
                }
            }
        }
        None
    }

    /// Step 9: the same from what the table knows of a slightly less deep search.
    #[inline(always)]
    fn probcut_by_table(node: &Node) -> Option<Value> {
        let hit = node.hit?;
        let limit = node.window.beta + probcut_table_margin();
        let is_cut = hit.is_at_least(limit)
            && hit.depth >= node.depth - probcut_table_depth()
            && !is_decisive(node.window.beta)
            && !is_decisive(hit.value);
        is_cut.then_some(limit)
    }

    /// Step 10: a move is left out. Never before one was found that does not lose, so that mates stay proved. What remains
    /// when exchanges are judged is mostly searched, so the memory is asked before.
    #[inline(always)]
    pub(super) fn prune_move<N: NodeType>(
        &mut self,
        node: &mut Node,
        picker: &mut MovePicker,
        trial: &Trial,
    ) -> bool {
        let mv = trial.mv;
        let verdict = if N::ROOT || is_loss(node.best_value) {
            Verdict::Keep
        } else {
            self.verdict::<N>(node, picker, trial)
        };
        if verdict == Verdict::Prune {
            return true;
        }
        self.prefetch_after(mv);
        matches!(verdict, Verdict::KeepIfWins(needed) if !self.position.see_ge(mv, needed))
    }

    #[inline(always)]
    fn verdict<N: NodeType>(
        &self,
        node: &mut Node,
        picker: &mut MovePicker,
        trial: &Trial,
    ) -> Verdict {
        if node.move_count >= late_move_count(node) {
            picker.skip_quiets();
        }
        let reduced = trial.next_depth - trial.reduction / PLY;
        if trial.is_capture || trial.gives_check {
            self.judge_capture(node, trial, reduced)
        } else if N::PV && self.frames[node.ply].follows_pv {
            Verdict::Keep
        } else {
            self.judge_quiet(node, picker, trial, reduced)
        }
    }

    /// Captures and checks: futility and exchanges. Who is behind may need a sacrifice, so then exchanges are not judged: as in
    /// `YaneuraOu`, and worth more than any other condition here.
    #[inline(always)]
    fn judge_capture(&self, node: &Node, trial: &Trial, reduced: Depth) -> Verdict {
        let mv = trial.mv;
        let (victim, history) = self.position.piece_on(mv.to()).map_or((0, 0), |piece| {
            let history = self.histories.capture(mv, piece.kind());
            (piece_value(piece.kind()), history)
        });
        if !trial.gives_check && reduced < capture_futility_max_depth() {
            let reachable = node.static_eval
                + capture_futility_base()
                + capture_futility_depth() * reduced
                + victim
                + capture_futility_history() * history / SCALE;
            if reachable <= node.window.alpha {
                return Verdict::Prune;
            }
        }
        if node.window.alpha < see_capture_min_alpha() {
            return Verdict::Keep;
        }
        let margin = see_capture_margin() * node.depth + see_capture_history() * history / SCALE;
        Verdict::KeepIfWins(-margin.max(0))
    }

    /// Quiet moves: histories, futility and exchanges.
    #[inline(always)]
    fn judge_quiet(
        &self,
        node: &mut Node,
        picker: &MovePicker,
        trial: &Trial,
        reduced: Depth,
    ) -> Verdict {
        let mv = trial.mv;
        let [reply, follow_up, ..] = node.context.rows;
        let mut history = self.histories.continuation(reply, mv)
            + self.histories.continuation(follow_up, mv)
            + self.histories.pawns(&node.context, mv);
        if history < -history_prune() * node.depth {
            return Verdict::Prune;
        }
        history += history_prune_butterfly() * self.histories.butterfly(mv) / BUTTERFLY_SCALE;
        let reduced = reduced + history / history_reduction_divisor();
        if !node.in_check && reduced < futility_max_depth() {
            let alpha = node.window.alpha;
            let mut reachable = node.static_eval + futility_base() + futility_margin() * reduced;
            if node.best_move.is_none() {
                reachable += futility_no_best();
            }
            if node.static_eval > alpha {
                reachable += futility_above_alpha();
            }
            let moved = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
            if (picker.threatened - moved).is_any() {
                reachable -= futility_threat();
            }
            if reachable <= alpha {
                if node.best_value <= reachable
                    && !is_decisive(node.best_value)
                    && reachable < MATE_IN_MAX_PLY
                {
                    node.best_value = reachable;
                }
                return Verdict::Prune;
            }
        }
        let reduced = reduced.max(0);
        Verdict::KeepIfWins(-see_quiet_margin() * reduced * reduced)
    }
}

/// From this move on quiet moves are left out.
#[inline(always)]
fn late_move_count(node: &Node) -> i32 {
    let count = lmp_base() + node.depth * node.depth;
    if node.is_improving { count } else { count / 2 }
}
