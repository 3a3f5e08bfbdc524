//! One search thread's own memory, and the small steps that every part of the search uses: making moves with counting,
//! looking into the table, noticing that it is time to stop.

use std::sync::Arc;

use crate::eval::{self, Evaluator};
use crate::position::Position;
use crate::transposition::{Entry, Probe, TranspositionTable};
use crate::types::value::{self, MAX_EVALUATION, MAX_PLY, PAWN_VALUE};
use crate::types::{Bound, Color, Depth, EnteringKingRule, Key64, Move, Move16, Ply, Value};

use super::audit;
#[cfg(test)]
use super::collisions::Collisions;
use super::correction::CorrectionRow;
use super::history::{Histories, Row};
use super::node::{Frames, Line, Node, TableHit};
use super::reporter::Reporter;
use super::root::RootMove;
use super::signals::{Signals, Statistics};
use super::time::TimeManager;
use super::{Limits, Settings};

/// What a search returns when it was stopped; nobody may use it.
pub(super) const STOPPED: Value = 0;

const CENTIPAWNS: i32 = 100;

/// What one search of one thread works on.
#[derive(Clone)]
pub(super) struct Task {
    pub(super) thread: usize,
    pub(super) position: Position,
    pub(super) limits: Arc<Limits>,
    pub(super) settings: Arc<Settings>,
    pub(super) table: Arc<TranspositionTable>,
    pub(super) signals: Arc<Signals>,
    #[cfg(test)]
    pub(super) collisions: Option<Arc<Collisions>>,
}

/// Memory of one thread.
pub(super) struct Worker {
    pub(super) task: Task,
    pub(super) position: Position,
    pub(super) evaluator: Evaluator,
    pub(super) evaluation: eval::Accumulator,
    pub(super) rule: EnteringKingRule,
    pub(super) all_moves: bool,
    pub(super) max_moves: u32,
    /// By side to move.
    pub(super) draw_values: [Value; Color::NUM],
    pub(super) histories: Histories,
    pub(super) frames: Frames,
    /// By ply: the best line from there on, where the window was open.
    pub(super) lines: Box<[Line]>,
    /// The best line of the last iteration.
    pub(super) last_line: Vec<Move>,
    pub(super) root_moves: Vec<RootMove>,
    /// The line that is searched now, from 0.
    pub(super) pv_index: usize,
    pub(super) root_depth: Depth,
    /// The deepest iteration that was completed.
    pub(super) completed_depth: Depth,
    pub(super) seldepth: usize,
    /// The width of the window at the root.
    pub(super) root_width: Value,
    /// Nodes when the search of the last root move ended.
    pub(super) root_move_nodes: u64,
    /// Null moves are tried only from here on, while one is verified.
    pub(super) null_min_ply: Ply,
    /// How often the best move changed; halves each iteration.
    pub(super) best_move_changes: u32,
    pub(super) statistics: Statistics,
    /// Only the main thread has one.
    pub(super) time: Option<TimeManager>,
    /// Likewise.
    pub(super) reporter: Option<Reporter>,
    /// Stands in for the table between searches.
    no_table: Arc<TranspositionTable>,
    is_pondering: bool,
    next_poll: u64,
    is_stopped: bool,
}

impl Task {
    /// Nothing to do.
    fn idle(no_table: Arc<TranspositionTable>) -> Self {
        Self {
            thread: 0,
            position: Position::startpos(),
            limits: Arc::default(),
            settings: Arc::default(),
            table: no_table,
            signals: Arc::new(Signals::idle()),
            #[cfg(test)]
            collisions: None,
        }
    }
}

impl Worker {
    /// A new game: nothing that was learned in the last one counts.
    pub(super) fn forget(&mut self) {
        self.histories.clear();
    }

