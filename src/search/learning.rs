//! What the statistics learn from a node: which moves cut, which did not, and how far off the evaluation was.
//!
//! Every move that is recorded here was generated or proved legal where it is recorded.

use crate::types::value;
use crate::types::{Move, PieceType, Ply};

use super::audit;
use super::correction::CORRECTION_LIMIT;
use super::history::{CONTINUATIONS, Row};
use super::node::{Node, NodeType};
use super::tunables::{
    bonus_butterfly_low, bonus_continuation_low, bonus_fail_low_base, bonus_fail_low_count,
    bonus_fail_low_count_min, bonus_fail_low_depth, bonus_fail_low_depth_max, bonus_fail_low_max,
    bonus_fail_low_offset, bonus_fail_low_own, bonus_fail_low_own_margin, bonus_fail_low_per_depth,
    bonus_fail_low_prior, bonus_fail_low_prior_margin, bonus_fail_low_score, bonus_max,
    bonus_offset, bonus_pawns_low, bonus_per_depth, bonus_prior_score, bonus_quiet,
    bonus_table_move, capture_bonus, capture_malus, continuation_1, continuation_2, continuation_3,
    continuation_4, continuation_5, continuation_6, continuation_offset, correction_bonus,
    correction_cut, correction_low, eval_diff_butterfly, eval_diff_max, eval_diff_min,
    eval_diff_offset, eval_diff_pawns, learn_continuation, learn_low_ply, learn_pawns_malus,
    learn_pawns_plus, malus_decay, malus_max, malus_offset, malus_per_depth,
    malus_quick_refutation, malus_quiet, prior_capture_bonus, research_bonus, table_cut_bonus,
    table_cut_max, table_cut_offset, table_cut_prior, table_cut_prior_count,
};
use super::worker::Worker;

/// Weights are in 1/1024.
const SCALE: i32 = 1024;
const CORRECTION_SCALE: i32 = 128;
/// What a fail-low teaches about the move before is weighed in parts of this.
const FAIL_LOW_PART: i32 = 32;
/// In check only the histories of so many moves are learned.
const CONTINUATIONS_IN_CHECK: usize = 2;

impl Worker {
    /// The table's move cut without any search.
    pub(super) fn learn_from_table_cut(&mut self, node: &Node, mv: Move) {
        audit::legal(&self.position, &[mv], "move of the table");
        if !node.table_move_captures {
            let bonus = table_cut_bonus() * node.depth - table_cut_offset();
            self.learn_quiet(node, mv, bonus.min(table_cut_max()));
        }
        let prior = self.frames.before(node.ply, 1);
        if let Some(last) = prior.current_move
            && prior.move_count <= table_cut_prior_count()
            && self.position.captured_piece().is_none()
        {
            self.learn_continuations(node.ply, 1, last, -table_cut_prior());
        }
    }

    /// The last move was good when the evaluation fell for the side that did not make it.
    #[inline(always)]
    pub(super) fn learn_from_evaluation(&mut self, node: &Node) {
        let prior = self.frames.before(node.ply, 1);
        let Some(last) = prior.current_move else {
            return;
        };
        if prior.in_check || self.position.captured_piece().is_some() {
            return;
        }
        let gain = -(prior.static_eval + node.static_eval);
        let bonus = gain.clamp(eval_diff_min(), eval_diff_max()) + eval_diff_offset();
        self.histories
            .update_butterfly(last, bonus * eval_diff_butterfly());
        if node.hit.is_none() && last.piece().kind() != PieceType::Pawn && !last.is_promotion() {
            self.histories
                .update_pawns(&self.position, last, bonus * eval_diff_pawns());
        }
    }

    /// A move that was expected to fail low did not, so it was searched again. The move has been made.
    #[inline(always)]
    pub(super) fn learn_from_research(&mut self, node: &Node, mv: Move) {
        self.learn_continuations(node.ply, 0, mv, research_bonus());
    }

    /// The end of a node: the best move did better than those tried before it, or no move was good enough.
    #[inline(always)]
    pub(super) fn learn_from_moves<N: NodeType>(&mut self, node: &Node) {
        if let Some(best) = node.best_move {
            self.learn_best(node, best);
            if !N::PV {
                self.learn_of_table_move(node.table_move == Some(best));
            }
            return;
        }
        let Some(last) = self.frames.before(node.ply, 1).current_move else {
            return;
        };
        match self.position.captured_piece() {
            Some(captured) => {
                self.histories
                    .update_capture(last, captured.kind(), prior_capture_bonus());
            }
            None => self.learn_from_fail_low(node, last),
        }
    }

