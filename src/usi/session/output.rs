//! The writer to the GUI: whole lines, each flushed, from any thread, with a copy in the debug log.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{sync::mpsc::Sender, time::Duration};

use jiff::Zoned;

use super::input::{Input, Interrupt, Line};
use crate::usi::response::Response;
use crate::util::system::Instant;

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
        let written = self.log.write(Speaker::Gui, Some(line.read_at), &line.text);
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
        let logged = self.log.write(Speaker::Engine, None, text);
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
/// Each line is written at once, so that the file is complete if the program crashes: those of the
/// GUI when the session takes them. A file that cannot be written is reported once, and the engine
/// plays on without it.
#[derive(Default)]
struct DebugLog(Mutex<Option<Open>>);

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
        open.write(&Zoned::now(), Speaker::Log, opening)?;
        *log = Some(open);
        Ok(())
    }

    /// Writes a line without its line end, of now or of another time, if the log is on.
    ///
    /// # Errors
    /// The file cannot be written. The log has ended.
    fn write(&self, speaker: Speaker, at: Option<Instant>, text: &str) -> Result<(), String> {
        let mut log = self.lock();
        let Some(open) = &mut *log else {
            return Ok(());
        };
        let age = at.map_or(Duration::ZERO, |at| at.elapsed());
        let time = Zoned::now().saturating_sub(age);
        let written = open.write(&time, speaker, text);
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
