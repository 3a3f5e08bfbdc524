//! Why an engine cannot be driven any further, or not as asked.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::options::OptionMismatch;

/// An error of a [`Client`](super::Client).
#[derive(Debug, Error)]
pub enum ClientError {
    /// The process cannot be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// Its command line.
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
        /// The time limit.
        duration: Duration,
    },
    /// A line could not be sent, though the process is running.
    #[error("cannot send \"{line}\": {source}")]
    Write {
        /// The line, shortened.
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
    /// The engine has no such option, or not with this value. Nothing was sent.
    #[error(transparent)]
    Option(#[from] OptionMismatch),
}
