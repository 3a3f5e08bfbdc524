//! The allocator of the standard library, with a count of what is in use: the memory of the page
//! has a limit, and an allocation beyond it ends the program. Zeroed memory comes from it too,
//! because no system maps it.
//!
//! Why unsafe here: allocators are.

#![expect(unsafe_code, reason = "allocators are unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};

use bytemuck::Zeroable;

use super::page;
use crate::util::BYTES_PER_MEGABYTE;

/// The share of the free memory that may be allocated, in percent; the rest is for small pieces.
const SHARE: usize = 90;

struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The memory in MB (2^20 bytes) that may be allocated now.
pub(crate) fn free_megabytes() -> Option<usize> {
    let free = page::most_memory().saturating_sub(IN_USE.load(Ordering::Relaxed));
    Some(free / 100 * SHARE / BYTES_PER_MEGABYTE)
}

fn count(pointer: *mut u8, size: usize) -> *mut u8 {
    if !pointer.is_null() {
        IN_USE.fetch_add(size, Ordering::Relaxed);
    }
    pointer
}

// SAFETY: everything is passed on to the allocator of the standard library.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same.
        count(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same.
        count(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

// --- Zeroed memory ---

/// Least size in bytes that is written by several threads.
const LARGE: usize = 16 << 20;

/// A slice of zeroed values.
pub(crate) struct ZeroedPages<T>(Box<[T]>);

impl<T: Zeroable> ZeroedPages<T> {
    /// `length` zeros.
    ///
    /// # Errors
    /// There is not enough memory, or the size overflows.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let values = bytemuck::try_zeroed_slice_box(length);
        values.map(Self).map_err(|()| io::ErrorKind::OutOfMemory.into())
    }

    /// As [`Self::new`].
    ///
    /// # Errors
    /// There is not enough memory, or the size overflows.
    pub(crate) fn on_demand(length: usize) -> io::Result<Self> {
        Self::new(length)
    }

    /// Number of values that the system has supplied: all.
    pub(crate) fn supplied(&self) -> usize {
        self.0.len()
    }
}

impl<T> ZeroedPages<T> {
    /// Nothing is fetched beside a search.
    #[expect(clippy::unused_self, reason = "elsewhere a thread fetches the memory")]
    pub(crate) fn set_busy(&self, _is_busy: bool) {}

    /// Whether it is large enough to be written by several threads.
    pub(crate) fn is_large(&self) -> bool {
        size_of_val(&*self.0) >= LARGE
    }
}

impl<T> Deref for ZeroedPages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for ZeroedPages<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
