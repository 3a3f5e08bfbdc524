//! The allocator of the standard library, with a count of what is in use: the memory of the page
//! has a limit, and an allocation beyond it ends the program.
//!
//! Why unsafe here: allocators are.
#![expect(unsafe_code, reason = "allocators are unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::page;

const BYTES_PER_MEGABYTE: usize = 1 << 20;

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
