//! For tests only: a table that knows positions by so few bits of their keys that most entries it finds belong to other
//! positions. It also keeps account of whose entries they are.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::types::Key64;

/// The account of one search or several.
#[derive(Debug)]
pub(super) struct Collisions {
    bits: u32,
    /// The key of the position whose entry was written last, by folded key.
    owners: Box<[AtomicU64]>,
    found: AtomicU64,
    foreign: AtomicU64,
}

impl Collisions {
    /// Keys keep `bits` bits, at most 20, and the side to move.
    pub(super) fn new(bits: u32) -> Self {
        assert!((1..=20).contains(&bits));
        Self {
            bits,
            owners: (0..2 << bits).map(|_| AtomicU64::new(0)).collect(),
            found: AtomicU64::new(0),
            foreign: AtomicU64::new(0),
        }
    }

    /// The key under which the table knows a position. The bits stand at both ends, so that whatever part of a key
    /// chooses the place or is checked there, no more of it is known than these.
    pub(super) fn fold(&self, key: Key64) -> Key64 {
        self.key_of(self.number(key))
    }

    /// All keys there are.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key64> {
        (0..self.owners.len()).map(|number| self.key_of(number))
    }

    fn number(&self, key: Key64) -> usize {
        key.low64() as usize % self.owners.len()
    }

    fn key_of(&self, number: usize) -> Key64 {
        let (number, side) = (number as u64 >> 1, number as u64 & 1);
        Key64::from_low64(number << (u64::BITS - self.bits) | number << 1 | side)
    }

    /// An entry of the position `key` was written.
    pub(super) fn stored(&self, key: Key64) {
        self.owners[self.number(key)].store(key.low64(), Ordering::Relaxed);
    }

    /// An entry was found for the position `key`.
    pub(super) fn found(&self, key: Key64) {
        let owner = self.owners[self.number(key)].load(Ordering::Relaxed);
        self.found.fetch_add(1, Ordering::Relaxed);
        if owner != key.low64() {
            self.foreign.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many entries were found, and how many of them were another position's.
    pub(super) fn counts(&self) -> (u64, u64) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (read(&self.found), read(&self.foreign))
    }
}
