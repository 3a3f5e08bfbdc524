//! The part of the table that is in use, and its growth by linear hashing.
//!
//! Random access to a large table misses the caches and the TLB nearly every time. A short search
//! fills only a small part of a table of gigabytes, so at first only a part that fits into the
//! caches is in use, and it grows as entries replace others.
//!
//! The growth is linear hashing (Litwin, "Linear hashing: a new tool for file and table
//! addressing", 1980): pairs of clusters are split one after the other, and the entries of the new
//! half are moved there. The table is never moved as a whole, so searches continue meanwhile. An
//! entry that another thread stores or looks up in a pair during its split may be lost; an entry
//! that is found is right, because each slot proves its key.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::util::ZeroedPages;

use super::cluster::Cluster;

/// Pairs in use at first: one megabyte, up to twice that if the table is not a power of two.
const FIRST_PAIRS: usize = 8192;
/// Pairs split per evicted entry. A third of the slots are then occupied while the table grows, and
/// one new entry in twenty evicts another.
const PAIRS_PER_EVICTION: usize = 8;
/// A level is split in this many steps, limited to sizes that are worth a step but take no more
/// than a third of a millisecond.
const STEPS: usize = 128;
const SMALLEST_STEP: usize = 16;
const LARGEST_STEP: usize = 4096;

/// The pairs of clusters in use.
pub(super) struct Growth {
    /// A packed [`Part`]; read by every access, rarely written.
    part: AtomicU64,
    /// Number of pairs at level 0.
    first: usize,
    /// Number of pairs of the whole table.
    last: usize,
    counter: Counter,
}

/// Written often while the table grows, so it has its own cache line.
#[repr(align(64))]
struct Counter {
    evictions: AtomicUsize,
    is_growing: AtomicBool,
}

/// The part of the table in use.
#[derive(Clone, Copy)]
struct Part {
    /// Number of pairs, counted from the start of the table.
    pairs: usize,
    /// Number of times that the initial part was doubled completely.
    level: u32,
}

const LEVEL_SHIFT: u32 = 56;

impl Part {
    const fn pack(self) -> u64 {
        self.pairs as u64 | (self.level as u64) << LEVEL_SHIFT
    }

    #[inline(always)]
    const fn unpack(word: u64) -> Self {
        Self {
            pairs: (word & ((1 << LEVEL_SHIFT) - 1)) as usize,
            level: (word >> LEVEL_SHIFT) as u32,
        }
    }
}

impl Growth {
    /// The growth of a table of `pairs` pairs. Above 32 GB a few of them may stay unused.
    pub(super) fn new(pairs: usize) -> Self {
        let doublings = (pairs / FIRST_PAIRS).checked_ilog2().unwrap_or(0);
        Self::between(pairs >> doublings, doublings)
    }

    /// The growth from `first` pairs by `doublings` doublings.
    fn between(first: usize, doublings: u32) -> Self {
        let part = Part {
            pairs: first,
            level: 0,
        };
        Self {
            part: AtomicU64::new(part.pack()),
            first,
            last: first << doublings,
            counter: Counter {
                evictions: AtomicUsize::new(0),
                is_growing: AtomicBool::new(false),
            },
        }
    }

    /// Number of pairs in use.
    pub(super) fn pairs(&self) -> usize {
        self.part().pairs
    }

    /// Number of pairs of the whole table.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// Returns to the initial part. No search may be running, and all clusters in use must be
    /// empty.
    pub(super) fn reset(&self) {
        let part = Part {
            pairs: self.first,
            level: 0,
        };
        self.set_part(part);
    }

    /// The pair of a key. The high bits choose a pair at level 0; the low bits, without the side to
    /// move, choose among the pairs that it was split into.
    #[inline(always)]
    pub(super) fn pair_of(&self, key: u64) -> usize {
        let part = self.part();
        let of_first = (u128::from(key) * self.first as u128) >> u64::BITS;
        let division = split_bits(key) & ((2 << part.level) - 1);
        let pair = of_first as usize + self.first * division as usize;
        if pair < part.pairs {
            pair
        } else {
            // This pair has not been split at this level yet.
            pair - (self.first << part.level)
        }
    }

    /// Records that a visible entry was replaced, and splits pairs if it is time to.
    #[inline(always)]
    pub(super) fn record_eviction(&self, clusters: &ZeroedPages<Cluster>) {
        if self.pairs() < self.last {
            self.record_eviction_while_growing(clusters);
        }
    }

