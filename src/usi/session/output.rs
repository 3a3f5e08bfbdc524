//! The writer to the GUI: whole lines, each flushed, from any thread, with a copy in the debug log.

use std::collections::VecDeque;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Zoned;

use crate::usi::response::Response;
use crate::util::system::Instant;

use super::input::{Input, Interrupt};

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

    /// Logs line `number` of the GUI.
    pub(super) fn log_received(&self, number: u64, text: &str) {
        self.report(self.log.receive(number, text));
    }

    /// The session takes line `number`.
    pub(super) fn log_taken(&self, number: u64) {
        self.log.take(number);
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
        let logged = self.log.write(text);
        if writer
            .write_all(line.as_bytes())
            .and_then(|()| writer.flush())
            .is_err()
        {
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
        Self {
            output,
            line: Vec::new(),
        }
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
/// Each line is written at once, so that the file is complete if the program crashes. GUIs send
/// all options in one go, so the session may open a file when later lines have been read already:
/// these are kept until the session takes them, and follow the opening of the log. A file that
/// cannot be written is reported once, and the engine plays on without it.
#[derive(Default)]
pub(super) struct DebugLog(Mutex<State>);

#[derive(Default)]
struct State {
    /// The file, if the log is on.
    open: Option<Open>,
    /// The lines that were read and that the session has not taken yet.
    waiting: VecDeque<Received>,
}

/// A line of the GUI.
struct Received {
    number: u64,
    read_at: Instant,
    text: String,
}

struct Open {
    path: PathBuf,
    file: File,
}

/// The source of a line.
#[derive(Clone, Copy)]
enum Speaker {
    Gui,
    Engine,
    /// A remark of the log itself.
    Log,
}

impl DebugLog {
    /// Appends to the file at `path` from now on, beginning with the remark `opening` and the
    /// lines that wait for the session; without a path the log ends.
    ///
    /// # Errors
    /// The file cannot be opened or written. The log has ended.
    pub(super) fn set_file(&self, path: Option<&Path>, opening: &str) -> Result<(), String> {
        let mut state = self.lock();
        state.open = None;
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
        open.write(&Zoned::now(), Speaker::Log, opening)?;
        for line in &state.waiting {
            let time = Zoned::now().saturating_sub(line.read_at.elapsed());
            open.write(&time, Speaker::Gui, &line.text)?;
        }
        state.open = Some(open);
        Ok(())
    }

    /// Writes line `number` of the GUI, and keeps it until the session takes it.
    ///
    /// # Errors
    /// The file cannot be written. The log has ended.
    pub(super) fn receive(&self, number: u64, text: &str) -> Result<(), String> {
        let mut state = self.lock();
        state.waiting.push_back(Received {
            number,
            read_at: Instant::now(),
            text: text.to_owned(),
        });
        state.write(Speaker::Gui, text)
    }

    /// The session takes line `number`: a log that opens from now on begins after it.
    pub(super) fn take(&self, number: u64) {
        let waiting = &mut self.lock().waiting;
        while waiting.pop_front_if(|line| line.number <= number).is_some() {}
    }

    /// Writes a line of the engine, which is given without its line end.
    ///
    /// # Errors
    /// The file cannot be written. The log has ended.
    pub(super) fn write(&self, text: &str) -> Result<(), String> {
        self.lock().write(Speaker::Engine, text)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
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

impl State {
    /// Writes a line of now, if the log is on. The first error ends it.
    fn write(&mut self, speaker: Speaker, text: &str) -> Result<(), String> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let written = open.write(&Zoned::now(), speaker, text);
        written.inspect_err(|_| self.open = None)
    }
}

impl Open {
    fn write(&mut self, time: &Zoned, speaker: Speaker, text: &str) -> Result<(), String> {
        let sign = match speaker {
            Speaker::Gui => " > ",
            Speaker::Engine => " < ",
            Speaker::Log => " # ",
        };
        let time = time.strftime(TIME).to_string();
        let mut lines = String::new();
        for line in text.split('\n') {
            lines.extend([time.as_str(), sign, line.trim_end_matches('\r'), "\n"]);
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
