//! The solver's transposition table: clusters are found by the board, the slot within a cluster by
//! the attacker's hand.
//!
//! A mate proven with one hand is proven with every larger one, because nobody has to drop what he
//! holds, and what the attacker holds the defender lacks for interpositions. A disproof holds for
//! every smaller hand. So one entry answers for many positions with the same board (proof and
//! disproof hands: Seo, Nagai).
//!
//! A full cluster loses the entry with the smallest subtree (Nagai's small-tree garbage collection,
//! but without a pause for it), so that the proof of a long mate survives in a small table.
//!
//! Each problem is a generation with its own salt of the keys: entries of earlier problems match no
//! key and are replaced first. A problem begins with a small part of the table, see [`Growth`].

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use bytemuck::Zeroable;

use super::proof_numbers::{INFINITE, NO_LIMIT, NO_REPETITION, ProofNumbers};
use crate::types::{Hand, Move16};
use crate::util::prefetch;
use crate::util::{BYTES_PER_MEGABYTE, ZeroedPages, cores, fits_into_memory, for_each_part};

/// Clusters that [`Table::hashfull`] samples: 1000 slots.
const HASHFULL_CLUSTERS: usize = 125;
const PERMILL: usize = 1000;

/// What is stored about one board and the hands of the attacker that the entry answers for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// All but `repetition_start`, which is not stored.
    pub(super) numbers: ProofNumbers,
    /// Nodes searched below the position; small ones are replaced first.
    pub(super) subtree_size: u32,
    /// Plies left in the search that stored the entry. Proven entries are compared by their length
    /// instead, and do not store it.
    pub(super) limit: i16,
    /// The smallest number on a path, counted from 1 at the root, with which the position was met.
    /// Of a path disproof the start of the repetition.
    pub(super) min_depth: u16,
    /// The first move of the proof or disproof, or the most promising one.
    pub(super) mv: Option<Move16>,
    /// Whether the position was disproven by repetition on some path, so that the path's key is to
    /// be looked up too.
    pub(super) has_path_disproof: bool,
}

/// The transposition table of one solver, shared by its threads.
pub(super) struct Table {
    clusters: ZeroedPages<Cluster>,
    growth: Growth,
    generation: AtomicU8,
}

impl Table {
    /// An empty table of at most `megabytes` MB, at least one: halved until the system has the
    /// memory.
    ///
    /// # Panics
    /// Panics where the system has not a single page left.
    pub(super) fn new(megabytes: usize) -> Self {
        let mut size = megabytes.max(1);
        let clusters = loop {
            let count = size * (BYTES_PER_MEGABYTE / size_of::<Cluster>());
            let fits = size == 1 || fits_into_memory(size);
            match fits.then(|| ZeroedPages::on_demand(count)) {
                Some(Ok(clusters)) => break clusters,
                _ if size > 1 => size /= 2,
                _ => break ZeroedPages::on_demand(1).expect("a page is available"),
            }
        };
        Self { growth: Growth::new(clusters.len()), clusters, generation: AtomicU8::new(0) }
    }

    /// The size in whole MB.
    pub(super) fn megabytes(&self) -> usize {
        size_of_val(&*self.clusters) / BYTES_PER_MEGABYTE
    }

    /// Begins a new generation. No search may be running.
    pub(super) fn new_problem(&self) {
        let generation = self.generation.load(Ordering::Relaxed);
        if generation == LAST_GENERATION {
            self.clear_slots();
        }
        let next = generation.checked_add(1).unwrap_or(1);
        self.generation.store(next, Ordering::Relaxed);
        self.growth.reset(self.clusters.len());
    }

    /// The state of a new table. No search may be running.
    pub(super) fn clear(&self) {
        self.clear_slots();
        self.generation.store(0, Ordering::Relaxed);
        self.growth.reset(self.clusters.len());
    }

