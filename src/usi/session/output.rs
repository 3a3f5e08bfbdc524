//! The writer to the GUI: whole lines, each flushed, from any thread, with a copy in the debug log.

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use super::debug_log::{DebugLog, LogError};
use super::inbox::{Input, Interrupt};
use crate::usi::response::Response;

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
