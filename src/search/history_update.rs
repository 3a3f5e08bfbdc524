//! Updates of the histories at the end of a node, and of the correction history. Bonuses, maluses
//! and weights follow Stockfish.
//!
//! Every move that is recorded here was generated or proved legal in the position where it is
//! recorded.

use super::history::{CONTINUATIONS, CORRECTION_LIMIT, CORRECTION_UPDATE_SCALE, ContinuationRow};
use super::node::{Node, NodeType, SearchedMoves};
use super::{audit, tunables, worker::Worker};
use crate::types::{Move, PieceType, Ply, Value, value};

/// Divisor of the weights, which are in 1/1024.
const SCALE: i32 = 1024;
/// Divisor of the bonus after a fail low, applied before the weights.
const FAIL_LOW_PART: i32 = 32;
/// Number of continuation histories that are updated for a move made in check.
const CONTINUATIONS_IN_CHECK: usize = 2;

impl Worker {
    /// The TT move caused a cutoff without a search: a bonus for it if it is quiet, and a malus for
    /// an early quiet move of the opponent that led here.
    pub(super) fn update_histories_after_tt_cutoff(&mut self, node: &mut Node, mv: Move) {
        audit::legal(&self.position, &[mv], "move of the table");
        if !node.tt_capture {
            self.stack[node.ply].attacked = node.context.attacked(self.position.board());
            let bonus = tunables::tt_cutoff_bonus_per_depth() * node.depth
                - tunables::tt_cutoff_bonus_offset();
            self.update_quiet_histories(node, mv, bonus.min(tunables::tt_cutoff_bonus_max()));
        }
        let prior = self.stack.before(node.ply, 1);
        if let Some(last) = prior.current_move
            && prior.move_count <= tunables::tt_cutoff_prior_max_move_count()
            && self.position.captured_piece().is_none()
        {
            self.update_continuation_histories(
                node.ply,
                1,
                last,
                -tunables::tt_cutoff_prior_malus(),
            );
        }
    }

    /// A bonus or malus for the quiet move that led here, by the change of the static evaluation.
    /// Evaluations of both sides add up to the loss of the side to move.
    #[inline(always)]
    pub(super) fn update_prior_move_by_evaluation(&mut self, node: &Node) {
        let prior = self.stack.before(node.ply, 1);
        let Some(last) = prior.current_move else {
            return;
        };
        if prior.in_check || self.position.captured_piece().is_some() {
            return;
        }
        let attacked = prior.attacked;
        let gain = -(prior.static_eval + node.static_eval);
        let bonus = gain.clamp(tunables::eval_diff_min(), tunables::eval_diff_max())
            + tunables::eval_diff_offset();
        self.histories.update_butterfly(
            last,
            attacked,
            bonus * tunables::eval_diff_butterfly_weight(),
        );
        if node.tt_hit.is_none() && last.piece().kind() != PieceType::Pawn && !last.is_promotion() {
            self.histories.update_pawn(
                &self.position,
                last,
                bonus * tunables::eval_diff_pawn_history_weight(),
            );
        }
    }

    /// A bonus for a move whose reduced search failed high, so that it was searched again. The move
    /// has been made, so its frame is that of this node.
    #[inline(always)]
    pub(super) fn update_post_lmr_histories(&mut self, node: &Node, mv: Move) {
        self.update_continuation_histories(node.ply, 0, mv, tunables::post_lmr_bonus());
    }

    /// Updates at the end of a node: the best move against the moves before it, or, after a fail
    /// low, the move that led here.
    #[inline(always)]
    pub(super) fn update_histories<N: NodeType>(&mut self, node: &Node, searched: &SearchedMoves) {
        if let Some(best) = node.best_move {
            self.update_all_stats(node, best, searched);
            if !N::PV {
                self.update_tt_move_history(node.tt_move == Some(best));
            }
            return;
        }
        let Some(last) = self.stack.before(node.ply, 1).current_move else {
            return;
        };
        match self.position.captured_piece() {
            Some(captured) => {
                self.histories.update_capture(
                    last,
                    captured.kind(),
                    tunables::fail_low_capture_bonus(),
                );
            }
            None => self.update_prior_quiet_after_fail_low(node, last),
        }
    }

