//! How the table comes into use little by little.
//!
//! A search that meets its entries at random places of a large table waits for almost each of them: the caches do not hold
//! them, and neither are the addresses of so many pages known. A short search fills a small part of a table of gigabytes; so
//! only a part is in use, at first one that fits into the caches, and it grows as entries push each other out.
//!
//! It grows by linear hashing (Litwin, "Linear hashing: a new tool for file and table addressing", 1980): pairs of clusters
//! are divided one after the other, and what belongs to the new half of each is moved there. Nothing is ever moved as a
//! whole, so no search stands still, and a search goes on while another thread divides: what it looks for or stores in
//! this very moment in this very pair may be lost; what it finds is right, for each slot proves its key.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::util::ZeroedPages;

use super::cluster::Cluster;

/// One megabyte: so many pairs are in use from the start, up to twice as many where the table is no power of two.
const FIRST_PAIRS: usize = 8192;
/// So many pairs are divided for each entry that was pushed out. Then a third of the slots are taken while the table grows,
/// and one new entry in twenty pushes another out.
const PAIRS_PER_LOSS: usize = 8;
/// The part is divided in so many steps, as long as they are neither too small to pay nor so large that one takes a
/// noticeable time (a third of a millisecond).
const STEPS: usize = 128;
const SMALLEST_STEP: usize = 16;
const LARGEST_STEP: usize = 4096;

/// The pairs of clusters in use.
pub(super) struct Growth {
    /// A [`Part`] in one word, read by all and written rarely.
    part: AtomicU64,
    /// Pairs in use at the start.
    first: usize,
    /// Pairs in all.
    last: usize,
    counter: Counter,
}

/// Written often while the table grows, so it has a cache line of its own.
#[repr(align(64))]
struct Counter {
    losses: AtomicUsize,
    is_growing: AtomicBool,
}

/// A part of the table.
#[derive(Clone, Copy)]
struct Part {
    /// From the first on.
    pairs: usize,
    /// How often the first part has been doubled as a whole.
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
    /// For a table of so many pairs; of more than 32 GB a few may stay unused.
    pub(super) fn new(pairs: usize) -> Self {
        let doublings = (pairs / FIRST_PAIRS).checked_ilog2().unwrap_or(0);
        Self::between(pairs >> doublings, doublings)
    }

    /// From `first` pairs to those of so many doublings.
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
                losses: AtomicUsize::new(0),
                is_growing: AtomicBool::new(false),
            },
        }
    }

    /// How many pairs are in use.
    pub(super) fn pairs(&self) -> usize {
        self.part().pairs
    }

    /// How many there are in all.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// Back to the first part. No search may be running, and the whole part must be empty.
    pub(super) fn begin_anew(&self) {
        let part = Part {
            pairs: self.first,
            level: 0,
        };
        self.set_part(part);
    }

    /// The pair of a key: its upper bits say which of the first part, its lower ones, but for the side to move, which of
    /// those that this has been divided into.
    #[inline(always)]
    pub(super) fn pair_of(&self, key: u64) -> usize {
        let part = self.part();
        let of_first = (u128::from(key) * self.first as u128) >> u64::BITS;
        let division = division_of(key) & ((2 << part.level) - 1);
        let pair = of_first as usize + self.first * division as usize;
        if pair < part.pairs {
            pair
        } else {
            // Not yet divided.
            pair - (self.first << part.level)
        }
    }

    /// An entry that could still have been of use was written over.
    #[inline(always)]
    pub(super) fn note_loss(&self, clusters: &ZeroedPages<Cluster>) {
        if self.pairs() < self.last {
            self.note_loss_while_growing(clusters);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_loss_while_growing(&self, clusters: &ZeroedPages<Cluster>) {
        let Counter { losses, is_growing } = &self.counter;
        losses.fetch_add(1, Ordering::Relaxed);
        if !self.is_time() || is_growing.swap(true, Ordering::Acquire) {
            return;
        }
        // Another thread may have been here in between: only what holds now counts.
        let part = self.part();
        let (whole, step) = (self.first << part.level, self.step());
        let is_there = 2 * (part.pairs + step) <= clusters.supplied();
        if self.is_time() && part.pairs < self.last && is_there {
            let start = part.pairs - whole;
            for pair in start..start + step {
                divide(clusters, pair, pair + whole, part.level);
            }
            let pairs = part.pairs + step;
            let level = part.level + u32::from(pairs == 2 * whole);
            self.set_part(Part { pairs, level });
        }
        is_growing.store(false, Ordering::Release);
    }

    fn is_time(&self) -> bool {
        self.counter.losses.load(Ordering::Relaxed) * PAIRS_PER_LOSS >= self.step()
    }

    /// How many pairs are divided next.
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
        self.counter.losses.store(0, Ordering::Relaxed);
    }
}

/// The bits of a key that say where it goes when its pair is divided, the first division lowest.
#[inline(always)]
const fn division_of(key: u64) -> u64 {
    key >> 1
}

/// Moves what belongs there from one pair to another, an empty one.
fn divide(clusters: &[Cluster], from: usize, to: usize, level: u32) {
    for side in 0..2 {
        let (source, target) = (&clusters[2 * from + side], &clusters[2 * to + side]);
        for (source, target) in source.0.iter().zip(&target.0) {
            let (check, data) = (source.check(), source.data());
            if division_of(check ^ data) >> level & 1 != 0 {
                target.store(check, data);
                source.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::{Growth, division_of};

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
                    let moves = before == start && division_of(key) >> level & 1 != 0;
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
