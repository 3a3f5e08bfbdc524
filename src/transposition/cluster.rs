//! The memory of the table: clusters of slots, read and written without locks.
//!
//! A slot is two atomic words, `key ^ data` and `data`. If two threads write a slot at the same
//! time, the words of different writes do not match any key, so a torn entry reads as a miss. Idea:
//! Hyatt and Mann, "A lock-less transposition table implementation for parallel search" (2002).

use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Zeroable;

/// Slots per cluster.
pub(super) const SLOTS: usize = 4;

/// One entry; both words are zero where it is empty.
#[derive(Zeroable)]
#[repr(C)]
pub(super) struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// One cache line.
#[derive(Zeroable)]
#[repr(C, align(64))]
pub(super) struct Cluster(pub(super) [Slot; SLOTS]);

const _: () = assert!(size_of::<Cluster>() == 64);

impl Cluster {
    pub(super) fn clear(&self) {
        self.0.iter().for_each(Slot::clear);
    }
}

impl Slot {
    /// The word `key ^ data`.
    #[inline]
    pub(super) fn check(&self) -> u64 {
        self.check.load(Ordering::Relaxed)
    }

    /// The packed entry.
    #[inline]
    pub(super) fn data(&self) -> u64 {
        self.data.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn store(&self, check: u64, data: u64) {
        self.check.store(check, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }

    pub(super) fn clear(&self) {
        self.store(0, 0);
    }

    /// Overwrites the packed entry alone, as a torn write does.
    #[cfg(test)]
    pub(super) fn tear(&self, data: u64) {
        self.data.store(data, Ordering::Relaxed);
    }
}
