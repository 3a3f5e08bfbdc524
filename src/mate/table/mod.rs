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
//! key and are replaced first. A problem begins with a small part of the table, see [`growth`].

mod growth;
mod slot;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU8, Ordering};

use self::growth::{Growth, cluster_of};
use self::slot::{Cluster, LAST_GENERATION, Slot, Words};
use super::entry::Entry;
use super::proof_numbers::{NO_LIMIT, NO_REPETITION, ProofNumbers};
use crate::types::Hand;
use crate::util::{ZeroedPages, cores, fits_into_memory, for_each_part, prefetch};

const BYTES_PER_MEGABYTE: usize = 1 << 20;
/// Clusters that [`Table::hashfull`] samples: 1000 slots.
const HASHFULL_CLUSTERS: usize = 125;
const PERMILL: usize = 1000;

/// The transposition table.
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
                _ => break ZeroedPages::on_demand(1).expect("a page can be had"),
            }
        };
        Self {
            growth: Growth::new(clusters.len()),
            clusters,
            generation: AtomicU8::new(0),
        }
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
    pub(super) fn look_up(&self, key: u64, hand: Hand, limit: u16) -> Option<Entry> {
        let mut found: Option<Entry> = None;
        for slot in &self.cluster(key).0 {
            let (stored, words) = slot.load();
            if stored != key || words.is_path_disproof() {
                continue;
            }
            let entry = words.entry();
            let numbers = &entry.numbers;
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
            slot.store(key, Words::of(entry, generation));
            if least > 0 {
                self.growth.record_eviction(&self.clusters, generation);
            }
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
            if stored == key {
                0
            } else {
                worth(words, generation)
            }
        };
        let slots = self.cluster(key).0.iter();
        let Some((least, slot)) = slots
            .map(|slot| (slot_worth(slot), slot))
            .min_by_key(|(worth, _)| *worth)
        else {
            return;
        };
        slot.store(key, Words::of_path_disproof(&entry, generation));
        if least > 0 {
            self.growth.record_eviction(&self.clusters, generation);
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
    if words.generation() == generation {
        u64::from(words.subtree_size()) + 1
    } else {
        0
    }
}

/// Whether `old` answers every look-up that `new` would answer.
fn implies(old: &Entry, new: &Entry) -> bool {
    let (before, after) = (&old.numbers, &new.numbers);
    if before.is_proven() {
        let is_larger = after.hand.dominates(before.hand);
        is_larger
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
