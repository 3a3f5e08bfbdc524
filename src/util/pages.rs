//! Zeroed memory from the system, on large pages where it provides them.
//!
//! A large table that is read at random spends much of its time on address translation; pages of 2
//! MB need five hundred times fewer translations than pages of 4 KB.
//!
//! Systems allocate and zero a page when it is first touched: 16 GB take a second on many cores,
//! and more than a minute in a virtual machine whose host has to find the memory too. The program
//! must not wait for that at start, and a search must not meet missing pages, so that a thread
//! fetches the pages of a large table before they are needed.
//!
//! Why unsafe here: the system provides bytes, which the table reads as its own type.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};
use std::{io, ptr::NonNull};

use bytemuck::Zeroable;
use memmap2::MmapMut;

use super::system::{cores, for_each_part};

/// Size of a large page in bytes, on x86-64, and on ARM with small pages of 4 KB.
const LARGE_PAGE: usize = 2 << 20;

/// Size in bytes of the smallest page of any system.
const SMALL_PAGE: usize = 4096;

/// Least size in bytes that is fetched in parallel: one thread fetches less in the time that it
/// takes to start others.
const LARGE: usize = 16 << 20;

/// Bytes that are waited for however long they take, so that a table of usual size is complete from
/// the start.
const AT_LEAST: usize = 256 << 20;
/// How long to wait for more than that.
const PATIENCE: Duration = Duration::from_millis(500);

/// The thread rests this many times as long as it works while a search runs.
const REST: u32 = 3;
/// Longest rest at a time, which whoever drops the memory waits for.
const LONGEST_REST: Duration = Duration::from_millis(20);

/// A slice of zeroed values.
pub(crate) struct ZeroedPages<T> {
    first: NonNull<T>,
    length: usize,
    /// Declared before `memory`, so that its thread ends before the mapping does.
    supply: Supply,
    memory: Arc<MmapMut>,
}

impl<T: Zeroable> ZeroedPages<T> {
    /// `length` zeros whose pages are fetched by all cores in parallel: fetching them one by one
    /// during a search would halve its speed. Of a large table, waits only for what arrives within
    /// half a second; a thread fetches the rest, see [`Self::supplied`].
    ///
    /// # Errors
    /// The system has not enough memory, or the size overflows.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let mut memory = map::<T>(length)?;
        let fetched = fetch(&mut memory);
        Ok(Self::of(memory, length, |memory| Supply::go_on(memory, fetched)))
    }

    /// `length` zeros whose pages are fetched on first touch.
    ///
    /// # Errors
    /// The system refuses, or the size overflows.
    pub(crate) fn on_demand(length: usize) -> io::Result<Self> {
        Ok(Self::of(map::<T>(length)?, length, |memory| Supply::complete(memory)))
    }

    fn of(
        mut memory: MmapMut,
        length: usize,
        supply: impl FnOnce(&Arc<MmapMut>) -> Supply,
    ) -> Self {
        const { assert!(!std::mem::needs_drop::<T>() && align_of::<T>() <= SMALL_PAGE) }
        let first = NonNull::from(&mut memory[..]).cast::<T>();
        let memory = Arc::new(memory);
        Self { first, length, supply: supply(&memory), memory }
    }

    /// Number of values, from the first on, whose pages have been fetched. It grows to the length
    /// of the slice.
    pub(crate) fn supplied(&self) -> usize {
        let bytes = self.supply.fetched();
        if bytes >= self.memory.len() { self.length } else { bytes / size_of::<T>() }
    }
}

impl<T> ZeroedPages<T> {
    /// Says whether a search needs the processors: pages are then fetched at a quarter of the time.
    pub(crate) fn set_busy(&self, is_busy: bool) {
        self.supply.set_busy(is_busy);
    }

    /// Whether it is large enough to be written by several threads.
    pub(crate) fn is_large(&self) -> bool {
        self.memory.len() >= LARGE
    }
}

#[expect(unsafe_code, reason = "the pointer is that of an owned mapping")]
// SAFETY: the values lie in a mapping that `self` owns, as in a `Box<[T]>`; the thread that fetches
// pages touches no value.
unsafe impl<T: Send> Send for ZeroedPages<T> {}

#[expect(unsafe_code, reason = "the pointer is that of an owned mapping")]
// SAFETY: shared access gives out `&T` only, as a `Box<[T]>` does; the thread that fetches pages
// touches no value.
unsafe impl<T: Sync> Sync for ZeroedPages<T> {}

/// Maps zeroed memory for `length` values.
fn map<T>(length: usize) -> io::Result<MmapMut> {
    let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
    // Systems refuse to map an empty range.
    let memory = MmapMut::map_anon(bytes.max(1))?;
    #[cfg(target_os = "linux")]
    if bytes >= LARGE_PAGE
        && let Err(error) = memory.advise(memmap2::Advice::HugePage)
    {
        log::info!("no large pages: {error}");
    }
    Ok(memory)
}

impl<T: Zeroable> Deref for ZeroedPages<T> {
    type Target = [T];

    #[expect(unsafe_code, reason = "bytes of the system become values")]
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping holds `length` values (checked by `map`), is aligned because it
        // starts on a page, was zeroed by the system, which is valid for a `Zeroable` type, and
        // lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl<T: Zeroable> DerefMut for ZeroedPages<T> {
    #[expect(unsafe_code, reason = "bytes of the system become values")]
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the mapping is valid for `length` values of a `Zeroable` type (see `deref`), and
        // `&mut self` makes this the only access to them.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.length) }
    }
}

// --- Fetching the pages ---

/// Progress of the fetching, and the thread that continues it.
struct Supply {
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
fn fetch(memory: &mut MmapMut) -> usize {
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
    fn complete(memory: &MmapMut) -> Self {
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
    fn go_on(memory: &Arc<MmapMut>, fetched: usize) -> Self {
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
    fn fetched(&self) -> usize {
        self.state.fetched.load(Ordering::Relaxed)
    }

    /// Says whether a search needs the processors.
    fn set_busy(&self, is_busy: bool) {
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
    use std::sync::atomic::AtomicU64;

    #[test]
    fn pages_are_zeroed_and_can_be_written() {
        let pages = ZeroedPages::<AtomicU64>::new(300_000).expect("there are a few megabytes");
        assert_eq!(pages.len(), 300_000);
        assert!(pages.iter().all(|value| value.load(Ordering::Relaxed) == 0));
        pages[299_999].store(7, Ordering::Relaxed);
        assert_eq!(pages[299_999].load(Ordering::Relaxed), 7);
        let found = ZeroedPages::<AtomicU64>::new(0).expect("nothing fits").len();
        assert_eq!(found, 0);
    }

    #[test]
    fn all_of_a_small_table_is_there_at_once() {
        for megabytes in [1, 20] {
            let pages =
                ZeroedPages::<AtomicU64>::new(megabytes << 17).expect("there is enough memory");
            assert_eq!(pages.supplied(), megabytes << 17);
        }
    }

    #[test]
    fn too_much_is_an_error() {
        assert!(ZeroedPages::<AtomicU64>::new(usize::MAX).is_err());
        assert!(ZeroedPages::<AtomicU64>::new(1 << 58).is_err());
    }

    #[test]
    fn the_rest_is_fetched_and_nothing_is_overwritten() {
        let mut memory = MmapMut::map_anon(3 * LARGE_PAGE + 100).expect("there is enough memory");
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
        let memory = Arc::new(MmapMut::map_anon(1 << 30).expect("there is enough memory"));
        let supply = Supply::go_on(&memory, 0);
        drop(supply);
        assert_eq!(Arc::strong_count(&memory), 1);
    }
}
