//! Errors whose text already names their cause.

use std::fmt::Display;

/// An error with the text of `error` and no cause. The chain of an error that prints its own cause
/// would print that cause twice.
pub(super) fn flat_error(error: impl Display) -> anyhow::Error {
    anyhow::Error::msg(error.to_string())
}
