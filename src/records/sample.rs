//! Positions with the scores of their searches, as files of training data have them, without a file
//! header: [`Sample`] in the units that all formats share, and the records of the formats.
//!
//! - `.psv`, also `.bin`: [`PackedSfenValue`], the 40 bytes of `YaneuraOu`.
//! - `.hcpe`: [`Hcpe`], the 38 bytes of Apery and dlshogi (`HuffmanCodedPosAndEval`).
//! - `.psum`: [`PositionSum`], the exact sums of all scores and results of a position, sorted by
//!   position: 56 bytes. A format of this engine.
//! - `.tree`: [`TreePosition`], an inner node of a search with its value: 40 bytes. A format of
//!   this engine.

use bytemuck::{Pod, Zeroable};

use super::packed::{from_apery, to_apery};
use super::score::{NINTHS, centipawns_to_psv, psv_to_centipawns};
use super::{GameResult, HuffmanCodedPos, PackedSfen};
use crate::types::{Bound, Color, Move16};
use crate::{bitboard::Bitboard, position::Board};

/// A position with its score and the result of its game, in the units that all formats share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The position that was searched.
    pub position: PackedSfen,
    /// The score of the side to move, in centipawns (a pawn is 100); see
    /// [`is_mate`](super::score::is_mate) for mate scores.
    pub score: i16,
    /// The best move, legal in the position; `None` if the side to move won by declaration.
    pub mv: Option<Move16>,
    /// The result of the game.
    pub result: GameResult,
    /// The number of the move in its game, from 1; 0 if the format does not store it.
    pub ply: u16,
}

impl Sample {
    /// The side to move in the position.
    pub const fn side_to_move(&self) -> Color {
        self.position.side_to_move()
    }
}

/// Whether either king of a position stands in its promotion zone.
pub fn has_entered_king(position: &PackedSfen) -> bool {
    let has_entered = |board: &Board, color| {
        let king = board.king(color);
        king.is_some_and(|king| Bitboard::promotion_zone(color).contains(king))
    };
    let board = position.unpack_board();
    board.is_ok_and(|board| Color::ALL.iter().any(|&color| has_entered(&board, color)))
}

/// The size and the bytes of a record whose fields lie in it as they are declared.
macro_rules! stored_bytes {
    ($name:ident, $size:literal) => {
        impl $name {
            /// Bytes of a record.
            pub const SIZE: usize = $size;

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
    };
}

stored_bytes!(PackedSfenValue, 40);
stored_bytes!(Hcpe, 38);
stored_bytes!(PositionSum, 56);

// --- psv ---

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

// --- hcpe ---

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

// --- psum ---

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
}

// --- tree ---

/// An inner node of a search. Its 40 bytes, little endian: 32 bytes of [`PackedSfen`], score (2,
/// signed), move (2), ply (2), depth (1), bound (1: 1 the value is at most the score, 2 at least, 3
/// exact). There is no result: what happens in a game says nothing about a position that was not
/// played.
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
    use crate::position::Position;

    #[test]
    fn bytes_of_psv_come_back() {
        let bytes = std::array::from_fn(|index| index as u8 * 5);
        assert_eq!(PackedSfenValue::from_bytes(&bytes).to_bytes(), bytes);
        let record = PackedSfenValue::from_bytes(&bytes);
        assert_eq!((record.score, record.mv), (-23136, 0xafaa));
    }

    #[test]
    fn bytes_of_hcpe_come_back() {
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
    fn bytes_of_psum_come_back() {
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
        let expected = (2, GameResult::Win(Color::Black));
        assert_eq!((sample.score, sample.result), expected);
        total.add(&sum(-10, GameResult::Win(Color::White)));
        assert!(total.is_possible());
        // -5 / 4, rounded half away from zero.
        assert_eq!(total.to_sample().score, -1);
        assert_eq!(total.to_sample().result, GameResult::Draw);
        total.score_sum = i64::MIN;
        assert!(!total.is_possible());
        assert_eq!(total.to_sample().score, i16::MIN);
    }

    #[test]
    fn bytes_of_tree_come_back() {
        let mut bytes: [u8; TreePosition::SIZE] = std::array::from_fn(|index| index as u8 * 5);
        for bound in 0..=4 {
            bytes[39] = bound;
            let record = TreePosition::from_bytes(&bytes);
            assert_eq!(record.is_some(), (1..=3).contains(&bound));
            assert!(record.is_none_or(|record| record.to_bytes() == bytes));
        }
    }
}
