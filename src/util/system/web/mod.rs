//! The browser, or another program that runs WebAssembly: what the page provides.
//!
//! The target is `wasm32-unknown-unknown`, whose standard library has no threads, no clock and no
//! files. The page provides the few functions that are missing ([`page`]); they are called
//! directly, without a generator of bindings, because they take numbers only.
//!
//! There are threads where the page may share memory with its workers. Elsewhere everything runs
//! on the one thread that the page calls, and a search asks the page from time to time whether it
//! is interrupted.

mod allocator;
mod clock;
mod files;
mod packet;
pub(crate) mod page;
mod scope;
pub(crate) mod thread;

pub(crate) use allocator::free_megabytes;
pub(crate) use clock::{Instant, recv_timeout};
pub(crate) use files::{add_file, given_file};
pub(crate) use page::{has_threads, interruption, pause};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Default size in MB of a table: a page shares its memory with others.
pub(crate) const DEFAULT_TABLE_MB: usize = 64;

/// A pool of threads for divisible work; the calling thread alone where there are no threads.
pub(crate) fn thread_pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    if !has_threads() {
        return ThreadPoolBuilder::new()
            .num_threads(1)
            .use_current_thread()
            .build();
    }
    let spawn = |worker: rayon::ThreadBuilder| {
        let builder = thread::Builder::new();
        builder.spawn(move || worker.run()).map(drop)
    };
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .spawn_handler(spawn)
        .build()
}
