//! The reader thread: lines from the GUI into a queue, and what cannot wait in that queue past it.
//!
//! Bytes in any encoding are read: invalid UTF-8 is replaced, CR LF and a byte order mark are no trouble, and a last
//! line without an end counts.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::output::Output;
use crate::usi::command::{Command, Reading};

/// What the session receives.
pub(super) enum Input {
    /// A line.
    Line(Box<Line>),
    /// There will be no more.
    End,
}

/// A line and when it came.
pub(super) struct Line {
    /// Counted from 1.
    pub(super) number: u64,
    /// The clock of a `go` runs from here.
    pub(super) read_at: Instant,
    /// What it says.
    pub(super) reading: Reading,
}

/// What a busy session must learn at once.
#[derive(Default)]
pub(super) struct Interrupt {
    cancel_tool: AtomicBool,
    /// The number of the last line that was a `stop`.
    last_stop: AtomicU64,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

/// What somebody who waits for a long job looks at.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    /// The input has ended, by `quit` or otherwise.
    pub(super) has_ended: bool,
    /// The job is done.
    pub(super) is_done: bool,
}

impl Interrupt {
    /// The flag that a tool, which was asked for in line `number`, obeys: set by any later `stop`, even one that has been
    /// read already.
    pub(super) fn tool_flag(&self, number: u64) -> &AtomicBool {
        // Cleared before the number is read, as the reader sets them in the other order: no later stop is lost.
        self.cancel_tool.store(false, Ordering::SeqCst);
        if self.last_stop.load(Ordering::SeqCst) > number {
            self.cancel_tool();
        }
        &self.cancel_tool
    }

    pub(super) fn cancel_tool(&self) {
        self.cancel_tool.store(true, Ordering::SeqCst);
    }

    fn stop(&self, number: u64) {
        self.last_stop.store(number, Ordering::SeqCst);
        self.cancel_tool();
    }

    /// The input has ended.
    pub(super) fn end(&self) {
        self.waiting().has_ended = true;
        self.changed.notify_all();
    }

    /// A job begins or ends.
    pub(super) fn set_done(&self, is_done: bool) {
        self.waiting().is_done = is_done;
        self.changed.notify_all();
    }

    /// Waits until something changes or `duration` is over.
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

/// Starts the thread. It ends with the input, after `quit`, or when the session is gone.
///
/// # Errors
/// The system has no more threads.
pub(super) fn spawn(
    input: impl Read + Send + 'static,
    inputs: Sender<Input>,
    output: Output,
    interrupt: Arc<Interrupt>,
) -> io::Result<()> {
    let work = move || {
        read_lines(input, &inputs, &output, &interrupt);
        interrupt.end();
        let _ = inputs.send(Input::End);
    };
    thread::Builder::new()
        .name("usi-input".to_owned())
        .spawn(work)
        .map(drop)
}

fn read_lines(input: impl Read, inputs: &Sender<Input>, output: &Output, interrupt: &Interrupt) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        // An input that cannot be read has ended, for all we can do.
        if input.read_until(b'\n', &mut bytes).unwrap_or(0) == 0 {
            return;
        }
        let read_at = Instant::now();
        let text = String::from_utf8_lossy(&bytes);
        let reading = Reading::of(text.trim_start_matches('\u{feff}'));
        let is_quit = reading.command == Some(Command::Quit);
        if matches!(reading.command, Some(Command::Stop | Command::GameOver(_))) {
            interrupt.stop(number);
        }
        if is_quit {
            // Before the session hears of it, so that a long preparation is not waited for.
            interrupt.end();
        }
        // Before the session can answer: the file has the order of the dialogue.
        output.log_heard(text.trim_end_matches(['\r', '\n']));
        let line = Box::new(Line {
            number,
            read_at,
            reading,
        });
        if inputs.send(Input::Line(line)).is_err() || is_quit {
            return;
        }
    }
}
