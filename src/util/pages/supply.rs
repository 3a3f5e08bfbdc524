//! Fetching the pages of a large mapping before they are needed.
//!
//! Systems hand out memory when it is first touched, and zero it then: 16 GB take a second on many
//! cores, and more than a minute in a virtual machine whose host has to find the memory too. A
//! player who starts a program does not want to wait for that, and a search must not meet the gaps.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use memmap2::MmapMut;

use super::super::threads::{cores, for_each_part};

/// Each large page on x86-64, and on ARM with small pages of 4 KB.
pub(super) const LARGE_PAGE: usize = 2 << 20;

/// The smallest page of any system.
pub(super) const SMALL_PAGE: usize = 4096;

/// Smaller memory is written by one thread in the time that it takes to wake others up, and many
/// that are made at once do not wait for one another.
pub(super) const LARGE: usize = 16 << 20;

/// So much is waited for, however long it takes: a table of the usual size is whole from the start.
const AT_LEAST: usize = 256 << 20;
/// How long to wait for more.
const PATIENCE: Duration = Duration::from_millis(500);

/// The pages that are there, and the thread that fetches more.
pub(super) struct Supply {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    /// Bytes, from the first on.
    fetched: AtomicUsize,
    is_cancelled: AtomicBool,
}

/// Touches pages from the first on, with all cores, as long as patience lasts. Returns how many
/// bytes are there.
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
            // The parts are given out in order, and each is finished.
            fetched.fetch_max(index * LARGE_PAGE + part.len(), Ordering::Relaxed);
        }
    };
    if for_each_part(0..cores(), work).is_err() {
        // Where the system gives no threads this one does it all.
        work(0);
    }
    fetched.into_inner()
}

/// Touches each page.
fn touch(part: &mut [u8]) {
    for page in part.chunks_mut(SMALL_PAGE) {
        page[0] = 0;
    }
}

impl Supply {
    /// All is there, or comes when it is touched.
    pub(super) fn complete(memory: &MmapMut) -> Self {
        Self {
            state: Arc::new(State {
                fetched: AtomicUsize::new(memory.len()),
                is_cancelled: AtomicBool::new(false),
            }),
            thread: None,
        }
    }

    /// Fetches what is missing after so many bytes, while the program goes on.
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

    /// How many bytes are there, from the first on.
    pub(super) fn fetched(&self) -> usize {
        self.state.fetched.load(Ordering::Relaxed)
    }
}

impl State {
    fn set_fetched(&self, fetched: usize) {
        self.fetched.store(fetched, Ordering::Relaxed);
    }

    fn fetch_rest(&self, memory: &MmapMut) {
        let mut fetched = self.fetched.load(Ordering::Relaxed);
        while fetched < memory.len() && !self.is_cancelled.load(Ordering::Relaxed) {
            let part = LARGE_PAGE.min(memory.len() - fetched);
            if !populate(memory, fetched, part) {
                // The rest comes when it is touched.
                return self.set_fetched(usize::MAX);
            }
            fetched += part;
            self.set_fetched(fetched);
        }
    }
}

/// Asks the system for pages without touching what is in them. Returns whether it can.
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
            // It does not panic.
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
