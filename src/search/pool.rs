//! The threads of the search: long-lived, each with its own memory, fed with jobs by channel
//! (`LazySMP`: all search the same root and share only the table). One thread leads: it keeps time,
//! reports and decides.
//!
//! A panic in a search thread is caught. It is reported as a note, and the decision is still a
//! legal move.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use thiserror::Error;

use crate::position::Position;
use crate::transposition::TranspositionTable;
use crate::util::fits_into_memory;

use super::capacity::{self, Limit, MAX_THREADS_PER_CORE, MEGABYTES_PER_THREAD};
#[cfg(test)]
use super::collisions::Collisions;
use super::history::Histories;
use super::lead::{Helpers, help, lead};
use super::signals::{PonderHit, Signals, Statistics};
use super::vote::Candidate;
use super::worker::{Task, Worker};
use super::{Clock, Decision, Event, Limits, Settings};

/// Deep recursions need more than the usual stack.
const STACK_BYTES: usize = super::SOLO_STACK_BYTES;
/// Receives the events of a search.
pub(super) type OnEvent = Box<dyn FnMut(Event) + Send>;

/// What could not be prepared as asked. The searcher works all the same, with what it got.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// Not enough memory for the table.
    #[error("no memory for a hash table of {asked} MB")]
    Table {
        /// The size that was asked for, in MB.
        asked: usize,
        /// The size that it has now, in MB.
        kept: usize,
    },
    /// The system refused threads.
    #[error("cannot start {asked} search threads: {source}")]
    Threads {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        started: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// The processor has too few cores for so many threads.
    #[error(
        "{asked} search threads are more than {MAX_THREADS_PER_CORE} for each of the {cores} \
         processor cores"
    )]
    ThreadsPerCore {
        /// Requested number of threads.
        asked: usize,
        /// Number of threads running.
        started: usize,
        /// Number of processor cores.
        cores: usize,
    },
    /// There is not enough memory for so many threads.
    #[error("no memory for {asked} search threads, each takes up to {MEGABYTES_PER_THREAD} MB")]
    ThreadMemory {
        /// Requested number of threads.
        asked: usize,
        /// Number of threads running.
        started: usize,
    },
}

impl PrepareError {
    /// What the searcher works with instead, in words.
    pub fn used(&self) -> String {
        match self {
            Self::Table { kept, .. } => format!("it has {kept} MB"),
            Self::Threads { started, .. }
            | Self::ThreadsPerCore { started, .. }
            | Self::ThreadMemory { started, .. } => {
                format!(
                    "{started} {} used",
                    if *started == 1 { "is" } else { "are" }
                )
            }
        }
    }
}

/// Owns the search threads and the transposition table.
pub struct Searcher {
    table: Arc<TranspositionTable>,
    signals: Arc<Signals>,
    threads: Vec<SearchThread>,
    #[cfg(test)]
    pub(super) collisions: Option<Arc<Collisions>>,
}

struct SearchThread {
    jobs: Option<Sender<Job>>,
    handle: Option<JoinHandle<()>>,
}

enum Job {
    /// Forget what was learned; the sender is dropped when that is done.
    NewGame(Sender<()>, Memory),
    Lead(Task, OnEvent, Helpers),
    Help(Task, Sender<Outcome>),
}

/// When a thread takes the memory for what it will learn.
#[derive(Clone, Copy)]
enum Memory {
    /// Now.
    AtOnce,
    /// As it is needed: there is not enough for all threads to have it all.
    OnDemand,
}

/// What a helper found.
pub(super) struct Outcome {
    pub(super) found: Option<Candidate>,
    pub(super) statistics: Statistics,
    pub(super) panic: Option<String>,
}

impl Default for Searcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Searcher {
    /// A searcher with one thread and hardly any table: light, until [`Self::prepare`] makes it
    /// ready.
    pub fn new() -> Self {
        let mut searcher = Self {
            table: Arc::new(TranspositionTable::minimal()),
            signals: Arc::new(Signals::idle()),
            threads: Vec::new(),
            #[cfg(test)]
            collisions: None,
        };
        // Without any thread a search answers with any legal move, see `go`.
        let _ = searcher.set_threads(1);
        searcher
    }

