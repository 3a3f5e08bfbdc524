//! What a search reports, and when: lines, the current root move, notes, and the final decision.
//!
//! Principal variations are reported at most once per
//! [`Settings::pv_interval`](super::Settings::pv_interval), root moves and window failures only in
//! long searches. The search cuts a line short where a TT cutoff or the window ended it; before a
//! report the line is completed from the table, which usually still has the continuation. Only
//! moves that are proved legal are appended, and a line ends where the game does. Nothing is
//! counted or erased, so that reports do not change the search.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::types::value::{self, MATE, MAX_PLY, mate_in, mated_in};
use crate::types::{Bound, Depth, Move, Score, Value};
use crate::{movegen::legal_moves, position::Declaration, util::system::Instant};

use super::{audit, limits::Limits, root::RootMove, worker::Worker};

/// One principal variation with its score and the counters of the search (USI `info`).
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// Depth of the iteration that found this line, in plies.
    pub depth: Depth,
    /// Length of the longest line searched, in plies from the root.
    pub seldepth: i32,
    /// Rank of this line, from 1.
    pub multi_pv: usize,
    /// Score from the point of view of the side to move.
    pub score: Score,
    /// Whether the score is exact, a lower bound or an upper bound.
    pub bound: Bound,
    /// Moves made by all threads since the search started.
    pub nodes: u64,
    /// Time since [`Limits::start`].
    pub time: Duration,
    /// Use of the transposition table by this search, in permill.
    pub hashfull: u32,
    /// The principal variation; each move is legal after the moves before it.
    pub pv: Vec<Move>,
}

impl Info {
    /// Whether it says only that the side to move is mated, so that there is no line.
    pub fn is_of_mated(&self) -> bool {
        self.score == Score::Mate(0)
    }
}

/// The root move being searched (USI `currmove`); reported only in long searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurrentMove {
    /// Depth of the running iteration, in plies.
    pub depth: Depth,
    /// The root move that is being searched.
    pub mv: Move,
    /// Its place in the order of root moves of this iteration, from 1.
    pub number: usize,
}

/// The result of a search (USI `bestmove`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// A move that is played.
    Move {
        /// The move to play.
        best: Move,
        /// The expected reply, on which the engine may ponder.
        ponder: Option<Move>,
    },
    /// There is no legal move, or the score is below the resign value.
    Resign,
    /// Declare a win by entering king.
    Win,
    /// A ponder search was stopped in a position without a legal move: no answer is due.
    Nothing,
}

/// A report of the search.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A principal variation with its score and counters.
    Info(Info),
    /// The root move being searched.
    CurrentMove(CurrentMove),
    /// A message for the user, such as an error.
    Note(String),
    /// The end of the search; delivered exactly once, as the last event.
    Done(Decision),
}

/// Receives the events of a search.
pub(super) type OnEvent = Box<dyn FnMut(Event) + Send>;

/// Window failures and current moves are reported only after this time, as in Stockfish.
const LONG_SEARCH: Duration = Duration::from_secs(3);
/// Minimum time between two reports of a current move.
const CURRENT_MOVE_INTERVAL: Duration = Duration::from_millis(100);
/// Every line is completed to at least a move and a reply.
const MIN_LENGTH: usize = 2;

/// The receiver of events, shared between the worker, which reports lines, and the main thread's
/// loop, which reports the decision even after a panic has destroyed the worker.
#[derive(Clone)]
pub(super) struct EventSender(Arc<Mutex<OnEvent>>);

impl EventSender {
    pub(super) fn new(on_event: OnEvent) -> Self {
        Self(Arc::new(Mutex::new(on_event)))
    }

    pub(super) fn send(&self, event: Event) {
        (self.0.lock().unwrap_or_else(PoisonError::into_inner))(event);
    }
}

/// What has been reported, and when.
pub(super) struct Reporter {
    sender: EventSender,
    start: Instant,
    interval: Duration,
    last: Instant,
    last_current_move: Instant,
    /// The best root moves as last reported.
    reported: Vec<RootMove>,
    /// The node count as last reported.
    reported_nodes: u64,
}

impl Reporter {
    /// A reporter for one search; `interval` is ignored in infinite analysis, which reports every
    /// iteration.
    pub(super) fn new(sender: EventSender, limits: &Limits, interval: Duration) -> Self {
        Self {
            sender,
            start: limits.start,
            interval: if limits.infinite { Duration::ZERO } else { interval },
            last: limits.start,
            last_current_move: limits.start,
            reported: Vec::new(),
            reported_nodes: 0,
        }
    }