    fn clear_slots(&self) {
        let clusters = &self.clusters[..self.growth.max_used()];
        let clear = |part: &[Cluster]| {
            let slots = part.iter().flat_map(|cluster| &cluster.0);
            slots.for_each(Slot::clear);
        };
        let parts = || clusters.chunks(clusters.len().div_ceil(cores()));
        // Without further threads, the calling one clears everything.
        if !self.clusters.is_large() || for_each_part(parts(), clear).is_err() {
            clear(clusters);
        }
    }

    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }

    /// What the callers xor into the keys of the current generation.
    pub(super) fn salt(&self) -> u64 {
        u64::from(self.generation()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn cluster(&self, key: u64) -> &Cluster {
        &self.clusters[cluster_of(key, self.growth.used())]
    }

    /// Brings the cluster of a board into the cache.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        let cluster = self.cluster(key);
        // A cache line holds two slots.
        for pair in cluster.0.chunks(2) {
            prefetch(&pair[0]);
        }
    }

    /// What is known about a board when the attacker holds `hand` and has `limit` plies left: the
    /// shortest proof that suits both, a disproof, or the numbers of exactly this position.
    #[inline]
    pub(super) fn look_up(&self, key: u64, hand: Hand, limit: i16) -> Option<Entry> {
        let mut found: Option<Entry> = None;
        for slot in &self.cluster(key).0 {
            let (stored, words) = slot.load();
            if stored != key || words.is_path_disproof() {
                continue;
            }
            let entry = words.entry();
            let numbers = &entry.numbers;
            if limit == NO_LIMIT && !numbers.counts_all {
                // Its length is not one on the board.
                continue;
            }
            if numbers.is_proven() {
                let is_shorter = found.is_none_or(|found| {
                    !found.numbers.is_proven() || numbers.length < found.numbers.length
                });
                if hand.dominates(numbers.hand) && numbers.length <= limit && is_shorter {
                    found = Some(entry);
                }
            } else if numbers.is_disproven() {
                if numbers.hand.dominates(hand) && entry.limit >= limit {
                    return Some(entry);
                }
            } else if numbers.hand == hand && entry.limit == limit && found.is_none() {
                found = Some(entry);
            }
        }
        found
    }

    /// Stores an entry, unless one that implies it is there. Of unsolved entries too `numbers.hand`
    /// must be set, to the attacker's hand.
    pub(super) fn store(&self, key: u64, entry: &Entry) {
        let generation = self.generation();
        let (mut victim, mut least) = (None, u64::MAX);
        let mut is_replacing = false;
        for slot in &self.cluster(key).0 {
            let (stored, words) = slot.load();
            let mut worth = worth(words, generation);
            if stored == key && !words.is_path_disproof() && words.generation() == generation {
                let old = words.entry();
                if implies(&old, entry) {
                    return;
                }
                if implies(entry, &old) || is_same_unsolved(&old, entry) {
                    if is_replacing {
                        slot.clear();
                        continue;
                    }
                    is_replacing = true;
                    worth = 0;
                }
            }
            if worth < least || worth == 0 && stored == key {
                (victim, least) = (Some(slot), worth);
            }
        }
        if let Some(slot) = victim {
            self.replace(slot, least, key, Words::of(entry, generation));
        }
    }

    /// Stores words in a slot whose content is `worth` something.
    fn replace(&self, slot: &Slot, worth: u64, key: u64, words: Words) {
        slot.store(key, words);
        if worth > 0 {
            self.growth.record_eviction(&self.clusters, words.generation());
        }
    }

    /// Start of the repetition and disproof hand of a disproof that holds on the path with this
    /// key.
    pub(super) fn path_disproof(&self, key: u64) -> Option<(u16, Hand)> {
        let found = self.cluster(key).0.iter().find_map(|slot| {
            let (stored, words) = slot.load();
            (stored == key && words.is_path_disproof()).then_some(words)
        })?;
        let entry = found.entry();
        Some((entry.min_depth, entry.numbers.hand))
    }

    /// Stores a disproof that holds on the path with this key.
    pub(super) fn store_path_disproof(
        &self,
        key: u64,
        repetition_start: u16,
        hand: Hand,
        subtree_size: u32,
    ) {
        let generation = self.generation();
        let entry = Entry {
            numbers: ProofNumbers::disproven(hand, NO_REPETITION),
            subtree_size,
            limit: NO_LIMIT,
            min_depth: repetition_start,
            mv: None,
            has_path_disproof: false,
        };
        let slot_worth = |slot: &Slot| {
            let (stored, words) = slot.load();
            if stored == key { 0 } else { worth(words, generation) }
        };
        let slots = self.cluster(key).0.iter();
        let slots = slots.map(|slot| (slot_worth(slot), slot));
        if let Some((least, slot)) = slots.min_by_key(|(worth, _)| *worth) {
            let words = Words::of_path_disproof(&entry, generation);
            self.replace(slot, least, key, words);
        }
    }

    /// Used share of the whole table in permill, estimated from its first clusters.
    pub(super) fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let sample = self.clusters.iter().take(HASHFULL_CLUSTERS);
        let slots = sample.flat_map(|cluster| &cluster.0);
        let (mut all, mut filled) = (0, 0);
        for slot in slots {
            all += 1;
            filled += usize::from(slot.load().1.generation() == generation);
        }
        let of_used_part = filled * PERMILL / all.max(1);
        (of_used_part * self.growth.used() / self.clusters.len()) as u32
    }
}

