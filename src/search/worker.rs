//! The state of one search thread, and the operations that every step uses: making moves, reading
//! and writing the table, and polling for the end of the search.

use std::{io, sync::Arc};

use crate::transposition::{Entry, Probe, TranspositionTable};
use crate::types::value::{self, CENTIPAWNS, MAX_EVALUATION, MAX_PLY, PAWN_VALUE};
use crate::types::{Bound, Color, Depth, EnteringKingRule, Key64, Move, Move16, Ply, Value};
use crate::{eval::ThreadEvaluator, position::Position};

use super::history::{ContinuationRow, Histories, HistoryPool};
use super::node::{Line, Node, Stack, TtData};
use super::time::{Difficulty, TimeManager};
use super::{audit, history::CorrectionRow, report::Reporter, root::RootMove, root_mate::RootMate};
use super::{signals::Statistics, thread::Task};

/// The value that a stopped search returns; it must not be used.
pub(super) const STOPPED: Value = 0;

/// The state of one search thread.
pub(super) struct Worker {
    pub(super) task: Task,
    pub(super) position: Position,
    pub(super) evaluator: ThreadEvaluator,
    pub(super) rule: EnteringKingRule,
    pub(super) all_moves: bool,
    pub(super) max_moves: u32,
    /// Value of a draw, indexed by the side to move.
    draw_values: [Value; Color::NUM],
    /// What each piece in hand but pawns costs the side to move at the root; 0 in even games.
    pub(super) contempt: Value,
    pub(super) histories: Histories,
    pub(super) stack: Stack,
    /// Principal variation from each ply on, valid in PV nodes.
    pub(super) pv_lines: Box<[Line]>,
    pub(super) root_moves: Vec<RootMove>,
    /// The best root move as the last completed iteration left it.
    pub(super) completed_best: Option<RootMove>,
    /// Index of the line that is being searched (`MultiPV`), from 0.
    pub(super) pv_index: usize,
    /// Index of the root move that is being searched.
    pub(super) root_index: usize,
    pub(super) root_depth: Depth,
    /// Depth of the last completed iteration, in plies.
    pub(super) completed_depth: Depth,
    pub(super) seldepth: usize,
    /// Width of the aspiration window at the root.
    pub(super) root_delta: Value,
    /// Node count when the search of the last root move ended.
    pub(super) nodes_at_last_root_move: u64,
    /// How hard the position is; decides the time for it.
    pub(super) difficulty: Difficulty,
    pub(super) statistics: Statistics,
    /// Time management; helper threads have none.
    pub(super) time: Option<TimeManager>,
    /// Reports to the user; helper threads have none.
    pub(super) reporter: Option<Reporter>,
    /// The search for a mate from the root; only the main thread's runs.
    pub(super) root_mate: RootMate,
    /// The table between searches: the real one must not be kept alive.
    placeholder_table: Arc<TranspositionTable>,
    is_pondering: bool,
    next_poll: u64,
    is_stopped: bool,
}

impl Worker {
    /// Clears the thread's own histories, for a new game.
    pub(super) fn clear(&mut self) {
        self.histories.clear();
        self.root_mate.clear();
        self.difficulty = Difficulty::default();
    }

    /// A worker without a task, one of those that share histories by the pool.
    ///
    /// # Errors
    /// There is no address space left for the histories.
    pub(super) fn new(pool: &HistoryPool) -> io::Result<Self> {
        let placeholder_table = Arc::new(TranspositionTable::minimal());
        let task = Task::idle(Arc::clone(&placeholder_table));
        Ok(Self {
            position: task.position.clone(),
            evaluator: ThreadEvaluator::default(),
            rule: EnteringKingRule::default(),
            all_moves: false,
            max_moves: u32::MAX,
            draw_values: [0; Color::NUM],
            contempt: 0,
            histories: Histories::new(pool)?,
            stack: Stack::new(),
            pv_lines: vec![Line::new_const(); MAX_PLY + 2].into_boxed_slice(),
            root_moves: Vec::new(),
            completed_best: None,
            pv_index: 0,
            root_index: 0,
            root_depth: 0,
            completed_depth: 0,
            seldepth: 0,
            root_delta: 0,
            nodes_at_last_root_move: 0,
            difficulty: Difficulty::default(),
            statistics: Statistics::default(),
            time: None,
            reporter: None,
            root_mate: RootMate::default(),
            placeholder_table,
            is_pondering: false,
            next_poll: 0,
            is_stopped: false,
            task,
        })
    }

