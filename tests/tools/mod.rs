//! The long-running tools: matches, tuning, self-play, learning and teacher formats.

mod analyze;
mod arena;
mod csa;
#[cfg(target_os = "linux")]
mod endless;
mod formats;
mod gensfen;
mod learn;
mod long_work;
mod results;
mod spsa;
