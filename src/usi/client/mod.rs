//! Drives another USI engine: its process, its options, and the dialogue with it.
//!
//! Promises: whatever the program does (silence, floods of output, crash, hang), every call ends
//! within its time limit, and memory stays bounded. Each line has the time at which it was
//! complete, taken by a reader thread. The latest lines, both ways, are kept for reports of
//! failures. Dropping a [`Client`] ends its process.
//!
//! [`reply`] parses the lines. This module knows nothing of games.

mod process;
pub mod reply;

use std::fmt::{self, Write as _};
use std::time::{Duration, Instant};
use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::util::{abbreviate, counted, shorten};
use crate::{search::Clock, types::Color};
use process::Process;
pub(crate) use process::{guard, guard_engines};
use reply::{DeclaredOption, OptionKind, Reply};

pub use process::Received;

/// The beginning of a line by which an engine says that it does not do as it was told.
const COMPLAINT: &str = "info string error:";

/// The command line of an engine, with its working directory and environment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Program {
    /// The executable: a path relative to our working directory, or a bare name to look up in
    /// `PATH`.
    pub path: PathBuf,
    /// The arguments of its command line.
    pub arguments: Vec<String>,
    /// Its working directory; ours if `None`.
    pub directory: Option<PathBuf>,
    /// Environment variables in addition to ours.
    pub environment: Vec<(String, String)>,
    /// Names of variables of ours that it does not get, beside [`PASSWORD_VARIABLE`].
    #[serde(skip)]
    pub withheld: Vec<String>,
}

/// The variable with the password of a CSA account, where nothing else is said. No engine gets it.
pub const PASSWORD_VARIABLE: &str = "RAICHO_CSA_PASSWORD";

impl Program {
    /// A program without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
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

/// An error of a [`Client`]: it cannot be driven any further, or not as asked.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The process cannot be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The command line of the engine.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The process has ended or closed its output.
    #[error("the engine ended: {status}")]
    Ended {
        /// How it ended, such as `exit code 3` or `killed by signal 11`.
        status: String,
    },
    /// An answer did not come in time.
    #[error("no {waiting_for} within {:.3} s", duration.as_secs_f64())]
    TimedOut {
        /// The answer, such as `readyok`.
        waiting_for: &'static str,
        /// How long it was waited for.
        duration: Duration,
    },
    /// A line could not be sent, though the process is running.
    #[error("cannot send \"{line}\": {source}")]
    Write {
        /// The line that was to be sent, shortened.
        line: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The caller no longer wants to wait for an answer.
    #[error("given up while waiting for {0}")]
    GivenUp(&'static str),
    /// The engine says that it cannot do as it was told.
    #[error("the engine says: {0}")]
    Complaint(String),
    /// It floods the handshake.
    #[error("{0} before usiok, expected at most {MOST_OPTIONS} options and {MOST_BYTES} bytes")]
    Flood(String),
    /// The engine has no such option, or not with this value. Nothing was sent.
    #[error("{0}")]
    Option(String),
}

impl ClientError {
    /// Whether the fault is not the engine's: the system does not let us start its program, or a
    /// thread to speak with it.
    pub fn is_ours(&self) -> bool {
        match self {
            Self::Start { .. } => true,
            Self::Write { source, .. } => is_exhaustion(source),
            _ => false,
        }
    }
}

/// Whether the system has no memory, process or file left. A pipe never says so.
fn is_exhaustion(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory)
}

/// Most options of an engine; `YaneuraOu` has some 80.
const MOST_OPTIONS: usize = 2000;
/// Most bytes before `usiok`.
const MOST_BYTES: usize = 4 << 20;

/// A running engine. Dropping it kills the process and waits until it has ended.
#[derive(Debug)]
pub struct Client {
    process: Process,
    name: String,
    options: Vec<DeclaredOption>,
}

impl Client {
    /// Starts the process and sends nothing yet.
    ///
    /// # Errors
    /// The system cannot start it.
    pub fn start(program: &Program) -> Result<Self, ClientError> {
        let process = Process::start(program)
            .map_err(|source| ClientError::Start { program: program.to_string(), source })?;
        let name = program
            .path
            .file_stem()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { process, name, options: Vec::new() })
    }

