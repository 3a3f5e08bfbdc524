//! The search: iterative deepening alpha-beta on one or more threads.
//!
//! [`Searcher`] owns the threads and the transposition table. A search takes a position, [`Limits`]
//! and [`Settings`], runs in the background and reports through [`Event`]s: any number of `Info`,
//! `CurrentMove` and `Note`, then exactly one `Done`. With one thread, full skill and no clock the
//! same calls give the same nodes, moves and values.
//!
//! The threads live as long as the [`Searcher`], own their memory, and receive jobs by channel. All
//! search the same root and share only the table (Lazy SMP); the first is the main thread, which
//! keeps time, reports and decides.
//!
//! Start reading in `alpha_beta.rs`, the search of a node; `root.rs` calls it, `main_thread.rs` is
//! one search from its start to the decision.
//!
//! Must not know: USI text, options by name, stdout.

mod alpha_beta;
mod audit;
mod depth;
mod history;
mod history_update;
mod limits;
mod main_thread;
mod move_picker;
mod node;
mod pruning;
mod quiescence;
mod quiet_scoring;
mod report;
mod root;
mod root_mate;
mod signals;
mod skill;
mod small;
mod solo;
#[cfg(test)]
mod tests;
mod thread;
mod time;
pub mod tunables;
mod worker;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use history::{Histories, HistoryPool, SharedHistories};
use main_thread::any_decision;
use report::OnEvent;
use signals::{PonderHit, Signals};
use thiserror::Error;
use thread::{Job, Memory, SearchThread, Task, ThreadLimit, affordable_threads};

use crate::util::{ZeroedPages, counted, fits_into_memory};
use crate::{position::Position, transposition::TranspositionTable, util::system::Instant};

#[cfg(test)]
use tests::collisions::Collisions;

pub use crate::transposition::Generations;

pub use limits::{Clock, Limits, Settings};
pub use report::{CurrentMove, Decision, Event, Info};
pub use signals::Statistics;
pub use skill::Skill;
pub use solo::{SOLO_STACK_BYTES, Solo, SoloLine, SoloResult, TreeNode};
pub use thread::{MEGABYTES_PER_THREAD, max_threads};
pub use time::nodes_to_time;
pub use tunables::Tunable;

/// The requested memory or threads were not available. The searcher works with what it got.
#[derive(Debug, Error)]
#[error("{missing}")]
pub struct PrepareError {
    missing: String,
    used: String,
}

impl PrepareError {
    /// What the searcher works with instead, in words.
    pub fn used(&self) -> &str {
        &self.used
    }

    /// One error for what is missing in both.
    fn both(first: Result<(), Self>, second: Result<(), Self>) -> Result<(), Self> {
        match (first, second) {
            (Err(first), Err(second)) => Err(Self {
                missing: format!("{}, and {}", first.missing, second.missing),
                used: format!("{}, and {}", first.used, second.used),
            }),
            (first, second) => first.and(second),
        }
    }

    fn of_threads(missing: String, started: usize) -> Self {
        let verb = if started == 1 { "is" } else { "are" };
        Self { missing, used: format!("{started} {verb} used") }
    }

    fn of_thread_memory(asked: usize, started: usize) -> Self {
        let missing = format!(
            "no memory for {}, each takes up to {MEGABYTES_PER_THREAD} MB",
            counted(asked, "search thread")
        );
        let error = Self::of_threads(missing, started);
        if started > 0 {
            return error;
        }
        let used = "moves come from a small search of a few plies".to_owned();
        Self { used, ..error }
    }
}

/// Owns the search threads and the transposition table, and runs one search at a time.
pub struct Searcher {
    table: Arc<TranspositionTable>,
    signals: Arc<Signals>,
    threads: Vec<SearchThread>,
    pool: Arc<HistoryPool>,
    #[cfg(test)]
    collisions: Option<Arc<Collisions>>,
}

impl Default for Searcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Searcher {
    /// A searcher with one thread and the smallest table; call [`Self::prepare`] before the first
    /// search.
    pub fn new() -> Self {
        let mut searcher = Self {
            table: Arc::new(TranspositionTable::minimal()),
            signals: Arc::new(Signals::idle()),
            threads: Vec::new(),
            pool: Arc::default(),
            #[cfg(test)]
            collisions: None,
        };
        // Without any thread `go` still answers with a legal move.
        let _ = searcher.set_threads(1);
        searcher
    }