    /// A thread's memory before its first task.
    pub(super) fn new() -> Self {
        let no_table = Arc::new(TranspositionTable::minimal());
        let task = Task::idle(Arc::clone(&no_table));
        Self {
            position: task.position.clone(),
            evaluator: Evaluator::default(),
            evaluation: eval::Accumulator::default(),
            rule: EnteringKingRule::default(),
            all_moves: false,
            max_moves: u32::MAX,
            draw_values: [0; Color::NUM],
            histories: Histories::new(),
            frames: Frames::new(),
            lines: vec![Line::new_const(); MAX_PLY + 2].into_boxed_slice(),
            last_line: Vec::new(),
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            completed_depth: 0,
            seldepth: 0,
            root_width: 0,
            root_move_nodes: 0,
            null_min_ply: 0,
            best_move_changes: 0,
            statistics: Statistics::default(),
            time: None,
            reporter: None,
            no_table,
            is_pondering: false,
            next_poll: 0,
            is_stopped: false,
            task,
        }
    }

    /// Takes up a task; what was learned before in the game stays.
    pub(super) fn begin(&mut self, task: Task, root_moves: Vec<RootMove>) {
        let settings = &task.settings;
        let root_side = task.position.side_to_move();
        let draw_value = settings.draw_value[root_side.index()]
            .clamp(-MAX_EVALUATION, MAX_EVALUATION)
            * PAWN_VALUE
            / CENTIPAWNS;
        self.draw_values[root_side.index()] = draw_value;
        self.draw_values[root_side.opponent().index()] = -draw_value;
        if self.evaluator != settings.evaluator {
            self.evaluator = settings.evaluator.clone();
            self.evaluation = self.evaluator.accumulator();
        }
        self.rule = settings.entering_king_rule;
        self.all_moves = settings.generate_all_legal_moves;
        self.max_moves = match settings.max_moves_to_draw {
            0 => u32::MAX,
            last => last,
        };
        self.position = task.position.clone();
        self.frames.clear();
        self.histories.begin_search();
        let is_material = self.evaluator.is_material();
        self.histories.corrections.set_of_material(is_material);
        self.last_line.clear();
        self.null_min_ply = 0;
        self.root_move_nodes = 0;
        self.root_moves = root_moves;
        self.root_depth = 0;
        self.completed_depth = 0;
        self.best_move_changes = 0;
        self.statistics = Statistics::default();
        self.time = None;
        self.reporter = None;
        self.is_pondering = task.limits.ponder;
        self.is_stopped = false;
        self.task = task;
        self.schedule_poll();
    }

    /// Lets go of the table, so that its memory can be given back, and of the receiver of the events.
    pub(super) fn release(&mut self) {
        self.reporter = None;
        self.task.table = Arc::clone(&self.no_table);
    }

    /// Whether the search must end now; nothing found out after this counts.
    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Makes a move: a node.
    #[inline(always)]
    pub(super) fn do_move(&mut self, mv: Move, ply: Ply) {
        audit::legal(&self.position, &[mv], "move");
        self.statistics.nodes += 1;
        let is_capture = self.position.piece_on(mv.to()).is_some();
        let frame = &mut self.frames[ply];
        frame.current_move = Some(mv);
        frame.row = Row::of(mv, frame.in_check, is_capture);
        frame.correction_row = CorrectionRow::of(mv);
        self.position.do_move(mv);
        let rows = self.correction_rows(ply + 1);
        self.histories
            .corrections
            .prefetch(&self.position, mv, rows);
        if self.statistics.nodes >= self.next_poll {
            self.poll();
        }
    }

    #[inline(always)]
    pub(super) fn undo_move(&mut self) {
        self.position.undo_move();
    }

    /// Looks at the clock, the node limit and the signals.
    #[cold]
    #[inline(never)]
    pub(super) fn poll(&mut self) {
        let signals = &self.task.signals;
        signals.publish_nodes(self.task.thread, self.statistics.nodes);
        if signals.is_stopped() {
            self.is_stopped = true;
        }
        if let Some(time) = &mut self.time {
            if self.is_pondering && !signals.is_pondering() {
                self.is_pondering = false;
                if let Some(hit) = signals.take_ponderhit() {
                    time.ponderhit(hit, signals.nodes());
                }
            }
            let is_at_limit = self
                .task
                .limits
                .nodes
                .is_some_and(|limit| signals.nodes() >= limit);
            if is_at_limit || !self.is_pondering && time.is_over(|| signals.nodes()) {
                self.is_stopped = true;
            }
        }
        self.schedule_poll();
    }