    /// Whether the interval since the last report has passed.
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    /// Whether the search has run long enough for detailed reports.
    fn is_long_search(&self) -> bool {
        self.start.elapsed() >= LONG_SEARCH
    }

    /// Whether the last report showed exactly these lines and this node count.
    fn has_reported(&self, lines: &[RootMove], nodes: u64) -> bool {
        self.reported_nodes == nodes
            && self.reported.len() == lines.len()
            && self
                .reported
                .iter()
                .zip(lines)
                .all(|(reported, line)| reported.has_same_report(line))
    }

    /// Reports the root moves that have a value, with the bounds to show; `hashfull` is in permill.
    fn report_lines(&mut self, lines: &[RootMove], bounds: &[Bound], nodes: u64, hashfull: u32) {
        for (index, (best, &bound)) in
            lines.iter().zip(bounds).enumerate().filter(|(_, (best, _))| best.is_searched())
        {
            self.sender.send(Event::Info(Info {
                depth: best.depth,
                // A line completed from the table may be longer than what this search visited.
                seldepth: best.seldepth.max(best.pv.len()) as i32,
                multi_pv: index + 1,
                score: Score::from_value(best.value),
                bound,
                nodes,
                time: self.start.elapsed(),
                hashfull,
                pv: best.pv.clone(),
            }));
        }
        self.last = Instant::now();
        self.reported = lines.to_vec();
        self.reported_nodes = nodes;
    }

    /// Reports the root move being searched, at most once per [`CURRENT_MOVE_INTERVAL`] and only
    /// in a long search.
    pub(super) fn report_current_move(&mut self, depth: Depth, mv: Move, number: usize) {
        if self.is_long_search() && self.last_current_move.elapsed() >= CURRENT_MOVE_INTERVAL {
            self.last_current_move = Instant::now();
            let current_move = CurrentMove { depth, mv, number };
            self.sender.send(Event::CurrentMove(current_move));
        }
    }
}

impl Worker {
    /// Reports the first `lines` root moves.
    pub(super) fn report(&mut self, lines: usize) {
        self.complete_lines(lines);
        let bounds: Vec<Bound> = (0..lines).map(|index| self.shown_bound(index)).collect();
        let Some(reporter) = &mut self.reporter else {
            return;
        };
        let signals = &self.task.signals;
        signals.publish_nodes(self.task.thread, self.statistics.nodes);
        let (nodes, hashfull) = (signals.nodes(), self.task.table.hashfull());
        reporter.report_lines(&self.root_moves[..lines], &bounds, nodes, hashfull);
    }

    fn complete_lines(&mut self, lines: usize) {
        for index in 0..lines {
            self.complete_line(index);
        }
    }

    /// Reports after an iteration, unless the last report was too recent.
    pub(super) fn report_if_due(&mut self, lines: usize) {
        if self.reporter.as_ref().is_some_and(Reporter::is_due) {
            self.report(lines);
        }
    }

    /// Reports the bound after the value fell out of the aspiration window, in long searches.
    pub(super) fn report_bound(&mut self) {
        let is_wanted = self.task.settings.shows_bounds
            && self.multi_pv() <= 1
            && self
                .reporter
                .as_ref()
                .is_some_and(|reporter| reporter.is_long_search() && reporter.is_due());
        if is_wanted {
            self.report(1);
        }
    }

    /// Reports the final result with all nodes and the total time, unless the last report already
    /// showed it. A bound, unless it is a mate, gives way to the exact value that the iteration
    /// before found for the same move.
    pub(super) fn report_result(&mut self, lines: usize) {
        let best = &self.root_moves[0];
        if lines == 1
            && best.bound != Bound::Exact
            && !value::is_mate(best.value)
            && let Some(completed) = self.completed_best.take()
            && completed.mv == best.mv
            && completed.bound == Bound::Exact
        {
            self.root_moves[0] = completed;
        }
        self.complete_lines(lines);
        let signals = &self.task.signals;
        signals.publish_nodes(self.task.thread, self.statistics.nodes);
        let is_known = self.reporter.as_ref().is_some_and(|reporter| {
            reporter.has_reported(&self.root_moves[..lines], signals.nodes())
        });
        if !is_known {
            self.report(lines);
        }
    }

