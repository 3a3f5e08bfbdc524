//! Makes a book of the moves that were played in games, with exact counts of their results.
//!
//! Positions are counted in memory as far as it goes; what is beyond is sorted in files.

mod make;
mod reader;
mod settings;
mod table;

pub use make::from_games;
pub use settings::{GameFile, GameFilter, GamesOutput, GamesSettings, GamesSummary};

#[cfg(test)]
mod tests;
