//! The long-running tools: matches, tuning, self-play, learning and teacher formats.

mod analyze;
mod arena;
mod csa;
mod formats;
mod gensfen;
mod learn;
mod long_work;
mod results;
mod spsa;
