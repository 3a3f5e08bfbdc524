//! Sends the reports of the main thread, and limits how often: principal variations at most once
//! per [`Settings::pv_interval`](super::settings::Settings::pv_interval), root moves and window
//! failures only in long searches.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::types::{Depth, Move, Score};
use crate::util::system::Instant;

use super::event::{CurrentMove, Event, Info, OnEvent};
use super::limits::Limits;
use super::root_move::RootMove;

/// Window failures and current moves are reported only after this time, as in Stockfish.
const LONG_SEARCH: Duration = Duration::from_secs(3);
/// Minimum time between two reports of a current move.
const CURRENT_MOVE_INTERVAL: Duration = Duration::from_millis(100);

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

    /// Whether the interval since the last report has passed.
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    /// Whether the search has run long enough for detailed reports.
    pub(super) fn is_long_search(&self) -> bool {
        self.start.elapsed() >= LONG_SEARCH
    }

    /// Whether the last report showed exactly these lines and this node count.
    pub(super) fn has_reported(&self, lines: &[RootMove], nodes: u64) -> bool {
        self.reported_nodes == nodes
            && self.reported.len() == lines.len()
            && self
                .reported
                .iter()
                .zip(lines)
                .all(|(reported, line)| reported.has_same_report(line))
    }

    /// Reports the root moves that have a value; `hashfull` is in permill.
    pub(super) fn report_lines(&mut self, lines: &[RootMove], nodes: u64, hashfull: u32) {
        for (index, best) in lines
            .iter()
            .enumerate()
            .filter(|(_, best)| best.is_searched())
        {
            self.sender.send(Event::Info(Info {
                depth: best.depth,
                // A line completed from the table may be longer than what this search visited.
                seldepth: best.seldepth.max(best.pv.len()) as i32,
                multi_pv: index + 1,
                score: Score::from_value(best.value),
                bound: best.bound,
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
