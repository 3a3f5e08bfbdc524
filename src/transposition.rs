//! The transposition table: what the search found out about positions, shared by all threads without locks.
//!
//! A cluster is one cache line with four slots; a slot is two atomics, `key ^ data` and `data`. A slot that two threads
//! wrote at once does not match any key and reads as empty, so torn entries are harmless and nothing is a data race.
//! Black's and white's positions never share a cluster. Only a part is in use, which grows with what is stored, see
//! `growth.rs`. Moves come out as [`Move16`](crate::types::Move16): who uses one
//! proves it legal first.
//!
//! Each search is a generation. Under [`Generations::Strict`] a search sees nothing of the others, as if the table were
//! emptied before it. Older entries could still give their moves, which would save 0, 3 and 5 % of the nodes at depths 4, 6
//! and 8; but then the result would depend on what was searched before, so they are misses altogether.
//!
//! Why 16 bytes an entry: packed to 12 (32 bits of the key, five a line) or 10 (16 bits, six a line) it is no faster, and
//! under pressure at fixed nodes (1 MB, 20,000 a move, 400 games each) plays alike: 16 bytes against 12 +1 ± 28 Elo,
//! against 10 +11 ± 31. To depth 13 with 32 KB, 12 bytes need 0.7 % ± 1.9 more nodes, 10 bytes 0.8 % ± 2.1 fewer, twice
//! the memory 1.2 % ± 2.2 fewer: a quarter or half more entries is worth too little to see. But of a million probes of a
//! full table 66 find another position's entry with 16 bits, and 42 of those have no move or a legal one, so that nothing
//! shows the error; with the whole key none can. An age worth 2 or 8 plies instead of 4: −10 ± 32 and −9 ± 32 Elo.
//!
//! Must not know: positions, search. Idea of the check by exclusive or: Hyatt and Mann, "A lock-less transposition
//! table implementation for parallel search" (2002); of the index by a wide product: Lemire, "fast range" (2016); of the
//! growth: Litwin, "Linear hashing" (1980).

mod entry;
mod growth;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use bytemuck::Zeroable;
use thiserror::Error;

use crate::types::{Bound, Depth, Key64, value};
use crate::util::{ZeroedPages, cores, fits_into_memory, for_each_part, prefetch};

pub use entry::Entry;
use entry::{DEPTH_SHIFT, GENERATION_MASK, GENERATION_SHIFT};
use growth::Growth;

/// Which entries a search sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Generations {
    /// Those of earlier searches too: the searches of a game help one another.
    #[default]
    All,
    /// Only its own, as in an empty table. For the making of teacher data, where a wrong value that outlives its search comes
    /// back in every game (`YaneuraOu` blog on `gensfen` slowing down, 2018).
    Strict,
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
    growth: Growth,
    generation: AtomicU8,
    /// Entries that are older, in generations, are out of sight.
    oldest: AtomicU8,
    /// The bits of the key that an entry must agree in: all, but in tests of what collisions do.
    #[cfg(test)]
    checked: u64,
}

