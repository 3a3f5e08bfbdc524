//! Long work: independent pieces, performed by several threads and kept in a folder as they end. A
//! run survives a kill, can be resumed, and can be divided among several machines.
//!
//! [`Job`] says how a piece is done, [`Plan`] hands out the pieces and takes the results,
//! [`execute`] runs both. [`EachPiece`] is the plan of an iterator, such as [`Numbers`]: every
//! number of a [`Shard`] that is not done yet. A [`RunFolder`] holds the settings, a journal with
//! one line of JSON per finished piece, and a lock; an [`OutputFile`] gets its name when it is
//! complete. [`Stop`] requests the end; [`Watch`] is for work without pieces.
//!
//! A new tool implements [`Job`]; `train/rescore/mod.rs` is a short example. This
//! module knows neither shogi nor engines nor terminals; `cli/progress.rs` shows the progress.

mod folder;
mod output;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{any::Any, collections::HashSet, fmt, io, str::FromStr, thread};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use folder::replace_with;
pub use folder::{FolderError, FolderLock, RunFolder, RunKind, difference};
pub(crate) use folder::{io_error, read_entries, read_named, read_settings, replace};
pub(crate) use output::beside;
pub use output::{OutputError, OutputFile, is_same_output, is_stream, output_place, would_replace};

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
    type Error: Send + From<io::Error>;

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

/// A plan of the pieces of an iterator, whose results a function takes.
pub struct EachPiece<I, K> {
    pieces: I,
    keep: K,
}

impl<I, K> EachPiece<I, K> {
    /// `keep` gets each piece and its result, see [`Plan::keep`].
    pub const fn new(pieces: I, keep: K) -> Self {
        Self { pieces, keep }
    }
}

impl<J, I, K> Plan<J> for EachPiece<I, K>
where
    J: Job,
    I: Iterator<Item = J::Piece> + Send,
    K: FnMut(J::Piece, J::Output) -> Result<(), J::Error> + Send,
{
    fn next(&mut self) -> Result<Option<J::Piece>, J::Error> {
        Ok(self.pieces.next())
    }

    fn keep(&mut self, piece: J::Piece, output: J::Output) -> Result<(), J::Error> {
        (self.keep)(piece, output)
    }
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
        state: Mutex::new(SchedulerState { plan, running: 0, is_aborted: false, failure: None }),
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
            if let Err(error) = builder.spawn_scoped(scope, move || scheduler.work()) {
                let text = format!("thread {number} cannot be started: {error}");
                scheduler.fail(Failure::Error(io::Error::new(error.kind(), text).into()));
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
                    state = self.kept.wait(state).unwrap_or_else(PoisonError::into_inner);
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

/// A request to end that all threads of a run share. It can be raised but not withdrawn.
#[derive(Default, Debug)]
pub struct Stop {
    finish: AtomicBool,
    abort: AtomicBool,
    give_up: AtomicBool,
}

impl Stop {
    /// A stop that nobody has requested yet.
    pub const fn new() -> Self {
        Self {
            finish: AtomicBool::new(false),
            abort: AtomicBool::new(false),
            give_up: AtomicBool::new(false),
        }
    }

    /// Requests the end after the running pieces; no new piece begins.
    pub fn finish(&self) {
        self.finish.store(true, Ordering::Relaxed);
    }

    /// Requests the end at once: running pieces are aborted and count as not done.
    pub fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
        self.finish();
    }

    /// The program exits in a moment: what can be written without waiting for anybody is written.
    pub fn give_up(&self) {
        self.give_up.store(true, Ordering::Relaxed);
        self.abort();
    }

    /// Whether no new piece may begin.
    pub fn is_requested(&self) -> bool {
        self.finish.load(Ordering::Relaxed)
    }

    /// Whether the running pieces are to be aborted.
    pub fn is_abort(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
    }

    /// Whether the program exits in a moment.
    pub fn is_given_up(&self) -> bool {
        self.give_up.load(Ordering::Relaxed)
    }

    /// The flag behind [`Stop::is_requested`], for searches that poll one flag.
    pub const fn flag(&self) -> &AtomicBool {
        &self.finish
    }
}

/// Progress of long work without pieces, and the request to end it.
pub struct Watch<'a> {
    /// Set from outside to end the work.
    pub stop: &'a Stop,
    /// Gets now and then how much of how much is done; the unit is that of the work, such as
    /// bytes or positions.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// The end was requested before the work was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("interrupted; no output was completed")]
pub struct Interrupted;

impl Watch<'_> {
    /// Reports progress.
    ///
    /// # Errors
    /// The end is requested.
    pub fn advance(&self, done: u64, total: u64) -> Result<(), Interrupted> {
        (self.progress)(done, total);
        self.check_stop()
    }

    /// # Errors
    /// The end is requested.
    pub fn check_stop(&self) -> Result<(), Interrupted> {
        if self.stop.is_requested() {
            return Err(Interrupted);
        }
        Ok(())
    }
}

