//! What ends a search from outside, and what it tells while it works.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::crowd::Crowd;
use super::line::Line;
use super::search::Search;
use super::solver::MateEvent;
use crate::types::Move;

/// Nodes between two looks at the clock.
const POLL_INTERVAL: u64 = 64;

/// What ends a search.
#[derive(Clone, Copy)]
pub(super) struct Control<'a> {
    /// From outside.
    pub(super) stop: &'a AtomicBool,
    /// Set when another thread has settled the root.
    pub(super) is_done: &'a AtomicBool,
    /// Which positions several threads are busy with; `None` where there is only one thread.
    pub(super) crowd: Option<&'a Crowd>,
    /// Nodes of all threads; each adds its own now and then.
    pub(super) nodes: &'a AtomicU64,
    pub(super) deadline: Option<Instant>,
    /// Nodes of this thread.
    pub(super) most_nodes: u64,
}

/// Hears of the search now and then.
pub(super) struct Reporter<'a> {
    pub(super) report: &'a mut (dyn FnMut(&MateEvent) + Send),
    pub(super) interval: Duration,
    pub(super) next: Instant,
}

/// How far a search is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Moves made, by all threads, but for the last few of the others.
    pub nodes: u64,
    /// The longest line looked at, in plies.
    pub deepest: usize,
    /// How full the table is, in permill.
    pub hashfull: u32,
    /// The line that is looked at now.
    pub line: Vec<Move>,
}

impl Search<'_> {
    /// Whether the search must end.
    pub(super) fn is_stopped(&mut self) -> bool {
        let control = &self.control;
        let is_told = control.stop.load(Ordering::Relaxed)
            || self.has_company && control.is_done.load(Ordering::Relaxed);
        if self.is_stopped || is_told {
            self.is_stopped = true;
        } else if self.nodes >= self.polled_at + POLL_INTERVAL {
            let news = self.nodes - self.polled_at;
            self.control.nodes.fetch_add(news, Ordering::Relaxed);
            self.polled_at = self.nodes;
            let now = Instant::now();
            let deadline = self.control.deadline;
            self.is_stopped = self.nodes >= self.control.most_nodes
                || deadline.is_some_and(|deadline| now >= deadline);
            self.report(now);
        }
        self.is_stopped
    }

    fn report(&mut self, now: Instant) {
        if self
            .reporter
            .as_ref()
            .is_some_and(|reporter| now >= reporter.next)
        {
            let event = MateEvent::Progress(self.progress());
            if let Some(reporter) = &mut self.reporter {
                reporter.next = now + reporter.interval;
                (reporter.report)(&event);
            }
        }
    }

    /// Tells that a mate was found.
    pub(super) fn tell(&mut self, line: &Line) {
        let event = MateEvent::Found(line.clone(), self.progress());
        if let Some(reporter) = &mut self.reporter {
            (reporter.report)(&event);
        }
    }

    fn progress(&self) -> Progress {
        let plies = self.path.number() - 1;
        let past = (0..plies)
            .rev()
            .filter_map(|back| self.position.past_move(back)?.mv);
        let news = self.nodes - self.polled_at;
        Progress {
            nodes: self.control.nodes.load(Ordering::Relaxed) + news,
            deepest: self.deepest,
            hashfull: self.table.hashfull(),
            line: past.collect(),
        }
    }

    /// Takes no more notice of other threads, which have ended or are about to.
    pub(super) fn go_on_alone(&mut self) {
        self.has_company = false;
        self.is_stopped = false;
    }
}
