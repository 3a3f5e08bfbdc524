//! The engine as a player: search, mate solver, USI, the client for other engines, and the command
//! line.

mod cli;
mod client;
mod mate;
mod net;
mod search;
mod usi;
