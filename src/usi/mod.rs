//! The USI protocol: commands and replies as data, options by name, the session that connects them
//! to the engine, and the client that drives other engines.
//!
//! Only this layer knows protocol text, and only `session/pipes.rs` writes to the GUI.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(feature = "cli")]
pub mod client;
pub mod command;
pub mod options;
pub mod response;
pub mod session;
