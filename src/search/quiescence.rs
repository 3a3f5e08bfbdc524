//! Quiescence search: below depth 0 captures and pawn promotions are searched until the position is
//! quiet, because a static evaluation in the middle of an exchange is wrong. In check all evasions
//! are searched, and a position without one is mate.

use crate::types::value::{self, is_decisive, is_loss, piece_value};
use crate::types::{Bound, Move, Ply, Value};

use super::node::{Node, NodeType, Verdict, Window};
use super::worker::{STOPPED, Worker};
use super::{move_picker::MovePicker, move_picker::promotion_gain, tunables};

impl Worker {
    /// Searches a node at depth 0 or below and returns its value within `window` (fail-soft).
    pub(super) fn quiescence<N: NodeType>(&mut self, mut window: Window, ply: Ply) -> Value {
        if let Some(value) = self.rule_result::<N>(&mut window, ply) {
            return value;
        }
        let mut node = self.leaf_node(window, ply);
        if let Some(tt_hit) = node.tt_hit
            && !N::PV
            && let Some(value) = node.tt_value()
            && value::decides(value, tt_hit.bound, window.beta)
        {
            return value;
        }
        if let Some(value) = self.mate_in_one_value::<N>(&mut node) {
            return value;
        }
        if let Some(value) = self.stand_pat(&mut node) {
            return value;
        }
        let mut picker = MovePicker::tactical(&self.position, node.tt_move, self.all_moves);
        node.context.ignore_attacks();
        let recapture = self.stack.before(ply, 1).current_move.map(Move::to);
        while let Some(mv) = picker.next(&self.position, &self.histories, &mut node.context) {
            node.move_count += 1;
            if self.prune_tactical(&mut node, mv, recapture == Some(mv.to())) {
                continue;
            }
            self.do_move(mv, ply);
            let value = -self.quiescence::<N>(node.window.flipped(), ply + 1);
            self.undo_move();
            if self.is_stopped() {
                return STOPPED;
            }
            if self.update_best_quiescence::<N>(&mut node, mv, value) {
                break;
            }
        }
        if node.in_check && node.move_count == 0 {
            return value::mated_in(ply);
        }
        self.finish_quiescence(&mut node)
    }

    /// Records a new best value and best move. Returns whether it fails high.
    #[inline(always)]
    fn update_best_quiescence<N: NodeType>(
        &mut self,
        node: &mut Node,
        mv: Move,
        value: Value,
    ) -> bool {
        if value <= node.best_value {
            return false;
        }
        node.best_value = value;
        if value <= node.window.alpha {
            return false;
        }
        node.best_move = Some(mv);
        if N::PV {
            self.update_pv(node.ply, mv);
        }
        if value >= node.window.beta {
            return true;
        }
        node.window.alpha = value;
        false
    }

    /// Stores and returns the best value: a lower bound if it failed high, otherwise an upper
    /// bound.
    #[inline(always)]
    fn finish_quiescence(&mut self, node: &mut Node) -> Value {
        let beta = node.window.beta;
        if node.best_value > beta && !is_decisive(node.best_value) && !is_decisive(beta) {
            node.best_value = Value::midpoint(node.best_value, beta);
        }
        let bound = if node.best_value >= beta { Bound::Lower } else { Bound::Upper };
        self.store(node, bound);
        node.best_value
    }

    /// Stand pat: outside of check no side has to capture, so the static evaluation is a lower
    /// bound. Returns it where it fails high.
    #[inline(always)]
    fn stand_pat(&mut self, node: &mut Node) -> Option<Value> {
        if node.in_check {
            self.stack[node.ply].castle_keys = None;
            return None;
        }
        node.correction = self.correction(node.ply);
        self.set_static_eval(node);
        node.best_value = node.static_eval;
        if let Some(tt_hit) = node.tt_hit
            && let Some(value) = node.tt_value()
            && !is_decisive(value)
            && value::decides(value, tt_hit.bound, node.best_value + 1)
        {
            node.best_value = value;
        }
        if node.best_value >= node.window.beta {
            if !is_decisive(node.window.beta) {
                node.best_value = Value::midpoint(node.best_value, node.window.beta);
            }
            if node.tt_hit.is_none() {
                self.store(node, Bound::Lower);
            }
            return Some(node.best_value);
        }
        node.window.alpha = node.window.alpha.max(node.best_value);
        None
    }

    /// Whether a move is skipped: its gain does not bring the evaluation up to alpha, or it loses
    /// material by exchange. No move is skipped before one that does not lose. Moves that reach the
    /// static exchange evaluation are mostly made, so their table cluster is prefetched before it.
    #[inline(always)]
    fn prune_tactical(&self, node: &mut Node, mv: Move, is_recapture: bool) -> bool {
        let loses = is_loss(node.best_value);
        let verdict =
            if loses { Verdict::Keep } else { self.tactical_verdict(node, mv, is_recapture) };
        if verdict == Verdict::Prune {
            return true;
        }
        self.prefetch_after(mv);
        let least = -tunables::quiescence_see_margin();
        match verdict {
            Verdict::KeepIfWins(needed) if !self.position.see_ge(mv, needed) => {
                let base = node.static_eval + tunables::quiescence_futility_margin();
                node.best_value = node.best_value.max(node.window.alpha.min(base));
                true
            }
            // The exchange below would ask for less.
            Verdict::KeepIfWins(needed) if needed >= least => false,
            _ => !loses && !self.position.see_ge(mv, least),
        }
    }

    /// Futility, and the number of moves. In check, quiet evasions are skipped.
    #[inline(always)]
    fn tactical_verdict(&self, node: &mut Node, mv: Move, is_recapture: bool) -> Verdict {
        let captured = self.position.piece_on(mv.to());
        if node.in_check {
            return if captured.is_none() { Verdict::Prune } else { Verdict::Keep };
        }
        if is_recapture || self.position.gives_check(mv) {
            return Verdict::Keep;
        }
        if node.move_count > tunables::quiescence_max_moves() {
            return Verdict::Prune;
        }
        let base = node.static_eval + tunables::quiescence_futility_margin();
        let won = captured.map_or(0, |piece| piece_value(piece.kind())) + promotion_gain(mv);
        let reachable = base + won;
        if reachable <= node.window.alpha {
            node.best_value = node.best_value.max(reachable);
            return Verdict::Prune;
        }
        Verdict::KeepIfWins(node.window.alpha - base)
    }
}
