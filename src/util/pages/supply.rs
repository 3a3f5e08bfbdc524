//! Fetching the pages of a large mapping before they are needed.
//!
//! Systems allocate and zero a page when it is first touched: 16 GB take a second on many cores,
//! and more than a minute in a virtual machine whose host has to find the memory too. The program
//! must not wait for that at start, and a search must not meet missing pages.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

use memmap2::MmapMut;

use super::super::threads::{cores, for_each_part};

/// Size of a large page in bytes, on x86-64, and on ARM with small pages of 4 KB.
pub(super) const LARGE_PAGE: usize = 2 << 20;

/// Size in bytes of the smallest page of any system.
pub(super) const SMALL_PAGE: usize = 4096;

/// Least size in bytes that is fetched in parallel: one thread fetches less in the time that it
/// takes to start others.
pub(super) const LARGE: usize = 16 << 20;

/// Bytes that are waited for however long they take, so that a table of usual size is complete from
/// the start.
const AT_LEAST: usize = 256 << 20;
/// How long to wait for more than that.
const PATIENCE: Duration = Duration::from_millis(500);

/// The thread rests this many times as long as it works while a search runs.
const REST: u32 = 3;
/// Longest rest at a time, which whoever drops the memory waits for.
const LONGEST_REST: Duration = Duration::from_millis(20);

/// Progress of the fetching, and the thread that continues it.
pub(super) struct Supply {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    /// Number of bytes fetched, from the first on.
    fetched: AtomicUsize,
    is_cancelled: AtomicBool,
    /// Whether a search needs the processors.
    is_busy: AtomicBool,
}

/// Touches pages from the first on, with all cores, until [`PATIENCE`] ends. Returns the number of
/// bytes fetched.
pub(super) fn fetch(memory: &mut MmapMut) -> usize {
    let bytes = memory.len();
    if bytes < LARGE {
        touch(memory);
        return bytes;
    }
    let start = Instant::now();
    let parts = Mutex::new(memory.chunks_mut(LARGE_PAGE).enumerate());
    let fetched = AtomicUsize::new(0);
    let next = || parts.lock().ok()?.next();
    let work = |_| {
        while fetched.load(Ordering::Relaxed) < AT_LEAST || start.elapsed() < PATIENCE {
            let Some((index, part)) = next() else { return };
            touch(part);
            // Parts are handed out in order and each is finished, so all before this one are or
            // will be fetched.
            fetched.fetch_max(index * LARGE_PAGE + part.len(), Ordering::Relaxed);
        }
    };
    if for_each_part(0..cores(), work).is_err() {
        // Without threads this one does all the work.
        work(0);
    }
    fetched.into_inner()
}

/// Writes one byte per page.
fn touch(part: &mut [u8]) {
    for page in part.chunks_mut(SMALL_PAGE) {
        page[0] = 0;
    }
}

impl Supply {
    /// Everything is fetched, or will be on first touch.
    pub(super) fn complete(memory: &MmapMut) -> Self {
        Self {
            state: Arc::new(State {
                fetched: AtomicUsize::new(memory.len()),
                is_cancelled: AtomicBool::new(false),
                is_busy: AtomicBool::new(false),
            }),
            thread: None,
        }
    }

    /// Fetches what is missing after `fetched` bytes on a thread of its own.
    pub(super) fn go_on(memory: &Arc<MmapMut>, fetched: usize) -> Self {
        let mut supply = Self::complete(memory);
        if fetched < memory.len() {
            supply.state.fetched.store(fetched, Ordering::Relaxed);
            let (state, memory) = (Arc::clone(&supply.state), Arc::clone(memory));
            let thread = Builder::new().name("memory".to_owned());
            supply.thread = thread.spawn(move || state.fetch_rest(&memory)).ok();
            if supply.thread.is_none() {
                supply.state.set_fetched(usize::MAX);
            }
        }
        supply
    }

    /// Number of bytes fetched, from the first on.
    pub(super) fn fetched(&self) -> usize {
        self.state.fetched.load(Ordering::Relaxed)
    }

    /// Says whether a search needs the processors.
    pub(super) fn set_busy(&self, is_busy: bool) {
        self.state.is_busy.store(is_busy, Ordering::Relaxed);
    }
}

impl State {
    fn set_fetched(&self, fetched: usize) {
        self.fetched.store(fetched, Ordering::Relaxed);
    }

    fn fetch_rest(&self, memory: &MmapMut) {
        let mut fetched = self.fetched.load(Ordering::Relaxed);
        while fetched < memory.len() && !self.is_cancelled.load(Ordering::Relaxed) {
            let start = Instant::now();
            let part = LARGE_PAGE.min(memory.len() - fetched);
            if !populate(memory, fetched, part) {
                // The rest is fetched on first touch.
                return self.set_fetched(usize::MAX);
            }
            fetched += part;
            self.set_fetched(fetched);
            if self.is_busy.load(Ordering::Relaxed) {
                sleep((start.elapsed() * REST).min(LONGEST_REST));
            }
        }
    }
}

/// Asks the system to fetch pages without changing their contents. Returns whether it did.
#[cfg(target_os = "linux")]
fn populate(memory: &MmapMut, offset: usize, length: usize) -> bool {
    let result = memory.advise_range(memmap2::Advice::PopulateWrite, offset, length);
    if let Err(error) = &result {
        log::info!("memory is not fetched beforehand: {error}");
    }
    result.is_ok()
}

#[cfg(not(target_os = "linux"))]
fn populate(_memory: &MmapMut, _offset: usize, _length: usize) -> bool {
    false
}

impl Drop for Supply {
    fn drop(&mut self) {
        self.state.is_cancelled.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // The thread does not panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_fetched_and_nothing_is_overwritten() {
        let mut memory = MmapMut::map_anon(3 * LARGE_PAGE + 100).expect("it can be had");
        memory[3 * LARGE_PAGE] = 7;
        let memory = Arc::new(memory);
        let supply = Supply::go_on(&memory, LARGE_PAGE);
        let start = Instant::now();
        while supply.fetched() < memory.len() {
            assert!(start.elapsed() < Duration::from_mins(1));
            std::thread::yield_now();
        }
        assert_eq!(memory[3 * LARGE_PAGE], 7);
    }

    #[test]
    fn whoever_goes_does_not_wait_for_the_rest() {
        let memory = Arc::new(MmapMut::map_anon(1 << 30).expect("it can be had"));
        let supply = Supply::go_on(&memory, 0);
        drop(supply);
        assert_eq!(Arc::strong_count(&memory), 1);
    }
}
