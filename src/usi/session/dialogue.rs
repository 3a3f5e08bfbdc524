//! A session that is given its lines one by one, where the program cannot wait for input: a page
//! in a browser calls for each line.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use super::inbox::{Input, Interrupt};
use super::output::Output;
use super::{BenchTool, Flow, Session, input};

/// A session without a loop of its own.
pub struct Dialogue {
    session: Session,
    /// Receives the end of the output.
    inputs: Receiver<Input>,
    lines: u64,
}

impl Dialogue {
    /// Begins a session that writes to `output`.
    pub fn new(output: impl Write + Send + 'static, bench: BenchTool) -> Self {
        let (sender, inputs) = mpsc::channel();
        let interrupt = Arc::new(Interrupt::default());
        let output = Output::new(output, sender, Arc::clone(&interrupt));
        Self {
            session: Session::new(output, interrupt, bench),
            inputs,
            lines: 0,
        }
    }

    /// Does what a line says. A search runs on after the call where there are threads, else it ends
    /// within the call. Returns whether the session goes on.
    pub fn line(&mut self, bytes: &[u8]) -> bool {
        self.lines += 1;
        let session = &mut self.session;
        let line = input::receive(bytes, self.lines, &session.output, &session.interrupt);
        let is_over = session.handle(line) == Flow::End || self.inputs.try_recv().is_ok();
        if is_over {
            session.finish_search();
        }
        !is_over
    }
}