    /// Makes ready for a new game: the table has its size and is empty, the threads are there and
    /// remember nothing. A running search is stopped first. Where neither size nor threads change,
    /// nothing is allocated; a table below 16 MB is cleared on the spot, so that many searchers in
    /// one process do not wait for one another.
    ///
    /// # Errors
    /// Returns an error where the system refuses memory or threads; the searcher then works with
    /// what it got.
    pub fn prepare(&mut self, settings: &Settings) -> Result<(), PrepareError> {
        self.stop();
        self.wait();
        if self.table.megabytes() == settings.hash_mb.max(1) {
            self.table.clear();
        }
        let result = self.adapt(settings);
        self.forget();
        result
    }

    /// Lets all threads forget what they have learned, and take the memory for it now: in a search
    /// that would cost time.
    fn forget(&self) {
        let memory = if fits_into_memory(self.threads.len() * Histories::MEGABYTES) {
            Memory::AtOnce
        } else {
            Memory::OnDemand
        };
        let (done, all_done) = channel();
        for thread in &self.threads {
            thread.send(Job::NewGame(done.clone(), memory));
        }
        drop(done);
        // Nothing is ever sent: this ends when the last thread has dropped its sender.
        let _ = all_done.recv();
    }

    /// Makes the table and the threads fit changed settings, also in the middle of a game: threads
    /// that stay remember what they have learnt, and a table of the right size keeps its entries. A
    /// running search is stopped first.
    ///
    /// # Errors
    /// Returns an error where the system refuses memory or threads; the searcher then works with
    /// what it got.
    pub fn adapt(&mut self, settings: &Settings) -> Result<(), PrepareError> {
        self.stop();
        self.wait();
        let table = self.set_table(settings.hash_mb.max(1));
        let threads = self.set_threads(settings.threads.max(1));
        table.and(threads)
    }

    /// Starts a search and returns at once. `on_event` is called from a search thread, the last
    /// time with [`Event::Done`]. A search that still runs is stopped first.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the search owns what it works on; callers need not keep it"
    )]
    pub fn go(
        &mut self,
        position: Position,
        limits: Limits,
        settings: &Settings,
        mut on_event: Box<dyn FnMut(Event) + Send>,
    ) {
        self.stop();
        self.wait();
        let (limits, settings) = (Arc::new(limits), Arc::new(settings.clone()));
        self.signals = Arc::new(Signals::of_search(self.threads.len(), limits.ponder));
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
        let Some(leader) = self.threads.first() else {
            on_event(Event::Note(
                "error: the system gives no search thread".to_owned(),
            ));
            on_event(Event::Done(any_decision(&position, &limits)));
            self.signals.finish();
            return;
        };
        let (sender, results) = channel();
        for (index, thread) in self.threads.iter().enumerate().skip(1) {
            thread.send(Job::Help(task(index), sender.clone()));
        }
        drop(sender);
        leader.send(Job::Lead(task(0), on_event, Helpers { results }));
    }

    /// Ends the search as soon as possible; [`Event::Done`] follows within milliseconds.
    pub fn stop(&self) {
        self.signals.stop();
    }

    /// The opponent made the move that the ponder search expects: the own clock runs now. `clock`
    /// replaces the clocks of the start.
    pub fn ponderhit(&self, clock: Option<Clock>) {
        let at = Instant::now();
        self.signals.ponderhit(PonderHit { at, clock });
    }

    /// Whether a search runs. One that was told to end, or delivers its last event, does not count.
    pub fn is_searching(&self) -> bool {
        self.signals.is_searching()
    }

    /// Waits until the last event was delivered.
    pub fn wait(&mut self) {
        self.signals.wait_finished();
    }

    /// Counts of the last search, complete once it is done.
    pub fn statistics(&self) -> Statistics {
        self.signals.statistics()
    }

    /// The transposition table.
    #[cfg(test)]
    pub(super) fn table(&self) -> &Arc<TranspositionTable> {
        &self.table
    }

    /// Takes another transposition table, and keeps it as long as its size is asked for.
    #[cfg(test)]
    pub(super) fn replace_table(&mut self, table: Arc<TranspositionTable>) {
        self.table = table;
    }

    fn set_table(&mut self, megabytes: usize) -> Result<(), PrepareError> {
        if self.table.megabytes() == megabytes {
            return Ok(());
        }
        // The old table goes first, so that there is never more memory in use than asked for.
        self.table = Arc::new(TranspositionTable::minimal());
        let mut smaller = megabytes;
        while smaller > 0 {
            if let Ok(table) = TranspositionTable::new(smaller) {
                self.table = Arc::new(table);
                break;
            }
            smaller /= 2;
        }
        if smaller == megabytes {
            Ok(())
        } else {
            Err(PrepareError::Table {
                asked: megabytes,
                kept: smaller,
            })
        }
    }

    fn set_threads(&mut self, asked: usize) -> Result<(), PrepareError> {
        let reserved = self.table.missing_megabytes();
        let (count, limit) = capacity::threads(asked, self.threads.len(), reserved);
        self.threads.truncate(count);
        while self.threads.len() < count {
            match SearchThread::start(self.threads.len()) {
                Ok(thread) => self.threads.push(thread),
                Err(source) => {
                    return Err(PrepareError::Threads {
                        asked,
                        started: self.threads.len(),
                        source,
                    });
                }
            }
        }
        let started = self.threads.len();
        match limit {
            None => Ok(()),
            Some(Limit::Memory) => Err(PrepareError::ThreadMemory { asked, started }),
            Some(Limit::Cores(cores)) => Err(PrepareError::ThreadsPerCore {
                asked,
                started,
                cores,
            }),
        }
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        self.stop();
        self.threads.clear();
    }
}

