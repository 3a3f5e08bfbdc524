//! What the threads of one search tell each other, and what the outside tells them: atomics, and one lock for waiting.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::limits::Clock;

/// Counts of one whole search, over all threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Moves made.
    pub nodes: u64,
    /// Look-ups in the transposition table.
    pub probes: u64,
    /// Entries found and used.
    pub hits: u64,
    /// Entries whose move is not legal in the position: another position's, treated as misses.
    pub rejected: u64,
}

impl Statistics {
    /// Adds the counts of another search or thread.
    pub fn add(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.probes += other.probes;
        self.hits += other.hits;
        self.rejected += other.rejected;
    }
}

/// The opponent made the expected move.
#[derive(Clone, Copy, Debug)]
pub(super) struct PonderHit {
    pub(super) at: Instant,
    pub(super) clock: Option<Clock>,
}

/// Signals of one search.
#[derive(Debug)]
pub(super) struct Signals {
    stop: AtomicBool,
    pondering: AtomicBool,
    searching: AtomicBool,
    nodes: Box<[NodeCount]>,
    state: Mutex<State>,
    changed: Condvar,
}

/// The published nodes of one thread, alone on its cache lines (processors fetch them in pairs): a thread that publishes
/// must not take the line away from the others.
#[derive(Debug, Default)]
#[repr(align(128))]
struct NodeCount(AtomicU64);

#[derive(Debug, Default)]
struct State {
    ponder_hit: Option<PonderHit>,
    statistics: Statistics,
}

impl Signals {
    /// Signals of no search: as if one had ended.
    pub(super) fn idle() -> Self {
        Self {
            stop: AtomicBool::new(true),
            pondering: AtomicBool::new(false),
            searching: AtomicBool::new(false),
            nodes: Box::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Signals of a search that begins now.
    pub(super) fn of_search(threads: usize, is_ponder: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(is_ponder),
            searching: AtomicBool::new(true),
            nodes: (0..threads).map(|_| NodeCount::default()).collect(),
            ..Self::idle()
        }
    }

    /// Ends the search.
    pub(super) fn stop(&self) {
        let _state = self.lock();
        self.stop.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Turns a ponder search into one with a clock; nothing where none runs.
    pub(super) fn ponderhit(&self, hit: PonderHit) {
        let mut state = self.lock();
        if self.is_pondering() {
            state.ponder_hit = Some(hit);
            self.pondering.store(false, Ordering::Release);
            self.changed.notify_all();
        }
    }

    #[inline(always)]
    pub(super) fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// The ponderhit, once: the second call gives `None`.
    pub(super) fn take_ponderhit(&self) -> Option<PonderHit> {
        self.lock().ponder_hit.take()
    }

    /// Whether the search goes on: it was not told to end, and has not decided.
    pub(super) fn is_searching(&self) -> bool {
        !self.is_finished() && !self.is_stopped()
    }

    fn is_finished(&self) -> bool {
        !self.searching.load(Ordering::Acquire)
    }

    /// The last event was delivered.
    pub(super) fn finish(&self) {
        let _state = self.lock();
        self.searching.store(false, Ordering::Release);
        self.changed.notify_all();
    }

    /// Waits until the last event was delivered.
    pub(super) fn wait_finished(&self) {
        self.wait_while(|| !self.is_finished());
    }

    /// Waits for a stop, or for a ponderhit where that is enough.
    pub(super) fn wait_for_permission(&self, is_infinite: bool) {
        self.wait_while(|| !self.is_stopped() && (is_infinite || self.is_pondering()));
    }

    /// Publishes how many nodes a thread has searched.
    pub(super) fn publish_nodes(&self, thread: usize, nodes: u64) {
        self.nodes[thread].0.store(nodes, Ordering::Relaxed);
    }

    /// The published nodes of all threads.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
            .iter()
            .map(|nodes| nodes.0.load(Ordering::Relaxed))
            .sum()
    }

    pub(super) fn add_statistics(&self, statistics: Statistics) {
        self.lock().statistics.add(statistics);
    }

    pub(super) fn statistics(&self) -> Statistics {
        self.lock().statistics
    }

    fn wait_while(&self, mut condition: impl FnMut() -> bool) {
        let mut state = self.lock();
        while condition() {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A thread that panicked while it held the lock left nothing half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
