//! Work on a large piece of memory by all cores at once, on threads that live only so long.
//!
//! Starting them costs microseconds, the work takes milliseconds to seconds; and nothing of them is
//! left that could compete with the threads of a search.

use std::num::NonZero;
use std::thread;

/// How many parts to divide work into: as many as there are cores.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Calls `work` for each part, each on a thread of its own.
///
/// # Errors
/// Returns an error where the system refuses a thread; some parts have been worked on then.
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
