//! Analysis of whole games: every position is searched, every move judged by what it lost.
//!
//! | Part | What it is |
//! |---|---|
//! | [`Settings`], [`Effort`], [`Order`] | how each position is searched |
//! | [`analyze`] | searches the positions of many games on several threads, in a [`crate::runs`] |
//! | [`PositionAnalysis`] | the best lines of a position, and a mate that the solver found |
//! | [`win_chance`] | the chance to win of a score |
//! | [`Review`] | the judgement on each move of a game, and a summary of both players |
//! | [`comments`] | the judgement as comments of a record, in the words of other programs |
//! | [`graph`] | the game as a chart |
//!
//! A game is cut into blocks of at most [`BLOCK`] positions. A block begins with an empty table and
//! runs on one thread, so that the result depends neither on the number of threads nor on an
//! interruption.
//!
//! Must not know: terminals, HTML, formats of records.

mod blocks;
mod chance;
pub mod comments;
pub mod graph;
mod position;
mod review;
mod run;
mod search;
mod seconds;
mod settings;
#[cfg(test)]
mod tests;

pub use blocks::BLOCK;
pub use chance::{SCALE, win_chance};
pub use position::{Line, PositionAnalysis};
pub use review::{Class, Judgement, PlayerSummary, Review, Thresholds};
pub use run::{Analyzed, BlockEntry, RunError, Watch, analyze};
pub use search::{Analyzer, Snapshot};
pub use settings::{Effort, Order, Settings};