/// What the replacement of a slot would lose: 0 for entries of earlier problems, else more than the
/// size of the subtree.
fn worth(words: Words, generation: u8) -> u64 {
    if words.generation() == generation { u64::from(words.subtree_size()) + 1 } else { 0 }
}

/// Whether `old` answers every look-up that `new` would answer.
fn implies(old: &Entry, new: &Entry) -> bool {
    let (before, after) = (&old.numbers, &new.numbers);
    if before.is_proven() {
        let is_larger = after.hand.dominates(before.hand);
        is_larger
            && (before.counts_all || !after.counts_all)
            && !after.is_disproven()
            && (!after.is_proven() || before.length <= after.length)
            && (after.is_proven() || before.length <= new.limit)
    } else if before.is_disproven() {
        before.hand.dominates(after.hand) && !after.is_proven() && old.limit >= new.limit
    } else {
        false
    }
}

/// Whether both are unsolved entries of the same position.
fn is_same_unsolved(old: &Entry, new: &Entry) -> bool {
    !old.numbers.is_solved()
        && !new.numbers.is_solved()
        && old.numbers.hand == new.numbers.hand
        && old.limit == new.limit
}

/// Slots per cluster; a cluster takes 256 bytes.
pub(super) const SLOTS: usize = 8;
/// The last generation number; they are stored in 8 bits.
const LAST_GENERATION: u8 = u8::MAX;

const HAS_PATH_DISPROOF: u64 = 1 << 56;
/// Flag of a slot whose key is that of a path instead of a board.
const IS_PATH_DISPROOF: u64 = 1 << 57;
/// Flag of a proof whose length leaves futile interpositions out.
const HAS_FUTILE: u64 = 1 << 58;

const _: () = assert!(INFINITE < u32::MAX);

/// The words of a slot besides its key.
#[derive(Clone, Copy)]
struct Words([u64; 3]);

impl Words {
    pub(super) const EMPTY: Self = Self([0; 3]);

    pub(super) fn of(entry: &Entry, generation: u8) -> Self {
        let numbers = &entry.numbers;
        let plies = if numbers.is_proven() { numbers.length } else { entry.limit };
        let mut flags = 0;
        if entry.has_path_disproof {
            flags |= HAS_PATH_DISPROOF;
        }
        if !numbers.counts_all {
            flags |= HAS_FUTILE;
        }
        Self([
            u64::from(numbers.hand.to_bits()) | u64::from(entry.subtree_size) << 32,
            u64::from(numbers.proof) | u64::from(numbers.disproof) << 32,
            u64::from(entry.mv.map_or(0, Move16::to_bits))
                | u64::from(plies as u16) << 16
                | u64::from(entry.min_depth) << 32
                | u64::from(generation) << 48
                | flags,
        ])
    }

    /// The words of a disproof by repetition.
    fn of_path_disproof(entry: &Entry, generation: u8) -> Self {
        let mut words = Self::of(entry, generation);
        words.0[2] |= IS_PATH_DISPROOF;
        words
    }

    /// Hash of the words. Rotated, so that changes of the same bit in two words do not cancel.
    fn mixed(self) -> u64 {
        self.0[0] ^ self.0[1].rotate_left(21) ^ self.0[2].rotate_left(43)
    }

    pub(super) fn entry(self) -> Entry {
        let Self([first, numbers, rest]) = self;
        let plies = (rest >> 16) as i16;
        let (proof, disproof) = (numbers as u32, (numbers >> 32) as u32);
        let is_proven = proof == 0;
        Entry {
            numbers: ProofNumbers {
                proof,
                disproof,
                hand: Hand::from_bits(first as u32),
                length: if is_proven { plies } else { 0 },
                counts_all: rest & HAS_FUTILE == 0,
                repetition_start: NO_REPETITION,
            },
            subtree_size: self.subtree_size(),
            limit: if is_proven { NO_LIMIT } else { plies },
            min_depth: (rest >> 32) as u16,
            mv: Move16::from_bits(rest as u16),
            has_path_disproof: rest & HAS_PATH_DISPROOF != 0,
        }
    }

    fn generation(self) -> u8 {
        (self.0[2] >> 48) as u8
    }

    pub(super) fn subtree_size(self) -> u32 {
        (self.0[0] >> 32) as u32
    }

    fn is_path_disproof(self) -> bool {
        self.0[2] & IS_PATH_DISPROOF != 0
    }
}