impl SearchThread {
    fn start(index: usize) -> std::io::Result<Self> {
        let (sender, jobs) = channel();
        let handle = Builder::new()
            .name(format!("search-{index}"))
            .stack_size(STACK_BYTES)
            .spawn(move || work(&jobs))?;
        Ok(Self {
            jobs: Some(sender),
            handle: Some(handle),
        })
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The thread lives until its sender is dropped, so there is a receiver.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(handle) = self.handle.take() {
            // Panics inside are caught, and one that is not has been printed.
            let _ = handle.join();
        }
    }
}

/// The life of a search thread.
fn work(jobs: &Receiver<Job>) {
    let mut worker: Option<Worker> = None;
    for job in jobs {
        match job {
            Job::NewGame(_done, memory) => match (&mut worker, memory) {
                (Some(worker), _) => worker.forget(),
                (None, Memory::AtOnce) => worker.insert(Worker::new()).forget(),
                (None, Memory::OnDemand) => {}
            },
            Job::Lead(task, on_event, helpers) => lead(&mut worker, task, on_event, &helpers),
            Job::Help(task, results) => {
                let outcome = help(&mut worker, task);
                // Nobody listens any more where the leader panicked.
                let _ = results.send(outcome);
            }
        }
    }
}

/// Runs a part of the search; a panic becomes its text, and the memory that it left half changed is
/// given up.
pub(super) fn guarded<T>(
    worker: &mut Option<Worker>,
    part: impl FnOnce(&mut Option<Worker>) -> T,
) -> Result<T, String> {
    let result = catch_unwind(AssertUnwindSafe(|| part(worker)));
    result.map_err(|panic| {
        *worker = None;
        panic_text(&*panic)
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "error: a search thread panicked: {}",
        text.unwrap_or("no reason given")
    )
}

/// A decision without search.
pub(super) fn any_decision(position: &Position, limits: &Limits) -> Decision {
    let moves = crate::movegen::legal_moves(position);
    let wanted = limits.search_moves.iter().find(|mv| moves.contains(mv));
    match wanted.or(moves.first()) {
        Some(&best) => Decision::Move { best, ponder: None },
        None if limits.ponder => Decision::Nothing,
        None => Decision::Resign,
    }
}
