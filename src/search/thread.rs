//! The search threads: each owns a worker with its memory, and receives jobs by channel. Where the
//! system has no threads, the caller does the jobs itself, one after another. How many threads can
//! run depends on the processor cores and on the memory that each takes.

use std::io;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::history::{Histories, HistoryPool, SharedHistories};
use super::limits::{Limits, Settings};
use super::main_thread::{catch_panic, run_helper_thread, run_main_thread};
use super::signals::{Signals, Statistics};
use super::{report::OnEvent, root::RootMove, solo::SOLO_STACK_BYTES, worker::Worker};
use crate::util::system::thread::{Builder, JoinHandle};
use crate::util::system::{free_megabytes, has_threads};
use crate::{position::Position, transposition::TranspositionTable, types::Depth, util::cores};

#[cfg(test)]
use super::tests::collisions::Collisions;

/// A search thread; dropping it ends the thread.
pub(super) struct SearchThread(Kind);

enum Kind {
    Thread {
        jobs: Option<Sender<Job>>,
        handle: Option<JoinHandle<()>>,
    },
    /// There are no threads: [`SearchThread::send`] returns when the job is done.
    Caller(Mutex<Box<dyn FnMut(Job) + Send>>),
}

/// What a search thread does.
pub(super) enum Job {
    /// Clears the histories; the sender is dropped when that is done, and sends something before
    /// that where there is no memory for them.
    NewGame(Sender<()>, Memory),
    /// The receiver yields one outcome per helper thread, then ends.
    Main(Task, OnEvent, Receiver<Outcome>),
    Helper(Task, Sender<Outcome>),
    #[cfg(test)]
    Panic,
}

/// When a thread allocates the memory of its histories.
#[derive(Clone, Copy)]
pub(super) enum Memory {
    /// At once, so that the first search does not pay for it.
    AtOnce,
    /// Page by page on first use: there is not enough memory for all threads' tables.
    OnDemand,
}

impl SearchThread {
    /// Starts the thread with this index among the threads of a search.
    pub(super) fn start(index: usize, pool: &Arc<HistoryPool>) -> io::Result<Self> {
        let mut state = ThreadState { index, pool: Arc::clone(pool), worker: None };
        if !has_threads() {
            return if index == 0 {
                Ok(Self::of_caller(state))
            } else {
                Err(io::ErrorKind::Unsupported.into())
            };
        }
        let (sender, jobs) = channel();
        let handle = Builder::new()
            .name(format!("search-{index}"))
            .stack_size(SOLO_STACK_BYTES)
            .spawn(move || jobs.into_iter().for_each(|job| state.run(job)))?;
        Ok(Self(Kind::Thread { jobs: Some(sender), handle: Some(handle) }))
    }

    /// The thread of the caller.
    fn of_caller(mut state: ThreadState) -> Self {
        let run = move |job| state.run(job);
        Self(Kind::Caller(Mutex::new(Box::new(run))))
    }

    /// Gives the thread a job.
    ///
    /// # Errors
    /// Returns the job where the thread has ended by a panic outside of a search.
    pub(super) fn send(&self, job: Job) -> Result<(), Box<Job>> {
        match &self.0 {
            Kind::Thread { jobs: Some(jobs), .. } => {
                jobs.send(job).map_err(|SendError(job)| job.into())
            }
            Kind::Thread { jobs: None, .. } => Err(job.into()),
            Kind::Caller(run) => {
                (run.lock().unwrap_or_else(PoisonError::into_inner))(job);
                Ok(())
            }
        }
    }

    /// Whether the thread still takes jobs.
    pub(super) fn is_alive(&self) -> bool {
        match &self.0 {
            Kind::Thread { handle, .. } => {
                handle.as_ref().is_some_and(|handle| !handle.is_finished())
            }
            Kind::Caller(_) => true,
        }
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        if let Kind::Thread { jobs, handle } = &mut self.0 {
            *jobs = None;
            if let Some(handle) = handle.take() {
                // Panics of a search are caught; any other has been printed by the panic hook.
                let _ = handle.join();
            }
        }
    }
}

/// What a thread has between its jobs.
pub(super) struct ThreadState {
    /// Index of the thread among those of a search.
    index: usize,
    pool: Arc<HistoryPool>,
    /// `None` before the first job, and after a panic.
    worker: Option<Worker>,
}

impl ThreadState {
    fn run(&mut self, job: Job) {
        match job {
            Job::NewGame(done, memory) => {
                // Without a worker the first search makes one, or says why it cannot.
                let result = catch_panic(self, |state| {
                    state.clear(memory).map_err(|error| error.to_string())
                });
                if result.is_err() {
                    let _ = done.send(());
                }
            }
            #[cfg(test)]
            Job::Panic => panic!("a planted panic"),
            Job::Main(task, on_event, outcomes) => {
                run_main_thread(self, task, on_event, &outcomes);
            }
            Job::Helper(task, outcomes) => {
                let outcome = run_helper_thread(self, task);
                // The receiver is gone if the main thread has panicked.
                let _ = outcomes.send(outcome);
            }
        }
    }

