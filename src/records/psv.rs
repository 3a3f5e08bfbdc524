//! `.psv` (also `.bin`): samples in the 40 bytes of `YaneuraOu` (`PackedSfenValue`), without a
//! file header.
//!
//! Little endian: 32 bytes of [`PackedSfen`], score (2, signed), move (2), ply (2), result (1,
//! signed), one byte of padding.

use bytemuck::{Pod, Zeroable};

use super::game::GameResult;
use super::packed::PackedSfen;
use super::sample::Sample;
use super::score::{centipawns_to_psv, psv_to_centipawns};
use crate::types::Move16;

/// A record of the format. Its fields are not checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PackedSfenValue {
    /// The position as `YaneuraOu` packs it.
    pub position: PackedSfen,
    /// The score of the side to move; a pawn is 90, a mate in n plies 32000 - n.
    pub score: i16,
    /// The bits of the best [`Move16`], 0 for none.
    pub mv: u16,
    /// The number of the move in its game, from 1.
    pub ply: u16,
    /// The result for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
    /// Written as 0, ignored by readers.
    pub padding: u8,
}

impl PackedSfenValue {
    /// Bytes of a record.
    pub const SIZE: usize = 40;

    /// Reads a record. Any bytes make one.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        bytemuck::pod_read_unaligned(bytes)
    }

    /// The bytes to store.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes.copy_from_slice(bytemuck::bytes_of(self));
        bytes
    }

    /// The record of a sample. Its score is rounded to the units of the format.
    pub fn from_sample(sample: &Sample) -> Self {
        Self {
            position: sample.position,
            score: centipawns_to_psv(sample.score),
            mv: sample.mv.map_or(0, Move16::to_bits),
            ply: sample.ply.max(1),
            result: sample.result.for_side(sample.side_to_move()),
            padding: 0,
        }
    }

    /// The sample of a record, `None` if the result is not 1, 0 or -1. The move is not checked.
    pub fn to_sample(&self) -> Option<Sample> {
        let mut sample = Sample {
            position: self.position,
            score: psv_to_centipawns(self.score),
            mv: self.best_move(),
            result: GameResult::Draw,
            ply: self.ply,
        };
        let side = sample.side_to_move();
        sample.result = match self.result {
            0 => GameResult::Draw,
            1 => GameResult::Win(side),
            -1 => GameResult::Win(!side),
            _ => return None,
        };
        Some(sample)
    }

    /// The best move, not checked against the position; `None` if there is none.
    pub const fn best_move(&self) -> Option<Move16> {
        Move16::from_bits(self.mv)
    }
}

const _: () = assert!(size_of::<PackedSfenValue>() == PackedSfenValue::SIZE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let bytes = std::array::from_fn(|index| index as u8 * 5);
        assert_eq!(PackedSfenValue::from_bytes(&bytes).to_bytes(), bytes);
        let record = PackedSfenValue::from_bytes(&bytes);
        assert_eq!((record.score, record.mv), (-23136, 0xafaa));
    }
}
