//! Short parallel work on a large piece of memory, on threads that end with it.
//!
//! Starting threads takes microseconds, the work milliseconds to seconds. No thread stays behind to
//! compete with those of a search.

use super::system::thread;
use std::num::NonZero;

/// Number of parts to divide work into: the number of cores.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Calls `work` for each part, each on its own thread.
///
/// # Errors
/// Returns an error where the system refuses a thread; some parts may have been processed by then.
pub(crate) fn for_each_part<T: Send>(
    parts: impl Iterator<Item = T>,
    work: impl Fn(T) + Sync,
) -> std::io::Result<()> {
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
    fn every_part_is_worked_on() {
        let mut numbers = vec![1_u32; 1000];
        let parts = numbers.chunks_mut(1000_usize.div_ceil(cores()));
        let increment = |part: &mut [u32]| {
            for number in part {
                *number += 1;
            }
        };
        for_each_part(parts, increment).expect("threads can be had");
        assert!(numbers.iter().all(|&number| number == 2));
    }
}
