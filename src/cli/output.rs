//! Standard output and standard error of the subcommands.
//!
//! Results go through [`stdout`], [`print`] or [`print_line`]. A failed write is an error that
//! [`super::run`] recognises with [`failure`]: a closed pipe (`raicho perft 3 --divide | head`)
//! ends the program quietly with status 0, any other failure with one line on standard error and
//! status 1. Messages go through [`eprint`] or [`eprint_line`], which ignore a closed standard
//! error. The macros of the standard library would panic in all these cases. All of them print
//! [harmless] text: names and comments come from files, servers and engines.

#[cfg(not(unix))]
use std::io::IsTerminal as _;
use std::io::{self, Write};
use std::{borrow::Cow, fmt::Display};

use console::Term;
use thiserror::Error;

use crate::util::{abbreviate, is_command};

/// Standard output cannot be written.
#[derive(Debug, Error)]
#[error("cannot write to standard output: {0}")]
pub(super) struct OutputError(io::Error);

impl OutputError {
    /// Whether the reader of a pipe has gone away, which is not a fault.
    pub(super) fn is_closed_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Standard output, flushed at each line end. Its errors carry an [`OutputError`].
pub(super) struct Stdout(io::Stdout);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Text is written in whole characters; other bytes are a record in another encoding.
        match std::str::from_utf8(bytes).map(harmless) {
            Ok(Cow::Owned(text)) => {
                let written = self.0.write_all(text.as_bytes());
                written.map(|()| bytes.len()).map_err(wrap)
            }
            _ => self.0.write(bytes).map_err(wrap),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(wrap)
    }
}

/// Wraps an error of standard output in an [`OutputError`]. The kind stays, so that callers such as
/// `write_all` still see an interrupted call.
pub(super) fn wrap(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), OutputError(error))
}

/// The writer for results.
pub(super) fn stdout() -> Stdout {
    Stdout(io::stdout())
}

/// Writes a text to standard output.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn print(text: impl Display) -> io::Result<()> {
    let mut out = stdout();
    write!(out, "{text}")?;
    out.flush()
}

/// Writes a text and a line end to standard output.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn print_line(text: impl Display) -> io::Result<()> {
    writeln!(stdout(), "{text}")
}

/// Writes a text to standard error, if anybody reads it.
pub(super) fn eprint(text: impl Display) {
    let _ = write!(io::stderr(), "{}", harmless(&text.to_string()));
}

/// Writes a text and a line end to standard error, if anybody reads it.
pub(super) fn eprint_line(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", harmless(&text.to_string()));
}

/// A text with a space for each character that a terminal would obey, but tabs and line ends.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    if text.contains(is_obeyed) { text.replace(is_obeyed, " ").into() } else { text.into() }
}

fn is_obeyed(letter: char) -> bool {
    !matches!(letter, '\t' | '\n') && is_command(letter)
}

/// Columns of the terminal that shows standard output, or of a usual one.
pub(super) fn columns() -> usize {
    Term::stdout().size_checked().map_or(80, |(_, columns)| columns.into())
}

/// The same of standard error.
pub(super) fn error_columns() -> usize {
    Term::stderr().size_checked().map_or(80, |(_, columns)| columns.into())
}

/// Whether standard output goes to another program.
#[cfg(unix)]
pub(super) fn is_pipe() -> bool {
    use std::os::{fd::AsFd as _, unix::fs::FileTypeExt as _};
    let stdout = io::stdout().as_fd().try_clone_to_owned();
    let metadata = stdout.and_then(|stdout| std::fs::File::from(stdout).metadata());
    metadata.is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// Whether standard output goes to another program, or to a file, which looks the same here.
#[cfg(not(unix))]
pub(super) fn is_pipe() -> bool {
    !io::stdout().is_terminal()
}

/// Whether the terminal says that it can only print.
pub(super) fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The failure of standard output that caused `error`, if one did.
pub(super) fn failure(error: &anyhow::Error) -> Option<&OutputError> {
    error.chain().find_map(|cause| {
        let error = cause.downcast_ref::<io::Error>()?;
        error.get_ref()?.downcast_ref()
    })
}

/// The message of an error and its causes on one line. A cause that the message before repeats is
/// left out, and so is the middle of a very long quotation. Quotations command no terminal.
pub(super) fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if message.is_empty() {
            message = text;
        } else if !message.ends_with(&text) {
            message = format!("{message}: {text}");
        }
    }
    abbreviate(message)
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn nothing_that_is_printed_commands_a_terminal() {
        let text = "雷鳥\t\u{1b}[31m\u{9b}2J\u{202e}gnp.exe\u{2069}\r\n\u{7f}";
        assert_eq!(harmless(text), "雷鳥\t [31m 2J gnp.exe  \n ");
    }

    #[test]
    fn only_failures_of_standard_output_are_recognised() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let other = Err::<(), _>(broken()).context("an engine");
        assert!(failure(&other.expect_err("an error")).is_none());
        let ours = Err::<(), _>(wrap(broken())).context("a position");
        let ours = ours.expect_err("an error");
        assert!(failure(&ours).is_some_and(OutputError::is_closed_pipe));
        let full = anyhow::Error::from(wrap(io::ErrorKind::StorageFull.into()));
        assert!(failure(&full).is_some_and(|failure| !failure.is_closed_pipe()));
    }

    #[test]
    fn each_cause_is_printed_once_and_long_quotations_are_cut() {
        let cause = io::Error::other("no such thing");
        let repeated = Err::<(), _>(cause).context("cannot read a: no such thing");
        let repeated = repeated.context("step 1").expect_err("an error");
        assert_eq!(message(&repeated), "step 1: cannot read a: no such thing");
        let long = anyhow!("not a move").context("x".repeat(3_000_000));
        let long = message(&long);
        assert!(long.len() < 1100 && long.ends_with("x: not a move"), "{long}");
    }
}
