//! How the table becomes larger while a problem is solved.
//!
//! Most problems are small, and fresh memory is dear: the system must find and zero it, and a search at random places of
//! a large table meets a new page with almost every node. So each problem begins with a part that fits into the caches, and
//! the part doubles when entries begin to push each other out.
//!
//! A cluster is found by the upper bits of the key, so the entries of cluster `i` go to `2 i` and `2 i + 1`. Going from the
//! last cluster to the first, nothing is written over that was not moved before. Other threads go on meanwhile:
//! what they look for or store in these moments may be lost, and what they find is right, for each slot proves its key.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Cluster, SLOTS, Slot, Words};

/// 1 MB.
const FIRST_CLUSTERS: usize = 4096;
/// The part doubles when it has lost an entry for every so many clusters.
const CLUSTERS_PER_LOSS: usize = 8;

/// The part of the table in use.
pub(super) struct Growth {
    part: AtomicUsize,
    widest: AtomicUsize,
    losses: AtomicUsize,
    is_growing: AtomicBool,
}

impl Growth {
    /// The first part of a table of so many clusters.
    pub(super) fn new(clusters: usize) -> Self {
        Self {
            part: AtomicUsize::new(first_part(clusters)),
            widest: AtomicUsize::new(first_part(clusters)),
            losses: AtomicUsize::new(0),
            is_growing: AtomicBool::new(false),
        }
    }

    /// How many clusters are in use.
    pub(super) fn part(&self) -> usize {
        self.part.load(Ordering::Relaxed)
    }

    /// How many clusters were ever in use; the others are empty.
    pub(super) fn widest(&self) -> usize {
        self.widest.load(Ordering::Relaxed)
    }

    /// Back to the first part. No search may be running.
    pub(super) fn begin_anew(&self, clusters: usize) {
        self.set_part(first_part(clusters));
    }

    /// An entry of the running problem was written over.
    #[cold]
    pub(super) fn note_loss(&self, clusters: &[Cluster], generation: u8) {
        let losses = self.losses.fetch_add(1, Ordering::Relaxed) + 1;
        let is_time = losses >= self.part() / CLUSTERS_PER_LOSS && self.part() < clusters.len();
        if !is_time || self.is_growing.swap(true, Ordering::Acquire) {
            return;
        }
        // Another thread may have been here in between: only what holds now counts.
        let part = self.part();
        if self.losses.load(Ordering::Relaxed) >= part / CLUSTERS_PER_LOSS && part < clusters.len()
        {
            double(clusters, part, generation);
            self.set_part(2 * part);
        }
        self.is_growing.store(false, Ordering::Release);
    }

    fn set_part(&self, part: usize) {
        self.part.store(part, Ordering::Relaxed);
        self.widest.fetch_max(part, Ordering::Relaxed);
        self.losses.store(0, Ordering::Relaxed);
    }
}

/// The cluster of a key among so many.
pub(super) fn cluster_of(key: u64, clusters: usize) -> usize {
    let wide = u128::from(key) * clusters as u128;
    (wide >> 64) as usize
}

/// Halves of halves, as long as they are whole.
fn first_part(clusters: usize) -> usize {
    let mut part = clusters;
    while part.is_multiple_of(2) && part / 2 >= FIRST_CLUSTERS {
        part /= 2;
    }
    part
}

fn double(clusters: &[Cluster], part: usize, generation: u8) {
    for index in (0..part).rev() {
        let slots = clusters[index].0.each_ref().map(Slot::load);
        for (place, cluster) in clusters[2 * index..][..2].iter().enumerate() {
            let mut moved = [(0, Words([0; 3])); SLOTS];
            let belonging = slots.iter().filter(|(key, words)| {
                let target = cluster_of(*key, 2 * part);
                words.generation() == generation && target == 2 * index + place
            });
            for (target, source) in moved.iter_mut().zip(belonging) {
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
    use super::super::{Entry, Table};
    use super::FIRST_CLUSTERS;
    use crate::mate::outlook::{NO_HORIZON, NO_LIMIT, Outlook};
    use crate::types::Hand;

    fn entry(amount: u32) -> Entry {
        Entry {
            outlook: Outlook::refuted(Hand::EMPTY, NO_HORIZON),
            amount,
            limit: NO_LIMIT,
            depth: 1,
            mv: None,
            loops: false,
        }
    }

    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn found(table: &Table, number: u64) -> Option<u32> {
        let entry = table.look_up(key(number), Hand::EMPTY, NO_LIMIT)?;
        Some(entry.amount)
    }

    #[test]
    fn what_does_not_fit_into_the_first_part_is_kept_as_long_as_there_is_more() {
        let table = Table::new(8);
        table.new_problem();
        assert_eq!(table.growth.part(), FIRST_CLUSTERS);
        // More than 1 MB holds, and half of what 8 MB hold.
        let stored = 100_000;
        for number in 1..=stored {
            table.store(key(number), &entry(number as u32));
        }
        assert_eq!(table.growth.part(), 4 * FIRST_CLUSTERS);
        let kept = (1..=stored).filter(|&number| found(&table, number) == Some(number as u32));
        let kept = kept.count();
        assert!(kept > 95_000, "{kept} of {stored} are still there");

        table.new_problem();
        assert_eq!(table.growth.part(), FIRST_CLUSTERS);
        assert_eq!(table.growth.widest(), 4 * FIRST_CLUSTERS);
    }

    #[test]
    fn a_full_table_keeps_the_most_work() {
        let table = Table::new(1);
        table.new_problem();
        for number in 1..=200_000 {
            table.store(key(number), &entry(number as u32 % 1000));
        }
        assert_eq!(table.growth.part(), FIRST_CLUSTERS);
        let share = |amounts: std::ops::Range<u64>| {
            let numbers = (1..=200_000).filter(|number| amounts.contains(&(number % 1000)));
            numbers
                .filter(|&number| found(&table, number).is_some())
                .count()
        };
        assert!(share(900..1000) > 10 * share(0..100));
    }
}
