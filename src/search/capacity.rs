//! The number of search threads that the machine can run: a bound per processor core, and the
//! memory that each thread takes.

use crate::util::cores;
use crate::util::system::free_megabytes;

use super::history::Histories;

/// Search threads for each processor core, at most. More threads than cores only take turns.
pub(super) const MAX_THREADS_PER_CORE: usize = 8;

/// Memory in MB that one search thread can take beside the transposition table: its histories, and
/// 16 MB for its correction histories, search stack and accumulators. Pages that are never touched
/// do not count, so that usual searches take some 10 MB less.
pub const MEGABYTES_PER_THREAD: usize = Histories::MEGABYTES + 16;

/// What limits the number of threads.
pub(super) enum Limit {
    /// [`MAX_THREADS_PER_CORE`], with this number of cores.
    Cores(usize),
    /// [`MEGABYTES_PER_THREAD`].
    Memory,
}

/// The number of search threads that the processor allows, whatever the memory.
pub fn max_threads() -> usize {
    MAX_THREADS_PER_CORE * cores()
}

/// The number of threads to run where `asked` are wanted, at least one, and what limits it.
/// `running` threads have their memory already; `reserved` MB of the free memory belong to the
/// table.
pub(super) fn threads(asked: usize, running: usize, reserved: usize) -> (usize, Option<Limit>) {
    let for_threads = |free: usize| {
        let memory = free.saturating_sub(reserved) + running * MEGABYTES_PER_THREAD;
        memory / MEGABYTES_PER_THREAD
    };
    let fitting = free_megabytes().map_or(usize::MAX, for_threads);
    let allowed = asked.min(max_threads());
    if fitting < allowed {
        (fitting.max(1), (asked > 1).then_some(Limit::Memory))
    } else if allowed < asked {
        (allowed, Some(Limit::Cores(cores())))
    } else {
        (asked, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited_by_cores_and_by_memory() {
        assert!(matches!(threads(1, 0, 0), (1, None)));
        let most = max_threads();
        // All of them run already, so that no memory is missing.
        assert!(matches!(threads(most, most, 0), (count, None) if count == most));
        let (count, limit) = threads(most + 1, most, 0);
        assert!(count == most && matches!(limit, Some(Limit::Cores(_))));
        if free_megabytes().is_some() {
            assert!(matches!(threads(2, 0, 1 << 40), (1, Some(Limit::Memory))));
        }
    }
}
