//! The transposition table: search results by position key, shared by all threads without locks.
//!
//! A cluster is one cache line with four slots of 16 bytes, see `Cluster`. Positions with black
//! to move and with white to move never share a cluster. Moves are returned as
//! [`Move16`]; the caller must prove them legal before use.
//!
//! Each search is a generation. Under [`Generations::Strict`] a search sees no entry of another
//! generation, as if the table had been cleared. Moves of older entries would save 0, 3 and 5 % of
//! the nodes at depths 4, 6 and 8, but results would then depend on earlier searches.
//!
//! Entries have 16 bytes. Packed to 12 bytes (32 bits of the key, five per cache line) or 10 bytes
//! (16 bits, six per line) the table is not faster, and plays equally well under pressure (1 MB,
//! 20,000 nodes per move, 400 games each): 16 bytes against 12 +1 ± 28 Elo, against 10 +11 ± 31. To
//! depth 13 with 32 KB, 12 bytes need 0.7 % ± 1.9 more nodes, 10 bytes 0.8 % ± 2.1 fewer, and twice
//! the memory 1.2 % ± 2.2 fewer, so more entries gain too little. With 16 bits of the key 66 of a
//! million probes of a full table find another position's entry; 42 of those have a legal move or
//! none, so that the error goes unnoticed. With the whole key none do. A generation of age worth 2
//! or 8 plies instead of 4: −10 ± 32 and −9 ± 32 Elo.
//!
//! Must not know: positions, search. Sources: Hyatt and Mann, "A lock-less transposition table
//! implementation for parallel search" (2002); Lemire, "fast range" (2016), for the index.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use bytemuck::Zeroable;
use thiserror::Error;

use crate::types::{Bound, Depth, Key64, Move16, Value, value};
use crate::util::{BYTES_PER_MEGABYTE, PREFETCHES, ZeroedPages, cores, fits_into_memory};
use crate::util::{for_each_part, prefetch};

#[cfg(test)]
mod tests;

/// Which entries a search sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Generations {
    /// Entries of all searches, so that the searches of a game help each other.
    #[default]
    All,
    /// Only its own entries, as in an empty table. For teacher data, where a wrong value that
    /// outlives its search would come back in every game (`YaneuraOu` blog on `gensfen` slowing
    /// down, 2018).
    Strict,
}

/// The clusters of a new table that a search uses: its memory arrives while it is in use, see
/// `ZeroedPages`.
///
/// A search that touches memory which is not there waits for the system, in a virtual machine some
/// milliseconds for each page of 2 MB. With a clock running it takes only what is there. Searches
/// of 200 ms with 8000 MB on two busy cores: 200 to 250 ms and 50,000 nodes each, where they took
/// 340 to 2500 ms for a few hundred nodes when they touched all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of them, so that the search does not depend on the system.
    Whole,
    /// Those whose memory is there.
    Supplied,
}

/// The place of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotIndex {
    cluster: usize,
    slot: usize,
}

/// The answer of [`TranspositionTable::probe`].
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The entry of the position, if it is in the table.
    pub entry: Option<Entry>,
    /// The slot in which to store the result of the position.
    pub slot: SlotIndex,
}

/// The system has not enough memory for a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("no memory for a hash table of {megabytes} MB")]
pub struct TableError {
    /// Requested size in MB.
    pub megabytes: usize,
}

/// A table of fixed size, shared by the threads of a search.
pub struct TranspositionTable {
    clusters: ZeroedPages<Cluster>,
    generation: AtomicU8,
    /// Greatest age, in generations, of the entries that the search sees.
    max_age: AtomicU8,
    counts: Clusters,
    /// The bits of the key that an entry must match: all, except in tests of collisions.
    #[cfg(test)]
    key_mask: u64,
}

/// Decides which entries the running search sees.
#[derive(Clone, Copy)]
struct Visibility {
    /// The generation of the running search.
    generation: u8,
    /// Greatest age of a visible entry, in generations.
    max_age: u8,
}

/// Plies of depth that one generation of age is worth when an entry is chosen for replacement.
const AGE_WEIGHT: Depth = 4;
/// An entry of the same position and search is kept if it is deeper by at least this many plies.
const KEEP_DEEPER_BY: Depth = 4;
/// Plies added to the depth of a new PV entry in that comparison.
const PV_BONUS: Depth = 2;
/// Number of clusters that `hashfull` samples.
const HASHFULL_CLUSTERS: usize = 250;
const PERMILL: usize = 1000;

