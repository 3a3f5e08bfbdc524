//! Growth of the solver's table while a problem is solved.
//!
//! Most problems are small, and the first use of memory is slow: the system has to find and zero
//! each page, and random accesses to a large table touch a new page with almost every node. So each
//! problem begins with a part of the table that fits into the caches, and the part doubles when
//! entries begin to evict each other.
//!
//! Clusters are indexed by the upper bits of the key, so the entries of cluster `i` move to `2 i`
//! and `2 i + 1`. From the last cluster down to the first, each target has been moved before it is
//! written. Other threads continue meanwhile: an entry that they store may be lost and one that
//! they look up may not be found, but what they find is right, because each slot proves its key.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::slot::{Cluster, SLOTS, Slot, Words};

/// Least number of clusters that a problem begins with, where the table has as many: 1 MB.
pub(super) const FIRST_CLUSTERS: usize = 4096;
/// The used part doubles once it has evicted one entry per 8 clusters.
const CLUSTERS_PER_EVICTION: usize = 8;

/// The used part of the table: its first clusters.
pub(super) struct Growth {
    used: AtomicUsize,
    max_used: AtomicUsize,
    evictions: AtomicUsize,
    is_growing: AtomicBool,
}

impl Growth {
    /// The first part of a table of `clusters` clusters.
    pub(super) fn new(clusters: usize) -> Self {
        Self {
            used: AtomicUsize::new(first_part(clusters)),
            max_used: AtomicUsize::new(first_part(clusters)),
            evictions: AtomicUsize::new(0),
            is_growing: AtomicBool::new(false),
        }
    }

    /// How many clusters are in use.
    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// How many clusters were ever in use; the others are empty.
    pub(super) fn max_used(&self) -> usize {
        self.max_used.load(Ordering::Relaxed)
    }

    /// Returns to the first part. No search may be running.
    pub(super) fn reset(&self, clusters: usize) {
        self.set_used(first_part(clusters));
    }

    /// Counts an evicted entry of the current problem, and doubles the used part when it is time.
    #[cold]
    pub(super) fn record_eviction(&self, clusters: &[Cluster], generation: u8) {
        let evictions = self.evictions.fetch_add(1, Ordering::Relaxed) + 1;
        let is_time =
            evictions >= self.used() / CLUSTERS_PER_EVICTION && self.used() < clusters.len();
        if !is_time || self.is_growing.swap(true, Ordering::Acquire) {
            return;
        }
        // Another thread may have doubled it between the check and the lock.
        let used = self.used();
        let evictions = self.evictions.load(Ordering::Relaxed);
        if evictions >= used / CLUSTERS_PER_EVICTION && used < clusters.len() {
            double(clusters, used, generation);
            self.set_used(2 * used);
        }
        self.is_growing.store(false, Ordering::Release);
    }

    fn set_used(&self, used: usize) {
        self.used.store(used, Ordering::Relaxed);
        self.max_used.fetch_max(used, Ordering::Relaxed);
        self.evictions.store(0, Ordering::Relaxed);
    }
}

/// The index of the cluster of a key, below `clusters`.
pub(super) fn cluster_of(key: u64, clusters: usize) -> usize {
    let wide = u128::from(key) * clusters as u128;
    (wide >> 64) as usize
}

/// The table halved until a further half would be odd or below [`FIRST_CLUSTERS`].
fn first_part(clusters: usize) -> usize {
    let mut part = clusters;
    while part.is_multiple_of(2) && part / 2 >= FIRST_CLUSTERS {
        part /= 2;
    }
    part
}

/// Moves the entries of the first `used` clusters into twice as many.
fn double(clusters: &[Cluster], used: usize, generation: u8) {
    for index in (0..used).rev() {
        let slots = clusters[index].0.each_ref().map(Slot::load);
        for (place, cluster) in clusters[2 * index..][..2].iter().enumerate() {
            let mut moved = [(0, Words::EMPTY); SLOTS];
            let entries = slots.iter().filter(|(key, words)| {
                let target = cluster_of(*key, 2 * used);
                words.generation() == generation && target == 2 * index + place
            });
            for (target, source) in moved.iter_mut().zip(entries) {
                *target = *source;
            }
            for (slot, (key, words)) in cluster.0.iter().zip(moved) {
                slot.store(key, words);
            }
        }
    }
}
