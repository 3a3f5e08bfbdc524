//! `.hcpe`: samples in the 38 bytes of Apery and dlshogi (`HuffmanCodedPosAndEval`), without a file
//! header.
//!
//! Little endian: 32 bytes of [`HuffmanCodedPos`], score (2, signed), move (2), result (1), one
//! byte of padding.

use bytemuck::{Pod, Zeroable};

use super::apery_move::{from_apery, to_apery};
use super::game::GameResult;
use super::packed::HuffmanCodedPos;
use super::sample::Sample;
use crate::types::Move16;

/// The bits of the result byte that name the winner; the others give the reason, as in hcpe3.
pub(super) const WINNER_BITS: u8 = 3;

/// A record of the format. Its fields are not checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Hcpe {
    /// The position as Apery packs it.
    pub position: HuffmanCodedPos,
    /// The score of the side to move in centipawns.
    pub score: i16,
    /// The best move in the 16 bits of Apery.
    pub mv: u16,
    /// 0 draw, 1 black won, 2 white won; the higher bits give the reason.
    pub result: u8,
    /// Written as 0, ignored by readers.
    pub padding: u8,
}

impl Hcpe {
    /// Bytes of a record.
    pub const SIZE: usize = 38;

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

    /// The record of a sample, whose position must be valid.
    pub fn from_sample(sample: &Sample) -> Self {
        let board = sample.position.unpack_board();
        Self {
            position: board.map_or_else(
                |_| HuffmanCodedPos::from_bytes([0; 32]),
                |board| HuffmanCodedPos::of_board(&board),
            ),
            score: sample.score,
            mv: sample.mv.map_or(0, to_apery),
            result: sample.result.code(),
            padding: 0,
        }
    }

    /// The best move, not checked against the position; `None` if the bits are not a move.
    pub const fn best_move(&self) -> Option<Move16> {
        from_apery(self.mv)
    }

    /// The result, `None` if the code is unknown.
    pub const fn game_result(&self) -> Option<GameResult> {
        GameResult::from_code(self.result & WINNER_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let bytes = std::array::from_fn(|index| index as u8 * 5);
        assert_eq!(Hcpe::from_bytes(&bytes).to_bytes(), bytes);
    }

    #[test]
    fn the_reason_does_not_hide_the_result() {
        let mut record = Hcpe::from_bytes(&[0; Hcpe::SIZE]);
        for (code, result) in [(0, 0), (4, 0), (9, 1), (2, 2)] {
            record.result = code;
            assert_eq!(record.game_result(), GameResult::from_code(result));
        }
        record.result = 3;
        assert_eq!(record.game_result(), None);
    }
}
