//! The USI protocol: text of commands and replies, options by name, and the session that ties them to the engine.
pub mod command;
