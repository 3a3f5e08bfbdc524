//! The content of a slot, and its packing into 64 bits.

use crate::types::{Bound, Depth, Move16, Value};

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