/// Values in JSON as their texts.
pub(crate) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        value: &impl Display,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>, T: FromStr<Err: Display>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

// --- Shards ---

/// One of `count` shards of a run.
///
/// Its text is `I/N`, such as `3/16`. Batch systems count from 0 or from 1: `N/N` and `0/N` are the
/// same shard, so that with either convention each shard is done once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the shard, from 0 to `count` - 1.
    pub index: u64,
    /// Number of shards, at least 1.
    pub count: u64,
}

impl Shard {
    /// The only shard of a run that is not divided.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Whether the piece `number` belongs to this shard: every `count`-th one, starting at `index`.
    pub const fn has(self, number: u64) -> bool {
        number % self.count == self.index
    }

    /// How many of the first `length` pieces belong to this shard.
    pub const fn share_of(self, length: u64) -> u64 {
        let others = self.count - 1 - self.index;
        length / self.count + (length % self.count + others) / self.count
    }

    /// The number that people call it by, from 1 to `count`.
    pub const fn number(self) -> u64 {
        if self.index == 0 { self.count } else { self.index }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || {
            let text = crate::util::shorten(text);
            format!("'{text}' is not a part of a run, expected I/N such as 3/16")
        };
        let (index, count) = text.split_once('/').ok_or_else(error)?;
        let [index, count]: [Result<u64, _>; 2] = [index.trim().parse(), count.trim().parse()];
        match (index, count) {
            (Ok(index), Ok(count)) if count > 0 && index <= count => {
                Ok(Self { index: index % count, count })
            }
            _ => Err(error()),
        }
    }
}

/// `I/N` with I from 1 to N, whichever way the shard was given.
impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number(), self.count)
    }
}

/// The numbers of a shard in ascending order, without those that are done already.
#[derive(Clone, Debug)]
pub struct Numbers {
    next: u64,
    /// The first number after the last piece; `None` for a run without an end.
    end: Option<u64>,
    shard: Shard,
    /// Numbers that were done before the run was resumed.
    done: HashSet<u64>,
}

impl Numbers {
    /// The numbers below `end` that belong to `shard` and are not in `done`.
    pub fn new(end: Option<u64>, shard: Shard, done: impl IntoIterator<Item = u64>) -> Self {
        Self { next: 0, end, shard, done: done.into_iter().collect() }
    }
}

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.end.is_none_or(|end| self.next < end) {
            let number = self.next;
            self.next += 1;
            if self.shard.has(number) && !self.done.remove(&number) {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod shard_tests {
    use super::*;

    #[test]
    fn each_part_is_done_once_whether_counted_from_0_or_from_1() {
        for texts in [["0/3", "1/3", "2/3"], ["1/3", "2/3", "3/3"]] {
            let shards = texts.map(|text| text.parse::<Shard>().expect("a shard"));
            for number in 0..20 {
                let holders = shards.iter().filter(|shard| shard.has(number)).count();
                assert_eq!(holders, 1, "{number} in {texts:?}");
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "3", "/", "4/3", "1/0", "-1/3", "a/b", "1/2/3"] {
            let error = text.parse::<Shard>().expect_err(text);
            assert!(error.contains("expected I/N"), "{error}");
        }
    }

    #[test]
    fn what_is_done_or_belongs_to_others_is_left_out() {
        let shard = Shard { index: 1, count: 3 };
        let numbers = Numbers::new(Some(14), shard, [4, 10]);
        assert_eq!(numbers.collect::<Vec<_>>(), [1, 7, 13]);
        assert_eq!((shard.share_of(14), shard.share_of(13)), (5, 4));
        assert_eq!((shard.share_of(1), Shard::WHOLE.share_of(7)), (0, 7));
        let endless = Numbers::new(None, Shard::WHOLE, [0]);
        assert_eq!(endless.take(3).collect::<Vec<_>>(), [1, 2, 3]);
    }
}

#[cfg(test)]
mod tests;
