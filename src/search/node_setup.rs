//! Steps 1, 3 and 4 of a node, before its first move: results by rule, the table entry, immediate
//! wins, and the static evaluation.

use crate::mate::mate_in_one;
use crate::position::Declaration;
use crate::types::value::{self, MAX_EVALUATION, MAX_PLY, REPETITION_WIN, is_decisive};
use crate::types::{Bound, Depth, Ply, Repetition, Value};

use super::correction_history::{self, CastleKeys, CorrectionRows};
use super::history::HistoryContext;
use super::node::{KILLERS, Node, NodeType, SearchedMoves, Window};
use super::params::Params;
use super::worker::{STOPPED, Worker};

/// Depth bonus in plies when a mate in one is stored.
const MATE_STORE_BONUS: Depth = 6;

impl<P: Params> Worker<P> {
    /// Step 1: values that the rules give without a search (repetition, move limit), the maximum
    /// ply, and mate distance pruning.
    #[inline(always)]
    pub(super) fn rule_result<N: NodeType>(
        &mut self,
        window: &mut Window,
        ply: Ply,
    ) -> Option<Value> {
        if N::PV {
            self.pv_lines[ply].clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if N::ROOT {
            return None;
        }
        if self.is_stopped() {
            return Some(STOPPED);
        }
        if let Some(repetition) = self.position.search_repetition(ply) {
            return Some(match repetition {
                Repetition::Draw => self.draw_value(),
                Repetition::Win => REPETITION_WIN,
                Repetition::Lose => -REPETITION_WIN,
                Repetition::Superior => MAX_EVALUATION,
                Repetition::Inferior => -MAX_EVALUATION,
            });
        }
        if self.position.game_ply() > self.max_moves {
            let is_mated =
                self.position.in_check() && crate::movegen::legal_moves(&self.position).is_empty();
            return Some(if is_mated {
                value::mated_in(ply)
            } else {
                self.draw_value()
            });
        }
        if ply >= MAX_PLY - 1 {
            return Some(self.evaluate());
        }
        // Mate distance pruning: no value here is above mating with the next move, or below being
        // mated now.
        window.alpha = window.alpha.max(value::mated_in(ply));
        window.beta = window.beta.min(value::mate_in(ply + 1));
        (window.alpha >= window.beta).then_some(window.alpha)
    }

    /// Completes a new node and sets up its stack frame from the frames before it. In place: a node
    /// is too large to be returned at no cost.
    #[inline(always)]
    pub(super) fn set_up_node<N: NodeType>(
        &mut self,
        node: &mut Node,
        depth: Depth,
        cut_node: bool,
    ) {
        let ply = node.ply;
        let prior = self.stack.before_mut(ply, 1);
        node.prior_reduction = std::mem::take(&mut prior.reduction);
        let (prior_follows, prior_move) = (prior.follows_pv, prior.current_move);
        self.stack[ply + 1].killers = [None; KILLERS];
        self.stack[ply + 2].cutoffs = 0;
        let frame = &mut self.stack[ply];
        frame.move_count = 0;
        frame.stat_score = 0;
        frame.tt_hit = node.tt_hit.is_some();
        frame.follows_pv = N::ROOT
            || prior_follows
                && prior_move.is_some()
                && self.previous_pv.get(ply.wrapping_sub(1)) == prior_move.as_ref();
        node.excluded_move = frame.excluded_move;
        if node.excluded_move.is_none() {
            frame.tt_pv = N::PV || node.tt_pv;
        }
        node.tt_pv = frame.tt_pv;
        node.depth = depth.min(MAX_PLY as Depth - 1);
        node.cut_node = cut_node;
        node.all_node = !(N::PV || cut_node);
        if N::ROOT {
            node.tt_move = Some(self.root_moves[self.pv_index].mv);
        }
        node.tt_capture = node
            .tt_move
            .is_some_and(|mv| self.position.piece_on(mv.to()).is_some());
    }

    /// A node with its table entry and continuation histories; the rest has initial values.
    #[inline(always)]
    pub(super) fn new_node(&mut self, window: Window, ply: Ply) -> Node {
        let (probe, tt_hit) = self.probe(ply);
        let in_check = self.position.in_check();
        self.stack[ply].in_check = in_check;
        let rows = std::array::from_fn(|index| self.stack.before(ply, index + 1).continuation_row);
        Node {
            window,
            depth: 0,
            ply,
            cut_node: false,
            all_node: false,
            in_check,
            key: self.position.key(),
            slot: probe.slot,
            tt_hit,
            tt_move: tt_hit.and_then(|data| data.mv),
            tt_capture: false,
            excluded_move: None,
            tt_pv: tt_hit.is_some_and(|data| data.is_pv),
            context: HistoryContext::new(&self.position, rows, ply),
            correction: 0,
            raw_eval: value::NONE,
            static_eval: value::NONE,
            eval: value::NONE,
            improving: false,
            opponent_worsening: false,
            prior_reduction: 0,
            best_value: -value::INFINITE,
            best_move: None,
            move_count: 0,
            raised_alpha: false,
            quiets_searched: SearchedMoves::new(),
            captures_searched: SearchedMoves::new(),
        }
    }

    /// Step 3: a win by declaration, or a mate in one. A node with a table entry was tested for
    /// mate when that entry was stored.
    ///
    /// The mate solver is not called here: in PV nodes from depth 6 on, with 200 nodes, it gave
    /// −41 ± 55 Elo (152 games, 50 ms per move). Only the root calls it, see `root_mate_slices.rs`.
    #[inline(always)]
    pub(super) fn declaration_or_mate<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if N::ROOT || node.excluded_move.is_some() {
            return None;
        }
        if let Some(declaration) = self.position.declaration(self.rule) {
            if let (true, Declaration::Try(mv)) = (N::PV, declaration) {
                self.pv_lines[node.ply].push(mv);
            }
            node.best_value = value::mate_in(node.ply + 1);
            self.store(node, Bound::Exact);
            return Some(node.best_value);
        }
        self.mate_in_one_value::<N>(node)
    }

