//! Zeroed memory straight from the system, on large pages where it gives them.
//!
//! A table of many megabytes that is read at random spends much of its time on the translation of addresses; pages of
//! two megabytes need five hundred times fewer translations.
//!
//! Why unsafe here: the system gives bytes, and the table wants its own type.

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Zeroable;
use memmap2::MmapMut;

use super::threads::{cores, for_each_part};

/// Each large page on x86-64, and on ARM with small pages of 4 KB.
const LARGE_PAGE: usize = 2 << 20;

/// The smallest page of any system.
const SMALL_PAGE: usize = 4096;

/// Smaller memory is written by one thread in the time that it takes to wake others up, and many that are made at once do
/// not wait for one another.
const LARGE: usize = 16 << 20;

/// A slice of zeroed values.
pub(crate) struct ZeroedPages<T> {
    memory: MmapMut,
    length: usize,
    // The values are shared, not owned one by one: `T` must need no drop.
    values: PhantomData<T>,
}

impl<T: Zeroable> ZeroedPages<T> {
    /// So many values, all zero, with all memory fetched now, by all cores at once: a search that met the pages one by one
    /// would lose half its speed.
    ///
    /// # Errors
    /// The system has not enough memory, or the size is absurd.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let mut pages = Self::on_demand(length)?;
        if pages.is_large() {
            let large_pages = pages.memory.len().div_ceil(LARGE_PAGE);
            let part = large_pages.div_ceil(cores()) * LARGE_PAGE;
            // Pages that were not fetched come when they are touched.
            let _ = for_each_part(pages.memory.chunks_mut(part), fetch);
        } else {
            fetch(&mut pages.memory);
        }
        Ok(pages)
    }

    /// So many values, all zero; memory is taken as it is touched.
    ///
    /// # Errors
    /// The system refuses, or the size is absurd.
    pub(crate) fn on_demand(length: usize) -> io::Result<Self> {
        const { assert!(!std::mem::needs_drop::<T>() && align_of::<T>() <= SMALL_PAGE) }
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
        Ok(Self {
            memory,
            length,
            values: PhantomData,
        })
    }

    /// Whether it pays to write all of it by many threads.
    pub(crate) fn is_large(&self) -> bool {
        self.memory.len() >= LARGE
    }
}

/// Touches each page.
fn fetch(part: &mut [u8]) {
    for page in part.chunks_mut(SMALL_PAGE) {
        page[0] = 0;
    }
}

impl<T: Zeroable> Deref for ZeroedPages<T> {
    type Target = [T];

    #[expect(unsafe_code, reason = "bytes of the system become values")]
    #[inline(always)]
    fn deref(&self) -> &[T] {
        let first = self.memory.as_ptr().cast::<T>();
        // SAFETY: the mapping holds `length` values (checked when it was made), starts on a page and so aligned, was zeroed
        // by the system, which is a value of a `Zeroable`, and is given out shared only, for as long as it lives.
        unsafe { std::slice::from_raw_parts(first, self.length) }
    }
}

impl<T: Zeroable> DerefMut for ZeroedPages<T> {
    #[expect(unsafe_code, reason = "bytes of the system become values")]
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        let first = self.memory.as_mut_ptr().cast::<T>();
        // SAFETY: as in `deref`; the unique borrow of the mapping makes this the only access.
        unsafe { std::slice::from_raw_parts_mut(first, self.length) }
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
    fn too_much_is_an_error() {
        assert!(ZeroedPages::<AtomicU64>::new(usize::MAX).is_err());
        assert!(ZeroedPages::<AtomicU64>::new(1 << 58).is_err());
    }
}
