//! What the leading thread tells the outside while it searches: its best lines, not too often, and, when the search takes
//! long, the root move that it looks at.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::types::{Move, Score};

use super::pool::OnEvent;
use super::root::RootMove;
use super::worker::Worker;
use super::{CurrentMove, Event, Info, Limits};

/// Windows that failed and moves in work are reported only in searches that take long, as Stockfish does.
const LONG_SEARCH: Duration = Duration::from_secs(3);
/// Moves in work are not reported more often.
const CURRENT_MOVE_INTERVAL: Duration = Duration::from_millis(100);

/// Where events go. Clones have the same receiver: the worker reports, the leader decides, also when a panic took the
/// worker with it.
#[derive(Clone)]
pub(super) struct Outlet(Rc<RefCell<OnEvent>>);

impl Outlet {
    pub(super) fn new(on_event: OnEvent) -> Self {
        Self(Rc::new(RefCell::new(on_event)))
    }

    pub(super) fn send(&self, event: Event) {
        (self.0.borrow_mut())(event);
    }
}

/// What has been said, and when.
pub(super) struct Reporter {
    outlet: Outlet,
    start: Instant,
    interval: Duration,
    last: Instant,
    last_current_move: Instant,
    /// The best lines as they were last reported.
    reported: Vec<RootMove>,
    /// The nodes of all threads at that time.
    reported_nodes: u64,
}

impl Reporter {
    /// Of a search with these limits; lines come no more often than every `interval`, but analysis shows all.
    pub(super) fn new(outlet: Outlet, limits: &Limits, interval: Duration) -> Self {
        Self {
            outlet,
            start: limits.start,
            interval: if limits.infinite {
                Duration::ZERO
            } else {
                interval
            },
            last: limits.start,
            last_current_move: limits.start,
            reported: Vec::new(),
            reported_nodes: 0,
        }
    }

    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    fn is_long(&self) -> bool {
        self.start.elapsed() >= LONG_SEARCH
    }

    /// Whether exactly these lines were the last that have been reported, with so many nodes.
    fn has_reported(&self, lines: &[RootMove], nodes: u64) -> bool {
        self.reported_nodes == nodes
            && self.reported.len() == lines.len()
            && self
                .reported
                .iter()
                .zip(lines)
                .all(|(reported, line)| reported.says_the_same(line))
    }
}

impl Worker {
    /// Reports the best lines, of which the user wants `lines`.
    pub(super) fn report(&mut self, lines: usize) {
        self.complete_lines(lines);
        let Some(reporter) = &mut self.reporter else {
            return;
        };
        let signals = &self.task.signals;
        signals.publish_nodes(self.task.thread, self.statistics.nodes);
        let nodes = signals.nodes();
        let hashfull = self.task.table.hashfull();
        let lines = &self.root_moves[..lines];
        for (index, best) in lines
            .iter()
            .enumerate()
            .filter(|(_, best)| best.is_searched())
        {
            reporter.outlet.send(Event::Info(Info {
                depth: best.depth,
                // A line that was completed may be longer than what this search looked at.
                seldepth: best.seldepth.max(best.line.len()) as i32,
                multi_pv: index + 1,
                score: Score::from_value(best.value),
                bound: best.bound,
                nodes,
                time: reporter.start.elapsed(),
                hashfull,
                pv: best.line.clone(),
            }));
        }
        reporter.last = Instant::now();
        reporter.reported = lines.to_vec();
        reporter.reported_nodes = nodes;
    }

    fn complete_lines(&mut self, lines: usize) {
        for index in 0..lines {
            self.complete_line(index);
        }
    }

    /// After an iteration.
    pub(super) fn report_if_due(&mut self, lines: usize) {
        if self.reporter.as_ref().is_some_and(Reporter::is_due) {
            self.report(lines);
        }
    }

    /// The value fell out of the window: in long searches people see the bound meanwhile.
    pub(super) fn report_bound(&mut self) {
        let is_wanted = self.task.settings.shows_bounds
            && self.lines() <= 1
            && self
                .reporter
                .as_ref()
                .is_some_and(|reporter| reporter.is_long() && reporter.is_due());
        if is_wanted {
            self.report(1);
        }
    }

    /// At the end: what is reported last is what was decided on, with all nodes and the time that it took.
    pub(super) fn report_result(&mut self, lines: usize) {
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

    /// The root looks at its `number`-th move.
    pub(super) fn announce(&mut self, mv: Move, number: i32) {
        if let Some(reporter) = &mut self.reporter
            && reporter.is_long()
            && reporter.last_current_move.elapsed() >= CURRENT_MOVE_INTERVAL
        {
            reporter.last_current_move = Instant::now();
            reporter.outlet.send(Event::CurrentMove(CurrentMove {
                depth: self.root_depth,
                mv,
                number: number as usize + self.pv_index,
            }));
        }
    }
}