    /// Prepares for a new game: sets the size of the table and the number of threads, and clears
    /// the table and all histories. A running search is stopped first. If neither the size nor the
    /// number of threads changes, nothing is allocated. A table below 16 MB is cleared on the
    /// calling thread, so that many searchers in one process do not wait for one another.
    ///
    /// # Errors
    /// Returns an error if memory or threads are not available; the searcher then works with what
    /// it got.
    pub fn prepare(&mut self, settings: &Settings) -> Result<(), PrepareError> {
        self.stop();
        self.wait();
        let megabytes = settings.hash_mb.max(1);
        if self.table.megabytes() == megabytes {
            self.table.clear();
        } else {
            // The old table is freed first, so that memory use never exceeds the requested size.
            self.table = Arc::new(TranspositionTable::minimal());
        }
        // A thread cannot search without its memory, but with a smaller table it can.
        let mut threads = self.prepare_threads(settings.threads);
        if self.table.megabytes() > 0 && threads.is_err() {
            self.table = Arc::new(TranspositionTable::minimal());
            threads = self.prepare_threads(settings.threads);
        }
        PrepareError::both(self.set_table(megabytes), threads)
    }

    /// Sets the number of threads and clears their histories.
    fn prepare_threads(&mut self, asked: usize) -> Result<(), PrepareError> {
        let threads = self.set_threads(asked.max(1));
        let cleared = self.clear_histories();
        threads.and(cleared)
    }

    /// Clears the histories of all threads. Allocates them now if possible: during a search the
    /// page faults would cost time. Keeps only threads that have memory, but always the first.
    fn clear_histories(&mut self) -> Result<(), PrepareError> {
        let memory = if fits_into_memory(
            self.threads.len() * Histories::MEGABYTES + SharedHistories::MEGABYTES,
        ) {
            Memory::AtOnce
        } else {
            Memory::OnDemand
        };
        let asked = self.threads.len();
        // All threads do this at the same time.
        let clearing: Vec<_> = self.threads.iter().map(|thread| clear(thread, memory)).collect();
        let has_memory: Vec<bool> = clearing.iter().map(|failed| failed.recv().is_err()).collect();
        let mut started = has_memory.iter().take_while(|&&has_memory| has_memory).count();
        self.threads.truncate(started.max(1));
        while started > 1 && !has_room() {
            self.threads.pop();
            started -= 1;
        }
        if started == asked {
            return Ok(());
        }
        Err(PrepareError::of_thread_memory(asked, started))
    }

    /// Applies changed settings in the middle of a game: remaining threads keep their histories,
    /// and a table of unchanged size keeps its entries. A running search is stopped first.
    ///
    /// # Errors
    /// Returns an error if memory or threads are not available; the searcher then works with what
    /// it got.
    pub fn adapt(&mut self, settings: &Settings) -> Result<(), PrepareError> {
        self.stop();
        self.wait();
        let table = self.set_table(settings.hash_mb.max(1));
        PrepareError::both(table, self.set_threads(settings.threads.max(1)))
    }

