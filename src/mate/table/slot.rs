//! Entries packed into slots of four atomic words, and the clusters of slots.

use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Zeroable;

use super::super::entry::Entry;
use super::super::proof_numbers::{INFINITE, NO_LIMIT, NO_REPETITION, ProofNumbers};
use crate::types::{Hand, Move16};

/// Slots per cluster; a cluster takes 256 bytes.
pub(super) const SLOTS: usize = 8;
/// The last generation number; they are stored in 8 bits.
pub(super) const LAST_GENERATION: u8 = u8::MAX;

const HAS_PATH_DISPROOF: u64 = 1 << 56;
/// Flag of a slot whose key is that of a path instead of a board.
const IS_PATH_DISPROOF: u64 = 1 << 57;

const _: () = assert!(INFINITE < u32::MAX);

/// The words of a slot besides its key.
#[derive(Clone, Copy)]
pub(super) struct Words([u64; 3]);

impl Words {
    pub(super) const EMPTY: Self = Self([0; 3]);

    pub(super) fn of(entry: &Entry, generation: u8) -> Self {
        let numbers = &entry.numbers;
        let plies = if numbers.is_proven() {
            numbers.length
        } else {
            entry.limit
        };
        let flags = if entry.has_path_disproof {
            HAS_PATH_DISPROOF
        } else {
            0
        };
        Self([
            u64::from(numbers.hand.to_bits()) | u64::from(entry.subtree_size) << 32,
            u64::from(numbers.proof) | u64::from(numbers.disproof) << 32,
            u64::from(entry.mv.map_or(0, Move16::to_bits))
                | u64::from(plies) << 16
                | u64::from(entry.min_depth) << 32
                | u64::from(generation) << 48
                | flags,
        ])
    }

    /// The words of a disproof by repetition.
    pub(super) fn of_path_disproof(entry: &Entry, generation: u8) -> Self {
        let mut words = Self::of(entry, generation);
        words.0[2] |= IS_PATH_DISPROOF;
        words
    }

    /// Hash of the words. Rotated, so that changes of the same bit in two words do not cancel.
    fn mixed(self) -> u64 {
        self.0[0] ^ self.0[1].rotate_left(21) ^ self.0[2].rotate_left(43)
    }

    pub(super) fn entry(self) -> Entry {
        let Self([first, numbers, rest]) = self;
        let plies = (rest >> 16) as u16;
        let (proof, disproof) = (numbers as u32, (numbers >> 32) as u32);
        let is_proven = proof == 0;
        Entry {
            numbers: ProofNumbers {
                proof,
                disproof,
                hand: Hand::from_bits(first as u32),
                length: if is_proven { plies } else { 0 },
                repetition_start: NO_REPETITION,
            },
            subtree_size: self.subtree_size(),
            limit: if is_proven { NO_LIMIT } else { plies },
            min_depth: (rest >> 32) as u16,
            mv: Move16::from_bits(rest as u16),
            has_path_disproof: rest & HAS_PATH_DISPROOF != 0,
        }
    }

    pub(super) fn generation(self) -> u8 {
        (self.0[2] >> 48) as u8
    }

    pub(super) fn subtree_size(self) -> u32 {
        (self.0[0] >> 32) as u32
    }

    pub(super) fn is_path_disproof(self) -> bool {
        self.0[2] & IS_PATH_DISPROOF != 0
    }
}

/// Three words, and the key xored with their hash: a slot that two threads wrote at the same time
/// matches no key.
#[derive(Zeroable)]
#[repr(C)]
pub(super) struct Slot {
    check: AtomicU64,
    hand_and_size: AtomicU64,
    numbers: AtomicU64,
    rest: AtomicU64,
}

/// The slots among which an entry is looked up.
#[derive(Zeroable)]
#[repr(C, align(64))]
pub(super) struct Cluster(pub(super) [Slot; SLOTS]);

impl Slot {
    /// The stored key and words.
    pub(super) fn load(&self) -> (u64, Words) {
        let words = Words([
            self.hand_and_size.load(Ordering::Relaxed),
            self.numbers.load(Ordering::Relaxed),
            self.rest.load(Ordering::Relaxed),
        ]);
        (self.check.load(Ordering::Relaxed) ^ words.mixed(), words)
    }

    pub(super) fn store(&self, key: u64, words: Words) {
        self.check.store(key ^ words.mixed(), Ordering::Relaxed);
        self.hand_and_size.store(words.0[0], Ordering::Relaxed);
        self.numbers.store(words.0[1], Ordering::Relaxed);
        self.rest.store(words.0[2], Ordering::Relaxed);
    }

    pub(super) fn clear(&self) {
        self.store(0, Words::EMPTY);
    }
}
