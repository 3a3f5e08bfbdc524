//! Which positions the threads of a search are busy with, so that they spread over the tree (virtual costs: Kaneko 2010).

use std::sync::atomic::{AtomicU8, Ordering};

use crate::types::Hand;

const SLOTS: usize = 1 << 16;

/// How many threads are below each position, by some bits of its key: a collision makes a position look busier than it is.
pub(super) struct Crowd(Box<[AtomicU8]>);

impl Crowd {
    pub(super) fn new() -> Self {
        Self((0..SLOTS).map(|_| AtomicU8::new(0)).collect())
    }

    pub(super) fn join(&self, key: u64, hand: Hand) {
        self.slot(key, hand).fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn leave(&self, key: u64, hand: Hand) {
        self.slot(key, hand).fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn size(&self, key: u64, hand: Hand) -> u32 {
        self.slot(key, hand).load(Ordering::Relaxed).into()
    }

    fn slot(&self, key: u64, hand: Hand) -> &AtomicU8 {
        let mixed = (key ^ u64::from(hand.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(mixed >> 48) as usize % SLOTS]
    }
}
