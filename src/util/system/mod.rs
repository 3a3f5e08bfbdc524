//! What the system provides: threads, clock, free memory, files. In the browser it is the page that
//! provides them, see `web`.
//!
//! Other modules take threads, times and the files of options from here, under the names of the
//! standard library, so that they need not know where they run.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod web;

use std::{io, num::NonZero};

#[cfg(not(target_family = "wasm"))]
use native as system;
#[cfg(target_family = "wasm")]
use web as system;

pub(crate) use system::{
    DEFAULT_TABLE_MB, File, Instant, free_megabytes, has_threads, interruption, metadata, pause,
    recv_timeout, thread, thread_pool,
};
#[cfg(target_family = "wasm")]
pub(crate) use system::{ZeroedPages, add_file, page};

/// What the page tells a search that occupies the only thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(target_family = "wasm"),
    expect(dead_code, reason = "where there are threads, the session signals the search")
)]
pub(crate) enum Interruption {
    /// The search is to end.
    Stop,
    /// The expected move was made.
    PonderHit,
}

/// Whether `megabytes` MB (2^20 bytes) can be allocated now. True if the system does not tell.
///
/// Systems grant more memory than they have and kill a program that uses it, so large allocations
/// ask here first.
pub(crate) fn fits_into_memory(megabytes: usize) -> bool {
    free_megabytes().is_none_or(|free| megabytes <= free)
}

/// Number of parts to divide work into: the number of cores.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Short parallel work on a large piece of memory: calls `work` for each part, each on its own
/// thread. Starting threads takes microseconds, the work milliseconds to seconds. No thread stays
/// to compete with those of a search.
///
/// # Errors
/// Returns an error where the system refuses a thread; some parts may have been processed by then.
pub(crate) fn for_each_part<T: Send>(
    parts: impl Iterator<Item = T>,
    work: impl Fn(T) + Sync,
) -> io::Result<()> {
    let work = &work;
    thread::scope(|scope| {
        for part in parts {
            thread::Builder::new().spawn_scoped(scope, move || work(part))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_megabyte_fits_and_an_exabyte_does_not() {
        assert!(fits_into_memory(1));
        assert!(!fits_into_memory(1 << 40));
    }

    #[test]
    fn every_part_is_worked_on() {
        let mut numbers = vec![1_u32; 1000];
        let parts = numbers.chunks_mut(1000_usize.div_ceil(cores()));
        let increment = |part: &mut [u32]| {
            for number in part {
                *number += 1;
            }
        };
        for_each_part(parts, increment).expect("there are threads");
        assert!(numbers.iter().all(|&number| number == 2));
    }
}
