//! Performs pieces of work on several threads: [`Job`] says how a piece is done, [`Plan`] hands out
//! the pieces and takes the results, [`execute`] runs both.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use thiserror::Error;

use super::Stop;

/// How a piece of work is done. All threads share it; mutable state belongs to a worker or to the
/// [`Plan`].
pub trait Job: Sync {
    /// State of one thread that lives from piece to piece, such as a searcher or engine processes.
    type Worker;
    /// One piece of work, such as the number of a game.
    type Piece: Send;
    /// The result of a piece.
    type Output: Send;
    /// Ends the run, see [`execute`].
    type Error: Send + From<ThreadError>;

    /// Creates the state of a thread. Each thread calls this once, before its first piece.
    ///
    /// # Errors
    /// The run ends without this thread's pieces.
    fn worker(&self) -> Result<Self::Worker, Self::Error>;

    /// Performs a piece. `None` says that it was aborted, usually because of [`Stop::is_abort`]; no
    /// further piece begins after that.
    ///
    /// # Errors
    /// The run ends; the piece counts as not done.
    fn perform(
        &self,
        worker: &mut Self::Worker,
        piece: &Self::Piece,
    ) -> Result<Option<Self::Output>, Self::Error>;

    /// Ends a worker whose thread has no more pieces, for example by ending its engine processes.
    fn end_worker(&self, worker: Self::Worker) {
        drop(worker);
    }
}

/// Hands out pieces and keeps their results. Only one thread calls it at a time.
pub trait Plan<J: Job + ?Sized>: Send {
    /// The next piece, or `None` if there is none at present. As long as other pieces are running
    /// it is called again after each of them, since their results can bring new pieces.
    ///
    /// # Errors
    /// The run ends.
    fn next(&mut self) -> Result<Option<J::Piece>, J::Error>;

    /// Keeps the result of a piece. Results arrive in the order in which the pieces end.
    ///
    /// # Errors
    /// The run ends; the piece counts as not done.
    fn keep(&mut self, piece: J::Piece, output: J::Output) -> Result<(), J::Error>;
}

/// How [`execute`] performs a plan.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    /// Number of threads; 0 counts as 1.
    pub threads: usize,
    /// Prefix of the names of the threads.
    pub name: &'a str,
    /// Stack size of each thread in bytes, `None` for the default.
    pub stack_bytes: Option<usize>,
    /// The request to end early.
    pub stop: &'a Stop,
}

/// The system cannot start a thread.
#[derive(Debug, Error)]
#[error("thread {number} cannot be started: {source}")]
pub struct ThreadError {
    /// Number of the thread, from 1.
    number: usize,
    /// The error of the system.
    source: io::Error,
}

/// Performs the pieces of `plan` until there are none left or `execution.stop` is requested.
///
/// The first error ends the run: no further piece begins, the running ones are completed and kept.
///
/// # Errors
/// Creating a worker, performing a piece or keeping a result failed, or the system cannot start a
/// thread. Results that were kept stay kept.
///
/// # Panics
/// When the job or the plan panics, after all other pieces were aborted.
pub fn execute<J: Job>(
    job: &J,
    plan: &mut dyn Plan<J>,
    execution: &Execution<'_>,
) -> Result<(), J::Error> {
    let scheduler = Scheduler {
        job,
        state: Mutex::new(SchedulerState {
            plan,
            running: 0,
            is_aborted: false,
            failure: None,
        }),
        kept: Condvar::new(),
        stop: execution.stop,
    };
    thread::scope(|scope| {
        for number in 1..=execution.threads.max(1) {
            let mut builder = thread::Builder::new().name(format!("{}-{number}", execution.name));
            if let Some(bytes) = execution.stack_bytes {
                builder = builder.stack_size(bytes);
            }
            let scheduler = &scheduler;
            if let Err(source) = builder.spawn_scoped(scope, move || scheduler.work()) {
                scheduler.fail(Failure::Error(ThreadError { number, source }.into()));
                break;
            }
        }
    });
    let state = scheduler.state.into_inner();
    match state.unwrap_or_else(PoisonError::into_inner).failure {
        None => Ok(()),
        Some(Failure::Error(error)) => Err(error),
        // A panic is a bug; it is not hidden.
        Some(Failure::Panic(panic)) => resume_unwind(panic),
    }
}

/// What the threads of a run share.
struct Scheduler<'a, J: Job> {
    job: &'a J,
    state: Mutex<SchedulerState<'a, J>>,
    /// Notified whenever a piece has ended.
    kept: Condvar,
    stop: &'a Stop,
}

struct SchedulerState<'a, J: Job> {
    plan: &'a mut dyn Plan<J>,
    /// Number of pieces that are being performed.
    running: usize,
    /// Whether a piece was aborted.
    is_aborted: bool,
    /// The first failure, which is usually the cause of the others.
    failure: Option<Failure<J::Error>>,
}

enum Failure<E> {
    Error(E),
    Panic(Box<dyn Any + Send>),
}

impl<'a, J: Job> Scheduler<'a, J> {
    /// The main function of a thread.
    fn work(&self) {
        let work = AssertUnwindSafe(|| self.perform_pieces());
        if let Err(panic) = catch_unwind(work) {
            self.stop.abort();
            self.fail(Failure::Panic(panic));
        }
    }

    fn perform_pieces(&self) {
        let mut worker = match self.job.worker() {
            Ok(worker) => worker,
            Err(error) => return self.fail(Failure::Error(error)),
        };
        while let Some(piece) = self.next() {
            let running = RunningPiece(self);
            let performed = self.job.perform(&mut worker, &piece);
            let mut state = self.lock();
            let result = match performed {
                Ok(Some(output)) => state.plan.keep(piece, output),
                Ok(None) => {
                    state.is_aborted = true;
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                let failure = Failure::Error(error);
                state.failure.get_or_insert(failure);
            }
            drop(state);
            drop(running);
        }
        self.job.end_worker(worker);
    }

    /// The next piece, counted as running. Waits while there is none but a running piece may bring
    /// one.
    fn next(&self) -> Option<J::Piece> {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() || state.is_aborted || self.stop.is_requested() {
                return None;
            }
            match state.plan.next() {
                Ok(Some(piece)) => {
                    state.running += 1;
                    return Some(piece);
                }
                Ok(None) if state.running == 0 => return None,
                Ok(None) => {
                    state = self
                        .kept
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Err(error) => {
                    state.failure = Some(Failure::Error(error));
                    return None;
                }
            }
        }
    }

    fn fail(&self, failure: Failure<J::Error>) {
        self.lock().failure.get_or_insert(failure);
        self.kept.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, SchedulerState<'a, J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard of a running piece: dropping it, also by a panic, counts the piece as ended.
struct RunningPiece<'a, 'b, J: Job>(&'a Scheduler<'b, J>);

impl<J: Job> Drop for RunningPiece<'_, '_, J> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.kept.notify_all();
    }
}

#[cfg(test)]
mod tests;
