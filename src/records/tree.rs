//! `.tree`: inner nodes of searches with their values. A format of this engine: 40 bytes a
//! position, without a file header.
//!
//! Little endian: 32 bytes of [`PackedSfen`], score (2, signed, centipawns), move (2), ply (2),
//! depth (1), bound (1: 1 the value is at most the score, 2 at least, 3 exact). There is no result:
//! what happens in a game says nothing about a position that was not played.

use super::packed::PackedSfen;
use crate::types::{Bound, Move16};

/// An inner node of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreePosition {
    /// The position of the node.
    pub position: PackedSfen,
    /// The score of the side to move, in centipawns (a pawn is 100).
    pub score: i16,
    /// The best move, legal in the position; `None` if none is known.
    pub mv: Option<Move16>,
    /// The number of the position's next move, counted from the start of the game.
    pub ply: u16,
    /// Depth of the search below the position, in plies.
    pub depth: u8,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
}

impl TreePosition {
    /// Bytes of a record.
    pub const SIZE: usize = 40;

    /// Reads a record; `None` if the bound is none. The position and the move are not checked.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Option<Self> {
        let mut position = [0; 32];
        position.copy_from_slice(&bytes[..32]);
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Some(Self {
            position: PackedSfen::from_bytes(position),
            score: word(32) as i16,
            mv: Move16::from_bits(word(34)),
            ply: word(36),
            depth: bytes[38],
            bound: Bound::from_bits(bytes[39]).filter(|&bound| bound as u8 == bytes[39])?,
        })
    }

    /// The bytes to store.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..32].copy_from_slice(&self.position.to_bytes());
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.map_or(0, Move16::to_bits).to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38] = self.depth;
        bytes[39] = self.bound as u8;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let mut bytes: [u8; TreePosition::SIZE] = std::array::from_fn(|index| index as u8 * 5);
        for bound in 0..=4 {
            bytes[39] = bound;
            let record = TreePosition::from_bytes(&bytes);
            assert_eq!(record.is_some(), (1..=3).contains(&bound));
            assert!(record.is_none_or(|record| record.to_bytes() == bytes));
        }
    }
}