/// What the running search sees.
#[derive(Clone, Copy)]
struct Sight {
    /// Its own generation.
    generation: u8,
    /// Older entries, in generations, are as good as empty.
    oldest: u8,
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

/// One generation of age weighs as much as so many plies when a slot is to be given up.
const AGE_WEIGHT: Depth = 4;
/// An entry of the same position is kept when it is so much deeper than the new one.
const KEEP_DEEPER_BY: Depth = 4;
/// What being on a principal variation adds to the depth of a new entry in that comparison.
const PV_BONUS: Depth = 2;
/// `hashfull` looks at so many clusters.
const HASHFULL_CLUSTERS: usize = 250;
const PERMILL: usize = 1000;

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
            growth: Growth::new(clusters.len() / 2),
            clusters,
            generation: AtomicU8::new(0),
            oldest: AtomicU8::new(Generations::All.oldest()),
            #[cfg(test)]
            checked: u64::MAX,
        }
    }

    /// The same table, in which any entry of a cluster is taken for that of the position that is looked up.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn credulous(mut self) -> Self {
        self.checked = 0;
        self
    }

    /// The size in whole MB.
    pub fn megabytes(&self) -> usize {
        size_of_val(&*self.clusters) / BYTES_PER_MEGABYTE
    }

    /// Forgets everything.
    pub fn clear(&self) {
        let clear = |part: &[Cluster]| part.iter().for_each(Cluster::clear);
        let used = self.used();
        let parts = || used.chunks(used.len().div_ceil(cores()));
        // Where the system gives no threads this one does it all.
        if !self.clusters.is_large() || for_each_part(parts(), clear).is_err() {
            clear(used);
        }
        self.growth.begin_anew();
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Starts a new search: what is stored so far grows older, and is out of sight under [`Generations::Strict`]. No
    /// search may be running.
    ///
    /// After 32 searches the generations begin again, and an entry that nobody replaced in all that time counts as new: it is
    /// as true as before, only harder to replace, where there was no want of space. A strict table is cleared instead.
    pub fn new_search(&self, generations: Generations) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) & GENERATION_MASK;
        self.generation.store(next, Ordering::Relaxed);
        let oldest = generations.oldest();
        let before = self.oldest.swap(oldest, Ordering::Relaxed);
        // A table that was not strict may hold entries from before the generations last began again.
        if generations == Generations::Strict && (next == 0 || before != oldest) {
            self.clear();
        }
    }

    /// Memory in MB that the system has yet to supply for a new table.
    pub fn missing_megabytes(&self) -> usize {
        let missing = self.clusters.len() - self.clusters.supplied();
        missing * size_of::<Cluster>() / BYTES_PER_MEGABYTE
    }

    /// The clusters in use; the others are empty.
    fn used(&self) -> &[Cluster] {
        &self.clusters[..2 * self.growth.pairs()]
    }

    /// Looks up a position.
    #[inline]
    pub fn probe(&self, key: Key64) -> Probe {
        let cluster = self.cluster_index(key);
        let sight = self.sight();
        let (mut worst_slot, mut worst) = (0, Depth::MAX);
        for (slot, stored) in self.clusters[cluster].0.iter().enumerate() {
            let data = stored.data.load(Ordering::Relaxed);
            if self.is_of(stored, data, key) && sight.sees(data) {
                return Probe {
                    entry: Entry::unpack(data),
                    slot: SlotIndex { cluster, slot },
                };
            }
            let worth = sight.worth(data);
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
    /// position and search stays, so does any with a value where the new one has none, and a known move is not replaced by
    /// none.
    #[inline]
    pub fn store(&self, slot: SlotIndex, key: Key64, mut entry: Entry) {
        let stored = &self.clusters[slot.cluster].0[slot.slot];
        let sight = self.sight();
        let old_data = stored.data.load(Ordering::Relaxed);
        let is_seen = sight.sees(old_data);
        let is_same = is_seen && self.is_of(stored, old_data, key);
        if is_same && let Some(old) = Entry::unpack(old_data) {
            if entry.value == value::NONE && old.value != value::NONE {
                return;
            }
            if entry.mv.is_none() {
                entry.mv = old.mv;
            }
            let bonus = if entry.is_pv { PV_BONUS } else { 0 };
            if entry.bound != Bound::Exact
                && sight.age(old_data) == 0
                && entry.depth + bonus + KEEP_DEEPER_BY <= old.depth
            {
                return;
            }
        }
        let data = entry.pack(sight.generation);
        stored.store(key.low64() ^ data, data);
        if is_seen && !is_same {
            self.growth.note_loss(&self.clusters);
        }
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
        let sight = self.sight();
        let clusters = self.used();
        // From all over the part in use: what has just been divided is less full.
        let step = clusters.len().div_ceil(HASHFULL_CLUSTERS) | 1;
        let sample = clusters.iter().step_by(step);
        let slots = SLOTS * sample.len();
        let taken = sample
            .flat_map(|cluster| &cluster.0)
            .map(|slot| slot.data.load(Ordering::Relaxed))
            .filter(|&data| data != 0 && sight.age(data) == 0)
            .count();
        (taken * PERMILL * clusters.len() / (2 * self.growth.last() * slots)) as u32
    }

    /// Whether the data that was read from a slot is of this position.
    #[inline(always)]
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests check less"))]
    fn is_of(&self, slot: &Slot, data: u64, key: Key64) -> bool {
        let difference = slot.check.load(Ordering::Relaxed) ^ data ^ key.low64();
        #[cfg(test)]
        let difference = difference & self.checked;
        difference == 0
    }

    #[inline(always)]
    fn sight(&self) -> Sight {
        Sight {
            generation: self.generation.load(Ordering::Relaxed),
            oldest: self.oldest.load(Ordering::Relaxed),
        }
    }

    /// Even for black to move, odd for white.
    #[inline(always)]
    fn cluster_index(&self, key: Key64) -> usize {
        let key = key.low64();
        2 * self.growth.pair_of(key) + (key & 1) as usize
    }
}

impl Generations {
    /// The age up to which entries are seen.
    const fn oldest(self) -> u8 {
        match self {
            Self::All => GENERATION_MASK,
            Self::Strict => 0,
        }
    }
}

impl Sight {
    /// Generations since an entry was written.
    #[inline(always)]
    fn age(self, data: u64) -> u8 {
        self.generation
            .wrapping_sub((data >> GENERATION_SHIFT) as u8)
            & GENERATION_MASK
    }

    /// Whether there is an entry, and not too old.
    #[inline(always)]
    fn sees(self, data: u64) -> bool {
        data != 0 && self.age(data) <= self.oldest
    }

    /// The slot of least worth is given up first; one with nothing to see before all others.
    #[inline(always)]
    fn worth(self, data: u64) -> Depth {
        if !self.sees(data) {
            return Depth::MIN;
        }
        Depth::from((data >> DEPTH_SHIFT) as u8) - AGE_WEIGHT * Depth::from(self.age(data))
    }
}

impl Cluster {
    fn clear(&self) {
        self.0.iter().for_each(Slot::clear);
    }
}

impl Slot {
    fn load(&self) -> (u64, u64) {
        (
            self.check.load(Ordering::Relaxed),
            self.data.load(Ordering::Relaxed),
        )
    }

    fn store(&self, check: u64, data: u64) {
        self.check.store(check, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.store(0, 0);
    }
}
