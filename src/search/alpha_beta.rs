//! The search of a node: principal variation search. `search` is the table of contents; its steps are here, in
//! `pruning.rs` (what is not searched), `reductions.rs` (what is searched less deep, or deeper), `learning.rs` (what
//! the statistics learn) and `quiescence.rs` (the leaves). Order and ideas of the steps follow Stockfish and `YaneuraOu`.

use crate::types::value::{self, is_decisive};
use crate::types::{Depth, Move, Ply, Value};

use super::extensions::Extension;
use super::move_picker::MovePicker;
use super::node::{MoveInfo, Node, NodeType, NonPv, Pv, Window};
use super::tunables;
use super::worker::{STOPPED, Worker};

impl Worker {
    /// The value of the position within `window`, searched `depth` plies deep. `is_cut` where the parent expects this node
    /// to fail high.
    pub(super) fn search<N: NodeType>(
        &mut self,
        mut window: Window,
        depth: Depth,
        ply: Ply,
        cut_node: bool,
    ) -> Value {
        if depth <= 0 {
            return self.quiescence::<N>(window, ply);
        }
        if let Some(value) = self.rule_result::<N>(&mut window, ply) {
            return value; // 1: repetition, move limit, mate distance
        }
        let mut node = self.set_up_node::<N>(window, depth, ply, cut_node);
        if let Some(value) = self.tt_cutoff::<N>(&node) {
            return value; // 2
        }
        if let Some(mv) = node.tt_move {
            self.prefetch_after(mv); // It will be the first.
        }
        if let Some(value) = self.declaration_or_mate::<N>(&mut node) {
            return value; // 3: declaration, mate in one
        }
        self.evaluate_node(&mut node); // 4
        if let Some(value) = self.prune_node::<N>(&mut node) {
            return value; // 5-9: razoring, reverse futility, null move, ProbCut
        }
        let mut picker = self.picker::<N>(&node);
        while let Some(mv) = picker.next(&self.position, &self.histories) {
            if node.excluded_move == Some(mv) || N::ROOT && !self.is_root_move(mv) {
                continue;
            }
            node.move_count += 1;
            if N::ROOT {
                self.report_current_move(mv, node.move_count);
            }
            let mut move_info = self.move_info(&node, mv, &picker);
            if self.prune_move::<N>(&mut node, &mut picker, &move_info) {
                continue; // 10: late moves, histories, futility, exchanges
            }
            let extension = match self.singular_extension::<N>(&mut node, &move_info) {
                Extension::By(plies) => plies, // 11: singular extension
                Extension::Cut(value) => return value,
            };
            move_info.new_depth += extension;
            self.prefetch_upcoming(&node, &picker);
            let value = self.search_move::<N>(&node, &move_info); // 12-13
            if self.is_stopped() {
                return STOPPED;
            }
            if self.update_best::<N>(&mut node, mv, value) {
                let frame = &mut self.stack[ply];
                frame.cutoffs += i32::from(extension < 2 || N::PV);
                break; // 14: cut
            }
            if node.best_move != Some(mv) {
                node.note_searched(mv, move_info.is_capture);
            }
        }
        if self.is_stopped() {
            return STOPPED;
        }
        self.finish_node::<N>(&mut node) // 15: mate, statistics, table
    }

    /// Step 2: the table knows the answer from a search at least as deep.
    #[inline(always)]
    fn tt_cutoff<N: NodeType>(&mut self, node: &Node) -> Option<Value> {
        if N::PV || node.excluded_move.is_some() {
            return None;
        }
        let (hit, beta) = (node.tt_hit?, node.window.beta);
        let value = node.tt_value()?;
        let is_high = value >= beta;
        let decides = hit.depth > node.depth - Depth::from(value <= beta)
            && value::decides(value, hit.bound, beta)
            && (node.cut_node == is_high
                || node.depth > tunables::tt_cutoff_unexpected_min_depth());
        if !decides {
            return None;
        }
        if is_high && let Some(mv) = hit.mv {
            self.update_histories_after_tt_cutoff(node, mv);
        }
        Some(value)
    }

    #[inline(always)]
    fn picker<N: NodeType>(&self, node: &Node) -> MovePicker {
        let [first, second] = self.stack[node.ply].killers;
        let counter_move = self.histories.counter_move(self.position.last_move());
        MovePicker::new(
            &self.position,
            node.tt_move,
            [first, second, counter_move],
            node.context,
            self.all_moves || N::ROOT,
        )
    }

    /// What decides about a move before it is made.
    #[inline(always)]
    fn move_info(&mut self, node: &Node, mv: Move, picker: &MovePicker) -> MoveInfo {
        self.stack[node.ply].move_count = node.move_count;
        MoveInfo {
            mv,
            is_capture: self.position.piece_on(mv.to()).is_some(),
            gives_check: picker.gives_check(&self.position, mv),
            new_depth: node.depth - 1,
            reduction: self.base_reduction(node),
        }
    }

