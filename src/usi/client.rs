//! Drives another USI engine: a process, its dialogue, its options.
//!
//! Promises: whatever the program does (says nothing, says too much, dies, hangs), every call ends, at the latest when
//! its time is over, and memory stays small; a line carries the moment at which it was complete, taken by a thread that
//! does nothing else; what was said lately, both ways, is kept for the report of a failure. Dropping a [`Client`] ends
//! its process.
//!
//! What the lines mean stands in [`reply`]. This module knows nothing of games.

mod dialogue;
pub mod options;
mod process;
pub mod reply;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use options::OptionMismatch;
use process::Process;
use reply::{DeclaredOption, Reply};

/// How to start an engine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Program {
    /// The executable: a path from our own working directory, or a bare name that the system looks up.
    pub path: PathBuf,
    /// What follows on its command line.
    pub arguments: Vec<String>,
    /// Its working directory; ours if `None`.
    pub directory: Option<PathBuf>,
    /// Variables in addition to our own environment.
    pub environment: Vec<(String, String)>,
}

impl Program {
    /// A program without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        for argument in &self.arguments {
            write!(f, " {argument}")?;
        }
        Ok(())
    }
}

/// A line from the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    /// When it was complete.
    pub at: Instant,
    /// Without its end; invalid UTF-8 is replaced, and far too long a line is cut.
    pub line: String,
}