    /// The value of a node in which the side to move mates in one, which is stored with a depth
    /// bonus.
    #[inline(always)]
    pub(super) fn mate_in_one_value<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if node.tt_hit.is_some() || node.in_check {
            return None;
        }
        let mv = mate_in_one(&mut self.position)?;
        if N::PV {
            self.pv_lines[node.ply].push(mv);
        }
        node.best_value = value::mate_in(node.ply + 1);
        node.best_move = Some(mv);
        node.depth += MATE_STORE_BONUS;
        self.store(node, Bound::Exact);
        Some(node.best_value)
    }

    /// Step 4: the static evaluation with its correction, whether it improves, and a TT value in
    /// its place where its bound allows.
    #[inline(always)]
    pub(super) fn evaluate_node(&mut self, node: &mut Node) {
        let before = self.stack.before(node.ply, 2).static_eval;
        node.correction = self.correction(node.ply);
        if node.in_check {
            node.static_eval = before;
            node.eval = before;
            self.stack[node.ply].static_eval = before;
            return;
        }
        if node.excluded_move.is_some() {
            node.static_eval = self.stack[node.ply].static_eval;
            node.eval = node.static_eval;
        } else {
            self.set_static_eval(node);
            node.eval = node.static_eval;
            if let Some(tt_hit) = node.tt_hit
                && let Some(value) = node.tt_value()
                && !is_decisive(value)
                && value::decides(value, tt_hit.bound, node.eval + 1)
            {
                node.eval = value;
            }
            if node.tt_hit.is_none() {
                // A later visit that is cut off before its own evaluation finds at least this one.
                self.store_evaluation(node);
            }
        }
        self.update_prior_move_by_evaluation(node);
        let opponent = self.stack.before(node.ply, 1).static_eval;
        node.improving = before != value::NONE && node.static_eval > before;
        node.opponent_worsening = opponent == value::NONE || node.static_eval > -opponent;
        Self::hindsight_adjustment(node, opponent);
    }

    /// Sets the static evaluation, from the table or computed, and its corrected value.
    #[inline(always)]
    pub(super) fn set_static_eval(&mut self, node: &mut Node) {
        node.raw_eval = match node.tt_hit {
            Some(tt_hit) if tt_hit.eval != value::NONE => tt_hit.eval,
            _ => self.evaluate(),
        };
        let corrected = node.raw_eval + correction_history::to_value(node.correction);
        node.static_eval = corrected.clamp(-MAX_EVALUATION, MAX_EVALUATION);
        self.stack[node.ply].static_eval = node.static_eval;
    }

    /// Computes the static evaluation, limited to the range of evaluations.
    #[inline(always)]
    pub(super) fn evaluate(&mut self) -> Value {
        self.evaluator
            .evaluate(&self.position, &mut self.evaluation)
            .clamp(-MAX_EVALUATION, MAX_EVALUATION)
    }

    /// The correction of the static evaluation, in 1/131072 of the internal unit.
    #[inline(always)]
    pub(super) fn correction(&mut self, ply: Ply) -> i32 {
        let rows = self.correction_rows(ply);
        let castles = if self.histories.corrections.uses_castles() {
            let keys = self.castle_keys(ply);
            self.stack[ply].castle_keys = Some(keys);
            Some(keys)
        } else {
            None
        };
        self.histories
            .corrections
            .of::<P>(&self.position, castles, rows)
    }

    /// The keys of both castles: those of the node before, unless the move between touches one.
    #[inline(always)]
    fn castle_keys(&self, ply: Ply) -> CastleKeys {
        let before = self.stack.before(ply, 1).castle_keys;
        match before {
            Some(keys) if !self.position.last_move_touches_castles() => keys,
            _ => self.position.castle_keys(),
        }
    }

    /// The rows of the continuation correction history for the node at `ply`: those of the moves
    /// two and four plies before.
    #[inline(always)]
    pub(super) fn correction_rows(&self, ply: Ply) -> CorrectionRows {
        [2, 4].map(|plies| self.stack.before(ply, plies).correction_row)
    }
}
