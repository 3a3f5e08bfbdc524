//! Pruning: steps 5 to 9 cut off whole nodes, step 10 skips single moves. Conditions and margins
//! follow Stockfish and `YaneuraOu`.

use crate::bitboard::Bitboard;
use crate::types::value::{MATE_IN_MAX_PLY, is_decisive, is_loss, is_win, piece_value};
use crate::types::{Bound, Depth, Move, Value};

use super::node::{MoveInfo, Node, NodeType, NonPv, Verdict, Window};
use super::worker::{STOPPED, Worker};
use super::{depth::REDUCTION_SCALE, tunables};
use super::{history::ContinuationRow, history::CorrectionRow, move_picker::MovePicker};

/// Divisor of the weights that are given in 1/1024.
const SCALE: i32 = 1024;
const BUTTERFLY_SCALE: i32 = 32;
/// A node cut off by reverse futility returns a mean of beta and the evaluation, in which beta has
/// two thirds of the weight.
const BETA_THIRDS: Value = 2;
const THIRDS: Value = 3;

impl Worker {
    /// Steps 5 to 9: the value of a node that needs no full search.
    #[inline(always)]
    pub(super) fn prune_node<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if !node.in_check {
            if !N::PV
                && let Some(value) = self
                    .razoring::<N>(node)
                    .or_else(|| self.reverse_futility(node))
                    .or_else(|| self.null_move_pruning(node))
            {
                return Some(value);
            }
            node.improving |= node.static_eval >= node.window.beta;
            self.internal_iterative_reduction(node);
            if !N::ROOT
                && let Some(value) = self.probcut(node)
            {
                return Some(value);
            }
        }
        if N::ROOT {
            return None;
        }
        Self::small_probcut(node)
    }

    /// Step 5, razoring: the evaluation is so far below alpha that quiescence search decides.
    #[inline(always)]
    fn razoring<N: NodeType>(&mut self, node: &Node) -> Option<Value> {
        let alpha = node.window.alpha;
        let margin = tunables::razoring_margin_base()
            + tunables::razoring_margin_per_depth_squared() * node.depth * node.depth;
        if node.eval + margin >= alpha {
            return None;
        }
        Some(self.quiescence::<N>(Window::above(alpha), node.ply))
    }

    /// Step 6, reverse futility pruning: the evaluation exceeds beta by a margin that grows with
    /// depth.
    #[inline(always)]
    fn reverse_futility(&self, node: &mut Node) -> Option<Value> {
        let beta = node.window.beta;
        let per_ply = if node.tt_hit.is_some() {
            tunables::rfp_margin_per_depth()
        } else {
            tunables::rfp_margin_per_depth() - tunables::rfp_margin_tt_miss()
        };
        let mut eased = 0;
        if node.improving {
            eased += tunables::rfp_improving_weight();
        }
        if node.opponent_worsening {
            eased += tunables::rfp_opponent_worsening_weight();
        }
        let margin = per_ply * node.depth - eased * per_ply / SCALE
            + node.correction.abs() / tunables::rfp_correction_divisor();
        let is_clear = !node.tt_pv
            && node.depth <= tunables::rfp_max_depth()
            && node.eval >= beta
            && node.eval - margin >= beta
            && (node.tt_move.is_none() || node.tt_capture)
            && !is_loss(beta)
            && !is_win(node.eval)
            && node.eval - margin - self.threatened_value(node) >= beta;
        is_clear.then_some((BETA_THIRDS * beta + (THIRDS - BETA_THIRDS) * node.eval) / THIRDS)
    }

    /// The value at risk where own pieces are attacked by less valuable ones, in the internal unit.
    /// The most valuable of them can still move away, the second cannot, so each has its own
    /// weight.
    #[inline(always)]
    fn threatened_value(&self, node: &mut Node) -> Value {
        let board = self.position.board();
        let us = board.side_to_move();
        let (mut first, mut second) = (0, 0);
        for square in board.threatened(us, &node.context.lesser_attacks(board)) {
            let piece = board.piece_on(square);
            let value = piece.map_or(0, |piece| piece_value(piece.kind()));
            second = second.max(first.min(value));
            first = first.max(value);
        }
        (first * tunables::rfp_first_threat_weight()
            + second * tunables::rfp_second_threat_weight())
            / SCALE
    }

    /// Step 7, null move pruning: a side that exceeds beta even after passing fails high. Zugzwang
    /// is practically unknown in shogi, because harmless moves nearly always exist, so the result
    /// is not verified.
    #[inline(always)]
    fn null_move_pruning(&mut self, node: &mut Node) -> Option<Value> {
        let beta = node.window.beta;
        let mut needed =
            beta - tunables::nmp_margin_per_depth() * node.depth + tunables::nmp_margin_base();
        if node.improving {
            needed -= tunables::nmp_margin_improving();
        }
        let is_tried = node.cut_node
            && node.static_eval >= needed
            && node.excluded_move.is_none()
            && !is_loss(beta)
            && self.position.last_move().is_some();
        if !is_tried {
            return None;
        }
        let at_risk = self.threatened_value(node) * tunables::nmp_threat_weight() / SCALE;
        if node.static_eval < needed + at_risk {
            return None;
        }
        self.null_move_search(node)
    }

    #[inline(never)]
    fn null_move_search(&mut self, node: &Node) -> Option<Value> {
        let (beta, ply) = (node.window.beta, node.ply);
        let key = self.position.key().flipped();
        self.task.table.prefetch(self.tt_key(key));
        let depth = node.depth
            - tunables::nmp_reduction_base()
            - node.depth / tunables::nmp_reduction_depth_divisor();
        let frame = &mut self.stack[ply];
        frame.current_move = None;
        frame.continuation_row = ContinuationRow::NONE;
        frame.correction_row = CorrectionRow::NONE;
        self.position.do_null_move();
        let window = Window::above(beta - 1).flipped();
        let value = -self.search::<NonPv>(window, depth, ply + 1, false);
        self.position.undo_null_move();
        if self.is_stopped() {
            return Some(STOPPED);
        }
        // A mate score after a null move is not proved.
        (value >= beta && !is_win(value)).then_some(value)
    }

    /// Step 9, `ProbCut`: a capture that exceeds beta by a margin in a shallow search is taken to
    /// exceed beta in a deep one.
    #[inline(always)]
    fn probcut(&mut self, node: &Node) -> Option<Value> {
        let beta = node.window.beta;
        let mut probcut_beta = beta + tunables::probcut_margin();
        if node.improving {
            probcut_beta -= tunables::probcut_margin_improving();
        }
        let is_tried = node.depth >= tunables::probcut_min_depth()
            && !is_decisive(beta)
            && node.tt_value().is_none_or(|value| value >= probcut_beta);
        if !is_tried {
            return None;
        }
        self.probcut_search(node, probcut_beta)
    }

    #[inline(never)]
    fn probcut_search(&mut self, node: &Node, probcut_beta: Value) -> Option<Value> {
        let ply = node.ply;
        let depth = node.depth - tunables::probcut_depth_reduction();
        let mut picker = MovePicker::winning_captures(
            &self.position,
            node.tt_move,
            probcut_beta - node.static_eval,
            self.all_moves,
        );
        let mut context = node.context;
        while let Some(mv) = picker.next(&self.position, &self.histories, &mut context) {
            if node.excluded_move == Some(mv) {
                continue;
            }
            let window = Window::above(probcut_beta - 1).flipped();
            self.prefetch_after(mv);
            self.do_move(mv, ply);
            let mut value = -self.quiescence::<NonPv>(window, ply + 1);
            if value >= probcut_beta && depth > 0 {
                value = -self.search::<NonPv>(window, depth, ply + 1, !node.cut_node);
            }
            self.undo_move();
            if self.is_stopped() {
                return Some(STOPPED);
            }
            if value >= probcut_beta {
                if node.excluded_move.is_none() {
                    self.store_value(node, value, Bound::Lower, depth + 1, Some(mv));
                }
                if !is_decisive(value) {
                    return Some(value - (probcut_beta - node.window.beta));
                }
            }
        }
        None
    }

    /// Step 9, small `ProbCut` (Stockfish): the same conclusion from a TT entry that is slightly
    /// less deep than this node.
    #[inline(always)]
    fn small_probcut(node: &Node) -> Option<Value> {
        let tt_hit = node.tt_hit?;
        let probcut_beta = node.window.beta + tunables::small_probcut_margin();
        let is_cut = tt_hit.is_at_least(probcut_beta)
            && tt_hit.depth >= node.depth - tunables::small_probcut_max_depth_deficit()
            && !is_decisive(node.window.beta)
            && !is_decisive(tt_hit.value);
        is_cut.then_some(probcut_beta)
    }

    /// Step 10: whether a move is skipped. No move is skipped before one that does not lose, so
    /// that mate scores stay proved. Moves that reach the static exchange evaluation are mostly
    /// searched, so their table cluster is prefetched before it.
    #[inline(always)]
    pub(super) fn prune_move<N: NodeType>(
        &mut self,
        node: &mut Node,
        picker: &mut MovePicker,
        move_info: &MoveInfo,
    ) -> bool {
        let mv = move_info.mv;
        let attacked = self.stack[node.ply].attacked;
        let verdict = if N::ROOT || is_loss(node.best_value) {
            Verdict::Keep
        } else {
            self.verdict::<N>(node, picker, move_info)
        };
        if verdict == Verdict::Prune {
            return true;
        }
        self.prefetch_after(mv);
        match verdict {
            Verdict::KeepIfWins(needed) if !move_info.is_capture && is_safe(mv, attacked) => {
                needed > 0
            }
            Verdict::KeepIfWins(needed) => !self.position.see_ge(mv, needed),
            _ => false,
        }
    }

    #[inline(always)]
    fn verdict<N: NodeType>(
        &self,
        node: &mut Node,
        picker: &mut MovePicker,
        move_info: &MoveInfo,
    ) -> Verdict {
        if node.move_count >= late_move_pruning_count(node) {
            picker.skip_quiets();
        }
        let reduced = move_info.new_depth - move_info.reduction / REDUCTION_SCALE;
        if move_info.is_capture || move_info.gives_check {
            self.capture_verdict(node, move_info, reduced)
        } else if N::PV && self.stack[node.ply].follows_pv {
            Verdict::Keep
        } else {
            self.quiet_verdict(node, picker, move_info, reduced)
        }
    }

    /// Captures and checks: futility and static exchange evaluation. No SEE pruning while alpha is
    /// negative (as `YaneuraOu`): the side that is behind may need a sacrifice.
    #[inline(always)]
    fn capture_verdict(&self, node: &Node, move_info: &MoveInfo, reduced: Depth) -> Verdict {
        let mv = move_info.mv;
        let (victim, history) = self.position.piece_on(mv.to()).map_or((0, 0), |piece| {
            let history = self.histories.capture(mv, piece.kind());
            (piece_value(piece.kind()), history)
        });
        if !move_info.gives_check && reduced < tunables::capture_futility_max_depth() {
            let futility_value = node.static_eval
                + tunables::capture_futility_margin_base()
                + tunables::capture_futility_margin_per_depth() * reduced
                + victim
                + tunables::capture_futility_history_weight() * history / SCALE;
            if futility_value <= node.window.alpha {
                return Verdict::Prune;
            }
        }
        if node.window.alpha < tunables::capture_see_min_alpha() {
            return Verdict::Keep;
        }
        let margin = tunables::capture_see_margin_per_depth() * node.depth
            + tunables::capture_see_history_weight() * history / SCALE;
        Verdict::KeepIfWins(-margin.max(0))
    }

    /// Quiet moves: continuation history, futility and static exchange evaluation.
    #[inline(always)]
    fn quiet_verdict(
        &self,
        node: &mut Node,
        picker: &MovePicker,
        move_info: &MoveInfo,
        reduced: Depth,
    ) -> Verdict {
        let mv = move_info.mv;
        let [reply, follow_up, ..] = node.context.continuation_rows;
        let mut history = self.histories.continuation(reply, mv)
            + self.histories.continuation(follow_up, mv)
            + self.histories.pawn(&node.context, mv);
        if history < -tunables::quiet_history_margin_per_depth() * node.depth {
            return Verdict::Prune;
        }
        history += tunables::quiet_pruning_butterfly_weight()
            * self.histories.butterfly(mv, self.stack[node.ply].attacked)
            / BUTTERFLY_SCALE;
        let reduced = reduced + history / tunables::quiet_pruning_history_per_ply();
        if !node.in_check && reduced < tunables::quiet_futility_max_depth() {
            let alpha = node.window.alpha;
            let mut futility_value = node.static_eval
                + tunables::quiet_futility_margin_base()
                + tunables::quiet_futility_margin_per_depth() * reduced;
            if node.best_move.is_none() {
                futility_value += tunables::quiet_futility_margin_no_best_move();
            }
            if node.static_eval > alpha {
                futility_value += tunables::quiet_futility_margin_eval_above_alpha();
            }
            let moved = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
            if (picker.threatened - moved).is_any() {
                futility_value -= tunables::quiet_futility_margin_threat();
            }
            if futility_value <= alpha {
                if node.best_value <= futility_value
                    && !is_decisive(node.best_value)
                    && futility_value < MATE_IN_MAX_PLY
                {
                    node.best_value = futility_value;
                }
                return Verdict::Prune;
            }
        }
        let reduced = reduced.max(0);
        Verdict::KeepIfWins(-tunables::quiet_see_margin_per_depth_squared() * reduced * reduced)
    }
}

/// Late move pruning: the number of moves after which quiet moves are skipped.
#[inline(always)]
fn late_move_pruning_count(node: &Node) -> i32 {
    let count = tunables::lmp_move_count_base() + node.depth * node.depth;
    if node.improving { count } else { count / 2 }
}

/// Whether the opponent, who attacks the squares `attacked`, cannot capture the piece that a quiet
/// move moves: it attacks neither the target nor, with a slider that the move uncovers, the origin.
#[inline(always)]
fn is_safe(mv: Move, attacked: Bitboard) -> bool {
    let moved = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
    !attacked.intersects(moved | Bitboard::of(mv.to()))
}