    /// Reports that the search of a root move begins; `move_count` is its number at the root node.
    pub(super) fn report_current_move(&mut self, mv: Move, move_count: i32) {
        if let Some(reporter) = &mut self.reporter {
            let number = move_count as usize + self.pv_index;
            reporter.report_current_move(self.root_depth, mv, number);
        }
    }

    /// The first line with the static evaluation.
    pub(super) fn static_info(&mut self) -> Info {
        let value = self.evaluate();
        self.unsearched(value, self.root_moves[0].pv.clone())
    }

    /// A win at once. A declaration (入玉宣言) takes no move, so its line is empty.
    pub(super) fn declaration_info(&self, declaration: Declaration) -> Info {
        let pv = match declaration {
            Declaration::Win => Vec::new(),
            Declaration::Try(mv) => vec![mv],
        };
        self.unsearched(mate_in(1), pv)
    }

    /// A loss: there is no legal move.
    pub(super) fn mated_info(&self) -> Info {
        self.unsearched(mated_in(0), Vec::new())
    }

    fn unsearched(&self, value: Value, pv: Vec<Move>) -> Info {
        Info {
            depth: 0,
            seldepth: pv.len() as i32,
            multi_pv: 1,
            score: Score::from_value(value),
            bound: Bound::Exact,
            nodes: self.task.signals.nodes(),
            time: self.task.limits.start.elapsed(),
            hashfull: self.task.table.hashfull(),
            pv,
        }
    }

    /// Completes the line of a root move, up to its search depth or to the mate. The position must
    /// be the root.
    pub(super) fn complete_line(&mut self, index: usize) {
        let RootMove { pv, value, .. } = &mut self.root_moves[index];
        let (mut line, value) = (std::mem::take(pv), *value);
        let wanted = wanted_length(&self.root_moves[index]);
        if line.len() < wanted {
            for &mv in &line {
                self.position.do_move(mv);
            }
            while line.len() < wanted
                && let Some(mv) = self.next_pv_move(line.len(), value)
            {
                self.position.do_move(mv);
                line.push(mv);
            }
            for _ in &line {
                self.position.undo_move();
            }
            audit::line(&self.position, &line);
        }
        self.root_moves[index].pv = line;
    }

    /// The bound of a root move as it is shown: a mate is exact where its line ends in it, and else
    /// one that may come sooner.
    pub(super) fn shown_bound(&mut self, index: usize) -> Bound {
        let best = &self.root_moves[index];
        if !value::is_mate(best.value) || best.bound != Bound::Exact {
            return best.bound;
        }
        let (plies, line) = (wanted_length(best), &best.pv);
        for &mv in line {
            self.position.do_move(mv);
        }
        let is_end = line.len() == plies && legal_moves(&self.position).is_empty()
            || line.len() + 1 == plies && self.position.declaration(self.rule).is_some();
        for _ in line {
            self.position.undo_move();
        }
        if is_end {
            Bound::Exact
        } else if best.value > 0 {
            Bound::Lower
        } else {
            Bound::Upper
        }
    }

    /// The table's move after `ply` moves of a line of this value, unless the game is over there.
    fn next_pv_move(&mut self, ply: usize, value: Value) -> Option<Move> {
        let is_over = self.position.search_repetition(ply).is_some()
            || self.position.game_ply() > self.max_moves
            || self.position.declaration(self.rule).is_some();
        if is_over {
            return None;
        }
        let known = self.peek_tt(ply);
        if !value::is_mate(value) {
            return known.map(|(mv, ..)| mv);
        }
        // A mate line is continued only by moves whose table value agrees with the mate.
        let wanted = if ply.is_multiple_of(2) { value } else { -value };
        let opposite = if wanted > 0 { Bound::Upper } else { Bound::Lower };
        known
            .filter(|&(_, value, bound)| value == wanted && bound != opposite)
            .map(|(mv, ..)| mv)
            .or_else(|| (wanted == mate_in(ply + 1)).then(|| self.mating_move())?)
    }

    /// A move that mates in one. Tries all legal moves: speed does not matter here.
    fn mating_move(&mut self) -> Option<Move> {
        legal_moves(&self.position).into_iter().find(|&mv| {
            self.position.do_move(mv);
            let is_mate = self.position.in_check() && legal_moves(&self.position).is_empty();
            self.position.undo_move();
            is_mate
        })
    }
}

/// The wanted length of a line in plies.
fn wanted_length(best: &RootMove) -> usize {
    if value::is_mate(best.value) {
        (MATE - best.value.abs()) as usize
    } else {
        (best.depth as usize).clamp(MIN_LENGTH, MAX_PLY)
    }
}
