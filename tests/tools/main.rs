//! The long-running tools: matches, tuning, self-play, learning and teacher formats.

#[path = "../support/common.rs"]
mod common;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/misbehaving.rs"]
mod misbehaving;
#[cfg(unix)]
#[path = "../support/signal.rs"]
mod signal;

mod analyze;
mod arena;
mod csa;
mod formats;
mod gensfen;
mod learn;
mod learn_kppt;
mod long_work;
mod results;
mod spsa;
mod spsa_folder;
