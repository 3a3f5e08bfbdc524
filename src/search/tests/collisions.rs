//! Test double for key collisions: keys are reduced to so few bits that most entries found belong
//! to other positions. Counts how many do.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::types::Key64;

/// The owners of all entries, and counters over one or more searches.
#[derive(Debug)]
pub(in crate::search) struct Collisions {
    bits: u32,
    /// The key of the position whose entry was stored last, by folded key.
    owners: Box<[AtomicU64]>,
    found: AtomicU64,
    foreign: AtomicU64,
}

impl Collisions {
    /// Keeps `bits` bits of each key, from 1 to 20, and the side to move.
    pub(in crate::search) fn new(bits: u32) -> Self {
        assert!((1..=20).contains(&bits));
        Self {
            bits,
            owners: (0..2 << bits).map(|_| AtomicU64::new(0)).collect(),
            found: AtomicU64::new(0),
            foreign: AtomicU64::new(0),
        }
    }

    /// The reduced key under which the table knows a position. The bits are put at both ends of the
    /// word, because the table takes the index from one end and checks the whole key.
    pub(in crate::search) fn fold(&self, key: Key64) -> Key64 {
        self.key_of(self.number(key))
    }

    /// All reduced keys.
    pub(in crate::search) fn keys(&self) -> impl Iterator<Item = Key64> {
        (0..self.owners.len()).map(|number| self.key_of(number))
    }

    fn number(&self, key: Key64) -> usize {
        key.low64() as usize % self.owners.len()
    }

    fn key_of(&self, number: usize) -> Key64 {
        let (number, side) = (number as u64 >> 1, number as u64 & 1);
        Key64::from_low64(number << (u64::BITS - self.bits) | number << 1 | side)
    }

    /// Records that an entry of the position `key` was stored.
    pub(in crate::search) fn stored(&self, key: Key64) {
        self.owners[self.number(key)].store(key.low64(), Ordering::Relaxed);
    }

    /// Records that an entry was found for the position `key`.
    pub(in crate::search) fn found(&self, key: Key64) {
        let owner = self.owners[self.number(key)].load(Ordering::Relaxed);
        self.found.fetch_add(1, Ordering::Relaxed);
        if owner != key.low64() {
            self.foreign.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The number of entries found, and how many of them belonged to other positions.
    pub(in crate::search) fn counts(&self) -> (u64, u64) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (read(&self.found), read(&self.foreign))
    }
}
