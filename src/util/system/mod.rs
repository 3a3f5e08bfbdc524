//! What the system provides: threads, clock, free memory, files. In the browser it is the page that
//! provides them, see `web`.
//!
//! Other modules take threads and times from here, under the names of the standard library, so that
//! they need not know where they run.

#[cfg(not(target_family = "wasm"))]
mod free_memory;
mod interruption;
#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod web;

#[cfg(not(target_family = "wasm"))]
use native as system;
#[cfg(target_family = "wasm")]
use web as system;

pub(crate) use interruption::Interruption;
pub(crate) use system::{
    DEFAULT_TABLE_MB, Instant, free_megabytes, given_file, has_threads, interruption, pause,
    recv_timeout, thread, thread_pool,
};
#[cfg(target_family = "wasm")]
pub(crate) use system::{add_file, page};
