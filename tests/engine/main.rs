//! The engine as a player: search, mate solver, USI, the client for other engines, and the command
//! line.
//!
//! One executable for all topics, because each one links the crate again.

#[path = "../support/common.rs"]
mod common;
#[path = "../support/misbehaving.rs"]
mod misbehaving;

mod cli;
mod client;
mod mate;
mod net;
mod search;
mod usi;
