//! The search of a node: principal variation search with pruning. `search` is the table of contents; its steps are here,
//! in `pruning.rs` (what is not searched, or less deep) and `quiescence.rs` (the leaves).

use crate::mate::mate_in_one;
use crate::position::Declaration;
use crate::types::value::{self, MAX_PLY, REPETITION_WIN, SUPERIOR_REPETITION};
use crate::types::{Bound, Depth, Move, Ply, Repetition, Value};

use super::audit;
use super::history::bonus;
use super::move_picker::{MovePicker, Stage};
use super::node::{KILLERS, Node, NodeType, NonPv, Pv, Tried, Window};
use super::tunables::{iir_min_depth, lmr_min_depth};
use super::worker::{STOPPED, Worker};

impl Worker {
    /// The value of the position within `window`, searched `depth` plies deep. `is_cut` where the parent expects this node
    /// to fail high.
    pub(super) fn search<N: NodeType>(
        &mut self,
        window: Window,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> Value {
        if depth <= 0 {
            return self.quiescence::<N>(window, ply);
        }
        let mut window = window;
        if let Some(value) = self.rule_result::<N>(&mut window, ply) {
            return value; // 1: repetition, move limit, mate distance
        }
        let mut node = self.enter::<N>(window, depth, ply, is_cut);
        if let Some(value) = Self::table_cutoff::<N>(&node) {
            return value; // 2
        }
        if let Some(value) = self.declaration::<N>(&mut node) {
            return value; // 3
        }
        if let Some(value) = self.mate_at_once::<N>(&mut node) {
            return value; // 3: the same for mate in one
        }
        self.evaluate_node(&mut node); // 4
        if let Some(value) = self.prune_node::<N>(&mut node) {
            return value; // 5-7: razoring, reverse futility, null move
        }
        if !N::ROOT
            && node.depth >= iir_min_depth()
            && node.table_move().is_none()
            && (N::PV || is_cut)
        {
            node.depth -= 1; // 8: internal iterative reduction: find a move cheaply first
        }
        let mut picker = self.picker::<N>(&node);
        while let Some(mv) = picker.next(&self.position, &self.histories) {
            if N::ROOT && !self.is_root_move(mv) {
                continue;
            }
            node.move_count += 1;
            if N::ROOT {
                self.announce(mv, node.move_count);
            }
            let is_capture = self.position.piece_on(mv.to()).is_some();
            if !N::ROOT && self.prune_move(&node, &mut picker, mv, is_capture) {
                continue; // 9: late moves, futility, exchanges
            }
            let value = self.search_move::<N>(&node, mv, is_capture, picker.stage()); // 10-11
            if self.is_stopped() {
                return STOPPED;
            }
            if self.update_best::<N>(&mut node, mv, value) {
                break; // 12: cut
            }
            let tried = if is_capture {
                &mut node.captures_tried
            } else {
                &mut node.quiets_tried
            };
            let _ = tried.try_push(mv);
        }
        self.leave::<N>(&node) // 13: mate, histories, table
    }

    /// Step 1: what the rules say before anything is searched, and the bounds that the distance to the root sets.
    #[inline(always)]
    pub(super) fn rule_result<N: NodeType>(
        &mut self,
        window: &mut Window,
        ply: Ply,
    ) -> Option<Value> {
        if N::PV {
            self.frames[ply].line.clear();
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
                Repetition::Superior => SUPERIOR_REPETITION,
                Repetition::Inferior => -SUPERIOR_REPETITION,
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
        // Mate distance pruning: nothing here can be better than mating with the next move, or worse than mated now.
        window.alpha = window.alpha.max(value::mated_in(ply));
        window.beta = window.beta.min(value::mate_in(ply + 1));
        (window.alpha >= window.beta).then_some(window.alpha)
    }

    /// Gathers what is known about the node.
    #[inline(always)]
    pub(super) fn enter<N: NodeType>(
        &mut self,
        window: Window,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> Node {
        let (probe, hit) = self.probe(ply);
        self.frames[ply + 1].killers = [None; KILLERS];
        Node {
            window,
            depth: depth.min(MAX_PLY as Depth - 1),
            ply,
            is_cut,
            in_check: self.position.in_check(),
            key: self.position.key(),
            slot: probe.slot,
            hit,
            table_move_captures: hit
                .and_then(|hit| hit.mv)
                .is_some_and(|mv| self.position.piece_on(mv.to()).is_some()),
            was_pv: N::PV || hit.is_some_and(|hit| hit.is_pv),
            static_eval: value::NONE,
            eval: value::NONE,
            is_improving: false,
            best_value: -value::INFINITE,
            best_move: None,
            move_count: 0,
            raised_alpha: false,
            quiets_tried: Tried::new(),
            captures_tried: Tried::new(),
        }
    }

    /// Step 2: the table knows the answer from a search at least as deep.
    #[inline(always)]
    fn table_cutoff<N: NodeType>(node: &Node) -> Option<Value> {
        let hit = node.hit?;
        let decides = !N::PV
            && hit.depth >= node.depth
            && hit.value != value::NONE
            && value::decides(hit.value, hit.bound, node.window.beta);
        decides.then_some(hit.value)
    }

    /// Step 3: the side to move can win by declaration.
    #[inline(always)]
    fn declaration<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if N::ROOT {
            return None;
        }
        let declaration = self.position.declaration(self.rule)?;
        if let (true, Declaration::Try(mv)) = (N::PV, declaration) {
            self.frames[node.ply].line.push(mv);
        }
        node.best_value = value::mate_in(node.ply + 1);
        self.store(node, Bound::Exact);
        Some(node.best_value)
    }

    /// Step 3: the side to move mates at once. Where the table knows the node, this was asked before.
    #[inline(always)]
    pub(super) fn mate_at_once<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if N::ROOT || node.hit.is_some() || node.in_check {
            return None;
        }
        let mv = mate_in_one(&mut self.position)?;
        if N::PV {
            self.frames[node.ply].line.push(mv);
        }
        node.best_value = value::mate_in(node.ply + 1);
        node.best_move = Some(mv);
        self.store(node, Bound::Exact);
        Some(node.best_value)
    }

    /// Step 4: the static evaluation, and whether the position improved since the side's last move. What the table knows of
    /// the value is a better guess where its bound allows.
    #[inline(always)]
    fn evaluate_node(&mut self, node: &mut Node) {
        self.frames[node.ply].static_eval = value::NONE;
        if node.in_check {
            return;
        }
        let known = node.hit.map(|hit| hit.eval);
        node.static_eval = match known {
            Some(eval) if eval != value::NONE => eval,
            _ => self.evaluate(),
        };
        self.frames[node.ply].static_eval = node.static_eval;
        node.eval = node.static_eval;
        if let Some(hit) = node.hit
            && hit.value != value::NONE
            && !value::is_mate(hit.value)
            && value::decides(hit.value, hit.bound, node.eval + 1)
            && hit.value.abs() <= value::MAX_EVALUATION
        {
            node.eval = hit.value;
        }
        let before = |plies: Ply| {
            let frame = self.frames.get(node.ply.checked_sub(plies)?)?;
            (frame.static_eval != value::NONE).then_some(frame.static_eval)
        };
        node.is_improving = before(2)
            .or_else(|| before(4))
            .is_some_and(|eval| node.static_eval > eval);
    }

    #[inline(always)]
    fn picker<N: NodeType>(&self, node: &Node) -> MovePicker {
        if N::ROOT {
            let best_so_far = self.root_moves[self.pv_index].mv;
            return MovePicker::new(&self.position, Some(best_so_far), [None; KILLERS + 1], true);
        }
        let [first, second] = self.frames[node.ply].killers;
        let counter_move = self.histories.counter_move(self.position.last_move());
        let remembered = [first, second, counter_move];
        MovePicker::new(
            &self.position,
            node.table_move(),
            remembered,
            self.all_moves,
        )
    }

    /// Steps 10 and 11: the move is made and searched: first less deep and with a null window, as a move that is expected to
    /// fail low, then in full where it does not.
    #[inline(always)]
    fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        mv: Move,
        is_capture: bool,
        stage: Stage,
    ) -> Value {
        let (ply, alpha) = (node.ply, node.window.alpha);
        let next_depth = node.depth - 1;
        self.do_move(mv, ply);
        let mut value = -value::INFINITE;
        let mut needs_full_depth = !N::PV || node.move_count > 1;
        if node.depth >= lmr_min_depth() && node.move_count > 1 {
            let reduced = self.reduced_depth::<N>(node, mv, is_capture, stage);
            if reduced < next_depth {
                value =
                    -self.search::<NonPv>(Window::above(alpha).flipped(), reduced, ply + 1, true);
                needs_full_depth = value > alpha;
            }
        }
        if needs_full_depth {
            let window = Window::above(alpha).flipped();
            value = -self.search::<NonPv>(window, next_depth, ply + 1, !node.is_cut);
        }
        if N::PV && (node.move_count == 1 || value > alpha) {
            value = -self.search::<Pv>(node.window.flipped(), next_depth, ply + 1, false);
        }
        self.undo_move();
        value
    }