/// Memory in MB that stays free beside a table, for the search that uses it; no more than the table
/// itself takes.
const LEFT_FREE: usize = 100;

impl TranspositionTable {
    /// An empty table of `megabytes` MB, at least 1.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn new(megabytes: usize) -> Result<Self, TableError> {
        let count = fits_into_memory(megabytes.saturating_add(megabytes.min(LEFT_FREE)))
            .then(|| megabytes.max(1) * (BYTES_PER_MEGABYTE / size_of::<Cluster>()));
        let clusters = count.and_then(|count| ZeroedPages::new(count).ok());
        clusters.map(Self::from_clusters).ok_or(TableError { megabytes })
    }

    /// The smallest table: one cluster per side to move.
    ///
    /// # Panics
    /// Panics if the system cannot give a single page of memory.
    pub fn minimal() -> Self {
        Self::from_clusters(ZeroedPages::new(2).expect("the system has a page of memory"))
    }

    fn from_clusters(clusters: ZeroedPages<Cluster>) -> Self {
        debug_assert!(clusters.len().is_multiple_of(2));
        Self {
            counts: Clusters::all(clusters.len()),
            clusters,
            generation: AtomicU8::new(0),
            max_age: AtomicU8::new(Generations::All.max_age()),
            #[cfg(test)]
            key_mask: u64::MAX,
        }
    }

    /// The same table without the check of the key: any entry of the cluster matches.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn without_key_check(mut self) -> Self {
        self.key_mask = 0;
        self
    }

    /// Size in MB, rounded down.
    pub fn megabytes(&self) -> usize {
        size_of_val(&*self.clusters) / BYTES_PER_MEGABYTE
    }

    /// Removes all entries. Costs nothing where no search has begun since the last time.
    pub fn clear(&self) {
        let used = self.counts.take_used();
        if used == 0 {
            return;
        }
        let clear = |part: &[Cluster]| part.iter().for_each(Cluster::clear);
        let clusters = &self.clusters[..used];
        let parts = || clusters.chunks(clusters.len().div_ceil(cores()));
        // Without further threads, the calling one clears everything.
        if !self.clusters.is_large() || for_each_part(parts(), clear).is_err() {
            clear(clusters);
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Starts a new generation. No search may be running.
    ///
    /// Generations are counted modulo 32, so an entry that survives 32 searches counts as new. Its
    /// content is still right; it is only replaced later. A strict table is cleared at that point
    /// instead.
    pub fn new_search(&self, generations: Generations) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) & GENERATION_MASK;
        self.generation.store(next, Ordering::Relaxed);
        let max_age = generations.max_age();
        let before = self.max_age.swap(max_age, Ordering::Relaxed);
        // After a change to strict, entries from before the last wrap of the counter may exist.
        if generations == Generations::Strict && (next == 0 || before != max_age) {
            self.clear();
        }
        self.counts.note_use();
        self.clusters.set_busy(true);
    }

    /// Chooses the clusters that the next search uses. After a change, the entries of most
    /// positions are not found any more.
    pub fn set_extent(&self, extent: Extent) {
        let (whole, supplied) = (self.clusters.len(), self.clusters.supplied());
        self.counts.set_extent(extent, whole, supplied);
    }

    /// Takes more clusters into use during a search that uses what is there.
    pub fn grow(&self) {
        if self.counts.active() < self.clusters.len() {
            self.set_extent(Extent::Supplied);
            self.counts.note_use();
        }
    }

    /// The search has ended: more memory may be fetched at full speed.
    pub fn end_search(&self) {
        self.clusters.set_busy(false);
    }

    /// Memory in MB that the system has yet to supply for a new table.
    pub fn missing_megabytes(&self) -> usize {
        let missing = self.clusters.len() - self.clusters.supplied();
        missing * size_of::<Cluster>() / BYTES_PER_MEGABYTE
    }

    /// Looks up a position. Without a match, the slot is the one to replace.
    #[inline]
    pub fn probe(&self, key: Key64) -> Probe {
        let cluster = self.cluster_index(key);
        let visibility = self.visibility();
        let (mut worst_slot, mut worst) = (0, Depth::MAX);
        for (slot, stored) in self.clusters[cluster].0.iter().enumerate() {
            let data = stored.data();
            if self.is_of(stored, data, key) && visibility.is_visible(data) {
                return Probe { entry: Entry::unpack(data), slot: SlotIndex { cluster, slot } };
            }
            let replacement_value = visibility.replacement_value(data);
            if replacement_value < worst {
                (worst_slot, worst) = (slot, replacement_value);
            }
        }
        Probe { entry: None, slot: SlotIndex { cluster, slot: worst_slot } }
    }

    /// Stores an entry in the slot that its probe returned. An entry of the same position stays if
    /// it is much deeper and of the same search, or if only it has a value; its move stays if the
    /// new entry has none.
    #[inline]
    pub fn store(&self, slot: SlotIndex, key: Key64, mut entry: Entry) {
        let stored = &self.clusters[slot.cluster].0[slot.slot];
        let visibility = self.visibility();
        let old_data = stored.data();
        if visibility.is_visible(old_data)
            && self.is_of(stored, old_data, key)
            && let Some(old) = Entry::unpack(old_data)
        {
            if entry.value == value::NONE && old.value != value::NONE {
                return;
            }
            if entry.mv.is_none() {
                entry.mv = old.mv;
            }
            let bonus = if entry.is_pv { PV_BONUS } else { 0 };
            if entry.bound != Bound::Exact
                && visibility.age(old_data) == 0
                && entry.depth + bonus + KEEP_DEEPER_BY <= old.depth
            {
                return;
            }
        }
        let data = entry.pack(visibility.generation);
        stored.store(key.low64() ^ data, data);
    }

    /// Removes an entry that belongs to another position.
    #[cold]
    pub fn erase(&self, slot: SlotIndex) {
        self.clusters[slot.cluster].0[slot.slot].clear();
    }

    /// Prefetches the cluster of a position.
    #[inline]
    pub fn prefetch(&self, key: Key64) {
        if PREFETCHES {
            prefetch(&self.clusters[self.cluster_index(key)]);
        }
    }

    /// Use of the clusters in use by entries of this search, in permill, estimated from a sample.
    pub fn hashfull(&self) -> u32 {
        let visibility = self.visibility();
        let clusters = &self.clusters[..self.counts.active()];
        let step = clusters.len().div_ceil(HASHFULL_CLUSTERS) | 1;
        let sample = clusters.iter().step_by(step);
        let slots = SLOTS * sample.len();
        let taken = sample
            .flat_map(|cluster| &cluster.0)
            .map(Slot::data)
            .filter(|&data| data != 0 && visibility.age(data) == 0)
            .count();
        (taken * PERMILL / slots) as u32
    }

    /// Whether the data read from a slot belongs to the position.
    #[inline]
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests check less"))]
    fn is_of(&self, slot: &Slot, data: u64, key: Key64) -> bool {
        let difference = slot.check() ^ data ^ key.low64();
        #[cfg(test)]
        let difference = difference & self.key_mask;
        difference == 0
    }

    #[inline]
    fn visibility(&self) -> Visibility {
        Visibility {
            generation: self.generation.load(Ordering::Relaxed),
            max_age: self.max_age.load(Ordering::Relaxed),
        }
    }

    /// Even for black to move, odd for white.
    #[inline]
    fn cluster_index(&self, key: Key64) -> usize {
        let key = key.low64();
        let pairs = self.counts.active() / 2;
        let pair = if usize::BITS < u64::BITS {
            scaled_in_halves(key >> 1, pairs as u32)
        } else {
            ((u128::from(key >> 1) * pairs as u128) >> (u64::BITS - 1)) as usize
        };
        2 * pair + (key & 1) as usize
    }
}

