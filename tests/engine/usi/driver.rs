//! Starts the engine and talks to it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit for an answer, long enough for a loaded machine: the tests check behaviour, not
/// speed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running engine. Dropping it kills the process.
pub(crate) struct Driver {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Driver {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// An engine with arguments of the command line.
    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_raicho"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.expect("UTF-8")).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            lines,
            seen: Vec::new(),
        }
    }

    /// An engine with a table of 2 MB and one thread that has answered `isready`.
    pub(crate) fn ready() -> Self {
        let mut driver = Self::start();
        driver.send("setoption name USI_Hash value 2\nsetoption name Threads value 1\nisready");
        driver.until("readyok");
        driver
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input
            .write_all(bytes)
            .and_then(|()| input.flush())
            .expect("the engine reads");
    }

    /// The lines up to the first that begins with `prefix`, that one included.
    pub(crate) fn until(&mut self, prefix: &str) -> Vec<String> {
        let from = self.seen.len();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.seen.push(line),
                Err(error) => panic!(
                    "{error} before \"{prefix}\", the engine said {:#?}",
                    self.seen
                ),
            }
            if self
                .seen
                .last()
                .is_some_and(|line| line.starts_with(prefix))
            {
                return self.seen[from..].to_vec();
            }
        }
    }

    /// The next line that begins with `prefix`.
    pub(crate) fn answer(&mut self, prefix: &str) -> String {
        self.until(prefix).pop().expect("at least that line")
    }

    /// The lines up to the answer of a question that is sent after `text` and disturbs no search.
    pub(crate) fn replies(&mut self, text: &str) -> Vec<String> {
        self.send(text);
        self.send("getoption ClearHash");
        let mut lines = self.until("ClearHash = ");
        lines.pop();
        lines
    }

    /// As [`Self::replies`], without the infos of a running search.
    pub(crate) fn quiet_replies(&mut self, text: &str) -> Vec<String> {
        let mut lines = self.replies(text);
        lines.retain(|line| !line.starts_with("info depth"));
        lines
    }

    /// Ends the input and returns the rest of the output. The exit code must be 0.
    pub(crate) fn finish(mut self) -> Vec<String> {
        self.input = None;
        self.exit()
    }

    /// Waits for the end of the process, after a `quit`.
    pub(crate) fn exit(&mut self) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("a child") {
                assert_eq!(status.code(), Some(0), "exit code");
                return self.lines.iter().collect();
            }
            thread::sleep(Duration::from_millis(2));
        }
        panic!("the engine does not end; it said {:#?}", self.seen);
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts an engine, writes `bytes`, ends the input, and returns the whole output.
pub(crate) fn transcript(bytes: &[u8]) -> Vec<String> {
    let mut driver = Driver::start();
    driver.send_bytes(bytes);
    driver.finish()
}

/// How many of the lines begin with `prefix`.
pub(crate) fn count(lines: &[String], prefix: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(prefix)).count()
}
