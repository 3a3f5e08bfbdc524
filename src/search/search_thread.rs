//! One search thread: it owns a worker with its memory, and receives jobs by channel. Where the
//! system has no threads, the caller does the jobs itself, one after another.

use std::io;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::event::OnEvent;
use super::main_thread::{Helpers, catch_panic, run_helper_thread, run_main_thread};
use super::params::{Fixed, Params, Tuned, tunables_are_enabled};
use super::solo::SOLO_STACK_BYTES;
use super::task::{Outcome, Task};
use super::worker::Worker;
use crate::util::system::has_threads;
use crate::util::system::thread::{Builder, JoinHandle};

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
    Main(Task, OnEvent, Helpers),
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
    pub(super) fn start(index: usize) -> io::Result<Self> {
        if tunables_are_enabled() {
            Self::start_with::<Tuned>(index)
        } else {
            Self::start_with::<Fixed>(index)
        }
    }

    fn start_with<P: Params + Send + 'static>(index: usize) -> io::Result<Self> {
        if !has_threads() {
            return if index == 0 {
                Ok(Self::of_caller::<P>())
            } else {
                Err(io::ErrorKind::Unsupported.into())
            };
        }
        let (sender, jobs) = channel();
        let handle = Builder::new()
            .name(format!("search-{index}"))
            .stack_size(SOLO_STACK_BYTES)
            .spawn(move || thread_loop::<P>(&jobs))?;
        Ok(Self(Kind::Thread {
            jobs: Some(sender),
            handle: Some(handle),
        }))
    }

    /// The thread of the caller.
    fn of_caller<P: Params + Send + 'static>() -> Self {
        let mut worker: Option<Worker<P>> = None;
        let run = move |job| run_job(&mut worker, job);
        Self(Kind::Caller(Mutex::new(Box::new(run))))
    }

    /// Gives the thread a job.
    ///
    /// # Errors
    /// Returns the job where the thread has ended by a panic outside of a search.
    pub(super) fn send(&self, job: Job) -> Result<(), Box<Job>> {
        match &self.0 {
            Kind::Thread {
                jobs: Some(jobs), ..
            } => jobs.send(job).map_err(|SendError(job)| job.into()),
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

/// The main loop of a search thread.
fn thread_loop<P: Params>(jobs: &Receiver<Job>) {
    let mut worker: Option<Worker<P>> = None;
    for job in jobs {
        run_job(&mut worker, job);
    }
}

fn run_job<P: Params>(worker: &mut Option<Worker<P>>, job: Job) {
    match job {
        Job::NewGame(done, memory) => {
            // Without a worker the first search makes one, or says why it cannot.
            let result = catch_panic(worker, |worker| {
                clear(worker, memory).map_err(|error| error.to_string())
            });
            if result.is_err() {
                let _ = done.send(());
            }
        }
        #[cfg(test)]
        Job::Panic => panic!("a planted panic"),
        Job::Main(task, on_event, helpers) => {
            run_main_thread(worker, task, on_event, &helpers);
        }
        Job::Helper(task, outcomes) => {
            let outcome = run_helper_thread(worker, task);
            // The receiver is gone if the main thread has panicked.
            let _ = outcomes.send(outcome);
        }
    }
}

/// Clears the histories; makes them first where there are none.
fn clear<P: Params>(worker: &mut Option<Worker<P>>, memory: Memory) -> io::Result<()> {
    match (worker, memory) {
        (Some(worker), _) => worker.clear(),
        (worker @ None, Memory::AtOnce) => worker.insert(Worker::new()?).histories.fetch(),
        (worker @ None, Memory::OnDemand) => *worker = Some(Worker::new()?),
    }
    Ok(())
}
