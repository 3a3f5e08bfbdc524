//! `.psv` (also `.bin`): positions of teacher data in the 40 bytes of `YaneuraOu` (`PackedSfenValue`), without a header.
//!
//! Little endian: 32 bytes of [`PackedSfen`], score (2, signed), move (2), ply (2), result (1, signed), one byte of nothing.

use bytemuck::{Pod, Zeroable};

use super::packed::PackedSfen;
use super::psum::NINTHS;
use crate::types::{Move16, Score};

/// What `YaneuraOu` calls a pawn, where the formats that keep centipawns have 100.
const PAWN: i32 = 90;
const CENTIPAWNS: i32 = 100;

/// From here on a score is a mate: a distance, which has no unit.
const LEAST_MATE: i16 = 31_000;

/// A position, what a search thought of it, and how its game ended. The fields hold whatever the file says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PackedSfenValue {
    /// The position.
    pub position: PackedSfen,
    /// The score of the side to move; a pawn is 90, a mate in n plies 32000 - n.
    pub score: i16,
    /// [`Move16`] of the best move, 0 for none.
    pub mv: u16,
    /// The number of that move in its game, from 1.
    pub ply: u16,
    /// 1 where the side to move won the game, -1 where it lost, 0 for a draw.
    pub result: i8,
    /// 0.
    pub padding: u8,
}

impl PackedSfenValue {
    /// Bytes of a record.
    pub const SIZE: usize = 40;

    /// The record of these bytes, whatever they say.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let mut position = [0; 32];
        position.copy_from_slice(&bytes[..32]);
        Self {
            position: PackedSfen::from_bytes(position),
            score: word(32) as i16,
            mv: word(34),
            ply: word(36),
            result: bytes[38] as i8,
            padding: bytes[39],
        }
    }

    /// The bytes to store.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..32].copy_from_slice(&self.position.to_bytes());
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38] = self.result as u8;
        bytes[39] = self.padding;
        bytes
    }

    /// The best move, not checked against the position; `None` where there is none.
    pub const fn best_move(&self) -> Option<Move16> {
        Move16::from_bits(self.mv)
    }
}

const _: () = assert!(size_of::<PackedSfenValue>() == PackedSfenValue::SIZE);

/// Centipawns of a stored score, rounded. Back and forth from here is exact below 279 pawns; mates stay what they are.
pub fn to_centipawns(score: i16) -> i16 {
    convert(score, CENTIPAWNS, PAWN)
}

/// The score to store for centipawns, rounded; mates stay what they are.
pub fn from_centipawns(score: i16) -> i16 {
    convert(score, PAWN, CENTIPAWNS)
}

/// The stored score in ninths of a centipawn, in which no score of any format is rounded.
pub(super) fn to_ninths(score: i16) -> i64 {
    let factor = if is_mate(score) {
        NINTHS
    } else {
        NINTHS * i64::from(CENTIPAWNS) / i64::from(PAWN)
    };
    i64::from(score) * factor
}

/// Whether a score of any format is that of a mate.
pub const fn is_mate(score: i16) -> bool {
    score.unsigned_abs() >= LEAST_MATE as u16
}

/// The largest score that is none of a mate.
const LARGEST: i16 = LEAST_MATE - 1;
/// The score of a mate in no plies.
const MATE: i32 = 32_000;

/// Centipawns within what a score that is none of a mate can be.
pub fn bounded(centipawns: i32) -> i16 {
    centipawns.clamp(-i32::from(LARGEST), i32::from(LARGEST)) as i16
}

/// The score of a mate in so many plies; the side to move is mated where they are negative.
pub fn of_mate(plies: i32) -> i16 {
    let distance = plies.saturating_abs().min(MATE - i32::from(LEAST_MATE));
    let size = MATE - distance;
    (if plies < 0 { -size } else { size }) as i16
}

/// What a score in centipawns means.
pub fn to_score(score: i16) -> Score {
    if !is_mate(score) {
        return Score::Cp(score.into());
    }
    let distance = (MATE - i32::from(score).abs()).max(0);
    Score::Mate(if score < 0 { -distance } else { distance })
}

fn convert(score: i16, times: i32, by: i32) -> i16 {
    if is_mate(score) {
        return score;
    }
    let doubled = 2 * i32::from(score) * times;
    // Half away from zero, so that both sides are rounded alike.
    let rounded = (doubled + by * doubled.signum()) / (2 * by);
    let largest = i32::from(LEAST_MATE) - 1;
    rounded.clamp(-largest, largest) as i16
}

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

    #[test]
    fn scores_come_back() {
        for score in -27_899..=27_899 {
            assert_eq!(from_centipawns(to_centipawns(score)), score);
            assert_eq!(to_centipawns(-score), -to_centipawns(score));
        }
        assert_eq!(
            [90, -1, 1, 0, 30_999, 31_990].map(to_centipawns),
            [100, -1, 1, 0, 30_999, 31_990]
        );
        assert_eq!(from_centipawns(-31_995), -31_995);
    }
}
