//! Starts the engine and talks to it.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::runner::{RAICHO, raicho};

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
        Self::start_with("")
    }

    fn start_with(words: &str) -> Self {
        Self::of(raicho!("{words}").command())
    }

    /// An engine with this much address space in KB.
    #[cfg(target_os = "linux")]
    pub(crate) fn with_space(kilobytes: u32) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {kilobytes}; exec {RAICHO}")]);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the engine starts");
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
        Self { child, input, lines, seen: Vec::new() }
    }

    /// An engine with a table of 2 MB and one thread that has answered `isready`.
    pub(crate) fn ready() -> Self {
        Self::ready_with("")
    }

    /// The same with arguments of the command line.
    pub(crate) fn ready_with(words: &str) -> Self {
        let mut driver = Self::start_with(words);
        driver.set("USI_Hash", 2);
        driver.set("Threads", 1);
        driver.is_ready();
        driver
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Display) {
        self.send(&format!("setoption name {name} value {value}"));
    }

    /// What it says up to `readyok`, that included.
    pub(crate) fn is_ready(&mut self) -> Vec<String> {
        self.ask("isready", "readyok")
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        let written = input.write_all(bytes).and_then(|()| input.flush());
        written.expect("the engine reads");
    }

    /// The lines up to the first that begins with `prefix`, that one included.
    pub(crate) fn until(&mut self, prefix: &str) -> Vec<String> {
        let from = self.seen.len();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|error| {
                let seen = &self.seen;
                panic!("{error} before \"{prefix}\", the engine said {seen:#?}")
            });
            self.seen.push(line);
            if self.seen.last().is_some_and(|line| line.starts_with(prefix)) {
                return self.seen[from..].to_vec();
            }
        }
    }

    /// The answers to a text, up to the first that begins with `prefix`.
    pub(crate) fn ask(&mut self, text: &str, prefix: &str) -> Vec<String> {
        self.send(text);
        self.until(prefix)
    }

    /// The answers to a `go`, and to commands before it, up to the move.
    pub(crate) fn go(&mut self, text: &str) -> Vec<String> {
        self.ask(text, "bestmove ")
    }

    /// The move that a `go` is answered with, after `bestmove `.
    pub(crate) fn best(&mut self, text: &str) -> String {
        self.go(text).pop().expect("an answer")["bestmove ".len()..].to_owned()
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

/// Asserts how many of the lines begin with `prefix`.
#[track_caller]
pub(crate) fn must_count(lines: &[String], times: usize, prefix: &str) {
    let found = count(lines, prefix);
    assert_eq!(found, times, "\"{prefix}\" begins lines of {lines:#?}");
}

/// How many of the lines begin with `prefix`.
pub(crate) fn count(lines: &[String], prefix: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(prefix)).count()
}

/// The number of nodes of a search, in its last line.
pub(crate) fn nodes_of(driver: &mut Driver, go: &str) -> String {
    let lines = driver.go(go);
    let nodes = lines.iter().rev().find_map(|line| line.split_once(" nodes "));
    let (_, rest) = nodes.expect("a line with nodes");
    rest.split(' ').next().unwrap_or_default().to_owned()
}
