//! The USI protocol: the text of commands and replies, options by name, and the session that ties them to the engine.
//!
//! Architecture invariant: only this layer knows protocol text, and in the session only its writer touches the output.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod client;
pub mod command;
pub mod options;
pub mod response;
pub mod session;
