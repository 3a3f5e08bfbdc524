//! The order of training positions: each epoch visits all of them once, in its own random order.
//!
//! The order is computed instead of stored: a Feistel network permutes the numbers up to the next
//! power of 4, and results that are too large are permuted again until they are in range (cycle
//! walking). So a run can be resumed at any visit by its number alone.

use std::ops::Range;

use crate::util::mixed;

/// Feistel rounds; four make the order look random.
const ROUNDS: usize = 4;

/// The order of all visits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    count: u64,
    half_bits: u32,
    seed: u64,
}

impl Order {
    /// The order of `count` positions; 0 is taken as 1.
    pub(super) fn new(count: usize, seed: u64) -> Self {
        let count = (count as u64).max(1);
        let bits = u64::BITS - (count - 1).leading_zeros();
        Self {
            count,
            half_bits: bits.div_ceil(2),
            seed,
        }
    }

    /// The indices of the positions of these visits.
    pub(super) fn of(self, visits: Range<u64>) -> impl Iterator<Item = usize> {
        let mut epoch = visits.start / self.count;
        let mut keys = self.keys(epoch);
        visits.map(move |visit| {
            if visit / self.count != epoch {
                epoch = visit / self.count;
                keys = self.keys(epoch);
            }
            self.permuted(visit % self.count, &keys) as usize
        })
    }

    /// The round keys of an epoch.
    fn keys(self, epoch: u64) -> [u64; ROUNDS] {
        let mut key = mixed(self.seed ^ mixed(epoch));
        [(); ROUNDS].map(|()| {
            key = mixed(key);
            key
        })
    }

    fn permuted(self, number: u64, keys: &[u64; ROUNDS]) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let mut number = number;
        loop {
            let (mut left, mut right) = (number >> self.half_bits, number & mask);
            for key in keys {
                (left, right) = (right, left ^ (mixed(right ^ key) & mask));
            }
            number = left << self.half_bits | right;
            if number < self.count {
                return number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_epoch_visits_everything_once_and_in_another_order() {
        for count in [1, 2, 5, 64, 65, 1000] {
            let order = Order::new(count, 7);
            let epochs = [0, 1, 2].map(|epoch| {
                let start = epoch * count as u64;
                let visits: Vec<usize> = order.of(start..start + count as u64).collect();
                let mut sorted = visits.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..count).collect::<Vec<_>>());
                visits
            });
            assert!(count < 64 || epochs[0] != epochs[1] && epochs[1] != epochs[2]);
        }
    }

    #[test]
    fn visits_can_be_asked_for_in_parts() {
        let order = Order::new(100, 3);
        let all: Vec<usize> = order.of(0..1000).collect();
        let parts: Vec<usize> = order.of(0..357).chain(order.of(357..1000)).collect();
        assert_eq!(all, parts);
        let other: Vec<usize> = Order::new(100, 4).of(0..1000).collect();
        assert_ne!(all, other);
    }
}
