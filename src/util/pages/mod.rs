//! Zeroed memory from the system, on large pages where it provides them.
//!
//! A large table that is read at random spends much of its time on address translation; pages of 2
//! MB need five hundred times fewer translations than pages of 4 KB.
//!
//! Why unsafe here: the system provides bytes, which the table reads as its own type.

mod supply;

use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Zeroable;
use memmap2::MmapMut;

use supply::{LARGE, SMALL_PAGE, Supply};

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
        let fetched = supply::fetch(&mut memory);
        Ok(Self::of(memory, length, |memory| {
            Supply::go_on(memory, fetched)
        }))
    }

    /// `length` zeros whose pages are fetched on first touch.
    ///
    /// # Errors
    /// The system refuses, or the size overflows.
    pub(crate) fn on_demand(length: usize) -> io::Result<Self> {
        Ok(Self::of(map::<T>(length)?, length, |memory| {
            Supply::complete(memory)
        }))
    }

    fn of(
        mut memory: MmapMut,
        length: usize,
        supply: impl FnOnce(&Arc<MmapMut>) -> Supply,
    ) -> Self {
        const { assert!(!std::mem::needs_drop::<T>() && align_of::<T>() <= SMALL_PAGE) }
        let first = NonNull::from(&mut memory[..]).cast::<T>();
        let memory = Arc::new(memory);
        Self {
            first,
            length,
            supply: supply(&memory),
            memory,
        }
    }

    /// Number of values, from the first on, whose pages have been fetched. It grows to the length
    /// of the slice.
    pub(crate) fn supplied(&self) -> usize {
        let bytes = self.supply.fetched();
        if bytes >= self.memory.len() {
            self.length
        } else {
            bytes / size_of::<T>()
        }
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
    let bytes = length
        .checked_mul(size_of::<T>())
        .ok_or(io::ErrorKind::OutOfMemory)?;
    // Systems refuse to map an empty range.
    let memory = MmapMut::map_anon(bytes.max(1))?;
    #[cfg(target_os = "linux")]
    if bytes >= supply::LARGE_PAGE
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn pages_are_zeroed_and_can_be_written() {
        let pages = ZeroedPages::<AtomicU64>::new(300_000).expect("a few megabytes can be had");
        assert_eq!(pages.len(), 300_000);
        assert!(pages.iter().all(|value| value.load(Ordering::Relaxed) == 0));
        pages[299_999].store(7, Ordering::Relaxed);
        assert_eq!(pages[299_999].load(Ordering::Relaxed), 7);
        assert_eq!(
            ZeroedPages::<AtomicU64>::new(0)
                .expect("nothing can be had")
                .len(),
            0
        );
    }

    #[test]
    fn all_of_a_small_table_is_there_at_once() {
        for megabytes in [1, 20] {
            let pages = ZeroedPages::<AtomicU64>::new(megabytes << 17).expect("it can be had");
            assert_eq!(pages.supplied(), megabytes << 17);
        }
    }

    #[test]
    fn too_much_is_an_error() {
        assert!(ZeroedPages::<AtomicU64>::new(usize::MAX).is_err());
        assert!(ZeroedPages::<AtomicU64>::new(1 << 58).is_err());
    }
}
