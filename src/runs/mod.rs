//! Long work: independent pieces, performed by several threads and kept in a folder as they end. A
//! run survives a kill, can be resumed, and can be divided among several machines.
//!
//! | Part | What it is |
//! |---|---|
//! | [`Job`] | what a thread does with one piece, and what it keeps between pieces |
//! | [`Plan`] | which piece comes next, and what becomes of a finished one |
//! | [`execute`] | performs the pieces of a plan on several threads |
//! | [`Numbers`] | the usual order: every number of this shard that is not done yet |
//! | [`Stop`] | the request to end: after the running pieces, or at once |
//! | [`Watch`] | the progress of work without pieces, and the request to end it |
//! | [`Shard`] | the share of the pieces that one of several machines does |
//! | [`RunFolder`] | settings, a journal with one line of JSON per finished piece, a lock |
//! | [`OutputFile`] | a file that gets its name when it is complete |
//!
//! A new tool implements [`Job`] and [`Plan`]; `train/roots/check.rs` is the shortest example. This
//! module knows neither shogi nor engines nor terminals; `cli/progress.rs` shows the progress.

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
mod watch;

pub use error::{FolderError, RunKind};
pub use folder::{FolderLock, RunFolder};
pub use job::{Execution, Job, Plan, ThreadError, execute};
pub use numbers::Numbers;
pub use output::{OutputError, OutputFile, is_same_output, is_stream, output_place, would_replace};
pub use settings::difference;
pub use shard::{Shard, ShardError};
pub use stop::Stop;
pub use watch::{Interrupted, Watch};

pub(crate) use error::io_error;
pub(crate) use files::{replace, replace_with};
pub(crate) use folder::{read_entries, read_settings};
