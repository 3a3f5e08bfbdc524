//! The order of visits to training positions, and the reading of those that do not fit into memory.
//!
//! Visits go from window to window. Within a window, all positions are visited once in a random
//! order. Where all positions are in memory, they are the window, again and again in another order.
//! Otherwise a window consists of blocks chosen at random from all files, and while it is visited
//! the blocks of the next one are read, a share with each batch. A group of files goes through all
//! its blocks once, in a random order, before it begins again in another order.
//!
//! The order depends on the seed and the data only, not on the number of threads, and can be
//! resumed at any [`Place`].

use std::ops::Range;

use anyhow::{Result, ensure};
use bytemuck::Zeroable as _;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::data::{Block, BlockGroup, Data};
use super::sample::Sample;
use crate::util::mixed;

/// Samples that one thread copies at a time.
const COPIED: usize = 2048;

/// Most invalid records that are kept for a report.
const FAULTS_KEPT: usize = 10;

/// A window may hold this part more positions than it should, before its memory has to grow.
const SPARE: usize = 16;

/// A place in the order of visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Place {
    /// Number of the window.
    window: u64,
    /// Number of visits within the window.
    visits: usize,
}

/// The positions of a run in the order of their visits.
pub(super) struct Stream<'a> {
    data: &'a Data,
    seed: u64,
    place: Place,
    /// Blocks of a window.
    blocks: u64,
    /// The blocks that follow on those in `next`.
    sequence: Sequence<'a>,
    /// The positions of the window, once it is read; not used where [`Data::training`] has them.
    window: Option<Vec<Sample>>,
    /// Those of the next window, as far as they are read.
    next: Vec<Sample>,
    /// Number of blocks in `next`.
    blocks_read: u64,
    /// Consecutive windows without any position.
    empty_windows: u64,
    faults: Vec<String>,
    fault_count: u64,
}

impl<'a> Stream<'a> {
    /// The order with this seed from a place on. Nothing is read yet.
    pub(super) fn at(data: &'a Data, seed: u64, place: Place) -> Self {
        let mut sequence = Sequence::new(&data.streams, seed);
        let blocks = sequence.blocks_of(data.source.buffer);
        if data.is_streamed() {
            sequence.skip(place.window.saturating_mul(blocks));
        }
        Self {
            data,
            seed,
            place,
            blocks,
            sequence,
            window: None,
            next: Vec::new(),
            blocks_read: 0,
            empty_windows: 0,
            faults: Vec::new(),
            fault_count: 0,
        }
    }

    /// The place of the next visit.
    pub(super) const fn place(&self) -> Place {
        self.place
    }

    /// The number of invalid records that were found since the last call, and the first of them.
    /// Each is reported once, however often its block is read.
    pub(super) fn take_faults(&mut self) -> (u64, Vec<String>) {
        let count = std::mem::take(&mut self.fault_count);
        (count, std::mem::take(&mut self.faults))
    }

    /// Replaces `samples` by the positions of the next `count` visits, in parallel on the rayon
    /// pool of the caller.
    ///
    /// # Errors
    /// A file cannot be read, or no block has a position.
    pub(super) fn take(&mut self, samples: &mut Vec<Sample>, count: usize) -> Result<()> {
        samples.clear();
        samples.resize(count, Sample::zeroed());
        let mut rest = &mut samples[..];
        while !rest.is_empty() {
            self.read_window()?;
            let Place { window, visits } = self.place;
            let positions = self.positions();
            let length = rest.len().min(positions.len().saturating_sub(visits));
            let (now, later) = rest.split_at_mut(length);
            let order = Order::new(positions.len(), self.seed);
            let first = window * positions.len() as u64 + visits as u64;
            let parts = now.par_chunks_mut(COPIED).enumerate();
            parts.for_each(|(number, part)| {
                let first = first + (number * COPIED) as u64;
                let visits = order.of(first..first + part.len() as u64);
                for (sample, index) in part.iter_mut().zip(visits) {
                    *sample = positions[index];
                }
            });
            rest = later;
            self.place.visits += length;
            if self.place.visits >= self.positions().len() {
                self.end_window()?;
            }
        }
        self.read_ahead()
    }

    /// The positions of the window.
    fn positions(&self) -> &[Sample] {
        if self.data.is_streamed() {
            self.window.as_deref().unwrap_or_default()
        } else {
            &self.data.training
        }
    }

    /// Completes the window that is to be visited now.
    fn read_window(&mut self) -> Result<()> {
        if self.window.is_none() && self.data.is_streamed() {
            self.read_up_to(self.blocks)?;
            self.window = Some(std::mem::take(&mut self.next));
            self.blocks_read = 0;
        }
        Ok(())
    }