    fn update_all_stats(&mut self, node: &Node, best: Move, searched: &SearchedMoves) {
        audit::legal(&self.position, &[best], "move with a bonus");
        audit::legal(&self.position, &searched.quiets, "quiet move tried");
        audit::legal(&self.position, &searched.captures, "capture tried");
        let prior = self.stack.before(node.ply, 1);
        let (prior_score, prior_move) = (prior.stat_score, prior.current_move);
        let was_first = prior.move_count == 1 + i32::from(prior.tt_hit);
        let mut bonus = (tunables::best_move_bonus_per_depth() * node.depth
            - tunables::best_move_bonus_offset())
        .min(tunables::best_move_bonus_max())
            + prior_score / tunables::best_move_bonus_prior_score_divisor();
        let high = node.window.beta + tunables::best_move_bonus_high_margin();
        if node.best_value >= high {
            bonus += tunables::best_move_bonus_per_depth();
        }
        if node.tt_move == Some(best) {
            bonus += tunables::best_move_bonus_tt_move();
        }
        let malus = (tunables::other_moves_malus_per_depth() * node.depth
            - tunables::other_moves_malus_offset())
        .min(tunables::other_moves_malus_max());
        if let Some(captured) = self.position.piece_on(best.to()) {
            self.histories.update_capture(
                best,
                captured.kind(),
                bonus * tunables::capture_bonus_weight() / SCALE,
            );
        } else {
            self.update_quiet_histories(node, best, bonus * tunables::quiet_bonus_weight() / SCALE);
            self.update_refutations(node.ply, best);
            let mut malus = malus * tunables::quiet_malus_weight() / SCALE;
            for &mv in &searched.quiets {
                malus = malus * tunables::quiet_malus_decay() / SCALE;
                self.update_quiet_histories(node, mv, -malus);
            }
        }
        if let Some(last) = prior_move
            && was_first
            && self.position.captured_piece().is_none()
        {
            let malus = malus * tunables::early_refutation_malus_weight() / SCALE;
            self.update_continuation_histories(node.ply, 1, last, -malus);
        }
        for &mv in &searched.captures {
            if let Some(captured) = self.position.piece_on(mv.to()) {
                let malus = malus * tunables::capture_malus_weight() / SCALE;
                self.histories.update_capture(mv, captured.kind(), -malus);
            }
        }
    }

    /// A quiet move failed high: it becomes a killer of this ply and the counter move of the last
    /// move.
    fn update_refutations(&mut self, ply: Ply, best: Move) {
        let killers = &mut self.stack[ply].killers;
        if killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
        if let Some(last) = self.stack.before(ply, 1).current_move {
            self.histories.set_counter_move(last, best);
        }
    }

    /// All moves failed low, so the quiet move that led here gets a bonus.
    fn update_prior_quiet_after_fail_low(&mut self, node: &Node, last: Move) {
        let prior = self.stack.before(node.ply, 1);
        let mut scale = -tunables::fail_low_scale_offset()
            - prior.stat_score / tunables::fail_low_scale_prior_score_divisor();
        scale += (tunables::fail_low_scale_per_depth() * node.depth)
            .min(tunables::fail_low_scale_depth_max());
        if prior.move_count > tunables::fail_low_late_move_count() {
            scale += tunables::fail_low_scale_late_move();
        }
        if !node.in_check
            && node.best_value <= node.static_eval - tunables::fail_low_below_eval_margin()
        {
            scale += tunables::fail_low_scale_below_eval();
        }
        if !prior.in_check
            && prior.static_eval != value::NONE
            && node.best_value <= -prior.static_eval - tunables::fail_low_below_prior_eval_margin()
        {
            scale += tunables::fail_low_scale_below_prior_eval();
        }
        let attacked = prior.attacked;
        let per_depth =
            tunables::fail_low_bonus_per_depth() * node.depth - tunables::fail_low_bonus_offset();
        let bonus = per_depth.min(tunables::fail_low_bonus_max()) * scale.max(0);
        let weighed = |weight: i32| bonus / FAIL_LOW_PART * weight / SCALE;
        self.update_continuation_histories(
            node.ply,
            1,
            last,
            weighed(tunables::fail_low_continuation_weight()),
        );
        self.histories.update_butterfly(
            last,
            attacked,
            weighed(tunables::fail_low_butterfly_weight()),
        );
        if last.piece().kind() != PieceType::Pawn && !last.is_promotion() {
            self.histories.update_pawn(
                &self.position,
                last,
                weighed(tunables::fail_low_pawn_history_weight()),
            );
        }
    }

