//! What the session receives: lines of the GUI through a queue, and past the queue what a busy
//! session must know at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::usi::command::ParsedLine;
use crate::util::system::Instant;

/// An item of the queue.
pub(super) enum Input {
    /// A line.
    Line(Box<Line>),
    /// The input has ended, or nobody reads the output.
    End,
}

/// A line, and when it was read.
pub(super) struct Line {
    /// Counted from 1.
    pub(super) number: u64,
    /// The clock of a `go` starts here.
    pub(super) read_at: Instant,
    pub(super) parsed: ParsedLine,
}

/// Signals that overtake the queue.
#[derive(Default)]
pub(super) struct Interrupt {
    cancel_tool: AtomicBool,
    /// The number of the last line that was a `stop`.
    last_stop: AtomicU64,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

/// The state that a thread which waits for a long job looks at.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    /// The GUI sent `quit`, or nobody reads the output.
    pub(super) has_ended: bool,
    /// The job is done.
    pub(super) is_done: bool,
}

impl Interrupt {
    /// The stop flag of a tool that was called in line `number`. Every later `stop` sets it, also
    /// one that was read before the tool began.
    pub(super) fn tool_flag(&self, number: u64) -> &AtomicBool {
        // The reader writes the number first and sets the flag second. Clearing the flag before the
        // number is read therefore loses no later stop.
        self.cancel_tool.store(false, Ordering::SeqCst);
        if self.last_stop.load(Ordering::SeqCst) > number {
            self.cancel_tool();
        }
        &self.cancel_tool
    }

    pub(super) fn cancel_tool(&self) {
        self.cancel_tool.store(true, Ordering::SeqCst);
    }

    /// Line `number` is a `stop`.
    pub(super) fn stop(&self, number: u64) {
        self.last_stop.store(number, Ordering::SeqCst);
        self.cancel_tool();
    }

    /// Nobody waits for a result any more.
    pub(super) fn end(&self) {
        self.waiting().has_ended = true;
        self.changed.notify_all();
    }

    /// A job begins or ends.
    pub(super) fn set_done(&self, is_done: bool) {
        self.waiting().is_done = is_done;
        self.changed.notify_all();
    }

    /// Waits until the state changes or `duration` is over.
    pub(super) fn wait<'a>(
        &self,
        waiting: MutexGuard<'a, Waiting>,
        duration: Duration,
    ) -> MutexGuard<'a, Waiting> {
        let (waiting, _) = self
            .changed
            .wait_timeout(waiting, duration)
            .unwrap_or_else(PoisonError::into_inner);
        waiting
    }

    pub(super) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