    fn schedule_poll(&mut self) {
        let nodes = self.statistics.nodes;
        let limit = self.task.limits.nodes.unwrap_or(u64::MAX).max(nodes + 1);
        let interval = TimeManager::poll_interval(self.time.as_ref());
        self.next_poll = (nodes + interval).min(limit);
    }

    /// After an iteration: whether the clock says to end here.
    pub(super) fn has_thought_enough(&mut self, factor: u32) -> bool {
        self.poll();
        match &mut self.time {
            Some(time) if self.is_pondering => {
                time.remember(factor);
                false
            }
            Some(time) => time.has_thought_enough(factor, self.task.signals.nodes()),
            None => false,
        }
    }

    /// The value of a draw for the side to move.
    #[inline(always)]
    pub(super) fn draw_value(&self) -> Value {
        self.draw_values[self.position.side_to_move().index()]
    }

    /// Looks the position up. An entry whose move is not legal here belongs to another position: it is a miss, and
    /// nothing of it is used.
    #[inline]
    pub(super) fn probe(&mut self, ply: Ply) -> (Probe, Option<TableHit>) {
        let key = self.position.key();
        let probe = self.task.table.probe(self.table_key(key));
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
                let proved = self.prove(stored);
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
        let hit = TableHit {
            mv,
            value: value::from_table(entry.value, ply),
            eval: entry.eval,
            depth: entry.depth,
            bound: entry.bound,
            is_pv: entry.is_pv,
        };
        audit::value(hit.value, ply);
        (probe, Some(hit))
    }

    /// A move from storage, where it is legal.
    #[inline(always)]
    fn prove(&self, stored: Move16) -> Option<Move> {
        let mv = self.position.to_move(stored)?;
        (self.position.pseudo_legal(mv) && self.position.legal(mv)).then_some(mv)
    }

    /// The move, value and bound that the table knows of the position, without leaving a trace.
    pub(super) fn peek(&self, ply: Ply) -> Option<(Move, Value, Bound)> {
        let key = self.table_key(self.position.key());
        let entry = self.task.table.probe(key).entry?;
        let value = value::from_table(entry.value, ply);
        Some((self.prove(entry.mv?)?, value, entry.bound))
    }

    /// The key under which the table knows a position: tests fold them, so that they collide.
    #[inline(always)]
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests ask the task"))]
    pub(super) fn table_key(&self, key: Key64) -> Key64 {
        #[cfg(test)]
        if let Some(collisions) = &self.task.collisions {
            return collisions.fold(key);
        }
        key
    }

    /// Writes what was found out at a node.
    #[inline(always)]
    pub(super) fn store(&self, node: &Node, bound: Bound) {
        self.store_value(node, node.best_value, bound, node.depth, node.best_move);
    }

    /// Writes the evaluation of a node and no value: an upper bound that decides nothing.
    #[inline(always)]
    pub(super) fn store_evaluation(&self, node: &Node) {
        self.store_value(node, value::NONE, Bound::Upper, 0, None);
    }

    /// Writes a value of a node.
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
            is_pv: node.was_pv,
        };
        let key = self.table_key(node.key);
        self.task.table.store(node.slot, key, entry);
        #[cfg(test)]
        if let Some(collisions) = &self.task.collisions {
            let kept = self.task.table.probe(key).entry;
            if kept.is_some_and(|kept| (kept.value, kept.depth) == (entry.value, entry.depth)) {
                collisions.stored(node.key);
            }
        }
    }

    /// The line of `ply` becomes `mv` and the line after it.
    #[inline]
    pub(super) fn extend_line(&mut self, ply: Ply, mv: Move) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        let line = &mut before[ply];
        line.clear();
        line.push(mv);
        let rest = &after[0];
        // Both hold at most the longest line; the last move of one that long is dropped.
        let room = line.remaining_capacity().min(rest.len());
        line.extend(rest[..room].iter().copied());
        audit::line(&self.position, line);
    }
}
