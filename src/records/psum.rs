//! `.psum`: positions with the exact sums of all their scores and results. A format of this engine:
//! 56 bytes a position, without a file header, sorted by position.
//!
//! Little endian: 32 bytes of [`PackedSfen`], the sum of the scores (8, signed, in ninths of a
//! centipawn, so that the units of every format are whole numbers), the numbers of wins, draws and
//! losses of the side to move (4 each), a move (2) and a ply (2).

use bytemuck::{Pod, Zeroable};

use super::game::GameResult;
use super::packed::PackedSfen;
use super::sample::Sample;
use super::score::NINTHS;
use crate::types::{Color, Move16};

/// The largest score that a format can store, in ninths: a psv unit is ten ninths.
const MAX_NINTHS: u128 = 10 * (1 << 15);

/// A position, the sum of its scores and the counts of its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PositionSum {
    /// The position of all samples.
    pub position: PackedSfen,
    /// The sum of the scores of the side to move, in ninths of a centipawn.
    pub score_sum: i64,
    /// Games that the side to move won, drew and lost.
    pub results: [u32; 3],
    /// The bits of the best [`Move16`] of the first sample that has one, 0 for none.
    pub mv: u16,
    /// The lowest ply of the samples, 0 if unknown.
    pub ply: u16,
}

impl PositionSum {
    /// Bytes of a record.
    pub const SIZE: usize = 56;

    /// The sum of a single sample.
    pub fn from_sample(sample: &Sample) -> Self {
        let mut results = [0; 3];
        results[(1 - sample.result.for_side(sample.side_to_move())) as usize] = 1;
        Self {
            position: sample.position,
            score_sum: i64::from(sample.score) * NINTHS,
            results,
            mv: sample.mv.map_or(0, Move16::to_bits),
            ply: sample.ply,
        }
    }

    /// Adds another sum of the same position.
    pub fn add(&mut self, other: &Self) {
        self.score_sum = self.score_sum.saturating_add(other.score_sum);
        for (count, more) in self.results.iter_mut().zip(other.results) {
            *count = count.saturating_add(more);
        }
        if self.mv == 0 {
            self.mv = other.mv;
        }
        if self.ply == 0 || other.ply != 0 && other.ply < self.ply {
            self.ply = other.ply;
        }
    }

    /// The number of samples in the sum.
    pub fn count(&self) -> u64 {
        self.results.iter().map(|&count| u64::from(count)).sum()
    }

    /// Whether [`Self::count`] scores can add up to this sum.
    pub fn is_possible(&self) -> bool {
        let most = u128::from(self.count()) * MAX_NINTHS;
        u128::from(self.score_sum.unsigned_abs()) <= most
    }

    /// The sum as one sample: the rounded mean score and the most frequent result. A tie of wins
    /// and losses is a draw.
    pub fn to_sample(&self) -> Sample {
        let divisor = i128::from(self.count().max(1)) * i128::from(NINTHS);
        let doubled = 2 * i128::from(self.score_sum);
        let rounded = (doubled + divisor * doubled.signum()) / (2 * divisor);
        let [wins, draws, losses] = self.results;
        let mut sample = Sample {
            position: self.position,
            score: rounded.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            mv: Move16::from_bits(self.mv),
            result: GameResult::Draw,
            ply: self.ply,
        };
        let side: Color = sample.side_to_move();
        if wins > losses && wins >= draws {
            sample.result = GameResult::Win(side);
        } else if losses > wins && losses >= draws {
            sample.result = GameResult::Win(!side);
        }
        sample
    }

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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    fn sum(score: i16, result: GameResult) -> PositionSum {
        PositionSum::from_sample(&Sample {
            position: PackedSfen::of(&Position::startpos()),
            score,
            mv: None,
            result,
            ply: 7,
        })
    }

    #[test]
    fn bytes_come_back() {
        let bytes = std::array::from_fn(|index| index as u8 * 3 + 1);
        assert_eq!(PositionSum::from_bytes(&bytes).to_bytes(), bytes);
    }

    #[test]
    fn means_are_exact_and_rounded_once() {
        let mut total = sum(1, GameResult::Win(Color::Black));
        total.add(&sum(2, GameResult::Win(Color::White)));
        total.add(&sum(2, GameResult::Win(Color::Black)));
        assert_eq!((total.count(), total.score_sum), (3, 5 * NINTHS));
        let sample = total.to_sample();
        assert_eq!(
            (sample.score, sample.result),
            (2, GameResult::Win(Color::Black))
        );
        total.add(&sum(-10, GameResult::Win(Color::White)));
        assert!(total.is_possible());
        // -5 / 4, rounded half away from zero.
        assert_eq!(total.to_sample().score, -1);
        assert_eq!(total.to_sample().result, GameResult::Draw);
        total.score_sum = i64::MIN;
        assert!(!total.is_possible());
        assert_eq!(total.to_sample().score, i16::MIN);
    }
}