    /// Asks the memory for what the table knows after a move, as early as it is nearly certain that the move will be made: an
    /// answer takes longer than to make it.
    #[inline(always)]
    pub(super) fn prefetch_after(&self, mv: Move) {
        let key = self.position.key_after(mv);
        self.task.table.prefetch(self.tt_key(key));
    }

    /// Likewise for the move after the one that is about to be searched: the memory answers during that search. The first move
    /// of an expected cut node mostly cuts, so there nothing follows.
    #[inline(always)]
    fn prefetch_upcoming(&self, node: &Node, picker: &MovePicker) {
        if (node.move_count > 1 || !node.cut_node)
            && let Some(next) = picker.upcoming()
        {
            self.prefetch_after(next);
        }
    }

    /// Steps 12 and 13: the move is made and searched: first less deep and with a null window, as a move that is expected to
    /// fail low, then in full where it does not.
    #[inline(always)]
    fn search_move<N: NodeType>(&mut self, node: &Node, move_info: &MoveInfo) -> Value {
        let (ply, alpha, mv) = (node.ply, node.window.alpha, move_info.mv);
        let mut reduction = self.lmr_reduction::<N>(node, move_info);
        let mut new_depth = move_info.new_depth;
        let probe_window = Window::above(alpha).flipped();
        self.do_move(mv, ply);
        let mut value = -value::INFINITE;
        if node.depth >= 2 && node.move_count > 1 {
            let reduced = Self::reduced_depth::<N>(new_depth, reduction);
            self.stack[ply].reduction = new_depth - reduced;
            value = -self.search::<NonPv>(probe_window, reduced, ply + 1, true);
            self.stack[ply].reduction = 0;
            if value > alpha && !self.is_stopped() {
                // What came out says whether the full depth is worth a ply more or less.
                let goes_deeper = reduced < new_depth
                    && value > node.best_value + tunables::research_deeper_margin();
                let goes_shallower =
                    value < node.best_value + tunables::research_shallower_margin();
                new_depth += Depth::from(goes_deeper) - Depth::from(goes_shallower);
                if new_depth > reduced {
                    value = -self.search::<NonPv>(probe_window, new_depth, ply + 1, !node.cut_node);
                }
                self.update_post_lmr_histories(node, mv);
            }
        } else if !N::PV || node.move_count > 1 {
            if node.tt_move.is_none() {
                reduction += tunables::full_depth_no_tt_move();
            }
            let less = Depth::from(reduction > tunables::full_depth_one_ply_threshold())
                + Depth::from(
                    reduction > tunables::full_depth_two_plies_threshold() && new_depth > 2,
                );
            value = -self.search::<NonPv>(probe_window, new_depth - less, ply + 1, !node.cut_node);
        }
        if N::PV && (node.move_count == 1 || value > alpha) && !self.is_stopped() {
            self.pv_lines[ply + 1].clear();
            if node.tt_move == Some(mv) && node.tt_depth() > 1 {
                new_depth = new_depth.max(1);
            }
            value = -self.search::<Pv>(node.window.flipped(), new_depth, ply + 1, false);
        }
        self.undo_move();
        value
    }

    /// Step 14: keeps the best value and move; whether they cut.
    #[inline(always)]
    fn update_best<N: NodeType>(&mut self, node: &mut Node, mv: Move, value: Value) -> bool {
        let alpha = node.window.alpha;
        if N::ROOT {
            self.update_root_move(node, mv, value);
        }
        if value <= node.best_value {
            return false;
        }
        node.best_value = value;
        if value <= alpha {
            return false;
        }
        node.best_move = Some(mv);
        if N::PV {
            self.update_pv(node.ply, mv);
        }
        if value >= node.window.beta {
            return true;
        }
        if (tunables::alpha_raised_min_depth()..=tunables::alpha_raised_max_depth())
            .contains(&node.depth)
            && !is_decisive(value)
        {
            // The rest will hardly do better.
            node.depth -= tunables::alpha_raised_reduction();
        }
        node.window.alpha = value;
        node.raised_alpha = true;
        false
    }

    /// Step 15: no move means mate; otherwise the statistics and the table learn.
    #[inline(always)]
    fn finish_node<N: NodeType>(&mut self, node: &mut Node) -> Value {
        let beta = node.window.beta;
        if node.move_count == 0 {
            return if node.excluded_move.is_some() {
                node.window.alpha
            } else {
                value::mated_in(node.ply)
            };
        }
        if node.best_value >= beta && !is_decisive(node.best_value) && !is_decisive(beta) {
            // How far beyond beta is less sure the shallower the search.
            node.best_value = (node.best_value * node.depth + beta) / (node.depth + 1);
        }
        self.update_histories::<N>(node);
        self.update_correction_history(node);
        if node.excluded_move.is_some() {
            return node.best_value;
        }
        if node.best_value <= node.window.alpha {
            node.tt_pv |= self.stack.before(node.ply, 1).tt_pv;
        }
        // Other lines of a MultiPV search, and a choice of moves, do not give the value of the root.
        if !N::ROOT || self.pv_index == 0 && self.task.limits.search_moves.is_empty() {
            self.store(node, node.bound());
        }
        node.best_value
    }
}
