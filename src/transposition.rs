//! The transposition table: what the search found out about positions, shared by all threads without locks.
//!
//! A cluster is one cache line with four slots; a slot is two atomics, `key ^ data` and `data`. A slot that two threads
//! wrote at once does not match any key and reads as empty, so torn entries are harmless and nothing is a data race.
//! Black's and white's positions never share a cluster. Moves come out as [`Move16`]: who uses one proves it legal first.
//!
//! Must not know: positions, search. Idea of the check by exclusive or: Hyatt and Mann, "A lock-less transposition
//! table implementation for parallel search" (2002); of the index by a wide product: Lemire, "fast range" (2016).

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use bytemuck::Zeroable;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use thiserror::Error;

use crate::types::{Bound, Depth, Key64, Move16, Value};
use crate::util::{ZeroedPages, fits_into_memory};

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best or refuting move, as it came from storage.
    pub mv: Option<Move16>,
    /// The value, mates counted from the node.
    pub value: Value,
    /// The static evaluation, or [`NONE`](crate::types::value::NONE).
    pub eval: Value,
    /// How deep the search below the node went.
    pub depth: Depth,
    /// What the value says.
    pub bound: Bound,
    /// Whether the node was ever on a principal variation.
    pub is_pv: bool,
}

/// Where an entry lies, or is to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotIndex {
    cluster: usize,
    slot: usize,
}

/// Answer of [`TranspositionTable::probe`].
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// What is known, if anything.
    pub entry: Option<Entry>,
    /// Where to write what is found out.
    pub slot: SlotIndex,
}

/// The memory for a table could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("no memory for a hash table of {megabytes} MB")]
pub struct TableError {
    /// What was asked for.
    pub megabytes: usize,
}

/// The table.
pub struct TranspositionTable {
    clusters: ZeroedPages<Cluster>,
    generation: AtomicU8,
}

#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Zeroable)]
#[repr(C, align(64))]
struct Cluster([Slot; SLOTS]);

const SLOTS: usize = 4;
const _: () = assert!(size_of::<Cluster>() == 64);

const BYTES_PER_MEGABYTE: usize = 1 << 20;

// Layout of the data word.
const VALUE_SHIFT: u32 = 16;
const EVAL_SHIFT: u32 = 32;
const DEPTH_SHIFT: u32 = 48;
const BOUND_SHIFT: u32 = 56;
const PV_SHIFT: u32 = 58;
const GENERATION_SHIFT: u32 = 59;
const GENERATION_MASK: u8 = 0x1f;

/// One generation of age weighs as much as so many plies when a slot is to be given up.
const AGE_WEIGHT: Depth = 4;
/// An entry of the same position is kept when it is so much deeper than the new one.
const KEEP_DEEPER_BY: Depth = 4;
/// What being on a principal variation adds to the depth of a new entry in that comparison.
const PV_BONUS: Depth = 2;
/// `hashfull` looks at so many clusters.
const HASHFULL_CLUSTERS: usize = 250;
const PERMILL: usize = 1000;

impl Entry {
    /// The entry of a data word, `None` where the word is empty.
    #[inline(always)]
    fn unpack(data: u64) -> Option<Self> {
        let bound = Bound::from_bits((data >> BOUND_SHIFT) as u8)?;
        Some(Self {
            mv: Move16::from_bits(data as u16),
            value: Value::from((data >> VALUE_SHIFT) as i16),
            eval: Value::from((data >> EVAL_SHIFT) as i16),
            depth: Depth::from((data >> DEPTH_SHIFT) as u8),
            bound,
            is_pv: data >> PV_SHIFT & 1 != 0,
        })
    }

    #[inline(always)]
    fn pack(self, generation: u8) -> u64 {
        u64::from(self.mv.map_or(0, Move16::to_bits))
            | u64::from(self.value as u16) << VALUE_SHIFT
            | u64::from(self.eval as u16) << EVAL_SHIFT
            | u64::from(self.depth.clamp(0, Depth::from(u8::MAX)) as u8) << DEPTH_SHIFT
            | (self.bound as u64) << BOUND_SHIFT
            | u64::from(self.is_pv) << PV_SHIFT
            | u64::from(generation) << GENERATION_SHIFT
    }
}

impl TranspositionTable {
    /// An empty table that uses `megabytes` MB, at least one.
    ///
    /// # Errors
    /// Returns an error where the system has not enough memory.
    pub fn new(megabytes: usize) -> Result<Self, TableError> {
        let count = fits_into_memory(megabytes)
            .then(|| megabytes.max(1) * (BYTES_PER_MEGABYTE / size_of::<Cluster>()));
        let clusters = count.and_then(|count| ZeroedPages::new(count).ok());
        clusters
            .map(Self::from_clusters)
            .ok_or(TableError { megabytes })
    }

    /// The smallest table: one cluster for each side.
    ///
    /// # Panics
    /// Panics where the system has not a single page left.
    pub fn minimal() -> Self {
        Self::from_clusters(ZeroedPages::new(2).expect("a page can be had"))
    }