/// Why an engine cannot be driven any further, or not as asked.
#[derive(Debug, Error)]
pub enum ClientError {
    /// There is no process.
    #[error("cannot start {program}: {source}")]
    Start {
        /// What was to be started.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// The process is gone, or has closed its output.
    #[error("the engine ended: {status}")]
    Ended {
        /// How it ended, such as `exit code 3` or `killed by signal 11`.
        status: String,
    },
    /// Something that was waited for did not come.
    #[error("no {waiting_for} within {:.3} s", duration.as_secs_f64())]
    TimedOut {
        /// What was waited for, such as `readyok`.
        waiting_for: &'static str,
        /// How long.
        duration: Duration,
    },
    /// A line could not be sent, though the process lives.
    #[error("cannot send \"{line}\": {source}")]
    Write {
        /// The beginning of the line.
        line: String,
        /// What the system says.
        source: io::Error,
    },
    /// The caller no longer wants to wait.
    #[error("given up while waiting for {0}")]
    GivenUp(&'static str),
    /// The engine has no such option, or not with this value. Nothing was sent.
    #[error(transparent)]
    Option(#[from] OptionMismatch),
}

/// A running engine. Dropping it kills the process and waits for its end.
#[derive(Debug)]
pub struct Client {
    process: Process,
    name: String,
    author: String,
    options: Vec<DeclaredOption>,
}

impl Client {
    /// Starts the process; says nothing to it yet.
    ///
    /// # Errors
    /// The system cannot start it.
    pub fn start(program: &Program) -> Result<Self, ClientError> {
        let process = Process::start(program).map_err(|source| ClientError::Start {
            program: program.to_string(),
            source,
        })?;
        let name = program
            .path
            .file_stem()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self {
            process,
            name,
            author: String::new(),
            options: Vec::new(),
        })
    }

    /// Says `usi` and collects name, author and options up to `usiok`. Lines that mean nothing are
    /// skipped.
    ///
    /// # Errors
    /// The engine ended, or there is no `usiok` in time.
    pub fn handshake(&mut self, timeout: Duration) -> Result<(), ClientError> {
        self.handshake_unless(timeout, &|| false)
    }

    /// The same, but no longer than until `is_given_up`, which is asked ten times a second.
    ///
    /// # Errors
    /// As [`Client::handshake`], and [`ClientError::GivenUp`].
    pub fn handshake_unless(
        &mut self,
        timeout: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<(), ClientError> {
        self.send("usi")?;
        let wait = Wait::new("usiok", timeout, is_given_up);
        self.options.clear();
        loop {
            let received = wait.receive(&mut self.process)?;
            match Reply::of(&received.line) {
                Reply::UsiOk => return Ok(()),
                Reply::IdName(name) if !name.is_empty() => name.clone_into(&mut self.name),
                Reply::IdAuthor(author) => author.clone_into(&mut self.author),
                Reply::Option(option) => self.options.push(option),
                _ => {}
            }
        }
    }

    /// What the engine calls itself; before and without an `id name`, its file name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Who made it, empty if it does not say.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// The options, in the engine's order.
    pub fn options(&self) -> &[DeclaredOption] {
        &self.options
    }

    /// Sends an option, after a look at its declaration. Upper and lower case need not match, `USI_Hash` and
    /// `USI_Ponder` need no declaration, and a button has no value.
    ///
    /// # Errors
    /// The engine declares no such option or not with such a value, or it cannot be reached.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        let line = options::setoption_line(&self.options, name, value)?;
        self.send(&line).map(drop)
    }

    /// Says `isready` and waits for `readyok`.
    ///
    /// # Errors
    /// The engine ended, or is not ready in time.
    pub fn ready(&mut self, timeout: Duration) -> Result<(), ClientError> {
        self.ready_unless(timeout, &|| false)
    }

    /// The same, but no longer than until `is_given_up`, which is asked ten times a second.
    ///
    /// # Errors
    /// As [`Client::ready`], and [`ClientError::GivenUp`].
    pub fn ready_unless(
        &mut self,
        timeout: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<(), ClientError> {
        self.send("isready")?;
        let wait = Wait::new("readyok", timeout, is_given_up);
        loop {
            let received = wait.receive(&mut self.process)?;
            if Reply::of(&received.line) == Reply::ReadyOk {
                return Ok(());
            }
        }
    }

    /// Sends a line, in one piece, and gives the moment just before.
    ///
    /// # Errors
    /// The engine ended or has stopped to read, or the text is more than one line.
    pub fn send(&mut self, line: &str) -> Result<Instant, ClientError> {
        self.process.send(line)
    }

    /// The next line. One that is there already is given even if the deadline has passed.
    ///
    /// # Errors
    /// There is none by `deadline`, or there will be none any more.
    pub fn receive(&mut self, deadline: Option<Instant>) -> Result<Received, ClientError> {
        let now = Instant::now();
        let timeout = deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(now)
        });
        self.process.receive(deadline, "line", timeout)
    }

    /// Forgets the lines that have come so far.
    pub fn discard_pending(&mut self) {
        self.process.discard_pending();
    }

    /// What was said lately, oldest first: seconds since the start, who said it (`>` we, `<` the engine, `!` its
    /// standard error), and the line. Many `info` lines do not push out the rest.
    pub fn dialogue(&self) -> Vec<String> {
        self.process.dialogue()
    }

    /// The system's number of the process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// How the process ended, `None` while it runs.
    pub fn exit_status(&mut self) -> Option<String> {
        self.process.exit_status()
    }

    /// Says `quit` and waits for the end of the process; when `grace` is over, kills it.
    pub fn quit(mut self, grace: Duration) {
        // An engine that is gone already needs no word of it.
        let _ = self.process.send("quit");
        self.process.close_input();
        self.process.wait(grace);
    }
}

/// Between two questions whether the wait is given up.
const GLANCE: Duration = Duration::from_millis(100);

/// Waiting for an answer to `usi` or `isready`.
struct Wait<'a> {
    waiting_for: &'static str,
    timeout: Duration,
    /// `None` where it lies beyond what the clock can say.
    deadline: Option<Instant>,
    is_given_up: &'a dyn Fn() -> bool,
}

impl<'a> Wait<'a> {
    fn new(
        waiting_for: &'static str,
        timeout: Duration,
        is_given_up: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            waiting_for,
            timeout,
            deadline: Instant::now().checked_add(timeout),
            is_given_up,
        }
    }

    /// The next line.
    fn receive(&self, process: &mut Process) -> Result<Received, ClientError> {
        loop {
            let glance = Instant::now() + GLANCE;
            let until = self
                .deadline
                .map_or(glance, |deadline| deadline.min(glance));
            match process.receive(Some(until), self.waiting_for, self.timeout) {
                Err(ClientError::TimedOut { .. }) if (self.is_given_up)() => {
                    return Err(ClientError::GivenUp(self.waiting_for));
                }
                Err(ClientError::TimedOut { .. })
                    if self
                        .deadline
                        .is_none_or(|deadline| Instant::now() < deadline) => {}
                result => return result,
            }
        }
    }
}