    /// Starts a task; the histories of the game are kept.
    pub(super) fn begin(&mut self, task: Task, root_moves: Vec<RootMove>) {
        let settings = &task.settings;
        let root_side = task.position.side_to_move();
        let draw_value = settings.draw_value[root_side.index()]
            .clamp(-MAX_EVALUATION, MAX_EVALUATION)
            * PAWN_VALUE
            / CENTIPAWNS;
        self.draw_values[root_side.index()] = draw_value;
        self.draw_values[root_side.opponent().index()] = -draw_value;
        let is_giver = task.position.giver() == Some(root_side);
        let contempt = settings.handicap_contempt * PAWN_VALUE / CENTIPAWNS;
        self.contempt = if is_giver { contempt } else { 0 };
        if !self.evaluator.is_of(&settings.evaluator) {
            self.evaluator = settings.evaluator.for_thread();
        }
        self.rule = settings.entering_king_rule;
        self.all_moves = settings.generate_all_legal_moves;
        self.max_moves = match settings.max_moves_to_draw {
            0 => u32::MAX,
            // A game that goes on beyond the limit has none.
            last if task.position.game_ply() > last => u32::MAX,
            last => last,
        };
        self.position = task.position.clone();
        self.stack.clear();
        self.histories.begin_search();
        let is_material = settings.evaluator.is_material();
        self.histories.set_of_material(is_material);
        self.completed_best = None;
        self.nodes_at_last_root_move = 0;
        self.root_moves = root_moves;
        self.root_depth = 0;
        self.completed_depth = 0;
        self.difficulty.begin_search(self.position.game_ply());
        self.statistics = Statistics::default();
        self.time = None;
        self.reporter = None;
        self.root_mate.stop();
        self.is_pondering = task.limits.ponder;
        self.is_stopped = false;
        self.task = task;
        self.schedule_poll();
    }

    /// Drops the table, so that its memory can be freed, and the receiver of events.
    pub(super) fn release(&mut self) {
        self.reporter = None;
        self.task.table = Arc::clone(&self.placeholder_table);
    }

    /// Whether the search must end; values returned after this are invalid.
    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Makes a move, which counts as a node, and polls if it is time to.
    #[inline(always)]
    pub(super) fn do_move(&mut self, mv: Move, ply: Ply) {
        audit::legal(&self.position, &[mv], "move");
        self.statistics.nodes += 1;
        let is_capture = self.position.piece_on(mv.to()).is_some();
        let frame = &mut self.stack[ply];
        frame.current_move = Some(mv);
        frame.continuation_row = ContinuationRow::of(mv, frame.in_check, is_capture);
        frame.correction_row = CorrectionRow::of(mv);
        self.position.do_move(mv);
        let rows = self.correction_rows(ply + 1);
        self.histories.prefetch_correction(&self.position, mv, rows);
        if self.statistics.nodes >= self.next_poll {
            self.poll();
        }
    }

    #[inline(always)]
    pub(super) fn undo_move(&mut self) {
        self.position.undo_move();
    }

    /// Checks the stop signal, ponderhit, node limit and clock, publishes the node count, and looks
    /// for a mate from the root.
    #[cold]
    #[inline(never)]
    pub(super) fn poll(&mut self) {
        let signals = &self.task.signals;
        self.is_stopped |= signals.poll(self.task.thread, self.statistics.nodes);
        self.task.table.grow();
        if let Some(time) = &mut self.time {
            if self.is_pondering && !signals.is_pondering() {
                self.is_pondering = false;
                if let Some(hit) = signals.take_ponderhit() {
                    time.ponderhit(hit, signals.nodes());
                }
            }
            if !self.is_pondering && time.is_over(|| signals.nodes()) {
                self.is_stopped = true;
            }
        }
        let limit = self.task.limits.nodes;
        if limit.is_some_and(|limit| signals.nodes() >= limit) {
            self.is_stopped = true;
        }
        if !self.is_stopped && self.run_root_mate() {
            self.is_stopped = true;
        }
        self.schedule_poll();
    }

    fn schedule_poll(&mut self) {
        let nodes = self.statistics.nodes;
        let mut interval = TimeManager::poll_interval(self.time.as_ref());
        if let Some(limit) = self.task.limits.nodes {
            // The limit is for all threads together; each looks for itself whether it is reached.
            let signals = &self.task.signals;
            let left = limit.saturating_sub(signals.nodes());
            interval = interval.min(left.div_ceil(signals.threads())).max(1);
        }
        self.next_poll = nodes + interval;
    }