/// Three words, and the key xored with their hash: a slot that two threads wrote at the same time
/// matches no key.
#[derive(Zeroable)]
#[repr(C)]
struct Slot([AtomicU64; 4]);

/// The slots among which an entry is looked up.
#[derive(Zeroable)]
#[repr(C, align(64))]
struct Cluster(pub(super) [Slot; SLOTS]);

impl Slot {
    /// The stored key and words.
    pub(super) fn load(&self) -> (u64, Words) {
        let words = self.0.each_ref().map(|word| word.load(Ordering::Relaxed));
        let [check, hand_and_size, numbers, rest] = words;
        let words = Words([hand_and_size, numbers, rest]);
        (check ^ words.mixed(), words)
    }

    pub(super) fn store(&self, key: u64, words: Words) {
        let Words([hand_and_size, numbers, rest]) = words;
        let words = [key ^ words.mixed(), hand_and_size, numbers, rest];
        for (stored, word) in self.0.iter().zip(words) {
            stored.store(word, Ordering::Relaxed);
        }
    }

    pub(super) fn clear(&self) {
        self.store(0, Words::EMPTY);
    }
}

/// Least number of clusters that a problem begins with, where the table has as many: 1 MB.
const FIRST_CLUSTERS: usize = 4096;
/// The used part doubles once it has evicted one entry per 8 clusters.
const CLUSTERS_PER_EVICTION: usize = 8;

/// The used part of the table, its first clusters, which grows while a problem is solved.
///
/// Most problems are small, and the first use of memory is slow: the system has to find and zero
/// each page, and random accesses to a large table touch a new page with almost every node. So each
/// problem begins with a part of the table that fits into the caches, and the part doubles when
/// entries begin to evict each other.
///
/// Clusters are indexed by the upper bits of the key, so the entries of cluster `i` move to `2 i`
/// and `2 i + 1`. From the last cluster down to the first, each target has been moved before it is
/// written. Other threads continue meanwhile: an entry that they store may be lost and one that
/// they look up may not be found, but what they find is right, because each slot proves its key.
struct Growth {
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
    fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// How many clusters were ever in use; the others are empty.
    fn max_used(&self) -> usize {
        self.max_used.load(Ordering::Relaxed)
    }

    /// Returns to the first part. No search may be running.
    fn reset(&self, clusters: usize) {
        self.set_used(first_part(clusters));
    }

    /// Counts an evicted entry of the current problem, and doubles the used part when it is time.
    #[cold]
    fn record_eviction(&self, clusters: &[Cluster], generation: u8) {
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
fn cluster_of(key: u64, clusters: usize) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(subtree_size: u32) -> Entry {
        Entry {
            numbers: ProofNumbers::disproven(Hand::EMPTY, NO_REPETITION),
            subtree_size,
            limit: NO_LIMIT,
            min_depth: 1,
            mv: None,
            has_path_disproof: false,
        }
    }

    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn found(table: &Table, number: u64) -> Option<u32> {
        let entry = table.look_up(key(number), Hand::EMPTY, NO_LIMIT)?;
        Some(entry.subtree_size)
    }

    #[test]
    fn entries_beyond_the_first_part_are_kept_while_the_table_can_grow() {
        let table = Table::new(8);
        table.new_problem();
        assert_eq!(table.growth.used(), FIRST_CLUSTERS);
        // More than 1 MB holds, and half of what 8 MB hold.
        let stored = 100_000;
        for number in 1..=stored {
            table.store(key(number), &entry(number as u32));
        }
        assert_eq!(table.growth.used(), 4 * FIRST_CLUSTERS);
        let kept = (1..=stored).filter(|&number| found(&table, number) == Some(number as u32));
        let kept = kept.count();
        assert!(kept > 95_000, "{kept} of {stored} are still there");

        table.new_problem();
        assert_eq!(table.growth.used(), FIRST_CLUSTERS);
        assert_eq!(table.growth.max_used(), 4 * FIRST_CLUSTERS);
    }

    #[test]
    fn a_full_table_keeps_the_largest_subtrees() {
        let table = Table::new(1);
        table.new_problem();
        for number in 1..=200_000 {
            table.store(key(number), &entry(number as u32 % 1000));
        }
        assert_eq!(table.growth.used(), FIRST_CLUSTERS);
        let share = |sizes: std::ops::Range<u64>| {
            let numbers = (1..=200_000).filter(|number| sizes.contains(&(number % 1000)));
            numbers.filter(|&number| found(&table, number).is_some()).count()
        };
        assert!(share(900..1000) > 10 * share(0..100));
    }
}
