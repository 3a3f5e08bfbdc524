//! The one way to the GUI: whole lines, each flushed, from whatever thread.

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use super::debug_log::{DebugLog, LogError, Speaker};
use super::input::{Input, Interrupt};
use crate::usi::response::Response;

/// A handle to the output; all its clones write to the same place.
#[derive(Clone)]
pub(super) struct Output {
    /// `None` once writing has failed.
    writer: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    log: Arc<DebugLog>,
    inputs: Sender<Input>,
    interrupt: Arc<Interrupt>,
}

impl Output {
    /// Writes to `writer`. When that fails, nobody listens any more: the session is told so by `inputs`, as at the end of
    /// its input.
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

    /// Writes the dialogue to a file from now on, or no longer. `opening` is what its reader should know.
    pub(super) fn log_to(&self, path: Option<&Path>, opening: &str) {
        self.report(self.log.set_file(path, opening));
    }

    /// Notes in the log what the GUI said.
    pub(super) fn log_heard(&self, text: &str) {
        self.report(self.log.write(Speaker::Gui, text));
    }

    /// The log ends with its first error, so this is said once.
    fn report(&self, result: Result<(), LogError>) {
        if let Err(error) = result {
            self.send(&Response::Error(error.to_string()));
        }
    }

    pub(super) fn send(&self, response: &Response) {
        self.report(self.write(&response.to_string()));
    }

    fn write(&self, text: &str) -> Result<(), LogError> {
        let line = format!("{text}\n");
        let mut guard = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writer) = guard.as_mut() else {
            return Ok(());
        };
        // Within the lock, so that the file has the order of the output, and first, so that it has all that anybody saw.
        let logged = self.log.write(Speaker::Engine, text);
        if writer
            .write_all(line.as_bytes())
            .and_then(|()| writer.flush())
            .is_err()
        {
            *guard = None;
            self.interrupt.end();
            self.interrupt.cancel_tool();
            // A session that is gone already needs no word of it.
            let _ = self.inputs.send(Input::End);
        }
        logged
    }
}

/// The output of tools: text is passed on line by line.
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
