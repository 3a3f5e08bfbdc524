//! Zeroed memory straight from the system, on large pages where it gives them.
//!
//! A table of many megabytes that is read at random spends much of its time on the translation of
//! addresses; pages of two megabytes need five hundred times fewer translations.
//!
//! Why unsafe here: the system gives bytes, and the table wants its own type.

mod supply;

use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Zeroable;
use memmap2::MmapMut;

use supply::{LARGE, LARGE_PAGE, SMALL_PAGE, Supply};

/// A slice of zeroed values.
pub(crate) struct ZeroedPages<T> {
    first: NonNull<T>,
    length: usize,
    /// Ends before the memory that it fetches goes.
    supply: Supply,
    memory: Arc<MmapMut>,
}

impl<T: Zeroable> ZeroedPages<T> {
    /// So many values, all zero, with their memory fetched by all cores at once: a search that met
    /// the pages one by one would lose half its speed. Of a large table only as much is waited for
    /// as comes in half a second, the rest is fetched while the program goes on; see
    /// [`Self::supplied`].
    ///
    /// # Errors
    /// The system has not enough memory, or the size is absurd.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let mut memory = map::<T>(length)?;
        let fetched = supply::fetch(&mut memory);
        Ok(Self::of(memory, length, |memory| {
            Supply::go_on(memory, fetched)
        }))
    }

    /// So many values, all zero; memory is taken as it is touched.
    ///
    /// # Errors
    /// The system refuses, or the size is absurd.
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

    /// How many of the values, from the first on, have their memory by now. It grows until it is
    /// all of them.
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
    /// Whether it pays to write all of it by many threads.
    pub(crate) fn is_large(&self) -> bool {
        self.memory.len() >= LARGE
    }
}

#[expect(unsafe_code, reason = "the pointer is that of an owned mapping")]
// SAFETY: the values lie in a mapping that this owns, as in a `Box<[T]>`; what fetches it meanwhile
// touches no value.
unsafe impl<T: Send> Send for ZeroedPages<T> {}

#[expect(unsafe_code, reason = "the pointer is that of an owned mapping")]
// SAFETY: as for `Send`.
unsafe impl<T: Sync> Sync for ZeroedPages<T> {}

/// Zeroed memory for so many values.
fn map<T>(length: usize) -> io::Result<MmapMut> {
    let bytes = length
        .checked_mul(size_of::<T>())
        .ok_or(io::ErrorKind::OutOfMemory)?;
    // Systems map no empty range.
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
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping holds `length` values (checked when it was made), starts on a page
        // and so aligned, was zeroed by the system, which is a value of a `Zeroable`, and is given
        // out shared only, for as long as it lives.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl<T: Zeroable> DerefMut for ZeroedPages<T> {
    #[expect(unsafe_code, reason = "bytes of the system become values")]
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; the unique borrow makes this the only access to the values.
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