    fn from_clusters(clusters: ZeroedPages<Cluster>) -> Self {
        debug_assert!(clusters.len().is_multiple_of(2));
        Self {
            clusters,
            generation: AtomicU8::new(0),
        }
    }

    /// The size in whole MB.
    pub fn megabytes(&self) -> usize {
        size_of_val(&*self.clusters) / BYTES_PER_MEGABYTE
    }

    /// Forgets everything.
    pub fn clear(&self) {
        if self.clusters.is_large() {
            self.clusters.par_iter().for_each(Cluster::clear);
        } else {
            self.clusters.iter().for_each(Cluster::clear);
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Starts a new search: what is stored so far grows older.
    pub fn age(&self) {
        let next = self.generation.load(Ordering::Relaxed) + 1;
        self.generation
            .store(next & GENERATION_MASK, Ordering::Relaxed);
    }

    /// Looks up a position.
    #[inline]
    pub fn probe(&self, key: Key64) -> Probe {
        let cluster = self.cluster_index(key);
        let slots = &self.clusters[cluster].0;
        let generation = self.generation.load(Ordering::Relaxed);
        let (mut worst_slot, mut worst) = (0, Depth::MAX);
        for (slot, stored) in slots.iter().enumerate() {
            let data = stored.data.load(Ordering::Relaxed);
            if stored.check.load(Ordering::Relaxed) ^ data == key.low64() && data != 0 {
                return Probe {
                    entry: Entry::unpack(data),
                    slot: SlotIndex { cluster, slot },
                };
            }
            let worth = worth(data, generation);
            if worth < worst {
                (worst_slot, worst) = (slot, worth);
            }
        }
        Probe {
            entry: None,
            slot: SlotIndex {
                cluster,
                slot: worst_slot,
            },
        }
    }

    /// Writes what was found out about a position into the slot that its probe named. A much deeper entry of the same
    /// position and search stays, and a known move is not replaced by none.
    #[inline]
    pub fn store(&self, slot: SlotIndex, key: Key64, mut entry: Entry) {
        let stored = &self.clusters[slot.cluster].0[slot.slot];
        let generation = self.generation.load(Ordering::Relaxed);
        let old_data = stored.data.load(Ordering::Relaxed);
        let is_same = stored.check.load(Ordering::Relaxed) ^ old_data == key.low64();
        if is_same && let Some(old) = Entry::unpack(old_data) {
            if entry.mv.is_none() {
                entry.mv = old.mv;
            }
            let bonus = if entry.is_pv { PV_BONUS } else { 0 };
            if entry.bound != Bound::Exact
                && age(old_data, generation) == 0
                && entry.depth + bonus + KEEP_DEEPER_BY <= old.depth
            {
                return;
            }
        }
        let data = entry.pack(generation);
        stored.check.store(key.low64() ^ data, Ordering::Relaxed);
        stored.data.store(data, Ordering::Relaxed);
    }

    /// Forgets what a slot holds: it turned out to belong to another position.
    #[cold]
    pub fn erase(&self, slot: SlotIndex) {
        self.clusters[slot.cluster].0[slot.slot].clear();
    }

    /// Brings the cluster of a position into the cache.
    #[inline(always)]
    pub fn prefetch(&self, key: Key64) {
        prefetch(&self.clusters[self.cluster_index(key)]);
    }

    /// How full the table is with entries of this search, in permill, from a sample.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let sample = &self.clusters[..HASHFULL_CLUSTERS.min(self.clusters.len())];
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster.0)
            .map(|slot| slot.data.load(Ordering::Relaxed))
            .filter(|&data| data != 0 && age(data, generation) == 0)
            .count();
        (used * PERMILL / (sample.len() * SLOTS)) as u32
    }

    /// Even for black to move, odd for white.
    #[inline(always)]
    fn cluster_index(&self, key: Key64) -> usize {
        let key = key.low64();
        let pair = (u128::from(key >> 1) * self.clusters.len() as u128) >> u64::BITS;
        2 * pair as usize + (key & 1) as usize
    }
}

impl Cluster {
    fn clear(&self) {
        self.0.iter().for_each(Slot::clear);
    }
}

impl Slot {
    fn clear(&self) {
        self.check.store(0, Ordering::Relaxed);
        self.data.store(0, Ordering::Relaxed);
    }
}

/// Generations since an entry was written.
#[inline(always)]
fn age(data: u64, generation: u8) -> Depth {
    Depth::from(generation.wrapping_sub((data >> GENERATION_SHIFT) as u8) & GENERATION_MASK)
}

/// The slot of least worth is given up first; an empty one before all others.
#[inline(always)]
fn worth(data: u64, generation: u8) -> Depth {
    if data == 0 {
        return Depth::MIN;
    }
    Depth::from((data >> DEPTH_SHIFT) as u8) - AGE_WEIGHT * age(data, generation)
}

/// A hint to the processor, which reads nothing.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the prefetch instruction has no safe form")]
fn prefetch(cluster: &Cluster) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the address comes from a reference, and a prefetch faults on no address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cluster).cast()) };
}

/// No portable prefetch elsewhere.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
fn prefetch(_cluster: &Cluster) {}
