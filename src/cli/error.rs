//! Errors of the commands: those of the command line itself, after which the program ends with
//! status 2, and those of files and engines.

use std::fmt::Display;

use thiserror::Error;

use super::output;
use crate::records::teacher::FormatError;

/// What is wrong with a command line. The program then ends with status 2.
#[derive(Debug, Error)]
#[error("{0}")]
struct UsageError(String);

/// An error of the command line.
pub(super) fn usage_error(text: impl Display) -> anyhow::Error {
    UsageError(text.to_string()).into()
}

/// An error as one of the command line, with all that it says.
#[expect(clippy::needless_pass_by_value, reason = "it is for `map_err`")]
pub(super) fn as_usage(error: anyhow::Error) -> anyhow::Error {
    usage_error(output::message(&error))
}

/// An error with the text of `error` and no cause. The chain of an error that prints its own cause
/// would print that cause twice.
pub(super) fn flat_error(error: impl Display) -> anyhow::Error {
    anyhow::Error::msg(error.to_string())
}

/// Whether the command line alone caused `error`.
pub(super) fn is_usage(error: &anyhow::Error) -> bool {
    // A file's format is known from its name or from an option.
    error.is::<UsageError>() || error.is::<FormatError>()
}

/// Returns an error of the command line, with the text of a format string, unless `condition`
/// holds.
macro_rules! ensure_usage {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err($crate::cli::error::usage_error(format_args!($($text)+)));
        }
    };
}

/// Returns an error of the command line with the text of a format string.
macro_rules! bail_usage {
    ($($text:tt)+) => {
        return Err($crate::cli::error::usage_error(format_args!($($text)+)))
    };
}

pub(super) use {bail_usage, ensure_usage};

#[cfg(test)]
mod tests {
    use anyhow::{Context as _, anyhow};

    use super::*;

    #[test]
    fn errors_of_the_command_line_are_recognised_below_their_context() {
        let refuse = |is_good: bool| -> anyhow::Result<()> {
            ensure_usage!(is_good, "--size {}, expected more", 0);
            bail_usage!("--size")
        };
        let refused = refuse(false).context("--size");
        assert!(refused.is_err_and(|error| is_usage(&error)));
        assert!(refuse(true).is_err_and(|error| is_usage(&error)));
        let unknown = FormatError::Unknown("xyz".to_owned());
        let unknown = Err::<(), _>(unknown).context("a.xyz").context("step 1");
        assert!(unknown.is_err_and(|error| is_usage(&error)));
        assert!(!is_usage(&anyhow!("no such file")));
    }
}
