//! The reader thread: parses lines of the GUI into the queue of the session, and signals `stop` and
//! the end past the queue.
//!
//! Any bytes are accepted: what is not UTF-8 is read as CP932, and replaced where it is neither. CR
//! LF and a byte order mark are stripped, and a last line without a line end counts. A line that is
//! longer than any command is refused without being kept.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{sync::mpsc::Sender, time::Duration};

use crate::usi::command::{Command, ParsedLine};
use crate::util::decode_line;
use crate::util::system::{Instant, thread};

/// Bytes of the longest line: more than any GUI sends, and little enough for memory.
const MAX_LINE: usize = 16 << 20;

/// Bytes that are kept of a longer line.
const BEGINNING: usize = 64;

/// An item of the queue.
pub(super) enum Input {
    /// A line of the GUI.
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
    /// As it came, without its line end.
    pub(super) text: String,
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

/// Starts the thread. It ends with the input, after `quit`, or with the session.
///
/// # Errors
/// The system cannot start a thread.
pub(super) fn spawn(
    input: impl Read + Send + 'static,
    inputs: Sender<Input>,
    interrupt: Arc<Interrupt>,
) -> io::Result<()> {
    let work = move || {
        read_lines(input, &inputs, &interrupt);
        let _ = inputs.send(Input::End);
    };
    thread::Builder::new()
        .name("usi-input".to_owned())
        .spawn(work)
        .map(drop)
}

fn read_lines(input: impl Read, inputs: &Sender<Input>, interrupt: &Interrupt) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        // A read error is treated as the end of the input.
        let mut line = input.by_ref().take(MAX_LINE as u64 + 1);
        if line.read_until(b'\n', &mut bytes).unwrap_or(0) == 0 {
            return;
        }
        if bytes.len() > MAX_LINE && !bytes.ends_with(b"\n") {
            let _ = input.skip_until(b'\n');
        }
        let line = receive(&bytes, number, interrupt);
        let is_quit = line.parsed.command == Some(Command::Quit);
        if inputs.send(Input::Line(Box::new(line))).is_err() || is_quit {
            return;
        }
    }
}

/// Parses line `number` and signals what the session must know at once.
pub(super) fn receive(bytes: &[u8], number: u64, interrupt: &Interrupt) -> Line {
    let read_at = Instant::now();
    let is_too_long = bytes.len() > MAX_LINE;
    let bytes = if is_too_long {
        &bytes[..BEGINNING]
    } else {
        bytes
    };
    let text = decode_line(bytes);
    let line = text.trim_start_matches('\u{feff}');
    let parsed = if is_too_long {
        ParsedLine::too_long(line, MAX_LINE)
    } else {
        ParsedLine::parse(line)
    };
    if matches!(parsed.command, Some(Command::Stop | Command::GameOver)) {
        interrupt.stop(number);
    }
    if parsed.command == Some(Command::Quit) {
        // Before the session receives the line, so that it need not wait for a long preparation.
        interrupt.end();
    }
    Line {
        number,
        read_at,
        text: text.trim_end_matches(['\r', '\n']).to_owned(),
        parsed,
    }
}