    /// After an iteration: whether no new one may start. `factor` is in percent of the optimum
    /// time.
    pub(super) fn should_stop(&mut self, factor: u32) -> bool {
        self.poll();
        match &mut self.time {
            Some(time) if self.is_pondering => {
                time.set_factor(factor);
                false
            }
            Some(time) => time.should_stop(factor, self.task.signals.nodes()),
            None => false,
        }
    }

    /// The value of a draw for the side to move.
    #[inline(always)]
    pub(super) fn draw_value(&self) -> Value {
        self.draw_values[self.position.side_to_move().index()]
    }

    /// Looks up the position. An entry whose move is not legal here belongs to another position
    /// with a colliding key: it is erased and counts as a miss.
    #[inline]
    pub(super) fn probe(&mut self, ply: Ply) -> (Probe, Option<TtData>) {
        let key = self.position.key();
        let probe = self.task.table.probe(self.tt_key(key));
        self.statistics.probes += 1;
        let Some(entry) = probe.entry else {
            return (probe, None);
        };
        #[cfg(test)]
        if let Some(collisions) = &self.task.collisions {
            collisions.found(key);
        }
        let mv = match entry.mv {
            None => None,
            Some(stored) => {
                let proved = self.legal_tt_move(stored);
                if proved.is_none() {
                    self.statistics.rejected += 1;
                    self.task.table.erase(probe.slot);
                    return (probe, None);
                }
                proved
            }
        };
        self.statistics.hits += 1;
        audit::remembered(&self.position, mv, "move of the table");
        let tt_data = TtData {
            mv,
            value: value::from_table(entry.value, ply),
            eval: entry.eval,
            depth: entry.depth,
            bound: entry.bound,
            is_pv: entry.is_pv,
        };
        audit::value(tt_data.value, ply);
        (probe, Some(tt_data))
    }

    /// The move of an entry, if it is legal in the position.
    #[inline(always)]
    fn legal_tt_move(&self, stored: Move16) -> Option<Move> {
        self.position.legal_move(stored)
    }

    /// The move, value and bound of the entry, without changing statistics or the table.
    pub(super) fn peek_tt(&self, ply: Ply) -> Option<(Move, Value, Bound)> {
        let key = self.tt_key(self.position.key());
        let entry = self.task.table.probe(key).entry?;
        let value = value::from_table(entry.value, ply);
        Some((self.legal_tt_move(entry.mv?)?, value, entry.bound))
    }

    /// The key under which the table knows a position. Tests fold keys to provoke collisions.
    #[inline(always)]
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests ask the task"))]
    pub(super) fn tt_key(&self, key: Key64) -> Key64 {
        #[cfg(test)]
        if let Some(collisions) = &self.task.collisions {
            return collisions.fold(key);
        }
        key
    }

    /// Stores the best value and best move of a node.
    #[inline(always)]
    pub(super) fn store(&self, node: &Node, bound: Bound) {
        self.store_value(node, node.best_value, bound, node.depth, node.best_move);
    }

    /// Stores the evaluation alone, as an upper bound without a value.
    #[inline(always)]
    pub(super) fn store_evaluation(&self, node: &Node) {
        self.store_value(node, value::NONE, Bound::Upper, 0, None);
    }

    /// Stores a value of a node.
    #[inline(always)]
    pub(super) fn store_value(
        &self,
        node: &Node,
        value: Value,
        bound: Bound,
        depth: Depth,
        mv: Option<Move>,
    ) {
        audit::legal(&self.position, mv.as_slice(), "best move");
        audit::value(value, node.ply);
        let entry = Entry {
            mv: mv.map(Move::to_move16),
            value: value::to_table(value, node.ply),
            eval: node.raw_eval,
            depth: depth.max(0),
            bound,
            is_pv: node.tt_pv,
        };
        let key = self.tt_key(node.key);
        self.task.table.store(node.slot, key, entry);
        #[cfg(test)]
        if let Some(collisions) = &self.task.collisions {
            let kept = self.task.table.probe(key).entry;
            if kept.is_some_and(|kept| (kept.value, kept.depth) == (entry.value, entry.depth)) {
                collisions.stored(node.key);
            }
        }
    }

    /// Sets the principal variation of `ply` to `mv` and that of the next ply.
    #[inline]
    pub(super) fn update_pv(&mut self, ply: Ply, mv: Move) {
        let (before, after) = self.pv_lines.split_at_mut(ply + 1);
        let line = &mut before[ply];
        line.clear();
        line.push(mv);
        let rest = &after[0];
        // The rest may be as long as a line can be; its last move is dropped then.
        let room = line.remaining_capacity().min(rest.len());
        line.extend(rest[..room].iter().copied());
        audit::line(&self.position, line);
    }
}