    /// Goes on to the next window.
    fn end_window(&mut self) -> Result<()> {
        self.place = Place { window: self.place.window + 1, visits: 0 };
        if !self.data.is_streamed() {
            return Ok(());
        }
        self.read_up_to(self.blocks)?;
        let mut window = self.window.take().unwrap_or_default();
        let is_empty = window.is_empty();
        self.empty_windows = if is_empty { self.empty_windows + 1 } else { 0 };
        // Otherwise the files have changed since they were opened.
        ensure!(self.empty_windows <= self.sequence.blocks(), "no position to learn from is left");
        window.clear();
        // The memory of the old window is that of the one after the next.
        self.window = Some(std::mem::replace(&mut self.next, window));
        self.blocks_read = 0;
        Ok(())
    }

    /// Reads as much of the next window as was visited of this one.
    fn read_ahead(&mut self) -> Result<()> {
        let Some(window) = self.window.as_ref().filter(|window| !window.is_empty()) else {
            return Ok(());
        };
        let due = self.blocks * self.place.visits as u64 / window.len() as u64;
        self.read_up_to(due)
    }

    /// Reads the next window up to this number of blocks.
    fn read_up_to(&mut self, blocks: u64) -> Result<()> {
        let blocks: Vec<(&Block, bool)> =
            (self.blocks_read..blocks).map_while(|_| self.sequence.next()).collect();
        let read = |(block, _): &(&Block, bool)| self.data.read(block);
        let parts: Vec<Result<Data>> = blocks.par_iter().map(read).collect();
        if self.next.capacity() == 0 {
            self.next.reserve_exact(self.data.source.buffer + self.data.source.buffer / SPARE);
        }
        for (part, (_, is_first)) in parts.into_iter().zip(&blocks) {
            let mut part = part?;
            self.next.append(&mut part.training);
            self.blocks_read += 1;
            if *is_first {
                self.fault_count += part.fault_count;
                let free = FAULTS_KEPT.saturating_sub(self.faults.len());
                self.faults.extend(part.faults.into_iter().take(free));
            }
        }
        Ok(())
    }
}

/// The endless sequence of blocks.
struct Sequence<'a> {
    groups: &'a [BlockGroup],
    seed: u64,
    /// Blocks taken of each group.
    taken: Vec<u64>,
}

impl<'a> Sequence<'a> {
    fn new(groups: &'a [BlockGroup], seed: u64) -> Self {
        let taken = vec![0; groups.len()];
        Self { groups, seed, taken }
    }

    /// Number of different blocks.
    fn blocks(&self) -> u64 {
        let groups = self.groups.iter();
        groups.map(|group| group.blocks.len() as u64).sum()
    }

    /// The number of consecutive blocks, at least 1, that hold about this number of positions.
    fn blocks_of(&self, positions: usize) -> u64 {
        // A group gets blocks in proportion to its parts divided by the positions of a block.
        let parts: f64 = self.groups.iter().map(|group| group.parts).sum();
        let groups = self.groups.iter();
        let blocks: f64 = groups.map(|group| group.parts / group.positions).sum();
        ((positions as f64 * blocks / parts) as u64).max(1)
    }

    /// The group that is furthest behind its share; `None` if there is none.
    fn next_group(&self) -> Option<usize> {
        let due = |group: usize| {
            let BlockGroup { positions, parts, .. } = self.groups[group];
            (self.taken[group] as f64 + 0.5) * positions / parts
        };
        (0..self.groups.len()).min_by(|&one, &other| due(one).total_cmp(&due(other)))
    }

    fn skip(&mut self, blocks: u64) {
        if let [taken] = &mut self.taken[..] {
            *taken += blocks;
            return;
        }
        for _ in 0..blocks {
            if let Some(group) = self.next_group() {
                self.taken[group] += 1;
            }
        }
    }

    /// The next block, and whether it was not taken before.
    fn next(&mut self) -> Option<(&'a Block, bool)> {
        let group = self.next_group()?;
        let blocks = &self.groups[group].blocks;
        let number = self.taken[group];
        self.taken[group] += 1;
        let order = Order::new(blocks.len(), mixed(self.seed ^ mixed(group as u64)));
        let index = order.of(number..number + 1).next()?;
        Some((&blocks[index], number < blocks.len() as u64))
    }
}

/// Feistel rounds; four make the order look random.
const ROUNDS: usize = 4;

/// The order of all visits: each epoch visits all positions once, in its own random order.
///
/// The order is computed instead of stored: a Feistel network permutes the numbers up to the next
/// power of 4, and results that are too large are permuted again until they are in range (cycle
/// walking). So a run can be resumed at any visit by its number alone.
#[derive(Clone, Copy, Debug)]
struct Order {
    count: u64,
    half_bits: u32,
    seed: u64,
}

impl Order {
    /// The order of `count` positions; 0 is taken as 1.
    fn new(count: usize, seed: u64) -> Self {
        let count = (count as u64).max(1);
        let bits = u64::BITS - (count - 1).leading_zeros();
        Self { count, half_bits: bits.div_ceil(2), seed }
    }

    /// The indices of the positions of these visits.
    fn of(self, visits: Range<u64>) -> impl Iterator<Item = usize> {
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