/// `value * pairs >> 63` for a value of 63 bits, for machines on which a product of 128 bits is a
/// call.
#[inline]
fn scaled_in_halves(value: u64, pairs: u32) -> usize {
    let (high, low) = (value >> u32::BITS, value & u64::from(u32::MAX));
    let pairs = u64::from(pairs);
    ((high * pairs + ((low * pairs) >> u32::BITS)) >> (u32::BITS - 1)) as usize
}

impl Generations {
    /// Greatest age of a visible entry, in generations.
    const fn max_age(self) -> u8 {
        match self {
            Self::All => GENERATION_MASK,
            Self::Strict => 0,
        }
    }
}

impl Visibility {
    /// Age of an entry in generations.
    #[inline]
    fn age(self, data: u64) -> u8 {
        self.generation.wrapping_sub((data >> GENERATION_SHIFT) as u8) & GENERATION_MASK
    }

    /// Whether the slot has an entry that the search sees.
    #[inline]
    fn is_visible(self, data: u64) -> bool {
        data != 0 && self.age(data) <= self.max_age
    }

    /// Replacement value in plies: the slot with the least value is replaced. Invisible entries
    /// come first.
    #[inline]
    fn replacement_value(self, data: u64) -> Depth {
        if !self.is_visible(data) {
            return Depth::MIN;
        }
        Depth::from((data >> DEPTH_SHIFT) as u8) - AGE_WEIGHT * Depth::from(self.age(data))
    }
}