    #[cold]
    #[inline(never)]
    fn record_eviction_while_growing(&self, clusters: &ZeroedPages<Cluster>) {
        let Counter {
            evictions,
            is_growing,
        } = &self.counter;
        evictions.fetch_add(1, Ordering::Relaxed);
        if !self.is_split_due() || is_growing.swap(true, Ordering::Acquire) {
            return;
        }
        // Another thread may have split pairs since: all conditions are checked again.
        let part = self.part();
        let (whole, step) = (self.first << part.level, self.step());
        let is_there = 2 * (part.pairs + step) <= clusters.supplied();
        if self.is_split_due() && part.pairs < self.last && is_there {
            let start = part.pairs - whole;
            for pair in start..start + step {
                split_pair(clusters, pair, pair + whole, part.level);
            }
            let pairs = part.pairs + step;
            let level = part.level + u32::from(pairs == 2 * whole);
            self.set_part(Part { pairs, level });
        }
        is_growing.store(false, Ordering::Release);
    }

    fn is_split_due(&self) -> bool {
        self.counter.evictions.load(Ordering::Relaxed) * PAIRS_PER_EVICTION >= self.step()
    }

    /// Number of pairs that the next step splits.
    fn step(&self) -> usize {
        let part = self.part();
        let whole = self.first << part.level;
        (whole / STEPS)
            .clamp(SMALLEST_STEP, LARGEST_STEP)
            .min(2 * whole - part.pairs)
    }

    #[inline(always)]
    fn part(&self) -> Part {
        Part::unpack(self.part.load(Ordering::Relaxed))
    }

    fn set_part(&self, part: Part) {
        self.part.store(part.pack(), Ordering::Relaxed);
        self.counter.evictions.store(0, Ordering::Relaxed);
    }
}

/// The bits of a key that choose the half at each split, the first split lowest.
#[inline(always)]
const fn split_bits(key: u64) -> u64 {
    key >> 1
}

/// Splits a pair: moves the entries of the new half to `to`, which is empty.
fn split_pair(clusters: &[Cluster], from: usize, to: usize, level: u32) {
    for side in 0..2 {
        let (source, target) = (&clusters[2 * from + side], &clusters[2 * to + side]);
        for (source, target) in source.0.iter().zip(&target.0) {
            let (check, data) = (source.check(), source.data());
            if split_bits(check ^ data) >> level & 1 != 0 {
                target.store(check, data);
                source.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::{Growth, split_bits};

    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn every_pair_of_the_part_is_reached_and_no_other() {
        let growth = Growth::between(3, 4);
        for level in 0..4 {
            let whole = 3 << level;
            for pairs in whole..=2 * whole {
                let part = super::Part { pairs, level };
                growth.part.store(part.pack(), Ordering::Relaxed);
                let mut seen = vec![false; pairs];
                for number in 0..5000 {
                    seen[growth.pair_of(key(number))] = true;
                }
                assert!(seen.into_iter().all(|seen| seen), "{pairs} pairs");
            }
        }
    }

    #[test]
    fn a_key_stays_in_its_pair_until_that_is_divided() {
        let growth = Growth::between(5, 3);
        let keys = || (0..2000).map(key);
        let pairs = || keys().map(|key| growth.pair_of(key)).collect::<Vec<_>>();
        for level in 0..3 {
            let whole = 5 << level;
            for start in 0..whole {
                let before = pairs();
                let part = super::Part {
                    pairs: whole + start + 1,
                    level,
                };
                growth.part.store(part.pack(), Ordering::Relaxed);
                for ((key, before), after) in keys().zip(before).zip(pairs()) {
                    let moves = before == start && split_bits(key) >> level & 1 != 0;
                    assert_eq!(after, if moves { start + whole } else { before });
                }
            }
        }
    }

    #[test]
    fn parts_begin_small_and_end_with_the_table() {
        for megabytes in [1, 2, 3, 64, 1000, 12_000, 1 << 20] {
            let pairs = megabytes * 8192;
            let growth = Growth::new(pairs);
            assert_eq!(growth.last(), pairs, "{megabytes} MB");
            assert!((8192..16384).contains(&growth.pairs()), "{megabytes} MB");
        }
        let smallest = Growth::new(1);
        assert_eq!((smallest.pairs(), smallest.last()), (1, 1));
    }
}
