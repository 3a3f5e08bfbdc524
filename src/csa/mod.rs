//! A client for CSA servers such as floodgate, which plays by itself.
//!
//! | Part | What it is |
//! |---|---|
//! | [`lines`] | the protocol as data: parsed and printed |
//! | [`session`] | one connection as a state machine, without network, clock or engine |
//! | [`turn`] | the right to move, as a value |
//! | [`clock`] | the clocks as the server counts them, and the network |
//! | [`player`] | the engine: ours, or a program that speaks USI |
//! | [`run`](mod@run), [`journal`] | games for weeks, their journal and records |
//! | [`config`] | the configuration file |
//!
//! Protocol: version 1.2.1 (`http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html`) in
//! its CSA mode. This module prints nothing to the terminal.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod clock;
pub mod config;
pub mod connection;
pub mod game;
pub mod journal;
pub mod lines;
pub mod player;
pub mod run;
pub mod session;
pub mod turn;
