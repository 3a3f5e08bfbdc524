//! The arena: engines against each other under a referee who knows all the rules, and what the results are worth.

pub mod engine_text;
pub mod error;
pub mod event;
mod filing;
mod game;
mod heartbeat;
mod job;
pub mod journal;
pub mod merge;
pub mod openings;
mod player;
pub mod referee;
pub mod runner;
#[cfg(test)]
mod samples;
pub mod settings;
pub mod sprt;
pub mod spsa;
pub mod statistics;
pub mod summary;
pub mod tally;
pub mod time_control;
