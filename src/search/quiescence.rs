//! The leaves: captures and promotions of pawns are followed until the position is quiet, so that the evaluation is not
//! asked in the middle of an exchange. In check every evasion is a candidate, and no evasion is mate.

use crate::types::value::{self, MATE_IN_MAX_PLY, piece_value};
use crate::types::{Bound, Move, Ply, Value};

use super::move_picker::{MovePicker, promotion_gain};
use super::node::{Node, NodeType, Window};
use super::tunables::{quiescence_evasions, quiescence_margin};
use super::worker::{STOPPED, Worker};

impl Worker {
    /// The value of the position within `window` when it has become quiet.
    pub(super) fn quiescence<N: NodeType>(&mut self, window: Window, ply: Ply) -> Value {
        let mut window = window;
        if let Some(value) = self.rule_result::<N>(&mut window, ply) {
            return value;
        }
        let mut node = self.enter::<N>(window, 0, ply, false);
        if let Some(hit) = node.hit
            && !N::PV
            && hit.value != value::NONE
            && value::decides(hit.value, hit.bound, window.beta)
        {
            return hit.value;
        }
        if let Some(value) = self.mate_at_once::<N>(&mut node) {
            return value;
        }
        if let Some(value) = self.stand_pat(&mut node) {
            return value;
        }
        let mut picker = MovePicker::tactical(&self.position, node.table_move(), self.all_moves);
        let mut quiet_evasions = 0;
        while let Some(mv) = picker.next(&self.position, &self.histories) {
            node.move_count += 1;
            if node.best_value > -MATE_IN_MAX_PLY
                && self.prune_tactical(&mut node, mv, &mut quiet_evasions)
            {
                continue;
            }
            self.do_move(mv, ply);
            let value = -self.quiescence::<N>(node.window.flipped(), ply + 1);
            self.undo_move();
            if self.is_stopped() {
                return STOPPED;
            }
            if value > node.best_value {
                node.best_value = value;
                if value > node.window.alpha {
                    node.best_move = Some(mv);
                    if N::PV {
                        self.extend_line(ply, mv);
                    }
                    if value >= node.window.beta {
                        break;
                    }
                    node.window.alpha = value;
                    node.raised_alpha = true;
                }
            }
        }
        if node.in_check && node.move_count == 0 {
            return value::mated_in(ply);
        }
        // Moves were left out, so a value within the window is an upper bound of what is known.
        let bound = if node.best_value >= node.window.beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.store(&node, bound);
        node.best_value
    }

    /// Out of check nobody has to capture: the static evaluation is a lower bound.
    #[inline(always)]
    fn stand_pat(&mut self, node: &mut Node) -> Option<Value> {
        if node.in_check {
            return None;
        }
        node.static_eval = match node.hit {
            Some(hit) if hit.eval != value::NONE => hit.eval,
            _ => self.evaluate(),
        };
        node.best_value = node.static_eval;
        if let Some(hit) = node.hit
            && hit.value != value::NONE
            && hit.value.abs() <= value::MAX_EVALUATION
            && value::decides(hit.value, hit.bound, node.best_value + 1)
        {
            node.best_value = hit.value;
        }
        if node.best_value >= node.window.beta {
            if node.hit.is_none() {
                self.store(node, Bound::Lower);
            }
            return Some(node.best_value);
        }
        if node.best_value > node.window.alpha {
            node.window.alpha = node.best_value;
        }
        None
    }

    /// Whether a move is left out: what it wins cannot bring the value near alpha, or it loses by exchange. In check,
    /// some quiet evasions are enough.
    #[inline(always)]
    fn prune_tactical(&self, node: &mut Node, mv: Move, quiet_evasions: &mut i32) -> bool {
        let captured = self.position.piece_on(mv.to());
        if node.in_check {
            if captured.is_some() {
                return false;
            }
            *quiet_evasions += 1;
            return *quiet_evasions > quiescence_evasions();
        }
        let won = captured.map_or(0, |piece| {
            // The piece leaves the board and comes into the own hand.
            piece_value(piece.kind()) + piece_value(piece.kind().unpromoted())
        });
        let reachable = node.static_eval + won + promotion_gain(mv) + quiescence_margin();
        if reachable <= node.window.alpha {
            node.best_value = node.best_value.max(reachable);
            return true;
        }
        !self.position.see_ge(mv, 0)
    }
}