    /// Step 12: keeps the best value and move; whether they cut.
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
            self.extend_line(node.ply, mv);
        }
        if value >= node.window.beta {
            return true;
        }
        node.window.alpha = value;
        node.raised_alpha = true;
        false
    }

    /// Step 13: no move means mate; otherwise the statistics and the table learn.
    #[inline(always)]
    fn leave<N: NodeType>(&mut self, node: &Node) -> Value {
        if node.move_count == 0 {
            return value::mated_in(node.ply);
        }
        if let Some(best) = node.best_move {
            self.update_histories(node, best);
        }
        // Other lines of a MultiPV search, and a choice of moves, do not give the value of the root.
        if !N::ROOT || self.pv_index == 0 && self.task.limits.search_moves.is_empty() {
            self.store(node, node.bound());
        }
        node.best_value
    }

    /// The best move did better than those tried before it.
    fn update_histories(&mut self, node: &Node, best: Move) {
        audit::legal(&self.position, &[best], "move with a bonus");
        audit::legal(&self.position, &node.quiets_tried, "quiet move tried");
        audit::legal(&self.position, &node.captures_tried, "capture tried");
        let bonus = bonus(node.depth);
        if let Some(captured) = self.position.piece_on(best.to()) {
            self.histories.update_capture(best, captured.kind(), bonus);
        } else {
            self.histories.update_quiet(best, bonus);
            for &mv in &node.quiets_tried {
                self.histories.update_quiet(mv, -bonus);
            }
            let killers = &mut self.frames[node.ply].killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            if let Some(last) = self.position.last_move() {
                self.histories.set_counter_move(last, best);
            }
        }
        for &mv in &node.captures_tried {
            if let Some(captured) = self.position.piece_on(mv.to()) {
                self.histories.update_capture(mv, captured.kind(), -bonus);
            }
        }
    }

    /// Whether the root searches this move: those of better lines are excluded.
    fn is_root_move(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..]
            .iter()
            .any(|root_move| root_move.mv == mv)
    }

    /// Records what was found out about a root move.
    fn update_root_move(&mut self, node: &Node, mv: Move, value: Value) {
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let window = node.window;
        let Some(index) = self.root_moves.iter().position(|known| known.mv == mv) else {
            return;
        };
        let root_move = &mut self.root_moves[index];
        if node.move_count > 1 && value <= window.alpha {
            // Only known to be no better: keeps its place among the others.
            root_move.rank = -value::INFINITE;
            return;
        }
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value <= window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        root_move.update(value, bound, depth, &self.frames[1].line);
        root_move.seldepth = seldepth;
        if node.move_count > 1 && self.pv_index == 0 {
            self.best_move_changes += 1;
        }
    }
}
