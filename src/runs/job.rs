//! Pieces of work on several threads.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use thiserror::Error;

use super::Stop;

/// What the threads of a run do. Shared by all of them; what changes belongs to a worker or to the
/// [`Plan`].
pub trait Job: Sync {
    /// What a thread keeps from one piece to the next, such as a searcher or engine processes.
    type Worker;
    /// One piece of work.
    type Piece: Send;
    /// What a piece results in.
    type Output: Send;
    /// Ends the run.
    type Error: Send + From<ThreadError>;

    /// Makes what a thread needs; called once, on the thread.
    ///
    /// # Errors
    /// Ends the run.
    fn worker(&self) -> Result<Self::Worker, Self::Error>;

    /// Performs a piece; `None` if it was broken off, usually because of [`Stop::is_abort`], after
    /// which no other piece begins.
    ///
    /// # Errors
    /// Ends the run; the piece counts as not done.
    fn perform(
        &self,
        worker: &mut Self::Worker,
        piece: &Self::Piece,
    ) -> Result<Option<Self::Output>, Self::Error>;

    /// Takes leave of a worker whose thread has nothing left to do.
    fn dismiss(&self, worker: Self::Worker) {
        drop(worker);
    }
}

/// Hands out pieces and keeps results. Only one thread calls it at a time.
pub trait Plan<J: Job + ?Sized>: Send {
    /// The next piece, or `None` if there is nothing to do. It is asked again after each result
    /// that is kept while other pieces are running, since a result can change the answer.
    ///
    /// # Errors
    /// Ends the run.
    fn next(&mut self) -> Result<Option<J::Piece>, J::Error>;

    /// Keeps the result of a piece. Results come in the order in which pieces end.
    ///
    /// # Errors
    /// Ends the run; the piece counts as not done.
    fn keep(&mut self, piece: J::Piece, output: J::Output) -> Result<(), J::Error>;
}

/// The threads of a run.
#[derive(Clone, Copy, Debug)]
pub struct Crew<'a> {
    /// How many; 0 is taken for 1.
    pub threads: usize,
    /// What their names begin with.
    pub name: &'a str,
    /// Size of each stack in bytes, where the usual one does not suffice.
    pub stack_bytes: Option<usize>,
    /// How the run is told to end.
    pub stop: &'a Stop,
}

/// The system refuses a thread.
#[derive(Debug, Error)]
#[error("thread {number} cannot be started: {source}")]
pub struct ThreadError {
    /// Which one, from 1.
    number: usize,
    /// Why.
    source: io::Error,
}

/// Performs all pieces of `plan`, or those that begin before somebody asks to stop.
///
/// The first error ends the run: no further piece begins, the running ones are completed and kept.
///
/// # Errors
/// A worker could not be made, a piece not be performed, a result not be kept, or the system
/// refuses a thread. What was kept stays kept.
///
/// # Panics
/// Where the job or the plan does, after breaking off all other pieces.
pub fn execute<J: Job>(job: &J, plan: &mut dyn Plan<J>, crew: &Crew<'_>) -> Result<(), J::Error> {
    let office = Office {
        job,
        desk: Mutex::new(Desk {
            plan,
            running: 0,
            is_broken_off: false,
            failure: None,
        }),
        kept: Condvar::new(),
        stop: crew.stop,
    };
    thread::scope(|scope| {
        for number in 1..=crew.threads.max(1) {
            let mut builder = thread::Builder::new().name(format!("{}-{number}", crew.name));
            if let Some(bytes) = crew.stack_bytes {
                builder = builder.stack_size(bytes);
            }
            let office = &office;
            if let Err(source) = builder.spawn_scoped(scope, move || office.work()) {
                office.fail(Failure::Error(ThreadError { number, source }.into()));
                break;
            }
        }
    });
    let desk = office.desk.into_inner();
    match desk.unwrap_or_else(PoisonError::into_inner).failure {
        None => Ok(()),
        Some(Failure::Error(error)) => Err(error),
        // A panic is a bug; it is not hidden.
        Some(Failure::Panic(panic)) => resume_unwind(panic),
    }
}

/// Where the threads meet.
struct Office<'a, J: Job> {
    job: &'a J,
    desk: Mutex<Desk<'a, J>>,
    /// Signalled whenever a piece has ended.
    kept: Condvar,
    stop: &'a Stop,
}

struct Desk<'a, J: Job> {
    plan: &'a mut dyn Plan<J>,
    /// Pieces that are being performed.
    running: usize,
    /// Whether a piece was broken off.
    is_broken_off: bool,
    /// The first one; it is usually the cause of the others.
    failure: Option<Failure<J::Error>>,
}

enum Failure<E> {
    Error(E),
    Panic(Box<dyn Any + Send>),
}

impl<'a, J: Job> Office<'a, J> {
    /// One thread's work.
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
            let running = Running(self);
            let performed = self.job.perform(&mut worker, &piece);
            let mut desk = self.lock();
            let result = match performed {
                Ok(Some(output)) => desk.plan.keep(piece, output),
                Ok(None) => {
                    desk.is_broken_off = true;
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                let failure = Failure::Error(error);
                desk.failure.get_or_insert(failure);
            }
            drop(desk);
            drop(running);
        }
        self.job.dismiss(worker);
    }

    /// The next piece, counted as running. Waits while there is none but a running one may bring
    /// some.
    fn next(&self) -> Option<J::Piece> {
        let mut desk = self.lock();
        loop {
            if desk.failure.is_some() || desk.is_broken_off || self.stop.is_requested() {
                return None;
            }
            match desk.plan.next() {
                Ok(Some(piece)) => {
                    desk.running += 1;
                    return Some(piece);
                }
                Ok(None) if desk.running == 0 => return None,
                Ok(None) => {
                    desk = self.kept.wait(desk).unwrap_or_else(PoisonError::into_inner);
                }
                Err(error) => {
                    desk.failure = Some(Failure::Error(error));
                    return None;
                }
            }
        }
    }

    fn fail(&self, failure: Failure<J::Error>) {
        self.lock().failure.get_or_insert(failure);
        self.kept.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Desk<'a, J>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece that is being performed, for as long as this lives; a panic ends it as well.
struct Running<'a, 'b, J: Job>(&'a Office<'b, J>);

impl<J: Job> Drop for Running<'_, '_, J> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.kept.notify_all();
    }
}

#[cfg(test)]
mod tests;
