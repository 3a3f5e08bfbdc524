//! Virtual costs: threads raise the cost of the nodes that they search, so that the others spread
//! over the tree (Kaneko 2010, "Parallel depth first proof number search").

use std::sync::atomic::{AtomicU8, Ordering};

use crate::types::Hand;

const SLOTS: usize = 1 << 16;

/// The number of threads below each position, by 16 hashed bits of board key and hand. A collision
/// only makes a position look busier than it is.
pub(super) struct VirtualCosts(Box<[AtomicU8]>);

impl VirtualCosts {
    pub(super) fn new() -> Self {
        Self((0..SLOTS).map(|_| AtomicU8::new(0)).collect())
    }

    /// A thread begins to search below a position.
    pub(super) fn enter(&self, key: u64, hand: Hand) {
        self.slot(key, hand).fetch_add(1, Ordering::Relaxed);
    }

    /// A thread has left a position that it entered.
    pub(super) fn leave(&self, key: u64, hand: Hand) {
        self.slot(key, hand).fetch_sub(1, Ordering::Relaxed);
    }

    /// How many threads are below a position.
    pub(super) fn threads(&self, key: u64, hand: Hand) -> u32 {
        self.slot(key, hand).load(Ordering::Relaxed).into()
    }

    fn slot(&self, key: u64, hand: Hand) -> &AtomicU8 {
        let mixed = (key ^ u64::from(hand.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(mixed >> 48) as usize % SLOTS]
    }
}