    /// Adds a bonus, negative for a malus, to all histories of a quiet move of this node.
    fn update_quiet_histories(&mut self, node: &Node, mv: Move, bonus: i32) {
        let attacked = self.stack[node.ply].attacked;
        self.histories.update_butterfly(mv, attacked, bonus);
        self.histories.update_low_ply(
            mv,
            node.ply,
            bonus * tunables::low_ply_update_weight() / SCALE,
        );
        self.update_continuation_histories(
            node.ply,
            0,
            mv,
            bonus * tunables::continuation_update_weight() / SCALE,
        );
        let weight = if bonus > 0 {
            tunables::pawn_history_bonus_weight()
        } else {
            tunables::pawn_history_malus_weight()
        };
        self.histories.update_pawn(&self.position, mv, bonus * weight / SCALE);
    }

    /// Adds a bonus to the continuation histories of the move made `back` plies before `ply`.
    fn update_continuation_histories(&mut self, ply: Ply, back: usize, mv: Move, bonus: i32) {
        let weights = [
            tunables::continuation_weight_1(),
            tunables::continuation_weight_2(),
            tunables::continuation_weight_3(),
            tunables::continuation_weight_4(),
            tunables::continuation_weight_5(),
            tunables::continuation_weight_6(),
        ];
        let count = if self.stack.before(ply, back).in_check {
            CONTINUATIONS_IN_CHECK
        } else {
            CONTINUATIONS
        };
        for (index, weight) in weights.into_iter().enumerate().take(count) {
            let row = self.stack.before(ply, back + index + 1).continuation_row;
            if row == ContinuationRow::NONE {
                continue;
            }
            let offset = if index == 0 { tunables::continuation_bonus_offset() } else { 0 };
            self.histories.update_continuation(row, mv, bonus * weight / SCALE + offset);
        }
    }

    /// Moves the correction histories towards the difference between the search value and the
    /// static evaluation. Not where the best move is a capture, nor where the value is a bound that
    /// the evaluation already satisfies.
    #[inline(always)]
    pub(super) fn update_correction_history(&mut self, node: &Node) {
        let is_capture = node.best_move.is_some_and(|mv| self.position.piece_on(mv.to()).is_some());
        if node.in_check
            || is_capture
            || (node.best_value > node.static_eval) != node.best_move.is_some()
        {
            return;
        }
        let weight = if node.best_move.is_some() {
            tunables::correction_update_best_move_weight()
        } else {
            tunables::correction_update_fail_low_weight()
        };
        self.move_corrections(node, node.best_value - node.static_eval, weight);
    }

    /// Moves the correction histories after a multi-cut: moves other than the TT move exceed beta
    /// too, at half the depth, so an evaluation below `value` was too low. Idea: Stockfish.
    pub(super) fn update_correction_after_multi_cut(&mut self, node: &Node, value: Value) {
        if node.in_check || value <= node.static_eval {
            return;
        }
        let weight = tunables::correction_update_multi_cut_weight();
        self.move_corrections(node, value - node.static_eval, weight);
    }

    /// Moves the correction histories by the `error` of the static evaluation; `weight` is in
    /// 1/128 per ply of depth.
    #[inline(always)]
    fn move_corrections(&mut self, node: &Node, error: Value, weight: i32) {
        let error = error * node.depth * weight / CORRECTION_UPDATE_SCALE;
        let bonus = error.clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        let rows = self.correction_rows(node.ply);
        let castles = self.stack[node.ply].castle_keys;
        self.histories.update_correction(
            &self.position,
            castles,
            rows,
            bonus * tunables::correction_update_weight() / SCALE,
        );
    }

    /// Records whether the TT move was the best move, in the history of its reliability.
    #[inline(always)]
    pub(super) fn update_tt_move_history(&mut self, is_best: bool) {
        let bonus = if is_best {
            tunables::tt_move_history_bonus()
        } else {
            -tunables::tt_move_history_bonus()
        };
        self.histories.update_tt_move_history(bonus);
    }
}
