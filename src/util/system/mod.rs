//! What the system provides: threads, clock, free memory, files. In the browser it is the page that
//! provides them, see `web`.
//!
//! Other modules take threads and times from here, under the names of the standard library, so that
//! they need not know where they run.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod web;

#[cfg(not(target_family = "wasm"))]
use native as system;
#[cfg(target_family = "wasm")]
use web as system;

pub(crate) use system::{
    DEFAULT_TABLE_MB, Instant, free_megabytes, given_file, has_threads, interruption, pause,
    recv_timeout, thread, thread_pool,
};
#[cfg(target_family = "wasm")]
pub(crate) use system::{add_file, page};

/// What the page tells a search that occupies the only thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(target_family = "wasm"),
    expect(
        dead_code,
        reason = "where there are threads, the session signals the search"
    )
)]
pub(crate) enum Interruption {
    /// The search is to end.
    Stop,
    /// The expected move was made.
    PonderHit,
}