    /// The worker, which is made where there is none.
    ///
    /// # Errors
    /// There is no address space left for the histories.
    pub(super) fn worker(&mut self) -> io::Result<&mut Worker> {
        Ok(match &mut self.worker {
            Some(worker) => worker,
            worker @ None => worker.insert(Worker::new(&self.pool)?),
        })
    }

    /// Drops the worker after a panic.
    pub(super) fn drop_worker(&mut self) {
        self.worker = None;
    }

    /// Clears the histories, the first thread those that all share too; makes them first where
    /// there are none.
    fn clear(&mut self, memory: Memory) -> io::Result<()> {
        let is_first = self.index == 0;
        let is_new = self.worker.is_none();
        let worker = self.worker()?;
        if !is_new {
            worker.clear();
        } else if let Memory::AtOnce = memory {
            worker.histories.fetch();
        }
        if is_first {
            worker.histories.shared().clear();
            if is_new && let Memory::AtOnce = memory {
                worker.histories.shared().fetch();
            }
        }
        Ok(())
    }
}

/// One search, as one thread sees it.
#[derive(Clone)]
pub(super) struct Task {
    /// Index of the thread; 0 is the main thread.
    pub(super) thread: usize,
    pub(super) position: Position,
    pub(super) limits: Arc<Limits>,
    pub(super) settings: Arc<Settings>,
    pub(super) table: Arc<TranspositionTable>,
    pub(super) signals: Arc<Signals>,
    #[cfg(test)]
    pub(super) collisions: Option<Arc<Collisions>>,
}

impl Task {
    /// The task of a thread that has not searched yet; it is never searched.
    pub(super) fn idle(table: Arc<TranspositionTable>) -> Self {
        Self {
            thread: 0,
            position: Position::startpos(),
            limits: Arc::default(),
            settings: Arc::default(),
            table,
            signals: Arc::new(Signals::idle()),
            #[cfg(test)]
            collisions: None,
        }
    }
}

/// The best root move of one thread, with which it votes.
#[derive(Clone, Debug)]
pub(super) struct ThreadResult {
    pub(super) best: RootMove,
    /// The deepest iteration that was completed, in plies.
    pub(super) completed_depth: Depth,
}

/// What a helper thread hands back at the end of a search.
pub(super) struct Outcome {
    /// `None` where there is no legal move, or where the thread had a fault.
    pub(super) result: Option<ThreadResult>,
    pub(super) statistics: Statistics,
    /// The message of a panic, or that there is no memory for the thread.
    pub(super) fault: Option<String>,
}

/// Search threads for each processor core, at most. More threads than cores only take turns, and
/// with many of them the main thread comes to its turn too late to keep the time.
pub(super) const MAX_THREADS_PER_CORE: usize = 2;

/// Memory in MB that one search thread can take: its own histories, and 16 MB for its search stack,
/// its accumulators and, of the first thread, the solver of mates. Pages that are never touched do
/// not count.
pub const MEGABYTES_PER_THREAD: usize = Histories::MEGABYTES + 16;

/// Memory in MB of what all search threads share beside the transposition table.
pub(super) const MEGABYTES_SHARED: usize = SharedHistories::MEGABYTES + 4;

/// What limits the number of threads.
pub(super) enum ThreadLimit {
    /// [`MAX_THREADS_PER_CORE`].
    Cores,
    /// The free memory, of which a thread takes [`MEGABYTES_PER_THREAD`].
    Memory,
}

/// The number of search threads that the processor allows, whatever the memory.
pub fn max_threads() -> usize {
    MAX_THREADS_PER_CORE * cores()
}

/// The number of threads to run where `asked` are wanted, at least one, and what limits it.
/// `running` threads have their memory already; `reserved` MB of the free memory belong to the
/// table.
pub(super) fn affordable_threads(
    asked: usize,
    running: usize,
    reserved: usize,
) -> (usize, Option<ThreadLimit>) {
    let for_threads = |free: usize| {
        let used = if running > 0 { running * MEGABYTES_PER_THREAD + MEGABYTES_SHARED } else { 0 };
        let memory = free.saturating_sub(reserved) + used;
        memory.saturating_sub(MEGABYTES_SHARED) / MEGABYTES_PER_THREAD
    };
    let fitting = free_megabytes().map_or(usize::MAX, for_threads);
    let allowed = asked.min(max_threads());
    if fitting < allowed {
        (fitting.max(1), (asked > 1).then_some(ThreadLimit::Memory))
    } else if allowed < asked {
        (allowed, Some(ThreadLimit::Cores))
    } else {
        (asked, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited_by_cores_and_by_memory() {
        assert!(matches!(affordable_threads(1, 0, 0), (1, None)));
        let most = max_threads();
        // All of them run already, so that no memory is missing.
        assert!(matches!(affordable_threads(most, most, 0), (count, None) if count == most));
        let (count, limit) = affordable_threads(most + 1, most, 0);
        assert!(count == most && matches!(limit, Some(ThreadLimit::Cores)));
        if free_megabytes().is_some() {
            assert!(matches!(affordable_threads(2, 0, 1 << 40), (1, Some(ThreadLimit::Memory))));
        }
    }
}
