//! State shared by the threads of one search and its caller: atomics, and a lock for waiting.

use crate::util::system::{Instant, Interruption, has_threads, interruption, pause};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::limits::Clock;

/// Counters of one search, over all threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Moves made, and nodes of the mate solver at the root.
    pub nodes: u64,
    /// Lookups in the transposition table.
    pub probes: u64,
    /// Lookups that found an entry with a legal move or none.
    pub hits: u64,
    /// Lookups that found an entry whose move is illegal: a key collision, treated as a miss.
    pub rejected: u64,
}

impl Statistics {
    /// Adds the counters of another search or thread.
    pub fn add(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.probes += other.probes;
        self.hits += other.hits;
        self.rejected += other.rejected;
    }
}

/// The time and clocks of a ponderhit.
#[derive(Clone, Copy, Debug)]
pub(super) struct PonderHit {
    pub(super) at: Instant,
    pub(super) clock: Option<Clock>,
}

/// The signals of one search.
#[derive(Debug)]
pub(super) struct Signals {
    /// Whether the threads shall stop.
    stop: AtomicBool,
    /// Whether the caller has asked for the decision.
    dismissed: AtomicBool,
    pondering: AtomicBool,
    searching: AtomicBool,
    nodes: Box<[NodeCount]>,
    state: Mutex<State>,
    changed: Condvar,
}

/// The published node count of one thread, alone on a pair of cache lines (processors prefetch
/// pairs), so that threads that publish do not slow each other down.
#[derive(Debug, Default)]
#[repr(align(128))]
struct NodeCount(AtomicU64);

#[derive(Debug, Default)]
struct State {
    ponder_hit: Option<PonderHit>,
    statistics: Statistics,
}

impl Signals {
    /// Signals without a search, in the state after its end.
    pub(super) fn idle() -> Self {
        Self {
            stop: AtomicBool::new(true),
            dismissed: AtomicBool::new(true),
            pondering: AtomicBool::new(false),
            searching: AtomicBool::new(false),
            nodes: Box::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Signals of a search that starts now.
    pub(super) fn of_search(threads: usize, is_ponder: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            dismissed: AtomicBool::new(false),
            pondering: AtomicBool::new(is_ponder),
            searching: AtomicBool::new(true),
            nodes: (0..threads).map(|_| NodeCount::default()).collect(),
            ..Self::idle()
        }
    }

    /// Tells all threads to stop, and the main thread to decide.
    pub(super) fn stop(&self) {
        let _state = self.lock();
        self.stop.store(true, Ordering::Release);
        self.dismissed.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// Tells all threads to stop, because the main thread has come to its end. The decision may
    /// have to wait.
    pub(super) fn end(&self) {
        self.stop.store(true, Ordering::Release);
    }

    #[inline(always)]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag that [`Self::stop`] and [`Self::end`] set.
    pub(super) fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Ends pondering. Ignored unless a ponder search runs.
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

    /// Takes the ponderhit; the next call returns `None`.
    pub(super) fn take_ponderhit(&self) -> Option<PonderHit> {
        self.lock().ponder_hit.take()
    }

    /// Whether the search runs: it was not stopped, and its last event is not delivered yet.
    pub(super) fn is_searching(&self) -> bool {
        !self.is_finished() && !self.is_dismissed()
    }

    fn is_dismissed(&self) -> bool {
        self.dismissed.load(Ordering::Acquire)
    }

    fn is_finished(&self) -> bool {
        !self.searching.load(Ordering::Acquire)
    }

    /// Marks the last event as delivered.
    pub(super) fn finish(&self) {
        let _state = self.lock();
        self.searching.store(false, Ordering::Release);
        self.changed.notify_all();
    }

    /// Waits until the last event has been delivered.
    pub(super) fn wait_finished(&self) {
        self.wait_while(|| !self.is_finished());
    }

    /// Waits until the decision may be sent: after a stop, or, unless infinite, after a ponderhit.
    pub(super) fn wait_for_permission(&self, is_infinite: bool) {
        self.wait_while(|| !self.is_dismissed() && (is_infinite || self.is_pondering()));
    }

    /// Waits until `left`, the time to wait, is zero, or until a stop.
    pub(super) fn wait_for(&self, left: impl Fn() -> Duration) {
        let mut state = self.lock();
        while !self.is_dismissed() && !left().is_zero() {
            if has_threads() {
                let result = self.changed.wait_timeout(state, left());
                state = result.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                drop(state);
                pause();
                self.obey_page();
                state = self.lock();
            }
        }
    }

    /// Where the search occupies the only thread, does what the page says meanwhile.
    #[inline(always)]
    fn obey_page(&self) {
        match interruption() {
            None => {}
            Some(Interruption::Stop) => self.stop(),
            Some(Interruption::PonderHit) => {
                self.ponderhit(PonderHit { at: Instant::now(), clock: None });
            }
        }
    }

    /// Publishes the node count of a thread, and returns whether the search was stopped.
    pub(super) fn poll(&self, thread: usize, nodes: u64) -> bool {
        self.obey_page();
        self.publish_nodes(thread, nodes);
        self.is_stopped()
    }

    /// Publishes the node count of a thread.
    pub(super) fn publish_nodes(&self, thread: usize, nodes: u64) {
        self.nodes[thread].0.store(nodes, Ordering::Relaxed);
    }

    /// The number of threads, at least 1.
    pub(super) fn threads(&self) -> u64 {
        self.nodes.len().max(1) as u64
    }

    /// The sum of the published node counts.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.0.load(Ordering::Relaxed)).sum()
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
            if !has_threads() {
                drop(state);
                pause();
                self.obey_page();
                state = self.lock();
                continue;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ignores poisoning: no critical section leaves the state inconsistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
