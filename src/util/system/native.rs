//! Windows, Linux and the like: the standard library.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::interruption::Interruption;

pub(crate) use super::free_memory::free_megabytes;
pub(crate) use std::time::Instant;

/// Threads.
pub(crate) mod thread {
    pub(crate) use std::thread::{
        Builder, JoinHandle, Scope, ScopedJoinHandle, available_parallelism, scope,
    };
}

/// A file that is not on a disk: there is none.
pub(crate) fn given_file(_path: &Path) -> Option<io::Result<Arc<[u8]>>> {
    None
}

/// A pool of threads for divisible work.
pub(crate) fn thread_pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// Waits for a message, for at most `timeout`.
pub(crate) fn recv_timeout<T>(
    receiver: &Receiver<T>,
    timeout: Duration,
) -> Result<T, RecvTimeoutError> {
    receiver.recv_timeout(timeout)
}

/// Default size in MB of a table.
pub(crate) const DEFAULT_TABLE_MB: usize = 256;

/// Whether there are other threads than the one that calls.
#[inline]
pub(crate) const fn has_threads() -> bool {
    true
}

/// Waits a moment for an interruption: never called, there are always threads.
pub(crate) fn pause() {}

/// What interrupts a search that occupies the only thread: nothing, there are always threads.
#[inline]
pub(crate) fn interruption() -> Option<Interruption> {
    None
}