    /// Sends `usi` and reads name and options up to `usiok`, but no longer than until
    /// `is_given_up`, which is asked ten times a second. Other lines are skipped.
    ///
    /// # Errors
    /// The engine ended, or sent no `usiok` in time or too much before it, or
    /// [`ClientError::GivenUp`].
    pub fn handshake(
        &mut self,
        timeout: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<(), ClientError> {
        self.send("usi")?;
        let wait = Wait::new("usiok", timeout, is_given_up);
        self.options.clear();
        let mut bytes = 0;
        loop {
            let received = wait.receive(&mut self.process)?;
            bytes += received.line.len() + 1;
            if self.options.len() > MOST_OPTIONS || bytes > MOST_BYTES {
                let options = counted(self.options.len(), "option");
                return Err(ClientError::Flood(format!("{options} and {bytes} bytes")));
            }
            match Reply::of(&received.line) {
                Reply::UsiOk => return Ok(()),
                Reply::IdName(name) if !name.is_empty() => self.name = cut(name),
                Reply::Option(option) => self.options.push(option),
                _ => {}
            }
        }
    }

    /// The name of the engine: its `id name`, or its file name before and without one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The declared options, in the order of the engine.
    pub fn options(&self) -> &[DeclaredOption] {
        &self.options
    }

    /// Checks an option against its declaration and sends it. Case does not matter, `USI_Hash` and
    /// `USI_Ponder` need no declaration, and a button has no value.
    ///
    /// # Errors
    /// The engine declares no such option or not with such a value, or the line cannot be sent.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), ClientError> {
        let line = setoption_line(&self.options, name, value).map_err(ClientError::Option)?;
        self.send(&line).map(drop)
    }

