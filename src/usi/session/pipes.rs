//! The pipes from and to the GUI. The reader thread parses lines of the GUI into the queue of the
//! session, and signals `stop` and the end past the queue.
//!
//! Any bytes are accepted: what is not UTF-8 is read as CP932, and replaced where it is neither. CR
//! LF and a byte order mark are stripped, and a last line without a line end counts. A line that is
//! longer than any command is refused without being kept.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{sync::mpsc::Sender, time::Duration};

use jiff::Zoned;

use crate::usi::command::{Command, ParsedLine};
use crate::util::system::{Instant, thread};
use crate::{usi::response::Response, util::decode_line};

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
        let (waiting, _) =
            self.changed.wait_timeout(waiting, duration).unwrap_or_else(PoisonError::into_inner);
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
    let thread = thread::Builder::new().name("usi-input".to_owned());
    thread.spawn(work).map(drop)
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
    let bytes = if is_too_long { &bytes[..BEGINNING] } else { bytes };
    let text = decode_line(bytes);
    let line = text.trim_start_matches('\u{feff}');
    let parsed =
        if is_too_long { ParsedLine::too_long(line, MAX_LINE) } else { ParsedLine::parse(line) };
    if matches!(parsed.command, Some(Command::Stop | Command::GameOver)) {
        interrupt.stop(number);
    }
    if parsed.command == Some(Command::Quit) {
        // Before the session receives the line, so that it need not wait for a long preparation.
        interrupt.end();
    }
    Line { number, read_at, text: text.trim_end_matches(['\r', '\n']).to_owned(), parsed }
}

// --- The writer to the GUI: whole lines from any thread, with a copy in the debug log ---

/// A handle to the output; all clones write to the same place.
#[derive(Clone)]
pub(super) struct Output {
    /// `None` after a write has failed.
    writer: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    log: Arc<DebugLog>,
    inputs: Sender<Input>,
    interrupt: Arc<Interrupt>,
}

impl Output {
    /// Writes to `writer`. A failed write ends the session through `inputs`, like the end of its
    /// input.
    pub(super) fn new(
        writer: impl Write + Send + 'static,
        inputs: Sender<Input>,
        interrupt: Arc<Interrupt>,
    ) -> Self {
        Self {
            writer: Arc::new(Mutex::new(Some(Box::new(writer)))),
            log: Arc::default(),
            inputs,
            interrupt,
        }
    }

    /// Starts the debug log with the remark `opening`, or ends it if there is no path.
    pub(super) fn set_log_file(&self, path: Option<&Path>, opening: &str) {
        self.report(self.log.set_file(path, opening));
    }

    /// Logs a line of the GUI with the time at which it was read.
    pub(super) fn log_received(&self, line: &Line) {
        let written = self.log.write('>', Some(line.read_at), &line.text);
        self.report(written);
    }

    /// The first error ends the log, so that it is reported once.
    fn report(&self, result: Result<(), String>) {
        if let Err(error) = result {
            self.send(&Response::Error(error));
        }
    }

    pub(super) fn send(&self, response: &Response) {
        self.report(self.write(&response.to_string()));
    }

    fn write(&self, text: &str) -> Result<(), String> {
        let line = format!("{text}\n");
        let mut guard = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writer) = guard.as_mut() else {
            return Ok(());
        };
        // Within the lock, so that the log has the order of the output, and before the output, so
        // that it holds everything that the GUI has received.
        let logged = self.log.write('<', None, text);
        if writer.write_all(line.as_bytes()).and_then(|()| writer.flush()).is_err() {
            *guard = None;
            self.interrupt.end();
            self.interrupt.cancel_tool();
            // Fails only if the session has ended already.
            let _ = self.inputs.send(Input::End);
        }
        logged
    }
}

/// The output of tools: passes text on line by line.
pub(super) struct ToolOutput {
    output: Output,
    line: Vec<u8>,
}

impl ToolOutput {
    pub(super) fn new(output: Output) -> Self {
        Self { output, line: Vec::new() }
    }
}

impl Write for ToolOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let text = String::from_utf8_lossy(&self.line).into_owned();
                self.output.send(&Response::Text(text));
                self.line.clear();
            } else {
                self.line.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Local time to the millisecond, as `strftime` writes it.
const TIME: &str = "%F %T%.3f";

/// `DebugLogFile`: logs the dialogue with the GUI, each line with its time.
///
/// Each line is written at once, so that the file is complete if the program crashes: those of the
/// GUI when the session takes them. A file that cannot be written is reported once, and the engine
/// plays on without it.
#[derive(Default)]
struct DebugLog(Mutex<Option<Open>>);

struct Open {
    path: PathBuf,
    file: File,
}

impl DebugLog {
    /// Appends to the file at `path` from now on, beginning with the remark `opening`; without a
    /// path the log ends.
    ///
    /// # Errors
    /// The file cannot be opened or written. The log has ended.
    fn set_file(&self, path: Option<&Path>, opening: &str) -> Result<(), String> {
        let mut log = self.lock();
        *log = None;
        let Some(path) = path else {
            return Ok(());
        };
        let file = open_file(path).map_err(|error| {
            let name = path.display();
            format!(
                "DebugLogFile \"{name}\" cannot be opened: {error}, the dialogue is not written"
            )
        })?;
        let path = path.to_owned();
        let mut open = Open { path, file };
        open.write(&Zoned::now(), '#', opening)?;
        *log = Some(open);
        Ok(())
    }

    /// Writes a line without its line end, of now or of another time, if the log is on: `>` from
    /// the GUI, `<` to it, `#` a remark of the log itself.
    ///
    /// # Errors
    /// The file cannot be written. The log has ended.
    fn write(&self, sign: char, at: Option<Instant>, text: &str) -> Result<(), String> {
        let mut log = self.lock();
        let Some(open) = &mut *log else {
            return Ok(());
        };
        let age = at.map_or(Duration::ZERO, |at| at.elapsed());
        let time = Zoned::now().saturating_sub(age);
        let written = open.write(&time, sign, text);
        if written.is_err() {
            *log = None;
        }
        written
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a file, a device or a terminal to append to it. A pipe is refused: to open one, and later
/// to write to it, waits for its reader.
fn open_file(path: &Path) -> io::Result<File> {
    if path.metadata().is_ok_and(|data| is_pipe(&data)) {
        let reason = "it is a pipe, expected a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    OpenOptions::new().create(true).append(true).open(path)
}

#[cfg(unix)]
fn is_pipe(data: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    data.file_type().is_fifo()
}

#[cfg(not(unix))]
const fn is_pipe(_data: &Metadata) -> bool {
    false
}

impl Open {
    fn write(&mut self, time: &Zoned, sign: char, text: &str) -> Result<(), String> {
        let start = format!("{} {sign} ", time.strftime(TIME));
        let mut lines = String::new();
        for line in text.split('\n') {
            lines.extend([start.as_str(), line.trim_end_matches('\r'), "\n"]);
        }
        let written = self.file.write_all(lines.as_bytes());
        written.map_err(|error| {
            format!(
                "DebugLogFile \"{}\" cannot be written: {error}, the dialogue is written no \
                 further",
                self.path.display()
            )
        })
    }
}
