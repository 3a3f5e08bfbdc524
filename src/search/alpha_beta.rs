//! The search of a node: principal variation search. `search` is the table of contents; its steps
//! are here, in `pruning.rs`, `depth.rs`, `history_update.rs` (after the last
//! move) and `quiescence.rs` (depth 0). Order and ideas of the steps follow Stockfish and
//! `YaneuraOu`.

use crate::types::value::{self, MAX_EVALUATION, MAX_PLY, REPETITION_WIN, is_decisive};
use crate::types::{Bound, Color, Depth, Move, PieceType, Ply, Repetition, Value};
use crate::{mate::mate_in_one, movegen::CheckSquares, position::Declaration};

use super::history::{CastleKeys, CorrectionRows, HistoryContext, correction_to_value};
use super::node::{KILLERS, MoveInfo, Node, NodeType, NonPv, Pv, SearchedMoves, Window};
use super::worker::{STOPPED, Worker};
use super::{depth::Extension, move_picker::MovePicker, tunables};

/// Depth bonus in plies when a mate in one is stored.
const MATE_STORE_BONUS: Depth = 6;

impl Worker {
    /// Searches a node and returns its value within `window` (fail-soft). `depth` is the remaining
    /// depth in plies, `ply` the distance from the root. `cut_node` is set where the parent expects
    /// this node to fail high.
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
        let mut node = self.new_node::<N>(window, depth, ply, cut_node);
        if let Some(value) = self.tt_cutoff::<N>(&mut node) {
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
        let checks = CheckSquares::of_position(&self.position);
        let mut picker = self.move_picker::<N>(&node, &checks);
        let mut searched = SearchedMoves::default();
        while let Some(mv) = picker.next(&self.position, &self.histories, &mut node.context) {
            if node.excluded_move == Some(mv) || N::ROOT && !self.begin_root_move(mv) {
                continue;
            }
            node.move_count += 1;
            if N::ROOT {
                self.report_current_move(mv, node.move_count);
            }
            let mut move_info = self.move_info(&mut node, mv, &picker);
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
                searched.push(mv, move_info.is_capture);
            }
        }
        if self.is_stopped() {
            return STOPPED;
        }
        self.finish_node::<N>(&mut node, &searched) // 15: mate, statistics, table
    }

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
            return Some(if is_mated { value::mated_in(ply) } else { self.draw_value() });
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

    /// A node with its table entry, and its stack frame, set up from the frames before it.
    #[inline(always)]
    fn new_node<N: NodeType>(
        &mut self,
        window: Window,
        depth: Depth,
        ply: Ply,
        cut_node: bool,
    ) -> Node {
        let leaf = self.leaf_node(window, ply);
        let prior = self.stack.before_mut(ply, 1);
        let prior_reduction = std::mem::take(&mut prior.reduction);
        let (prior_follows, prior_move) = (prior.follows_pv, prior.current_move);
        let follows_pv = N::ROOT
            || prior_follows
                && prior_move.is_some()
                && self.completed_pv().get(ply.wrapping_sub(1)) == prior_move.as_ref();
        self.stack[ply + 1].killers = [None; KILLERS];
        self.stack[ply + 2].cutoffs = 0;
        let frame = &mut self.stack[ply];
        frame.move_count = 0;
        frame.stat_score = 0;
        frame.tt_hit = leaf.tt_hit.is_some();
        frame.follows_pv = follows_pv;
        if frame.excluded_move.is_none() {
            frame.tt_pv = N::PV || leaf.tt_pv;
        }
        let tt_move = if N::ROOT { Some(self.root_moves[self.pv_index].mv) } else { leaf.tt_move };
        Node {
            depth: depth.min(MAX_PLY as Depth - 1),
            cut_node,
            all_node: !(N::PV || cut_node),
            tt_move,
            tt_capture: tt_move.is_some_and(|mv| self.position.piece_on(mv.to()).is_some()),
            excluded_move: frame.excluded_move,
            tt_pv: frame.tt_pv,
            prior_reduction,
            ..leaf
        }
    }

    /// A node of quiescence, at depth 0, with its table entry.
    #[inline(always)]
    pub(super) fn leaf_node(&mut self, window: Window, ply: Ply) -> Node {
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
        }
    }

    /// Step 2, TT cutoff: returns the table's value if its depth suffices and its bound decides the
    /// window. Never in PV nodes.
    #[inline(always)]
    fn tt_cutoff<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
        if N::PV || node.excluded_move.is_some() {
            return None;
        }
        let (tt_hit, beta) = (node.tt_hit?, node.window.beta);
        let value = node.tt_value()?;
        let is_high = value >= beta;
        let decides = tt_hit.depth > node.depth - Depth::from(value <= beta)
            && value::decides(value, tt_hit.bound, beta)
            && (node.cut_node == is_high
                || node.depth > tunables::tt_cutoff_unexpected_min_depth());
        if !decides {
            return None;
        }
        if is_high && let Some(mv) = tt_hit.mv {
            self.update_histories_after_tt_cutoff(node, mv);
        }
        Some(value)
    }

    /// Step 3: a win by declaration, or a mate in one. A node with a table entry was tested for
    /// mate when that entry was stored.
    ///
    /// The mate solver is not called here: in PV nodes from depth 6 on, with 200 nodes, it gave
    /// −41 ± 55 Elo (152 games, 50 ms per move). Only the root calls it, see `root_mate.rs`.
    #[inline(always)]
    fn declaration_or_mate<N: NodeType>(&mut self, node: &mut Node) -> Option<Value> {
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
    fn evaluate_node(&mut self, node: &mut Node) {
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
        let corrected = node.raw_eval + correction_to_value(node.correction);
        node.static_eval = corrected.clamp(-MAX_EVALUATION, MAX_EVALUATION);
        self.stack[node.ply].static_eval = node.static_eval;
    }

    /// Computes the static evaluation, limited to the range of evaluations.
    #[inline(always)]
    pub(super) fn evaluate(&mut self) -> Value {
        let mut value = self.evaluator.evaluate(&self.position);
        if self.contempt != 0 {
            value += self.contempt_here();
        }
        value.clamp(-MAX_EVALUATION, MAX_EVALUATION)
    }

    /// What contempt adds to the evaluation: whoever gives a handicap needs pieces on the board.
    #[cold]
    fn contempt_here(&self) -> Value {
        let [black, white] = Color::ALL.map(|color| self.position.hand(color));
        let hands = black.together_with(white);
        let pieces: u32 = PieceType::HAND[1..].iter().map(|&kind| hands.count(kind)).sum();
        let is_root_side = self.position.side_to_move() == self.task.position.side_to_move();
        let sum = self.contempt * pieces as Value;
        if is_root_side { -sum } else { sum }
    }

    /// The correction of the static evaluation, in 1/131072 of the internal unit.
    #[inline(always)]
    pub(super) fn correction(&mut self, ply: Ply) -> i32 {
        let rows = self.correction_rows(ply);
        let castles = if self.histories.uses_castles() {
            let keys = self.castle_keys(ply);
            self.stack[ply].castle_keys = Some(keys);
            Some(keys)
        } else {
            None
        };
        self.histories.correction(&self.position, castles, rows)
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

    #[inline(always)]
    fn move_picker<'a, N: NodeType>(
        &self,
        node: &Node,
        checks: &'a CheckSquares,
    ) -> MovePicker<'a> {
        let [first, second] = self.stack[node.ply].killers;
        let counter_move = self.histories.counter_move(self.position.last_move());
        MovePicker::new(
            &self.position,
            node.tt_move,
            [first, second, counter_move],
            checks,
            self.all_moves || N::ROOT,
        )
    }

    /// The facts about a move that pruning and reductions use.
    #[inline(always)]
    fn move_info(&mut self, node: &mut Node, mv: Move, picker: &MovePicker) -> MoveInfo {
        let is_capture = self.position.piece_on(mv.to()).is_some();
        let frame = &mut self.stack[node.ply];
        frame.move_count = node.move_count;
        if !is_capture {
            frame.attacked = node.context.attacked(self.position.board());
        }
        MoveInfo {
            mv,
            is_capture,
            gives_check: picker.gives_check(&self.position, mv),
            is_refutation: picker.is_refutation(mv),
            moves_threatened_piece: mv.from().is_some_and(|from| picker.threatened.contains(from)),
            new_depth: node.depth - 1,
            reduction: self.base_reduction(node),
        }
    }

    /// Prefetches the table cluster of the position after a move. Called as soon as the move is
    /// nearly certain to be made, because a memory access takes longer than making the move.
    #[inline(always)]
    pub(super) fn prefetch_after(&self, mv: Move) {
        let key = self.position.key_after(mv);
        self.task.table.prefetch(self.tt_key(key));
    }

    /// Prefetches the cluster of the move after the current one, so that it arrives during the
    /// current search. Not for the first move of an expected cut node, which usually fails high.
    #[inline(always)]
    fn prefetch_upcoming(&self, node: &Node, picker: &MovePicker) {
        if (node.move_count > 1 || !node.cut_node)
            && let Some(next) = picker.upcoming()
        {
            self.prefetch_after(next);
        }
    }

    /// Steps 12 and 13: makes the move and searches it. A late move gets a reduced null-window
    /// search first, then one at full depth if it fails high, then one with the full window in PV
    /// nodes.
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
                // The value of the reduced search decides whether full depth means up to two plies
                // more, or one less.
                let gain = value - node.best_value;
                let goes_deeper = reduced < new_depth && gain > tunables::research_deeper_margin();
                let goes_two_plies_deeper =
                    goes_deeper && gain > tunables::research_two_plies_deeper_margin();
                let goes_shallower = gain < tunables::research_shallower_margin();
                new_depth += Depth::from(goes_deeper) + Depth::from(goes_two_plies_deeper)
                    - Depth::from(goes_shallower);
                if new_depth > reduced {
                    value = -self.search::<NonPv>(probe_window, new_depth, ply + 1, !node.cut_node);
                }
                if !self.is_stopped() {
                    self.update_post_lmr_histories(node, mv);
                }
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

    /// Step 14: records a new best value and best move. Returns whether it fails high.
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
            // Alpha was raised, so the remaining moves are searched less deep.
            node.depth -= tunables::alpha_raised_reduction();
        }
        node.window.alpha = value;
        node.raised_alpha = true;
        false
    }

    /// Step 15: without a legal move the node is mate; otherwise updates the histories and the
    /// table.
    #[inline(always)]
    fn finish_node<N: NodeType>(&mut self, node: &mut Node, searched: &SearchedMoves) -> Value {
        if node.move_count == 0 {
            return if node.excluded_move.is_some() {
                node.window.alpha
            } else {
                value::mated_in(node.ply)
            };
        }
        self.update_histories::<N>(node, searched);
        self.update_correction_history(node);
        if node.excluded_move.is_some() {
            return node.best_value;
        }
        if node.best_value <= node.window.alpha {
            node.tt_pv |= self.stack.before(node.ply, 1).tt_pv;
        }
        // Lines after the first of a MultiPV search, and a search of chosen moves only, do not give
        // the value of the root position.
        if !N::ROOT || self.pv_index == 0 && self.task.limits.search_moves.is_empty() {
            self.store(node, node.bound());
        }
        node.best_value
    }
}
