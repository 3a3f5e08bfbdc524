//! The memory of the table: clusters of slots, read and written without locks, and the entries that
//! slots hold, packed into 64 bits.
//!
//! A slot is two atomic words, `key ^ data` and `data`. If two threads write a slot at the same
//! time, the words of different writes do not match any key, so a torn entry reads as a miss. Idea:
//! Hyatt and Mann, "A lock-less transposition table implementation for parallel search" (2002).

use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Zeroable;

use crate::types::{Bound, Depth, Move16, Value};

/// Slots per cluster: as many as fill a cache line.
pub(super) const SLOTS: usize = 4;

/// One entry; both words are zero where it is empty.
#[derive(Zeroable)]
#[repr(C)]
pub(super) struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// The slots in which the entry of a position can lie: one cache line.
#[derive(Zeroable)]
#[repr(C, align(64))]
pub(super) struct Cluster(pub(super) [Slot; SLOTS]);

const _: () = assert!(size_of::<Cluster>() == 64);

impl Cluster {
    pub(super) fn clear(&self) {
        self.0.iter().for_each(Slot::clear);
    }
}

impl Slot {
    /// The word `key ^ data`.
    #[inline]
    pub(super) fn check(&self) -> u64 {
        self.check.load(Ordering::Relaxed)
    }

    /// The word `data`, a packed entry.
    #[inline]
    pub(super) fn data(&self) -> u64 {
        self.data.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn store(&self, check: u64, data: u64) {
        self.check.store(check, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }

    pub(super) fn clear(&self) {
        self.store(0, 0);
    }

    /// Overwrites the packed entry alone, as a torn write does.
    #[cfg(test)]
    pub(super) fn tear(&self, data: u64) {
        self.data.store(data, Ordering::Relaxed);
    }
}

/// The result of a search of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best move, or the move that failed high; not proved legal.
    pub mv: Option<Move16>,
    /// Value with mates counted from the node, or [`NONE`](crate::types::value::NONE) where only
    /// the static evaluation is known, and that there is no mate in one.
    pub value: Value,
    /// Static evaluation without correction, or [`NONE`](crate::types::value::NONE).
    pub eval: Value,
    /// Depth of the search below the node, in plies from 0 to 255.
    pub depth: Depth,
    /// Whether the value is exact, a lower bound or an upper bound.
    pub bound: Bound,
    /// Whether the node was ever on a principal variation.
    pub is_pv: bool,
}

// Bit offsets in the data word; the move has the low 16 bits.
const VALUE_SHIFT: u32 = 16;
const EVAL_SHIFT: u32 = 32;
pub(super) const DEPTH_SHIFT: u32 = 48;
const BOUND_SHIFT: u32 = 56;
const PV_SHIFT: u32 = 58;
pub(super) const GENERATION_SHIFT: u32 = 59;
pub(super) const GENERATION_MASK: u8 = 0x1f;

impl Entry {
    /// The entry of a data word, `None` if the word is empty.
    #[inline]
    pub(super) fn unpack(data: u64) -> Option<Self> {
        let bound = Bound::from_bits((data >> BOUND_SHIFT) as u8)?;
        Some(Self {
            mv: Move16::from_bits(data as u16),
            value: Value::from((data >> VALUE_SHIFT) as i16),
            eval: Value::from((data >> EVAL_SHIFT) as i16),
            depth: Depth::from((data >> DEPTH_SHIFT) as u8),
            bound,
            is_pv: data >> PV_SHIFT & 1 != 0,
        })
    }

    #[inline]
    pub(super) fn pack(self, generation: u8) -> u64 {
        u64::from(self.mv.map_or(0, Move16::to_bits))
            | u64::from(self.value as u16) << VALUE_SHIFT
            | u64::from(self.eval as u16) << EVAL_SHIFT
            | u64::from(self.depth.clamp(0, Depth::from(u8::MAX)) as u8) << DEPTH_SHIFT
            | (self.bound as u64) << BOUND_SHIFT
            | u64::from(self.is_pv) << PV_SHIFT
            | u64::from(generation) << GENERATION_SHIFT
    }
}
