//! Long work: numbered pieces on several threads, kept in a folder as they end. A run survives a
//! kill and can be resumed, and several machines can each do a part of it.
//!
//! | Part | What it is |
//! |---|---|
//! | [`Job`] | what a thread does with one piece, and what it keeps between pieces |
//! | [`Plan`] | which piece comes next, and where a finished one goes |
//! | [`execute`] | performs the pieces of a plan on a number of threads |
//! | [`Numbers`] | the plan's usual order: every number of this shard that is not done |
//! | [`Stop`] | the request to end: after the running pieces, or at once |
//! | [`Shard`] | the part of all pieces that one of several machines does |
//! | [`RunFolder`] | settings, a journal with one line of JSON a finished piece, a lock |
//! | [`OutputFile`] | a file that gets its name when it is complete |
//!
//! A new tool implements [`Job`] and [`Plan`]; `train/roots/check.rs` is the shortest example.
//! This module knows neither shogi nor engines nor terminals; `cli/progress.rs` shows progress.

mod error;
mod files;
mod folder;
mod job;
mod journal;
mod numbers;
mod output;
mod settings;
mod shard;
mod stop;

pub use error::{FolderError, RunKind};
pub use folder::{FolderLock, RunFolder};
pub use job::{Crew, Job, Plan, ThreadError, execute};
pub use numbers::Numbers;
pub use output::{OutputError, OutputFile};
pub use settings::difference;
pub use shard::{Shard, ShardError};
pub use stop::Stop;

pub(crate) use error::io_error;
pub(crate) use files::replace;
pub(crate) use folder::{read_entries, read_settings};
