//! Finds the node of a position by its 128-bit key.
//!
//! The table has 8 bytes for each of its slots: 32 bits of the key and the number of the node. A
//! move that leads out of the book, as most moves do, is seen with one access to memory, for which
//! the caller can ask in advance.

use crate::types::Key128;
use crate::util::prefetch;

/// A key, as [`Key128::lanes`] has it.
pub(super) type Lanes = [u64; 2];

/// Slots for each two keys.
const SLOTS_PER_TWO: usize = 3;

/// What a slot holds.
enum Slot {
    Empty,
    /// A node whose key has the same tag.
    Node(u32),
    /// A node with another key.
    Other,
}

/// Nodes by key.
pub(super) struct KeyTable {
    keys: Vec<Lanes>,
    /// Bits of the key in the upper half, the number of the node plus 1 in the lower; 0 if empty.
    slots: Vec<u64>,
}

impl KeyTable {
    /// The table of nodes with these keys, fewer than `u32::MAX`. Of equal keys the last counts.
    pub(super) fn new(keys: Vec<Lanes>) -> Self {
        let slots = vec![0; keys.len() * SLOTS_PER_TWO / 2 + 1];
        let mut table = Self { keys, slots };
        for node in 0..table.keys.len() {
            table.insert(node);
        }
        table
    }

    fn insert(&mut self, node: usize) {
        const AHEAD: usize = 16;
        if let Some(later) = self.keys.get(node + AHEAD) {
            self.prefetch(later[0]);
        }
        let key = self.keys[node];
        let mut slot = self.first_slot(key[0]);
        loop {
            match self.look(slot, key[0]) {
                Slot::Empty => break,
                Slot::Node(other) if self.keys[other as usize] == key => break,
                Slot::Node(_) | Slot::Other => slot = self.slot_after(slot),
            }
        }
        self.slots[slot] = tag(key[0]) | (node as u64 + 1);
    }

    /// Brings the slot of a key into the cache.
    pub(super) fn prefetch(&self, low: u64) {
        prefetch(&self.slots[self.first_slot(low)]);
    }

    /// The node of a key whose lower half is `low`. The `full` key is asked for only if that half
    /// has been seen.
    pub(super) fn find(&self, low: u64, full: impl FnOnce() -> Lanes) -> Option<u32> {
        let mut full = Some(full);
        let mut key = None;
        let mut slot = self.first_slot(low);
        loop {
            match self.look(slot, low) {
                Slot::Empty => return None,
                Slot::Node(node) => {
                    let key = *key.get_or_insert_with(|| full.take().map_or([0; 2], |full| full()));
                    if self.keys[node as usize] == key {
                        return Some(node);
                    }
                }
                Slot::Other => {}
            }
            slot = self.slot_after(slot);
        }
    }

    fn look(&self, slot: usize, low: u64) -> Slot {
        let content = self.slots[slot];
        if content == 0 {
            Slot::Empty
        } else if content >> 32 << 32 == tag(low) {
            Slot::Node(content as u32 - 1)
        } else {
            Slot::Other
        }
    }

    /// Depends on the upper bits of the key most, as the tag does on the lower.
    fn first_slot(&self, low: u64) -> usize {
        ((u128::from(low) * self.slots.len() as u128) >> 64) as usize
    }

    fn slot_after(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() {
            0
        } else {
            slot + 1
        }
    }
}

/// The bits of a key that a slot keeps, in the upper half.
const fn tag(low: u64) -> u64 {
    low << 32
}

/// The key as the table has it.
pub(super) const fn lanes(key: Key128) -> Lanes {
    key.lanes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_equal_keys_is_found_and_others_are_not() {
        // Keys that share slots, tags, or both.
        let mut keys: Vec<Lanes> = (0..100)
            .map(|index| [(index % 10) << 60 | 7, index])
            .collect();
        keys.push(keys[42]);
        let table = KeyTable::new(keys.clone());
        for (index, key) in keys.iter().enumerate() {
            let expected = if index == 42 { 100 } else { index as u32 };
            assert_eq!(table.find(key[0], || *key), Some(expected));
        }
        assert_eq!(table.find(7, || [7, 1000]), None);
        assert_eq!(KeyTable::new(Vec::new()).find(1, || [1, 1]), None);
    }
}