    /// Sets an option that the engine declares and that is not among those `set` by the user. An
    /// engine that does not support the value keeps its own.
    ///
    /// # Errors
    /// The line cannot be sent.
    pub fn set_if_declared(
        &mut self,
        name: &str,
        value: &str,
        set: &[(String, String)],
    ) -> Result<(), ClientError> {
        let mut declared = self.options.iter();
        let is_declared = declared.any(|option| option.name.eq_ignore_ascii_case(name));
        if !is_declared || set.iter().any(|(set, _)| set.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        match self.set_option(name, Some(value)) {
            Err(ClientError::Option(refusal)) => {
                log::info!("{}: {refusal}", self.name);
                Ok(())
            }
            result => result,
        }
    }

    /// Sends `isready` and waits for `readyok`, but no longer than until `is_given_up`, which is
    /// asked ten times a second.
    ///
    /// # Errors
    /// The engine ended, or is not ready in time, or [`ClientError::GivenUp`].
    pub fn ready(
        &mut self,
        timeout: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<(), ClientError> {
        self.await_ready(timeout, is_given_up).map(drop)
    }

    /// The same after options were set: an engine that says `info string error: …` before it is
    /// ready would play with something else than it was told, such as another evaluation.
    ///
    /// # Errors
    /// As [`Client::ready`], and [`ClientError::Complaint`].
    pub fn ready_as_told(
        &mut self,
        timeout: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<(), ClientError> {
        match self.await_ready(timeout, is_given_up)? {
            Some(complaint) => Err(ClientError::Complaint(complaint)),
            None => Ok(()),
        }
    }

    /// Sends `isready` and reads up to `readyok`. Returns the first complaint before it.
    fn await_ready(
        &mut self,
        timeout: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Option<String>, ClientError> {
        self.send("isready")?;
        let wait = Wait::new("readyok", timeout, is_given_up);
        let mut complaint = None;
        loop {
            let received = wait.receive(&mut self.process)?;
            if Reply::of(&received.line) == Reply::ReadyOk {
                return Ok(complaint);
            }
            if let Some(text) = received.line.strip_prefix(COMPLAINT) {
                complaint.get_or_insert_with(|| abbreviate(text.trim().to_owned()));
            }
        }
    }

    /// Sends a line with one write, and returns the time just before it.
    ///
    /// # Errors
    /// The engine ended or has stopped reading, or the text has a line end.
    pub fn send(&mut self, line: &str) -> Result<Instant, ClientError> {
        self.process.send(line)
    }

    /// The next line. A line that is waiting is returned even after the deadline.
    ///
    /// # Errors
    /// No line came by `deadline`, or the engine ended.
    pub fn receive(&mut self, deadline: Option<Instant>) -> Result<Received, ClientError> {
        let now = Instant::now();
        let timeout =
            deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now));
        self.process.receive(deadline, "line", timeout)
    }

    /// Discards the lines that have come so far.
    pub fn discard_pending(&mut self) {
        self.process.discard_pending();
    }

    /// The latest lines, oldest first: seconds since the start, the source (`>` we, `<` the engine,
    /// `!` its standard error), and the text. Many `info` lines do not displace the others.
    pub fn dialogue(&self) -> Vec<String> {
        self.process.dialogue()
    }

    /// Sends `quit` and waits for the end of the process; kills it after `grace`.
    pub fn quit(mut self, grace: Duration) {
        // Fails only if the engine has ended already.
        let _ = self.process.send("quit");
        self.process.close_input();
        self.process.wait(grace);
    }
}

/// The words of `go` for the clocks of both sides. GUIs send either byoyomi or increments; the
/// clock of the side to move decides which, and with both, both are said.
pub fn clock_words(clock: &Clock, side: Color) -> String {
    let [black, white] = clock.time.map(|time| time.as_millis());
    let mut words = format!("btime {black} wtime {white}");
    let byoyomi = clock.byoyomi[side.index()];
    let has_increment = !clock.increment[side.index()].is_zero();
    if has_increment {
        let [black, white] = clock.increment.map(|time| time.as_millis());
        let _ = write!(words, " binc {black} winc {white}");
    }
    if !has_increment || !byoyomi.is_zero() {
        let _ = write!(words, " byoyomi {}", byoyomi.as_millis());
    }
    words
}

/// Characters that are kept of a name.
const LONGEST_NAME: usize = 200;

fn cut(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
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
        Self { waiting_for, timeout, deadline: Instant::now().checked_add(timeout), is_given_up }
    }

    /// The next line of the engine, unless the wait is given up or times out; lines that come
    /// without end do not extend it.
    fn receive(&self, process: &mut Process) -> Result<Received, ClientError> {
        loop {
            let glance = Instant::now() + GLANCE;
            let until = self.deadline.map_or(glance, |deadline| deadline.min(glance));
            let received = process.receive(Some(until), self.waiting_for, self.timeout);
            let is_over = |at| self.deadline.is_some_and(|deadline| at >= deadline);
            let is_timed_out = match &received {
                Ok(received) => is_over(received.at),
                Err(ClientError::TimedOut { .. }) => is_over(Instant::now()),
                Err(_) => return received,
            };
            if (self.is_given_up)() {
                return Err(ClientError::GivenUp(self.waiting_for));
            }
            if is_timed_out {
                return Err(ClientError::TimedOut {
                    waiting_for: self.waiting_for,
                    duration: self.timeout,
                });
            }
            if received.is_ok() {
                return received;
            }
        }
    }
}

// --- Options ---

/// Options that every engine accepts without a declaration, because all GUIs send them.
const IMPLIED: [&str; 2] = ["USI_Hash", "USI_Ponder"];
/// How USI writes an empty text.
const EMPTY: &str = "<empty>";

/// The line that sets an option, with name and value in the spelling of the engine.
fn setoption_line(
    declared: &[DeclaredOption],
    name: &str,
    value: Option<&str>,
) -> Result<String, String> {
    let name = name.trim();
    let value = value.map(str::trim);
    let is_named = |candidate: &str| candidate.eq_ignore_ascii_case(name);
    let (name, kind) = match declared.iter().find(|option| is_named(&option.name)) {
        Some(option) => (option.name.as_str(), &option.kind),
        None => match IMPLIED.into_iter().find(|implied| is_named(implied)) {
            Some(implied) => (implied, &OptionKind::Unknown),
            None => return Err(unknown(declared, name)),
        },
    };
    let value = checked(kind, value).map_err(|expected| {
        let found = shorten(value.unwrap_or_default());
        format!("\"{found}\" for option {name}, expected {expected}")
    })?;
    Ok(match value {
        Some(value) => format!("setoption name {name} value {value}"),
        None => format!("setoption name {name}"),
    })
}

fn unknown(declared: &[DeclaredOption], name: &str) -> String {
    let names: Vec<&str> = declared.iter().map(|option| option.name.as_str()).collect();
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("the engine has no option \"{}\", it has {known}", shorten(name))
}

/// The value to send; as an error, what is expected instead.
fn checked(kind: &OptionKind, value: Option<&str>) -> Result<Option<String>, String> {
    let Some(text) = value else {
        return match kind {
            OptionKind::Button | OptionKind::Unknown => Ok(None),
            _ => Err(expected(kind)),
        };
    };
    let found = match kind {
        OptionKind::Check { .. } => ["true", "false"]
            .into_iter()
            .find(|word| word.eq_ignore_ascii_case(text))
            .map(str::to_owned),
        OptionKind::Spin { min, max, .. } => text
            .parse::<i64>()
            .ok()
            .filter(|number| (min..=max).contains(&number))
            .map(|number| number.to_string()),
        OptionKind::Combo { default, values } => values
            .iter()
            .chain([default])
            .find(|word| word.as_str() == text)
            .or_else(|| values.iter().find(|word| word.eq_ignore_ascii_case(text)))
            .cloned(),
        OptionKind::Button => None,
        OptionKind::String { .. } | OptionKind::Filename { .. } | OptionKind::Unknown => {
            one_line(text)
        }
    };
    found.map(Some).ok_or_else(|| expected(kind))
}

fn one_line(text: &str) -> Option<String> {
    let text = if text.is_empty() { EMPTY } else { text };
    (!text.contains(['\n', '\r'])).then(|| text.to_owned())
}

fn expected(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { .. } => "true or false".to_owned(),
        OptionKind::Spin { min, max, .. } => format!("a number from {min} to {max}"),
        OptionKind::Combo { values, .. } => format!("one of {}", values.join(", ")),
        OptionKind::Button => "no value, it is a button".to_owned(),
        OptionKind::String { .. } | OptionKind::Filename { .. } | OptionKind::Unknown => {
            "one line of text".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared() -> Vec<DeclaredOption> {
        let options = cases! {
            "Threads" => OptionKind::Spin { default: 1, min: 1, max: 512 };
            "Style" => OptionKind::Combo {
                default: "Normal".to_owned(),
                values: vec!["Normal".to_owned(), "Very Risky".to_owned()],
            };
            "Own Book" => OptionKind::Check { default: true };
            "Clear" => OptionKind::Button;
            "EvalDir" => OptionKind::String { default: "<empty>".to_owned() };
        };
        let declared =
            |(name, kind): (&str, OptionKind)| DeclaredOption { name: name.to_owned(), kind };
        options.map(declared).into()
    }

    #[test]
    fn values_are_sent_in_the_spelling_of_the_engine() {
        for (name, value, line) in cases! {
            "threads", Some(" 4") => Ok("setoption name Threads value 4");
            "STYLE", Some("very risky") => Ok("setoption name Style value Very Risky");
            "own book", Some("FALSE") => Ok("setoption name Own Book value false");
            "Clear", None => Ok("setoption name Clear");
            "EvalDir", Some("") => Ok("setoption name EvalDir value <empty>");
            "usi_hash", Some("16") => Ok("setoption name USI_Hash value 16");
            "USI_Ponder", Some("false") => Ok("setoption name USI_Ponder value false");
            "Threads", Some("0") =>
                Err("\"0\" for option Threads, expected a number from 1 to 512");
            "Threads", Some("two") =>
                Err("\"two\" for option Threads, expected a number from 1 to 512");
            "Threads", None => Err("\"\" for option Threads, expected a number from 1 to 512");
            "Style", Some("Risky") =>
                Err("\"Risky\" for option Style, expected one of Normal, Very Risky");
            "Own Book", Some("1") => Err("\"1\" for option Own Book, expected true or false");
            "Clear", Some("yes") =>
                Err("\"yes\" for option Clear, expected no value, it is a button");
            "EvalDir", Some("a\nquit") =>
                Err("\"a quit\" for option EvalDir, expected one line of text");
            "Threds", Some("1") =>
                Err("the engine has no option \"Threds\", it has Threads, Style, Own Book, \
                     Clear, EvalDir");
        } {
            let found = setoption_line(&declared(), name, value);
            assert_eq!(found, line.map(str::to_owned).map_err(str::to_owned));
        }
    }
}
