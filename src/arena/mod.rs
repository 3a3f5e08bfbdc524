//! Matches between USI engines: games under a referee that knows all rules of shogi, statistics of
//! the results (Elo, SPRT), and SPSA tuning.

mod game;
pub mod journal;
pub mod referee;
pub mod runner;
pub mod settings;
pub mod spsa;
pub mod statistics;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod time_control;