    /// Starts a search and returns at once. `on_event` is called from a search thread; its last
    /// call is [`Event::Done`]. A running search is stopped first.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the search outlives the call and owns its position and limits"
    )]
    pub fn go(
        &mut self,
        position: Position,
        limits: Limits,
        settings: &Settings,
        on_event: OnEvent,
    ) {
        self.stop();
        self.wait();
        let (limits, settings) = (Arc::new(limits), Arc::new(settings.clone()));
        // A skill level is as strong on any number of cores.
        let used =
            if settings.skill.is_full() { self.threads.len() } else { self.threads.len().min(1) };
        self.signals = Arc::new(Signals::of_search(used, limits.ponder));
        self.table.set_extent(limits.extent(&settings));
        self.table.new_search(settings.generations);
        let task = |thread| Task {
            thread,
            position: position.clone(),
            limits: Arc::clone(&limits),
            settings: Arc::clone(&settings),
            table: Arc::clone(&self.table),
            signals: Arc::clone(&self.signals),
            #[cfg(test)]
            collisions: self.collisions.clone(),
        };
        let (sender, outcomes) = channel();
        for (index, thread) in self.threads[..used].iter().enumerate().skip(1) {
            // The search goes on without a thread that has ended.
            let _ = thread.send(Job::Helper(task(index), sender.clone()));
        }
        drop(sender);
        let main = Job::Main(task(0), on_event, outcomes);
        let refused = match self.threads.first() {
            Some(thread) => thread.send(main),
            None => Err(main.into()),
        };
        if let Err(job) = refused
            && let Job::Main(_, mut on_event, _) = *job
        {
            self.table.end_search();
            self.signals.stop();
            let note = "error: there is no search thread";
            on_event(Event::Note(note.to_owned()));
            on_event(Event::Done(any_decision(&position, &limits)));
            self.signals.finish();
        }
    }

    /// Lets the main thread panic outside of a search, and waits for its end.
    #[cfg(test)]
    fn kill_main_thread(&self) {
        let thread = &self.threads[0];
        assert!(thread.send(Job::Panic).is_ok());
        while thread.is_alive() {
            std::thread::yield_now();
        }
    }

    /// Stops the search; [`Event::Done`] follows within milliseconds.
    pub fn stop(&self) {
        self.signals.stop();
    }

    /// The opponent made the expected move: the ponder search becomes a normal one, whose clock
    /// runs from now. `clock` replaces the clocks given to [`Self::go`].
    pub fn ponderhit(&self, clock: Option<Clock>) {
        let at = Instant::now();
        self.signals.ponderhit(PonderHit { at, clock });
    }

    /// Whether a search runs that was not stopped and has not decided yet.
    pub fn is_searching(&self) -> bool {
        self.signals.is_searching()
    }

    /// Waits until the last event has been delivered.
    pub fn wait(&mut self) {
        self.signals.wait_finished();
    }

    /// Counters of the last search, complete once it is done.
    pub fn statistics(&self) -> Statistics {
        self.signals.statistics()
    }

    /// The transposition table, for tests that write entries into it.
    #[cfg(test)]
    fn table(&self) -> &Arc<TranspositionTable> {
        &self.table
    }

    /// Replaces the transposition table until a different size is requested.
    #[cfg(test)]
    fn replace_table(&mut self, table: Arc<TranspositionTable>) {
        self.table = table;
    }

    fn set_table(&mut self, megabytes: usize) -> Result<(), PrepareError> {
        if self.table.megabytes() == megabytes {
            return Ok(());
        }
        // The old table is freed first, so that memory use never exceeds the requested size.
        self.table = Arc::new(TranspositionTable::minimal());
        let mut available = megabytes;
        while available > 0 {
            if let Ok(table) = TranspositionTable::new(available)
                && has_room()
            {
                self.table = Arc::new(table);
                break;
            }
            available /= 2;
        }
        if available == megabytes {
            Ok(())
        } else {
            Err(PrepareError {
                missing: format!("no memory for a hash table of {megabytes} MB"),
                used: format!("it has {available} MB"),
            })
        }
    }

    fn set_threads(&mut self, asked: usize) -> Result<(), PrepareError> {
        if let Some(ended) = self.threads.iter().position(|thread| !thread.is_alive()) {
            self.threads.truncate(ended);
        }
        let reserved = self.table.missing_megabytes();
        let (count, limit) = affordable_threads(asked, self.threads.len(), reserved);
        self.threads.truncate(count);
        while self.threads.len() < count {
            match SearchThread::start(self.threads.len(), &self.pool) {
                Ok(thread) => self.threads.push(thread),
                Err(source) => {
                    let missing = format!("cannot start {asked} search threads: {source}");
                    return Err(PrepareError::of_threads(missing, self.threads.len()));
                }
            }
        }
        let started = self.threads.len();
        match limit {
            // Whoever asked can know it by [`max_threads`].
            None | Some(ThreadLimit::Cores) => Ok(()),
            Some(ThreadLimit::Memory) => Err(PrepareError::of_thread_memory(asked, started)),
        }
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        self.stop();
        self.threads.clear();
    }
}

/// Address space in bytes that stays free for all that a search allocates besides.
const ROOM: usize = 32 << 20;

/// Whether [`ROOM`] is there. The free memory of the machine does not tell where a limit is set for
/// the process.
fn has_room() -> bool {
    ZeroedPages::<u8>::on_demand(ROOM).is_ok()
}

/// Lets a thread clear its histories. The receiver gets a value if it has no memory, and is closed
/// when it is done.
fn clear(thread: &SearchThread, memory: Memory) -> Receiver<()> {
    let (sender, receiver) = channel();
    // A thread that has ended is replaced before the next game.
    let _ = thread.send(Job::NewGame(sender, memory));
    receiver
}
