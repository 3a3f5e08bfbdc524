//! Matches between USI engines: games under a referee that knows all rules of shogi, statistics of
//! the results (Elo, SPRT), and SPSA tuning.

pub mod engine_text;
mod game;
mod heartbeat;
pub mod journal;
pub mod merge;
mod player;
pub mod referee;
pub mod runner;
pub mod settings;
pub mod sprt;
pub mod spsa;
pub mod statistics;
pub mod summary;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod time_control;