// --- The clusters in use ---

/// Numbers of clusters, counted from the first one.
struct Clusters {
    /// Clusters that the search uses, an even number.
    active: AtomicUsize,
    /// The most that were in use since the table was empty; none where no search has begun.
    used: AtomicUsize,
}

impl Clusters {
    /// All of a table are in use.
    fn all(count: usize) -> Self {
        Self { active: AtomicUsize::new(count), used: AtomicUsize::new(0) }
    }

    /// Clusters that the search uses.
    #[inline]
    fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Chooses the clusters in use, of `whole` of which `supplied` are there.
    fn set_extent(&self, extent: Extent, whole: usize, supplied: usize) {
        let active = self.active();
        let chosen = match extent {
            Extent::Whole => whole,
            Extent::Supplied => supplied & !1,
        };
        // Few changes: what is there has to be twice as much.
        let is_worth_it = chosen >= whole || chosen < active || chosen / 2 >= active;
        if is_worth_it && chosen >= 2 {
            // Not where another thread has chosen meanwhile, perhaps more.
            let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
            let _ = self.active.compare_exchange(active, chosen, success, failure);
        }
    }

    /// Notes that the clusters in use may hold entries.
    fn note_use(&self) {
        self.used.fetch_max(self.active(), Ordering::Relaxed);
    }

    /// The number of clusters that may hold entries, which are removed now.
    fn take_used(&self) -> usize {
        self.used.swap(0, Ordering::Relaxed)
    }
}

// --- The memory of the table ---
//
// Clusters of slots are read and written without locks; entries are packed into 64 bits.
//
// A slot is two atomic words, `key ^ data` and `data`. If two threads write a slot at the same
// time, the words of different writes do not match any key, so a torn entry reads as a miss (Hyatt
// and Mann).

/// Slots per cluster: as many as fill a cache line.
const SLOTS: usize = 4;

/// One entry; both words are zero where it is empty.
#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// The slots in which the entry of a position can lie: one cache line.
#[derive(Zeroable)]
#[repr(C, align(64))]
struct Cluster([Slot; SLOTS]);

const _: () = assert!(size_of::<Cluster>() == 64);

impl Cluster {
    fn clear(&self) {
        self.0.iter().for_each(Slot::clear);
    }
}

impl Slot {
    /// The word `key ^ data`.
    #[inline]
    fn check(&self) -> u64 {
        self.check.load(Ordering::Relaxed)
    }

    /// The word `data`, a packed entry.
    #[inline]
    fn data(&self) -> u64 {
        self.data.load(Ordering::Relaxed)
    }

    #[inline]
    fn store(&self, check: u64, data: u64) {
        self.check.store(check, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.store(0, 0);
    }

    /// Overwrites the packed entry alone, as a torn write does.
    #[cfg(test)]
    fn tear(&self, data: u64) {
        self.data.store(data, Ordering::Relaxed);
    }
}

/// The result of a search of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best move, or the move that failed high; not proved legal.
    pub mv: Option<Move16>,
    /// Value with mates counted from the node, or [`NONE`](crate::types::value::NONE) where only
    /// the static evaluation is known, and that there is no mate in one.
    pub value: Value,
    /// Static evaluation without correction, or [`NONE`](crate::types::value::NONE).
    pub eval: Value,
    /// Depth of the search below the node, in plies from 0 to 255.
    pub depth: Depth,
    /// Whether the value is exact, a lower bound or an upper bound.
    pub bound: Bound,
    /// Whether the node was ever on a principal variation.
    pub is_pv: bool,
}

// Bit offsets in the data word; the move has the low 16 bits.
const VALUE_SHIFT: u32 = 16;
const EVAL_SHIFT: u32 = 32;
const DEPTH_SHIFT: u32 = 48;
const BOUND_SHIFT: u32 = 56;
const PV_SHIFT: u32 = 58;
const GENERATION_SHIFT: u32 = 59;
const GENERATION_MASK: u8 = 0x1f;

impl Entry {
    /// The entry of a data word, `None` if the word is empty.
    #[inline]
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

    #[inline]
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