    fn learn_best(&mut self, node: &Node, best: Move) {
        audit::legal(&self.position, &[best], "move with a bonus");
        audit::legal(&self.position, &node.quiets_tried, "quiet move tried");
        audit::legal(&self.position, &node.captures_tried, "capture tried");
        let prior = self.frames.before(node.ply, 1);
        let (prior_score, prior_move) = (prior.stat_score, prior.current_move);
        let was_first = prior.move_count == 1 + i32::from(prior.table_hit);
        let mut bonus = (bonus_per_depth() * node.depth - bonus_offset()).min(bonus_max())
            + prior_score / bonus_prior_score();
        if node.table_move == Some(best) {
            bonus += bonus_table_move();
        }
        let malus = (malus_per_depth() * node.depth - malus_offset()).min(malus_max());
        if let Some(captured) = self.position.piece_on(best.to()) {
            self.histories
                .update_capture(best, captured.kind(), bonus * capture_bonus() / SCALE);
        } else {
            self.learn_quiet(node, best, bonus * bonus_quiet() / SCALE);
            self.remember_refutation(node.ply, best);
            let mut malus = malus * malus_quiet() / SCALE;
            for &mv in &node.quiets_tried {
                malus = malus * malus_decay() / SCALE;
                self.learn_quiet(node, mv, -malus);
            }
        }
        if let Some(last) = prior_move
            && was_first
            && self.position.captured_piece().is_none()
        {
            let malus = malus * malus_quick_refutation() / SCALE;
            self.learn_continuations(node.ply, 1, last, -malus);
        }
        for &mv in &node.captures_tried {
            if let Some(captured) = self.position.piece_on(mv.to()) {
                let malus = malus * capture_malus() / SCALE;
                self.histories.update_capture(mv, captured.kind(), -malus);
            }
        }
    }

    /// A quiet move that cut: a killer here, and the counter move to the last move.
    fn remember_refutation(&mut self, ply: Ply, best: Move) {
        let killers = &mut self.frames[ply].killers;
        if killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
        if let Some(last) = self.frames.before(ply, 1).current_move {
            self.histories.set_counter_move(last, best);
        }
    }

    /// No move was good enough, so the last move was a good one.
    fn learn_from_fail_low(&mut self, node: &Node, last: Move) {
        let prior = self.frames.before(node.ply, 1);
        let mut scale = -bonus_fail_low_base() - prior.stat_score / bonus_fail_low_score();
        scale += (bonus_fail_low_depth() * node.depth).min(bonus_fail_low_depth_max());
        if prior.move_count > bonus_fail_low_count_min() {
            scale += bonus_fail_low_count();
        }
        if !node.in_check && node.best_value <= node.static_eval - bonus_fail_low_own_margin() {
            scale += bonus_fail_low_own();
        }
        if !prior.in_check
            && prior.static_eval != value::NONE
            && node.best_value <= -prior.static_eval - bonus_fail_low_prior_margin()
        {
            scale += bonus_fail_low_prior();
        }
        let per_depth = bonus_fail_low_per_depth() * node.depth - bonus_fail_low_offset();
        let bonus = per_depth.min(bonus_fail_low_max()) * scale.max(0);
        let weighed = |weight: i32| bonus / FAIL_LOW_PART * weight / SCALE;
        self.learn_continuations(node.ply, 1, last, weighed(bonus_continuation_low()));
        self.histories
            .update_butterfly(last, weighed(bonus_butterfly_low()));
        if last.piece().kind() != PieceType::Pawn && !last.is_promotion() {
            self.histories
                .update_pawns(&self.position, last, weighed(bonus_pawns_low()));
        }
    }

    /// A quiet move of this node did well, or badly where the bonus is negative.
    fn learn_quiet(&mut self, node: &Node, mv: Move, bonus: i32) {
        self.histories.update_butterfly(mv, bonus);
        self.histories
            .update_low_ply(mv, node.ply, bonus * learn_low_ply() / SCALE);
        self.learn_continuations(node.ply, 0, mv, bonus * learn_continuation() / SCALE);
        let weight = if bonus > 0 {
            learn_pawns_plus()
        } else {
            learn_pawns_malus()
        };
        self.histories
            .update_pawns(&self.position, mv, bonus * weight / SCALE);
    }

    /// A move made `back` plies before `ply` did well after the moves before it.
    fn learn_continuations(&mut self, ply: Ply, back: usize, mv: Move, bonus: i32) {
        let weights = [
            continuation_1(),
            continuation_2(),
            continuation_3(),
            continuation_4(),
            continuation_5(),
            continuation_6(),
        ];
        let count = if self.frames.before(ply, back).in_check {
            CONTINUATIONS_IN_CHECK
        } else {
            CONTINUATIONS
        };
        for (index, weight) in weights.into_iter().enumerate().take(count) {
            let row = self.frames.before(ply, back + index + 1).row;
            if row == Row::NONE {
                continue;
            }
            let offset = if index == 0 { continuation_offset() } else { 0 };
            self.histories
                .update_continuation(row, mv, bonus * weight / SCALE + offset);
        }
    }

    /// How far the evaluation was from what the search found.
    #[inline(always)]
    pub(super) fn learn_from_value(&mut self, node: &Node) {
        let is_capture = node
            .best_move
            .is_some_and(|mv| self.position.piece_on(mv.to()).is_some());
        if node.in_check
            || is_capture
            || (node.best_value > node.static_eval) != node.best_move.is_some()
        {
            return;
        }
        let weight = if node.best_move.is_some() {
            correction_cut()
        } else {
            correction_low()
        };
        let error = (node.best_value - node.static_eval) * node.depth * weight / CORRECTION_SCALE;
        let bonus = error.clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        let rows = self.correction_rows(node.ply);
        self.histories
            .corrections
            .update(&self.position, rows, bonus * correction_bonus() / SCALE);
    }
}
