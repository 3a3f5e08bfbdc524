//! Perft's table of leaf counts by position and depth.
//!
//! The depth is part of what must match, because one position has a count for each depth. The table
//! never exceeds the requested size, to the byte, so that a size near the free memory cannot
//! exhaust it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::types::Key;
use crate::util::fits_into_memory;

const DEPTH_BITS: u32 = 8;
/// Largest count that is stored.
const MAX_LEAVES: u64 = u64::MAX >> DEPTH_BITS;
const MB: usize = 1 << 20;

/// Slots of `LANES` + 1 words: the lanes of the key, each xored with the data, and the data. A slot
/// that two threads wrote at the same time fails the comparison of the key.
pub(super) struct Table<const LANES: usize> {
    words: Box<[AtomicU64]>,
}

impl<const LANES: usize> Table<LANES> {
    const SLOT_WORDS: usize = LANES + 1;
    const PAIR_WORDS: usize = 2 * Self::SLOT_WORDS;

    /// A table of at most `mb` · 2^20 bytes; `None` where they cannot be had.
    pub(super) fn new(mb: usize) -> Option<Self> {
        if !fits_into_memory(mb) {
            return None;
        }
        let pairs = mb.checked_mul(MB)? / (Self::PAIR_WORDS * size_of::<AtomicU64>());
        let words = bytemuck::allocation::try_zeroed_slice_box(pairs * Self::PAIR_WORDS).ok()?;
        Some(Self { words })
    }

    pub(super) fn probe(&self, key: Key<LANES>, depth: u32) -> Option<u64> {
        self.pair(key, depth)
            .chunks_exact(Self::SLOT_WORDS)
            .find_map(|slot| {
                let data = slot[LANES].load(Ordering::Relaxed);
                let lanes = key.lanes();
                let is_hit = data >> (u64::BITS - DEPTH_BITS) == u64::from(depth)
                    && (0..LANES)
                        .all(|lane| slot[lane].load(Ordering::Relaxed) ^ data == lanes[lane]);
                is_hit.then_some(data & MAX_LEAVES)
            })
    }

    /// Keeps the deeper count in the first slot of the pair and the newer one in the second.
    pub(super) fn store(&self, key: Key<LANES>, depth: u32, leaves: u64) {
        if leaves > MAX_LEAVES || depth >= 1 << DEPTH_BITS {
            return;
        }
        let pair = self.pair(key, depth);
        let first_depth = pair[LANES].load(Ordering::Relaxed) >> (u64::BITS - DEPTH_BITS);
        let start = if u64::from(depth) >= first_depth {
            0
        } else {
            Self::SLOT_WORDS
        };
        let slot = &pair[start..start + Self::SLOT_WORDS];
        let data = u64::from(depth) << (u64::BITS - DEPTH_BITS) | leaves;
        for (word, lane) in slot.iter().zip(key.lanes()) {
            word.store(lane ^ data, Ordering::Relaxed);
        }
        slot[LANES].store(data, Ordering::Relaxed);
    }

    fn pair(&self, key: Key<LANES>, depth: u32) -> &[AtomicU64] {
        // Mixes in the depth; the upper bits select the pair.
        let mixed = (key.low64() ^ u64::from(depth)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let pairs = (self.words.len() / Self::PAIR_WORDS) as u128;
        let start = ((u128::from(mixed) * pairs) >> 64) as usize * Self::PAIR_WORDS;
        &self.words[start..start + Self::PAIR_WORDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn depth_is_part_of_the_key() {
        let table = Table::<2>::new(1).unwrap();
        let key = Position::startpos().board().key();
        table.store(key, 3, 25_470);
        assert_eq!(table.probe(key, 3), Some(25_470));
        assert_eq!(table.probe(key, 2), None);
        assert_eq!(table.probe(key.flipped(), 3), None);
    }

    #[test]
    fn size_never_exceeds_what_was_asked() {
        for mb in [1, 3, 7] {
            let table = Table::<4>::new(mb).unwrap();
            let bytes = size_of_val(&*table.words);
            assert!(bytes <= mb * MB && bytes > (mb - 1) * MB);
        }
        assert!(Table::<1>::new(usize::MAX).is_none());
    }
}
