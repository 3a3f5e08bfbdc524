//! Additive Zobrist keys, 64, 128 or 256 bits wide.
//!
//! Each part of a position (a piece on a square, a piece in hand) has a random value, and the key
//! is their wrapping sum, so hands need one table entry per kind, added once per piece. All values
//! are even in the lowest lane and so are their sums, which leaves bit 0 for the side to move. The
//! lanes of wide keys are independent sums; the lowest lane is the 64-bit key. Source: the
//! `YaneuraOu` blog on the "add-style Zobrist hash"; the random values come from `SplitMix64`
//! (Vigna).

use std::fmt;
use std::ops::{Add, AddAssign, SubAssign};

use super::piece::{Color, Piece, PieceType};
use super::square::Square;
use crate::util::split_mix;

/// A key of `LANES` · 64 bits; bit 0 is set when white is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key<const LANES: usize = 1>([u64; LANES]);

/// Key of positions, search and evaluation.
pub type Key64 = Key<1>;
/// Key for perft, books and research: 128 bits.
pub type Key128 = Key<2>;
/// Key for perft, books and research: 256 bits.
pub type Key256 = Key<4>;

const MAX_LANES: usize = 4;
const PIECES: usize = Piece::NUM;
const HAND_KINDS: usize = 8;

struct Tables<const LANES: usize> {
    board: [[[u64; LANES]; Square::NUM]; PIECES],
    hand: [[[u64; LANES]; HAND_KINDS]; Color::NUM],
}

impl<const LANES: usize> Tables<LANES> {
    const fn new() -> Self {
        assert!(LANES >= 1 && LANES <= MAX_LANES);
        let mut tables = Self {
            board: [[[0; LANES]; Square::NUM]; PIECES],
            hand: [[[0; LANES]; HAND_KINDS]; Color::NUM],
        };
        let mut index = 0;
        while index < PIECES * Square::NUM {
            tables.board[index / Square::NUM][index % Square::NUM] = entry(index);
            index += 1;
        }
        let mut hand = 0;
        while hand < Color::NUM * HAND_KINDS {
            tables.hand[hand / HAND_KINDS][hand % HAND_KINDS] = entry(index + hand);
            hand += 1;
        }
        tables
    }
}

/// Random value `index`: even in the lowest lane, which is the same for all widths.
const fn entry<const LANES: usize>(index: usize) -> [u64; LANES] {
    let mut lanes = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        lanes[lane] = split_mix((index * MAX_LANES + lane) as u64);
        lane += 1;
    }
    lanes[0] &= !1;
    lanes
}

impl<const LANES: usize> Key<LANES> {
    /// The key of the empty board with black to move.
    pub const EMPTY: Self = Self([0; LANES]);

    const TABLES: &'static Tables<LANES> = &Tables::new();

    /// Value of a piece on a square.
    #[inline]
    #[must_use]
    pub const fn of_piece(piece: Piece, square: Square) -> Self {
        Self(Self::TABLES.board[piece.index()][square.index()])
    }

    /// Value of one piece in hand; add it once per piece.
    #[inline]
    #[must_use]
    pub const fn of_hand(color: Color, kind: PieceType) -> Self {
        Self(Self::TABLES.hand[color.index()][kind.index() % HAND_KINDS])
    }

    /// Value of the side to move: bit 0 is set for white.
    #[inline]
    #[must_use]
    pub const fn of_side(side: Color) -> Self {
        let mut lanes = [0; LANES];
        lanes[0] = side as u64;
        Self(lanes)
    }

    /// The side to move.
    #[inline]
    pub const fn side(self) -> Color {
        if self.0[0] & 1 == 0 { Color::Black } else { Color::White }
    }

    /// The key with the other side to move.
    #[inline]
    #[must_use]
    pub const fn flipped(mut self) -> Self {
        self.0[0] ^= 1;
        self
    }

    /// The lowest 64 bits, the same for all widths.
    #[inline]
    pub const fn low64(self) -> u64 {
        self.0[0]
    }

    /// All lanes, the lowest first.
    #[inline]
    pub const fn lanes(self) -> [u64; LANES] {
        self.0
    }
}

#[cfg(test)]
impl Key64 {
    /// A key with these bits, which need not belong to a position.
    pub(crate) const fn from_low64(bits: u64) -> Self {
        Self([bits])
    }
}

impl<const LANES: usize> Add for Key<LANES> {
    type Output = Self;

    #[inline]
    fn add(mut self, part: Self) -> Self {
        self += part;
        self
    }
}

impl<const LANES: usize> AddAssign for Key<LANES> {
    #[inline]
    fn add_assign(&mut self, part: Self) {
        for (lane, part) in self.0.iter_mut().zip(part.0) {
            *lane = lane.wrapping_add(part);
        }
    }
}

impl<const LANES: usize> SubAssign for Key<LANES> {
    #[inline]
    fn sub_assign(&mut self, part: Self) {
        for (lane, part) in self.0.iter_mut().zip(part.0) {
            *lane = lane.wrapping_sub(part);
        }
    }
}

/// Hexadecimal digits, the highest lane first.
impl<const LANES: usize> fmt::Display for Key<LANES> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for lane in self.0.iter().rev() {
            write!(formatter, "{lane:016x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_agree_in_the_low_lane_and_parts_are_even() {
        for piece in Piece::ALL {
            for square in Square::ALL {
                let key = Key64::of_piece(piece, square);
                assert_eq!(key.low64() & 1, 0);
                assert_eq!(key.low64(), Key128::of_piece(piece, square).low64());
                assert_eq!(key.low64(), Key256::of_piece(piece, square).low64());
            }
        }
        for kind in PieceType::HAND {
            let key = Key64::of_hand(Color::White, kind);
            assert_eq!(key.low64() & 1, 0);
            assert_eq!(key.low64(), Key256::of_hand(Color::White, kind).low64());
        }
    }

    #[test]
    fn parts_are_all_different() {
        let mut parts: Vec<u64> = Vec::new();
        for piece in Piece::ALL {
            parts.extend(Square::ALL.map(|square| Key64::of_piece(piece, square).low64()));
        }
        for color in Color::ALL {
            parts.extend(PieceType::HAND.map(|kind| Key64::of_hand(color, kind).low64()));
        }
        let count = parts.len();
        parts.sort_unstable();
        parts.dedup();
        assert_eq!(parts.len(), count);
    }

    #[test]
    fn bit_zero_is_the_side() {
        let key = Key128::EMPTY + Key128::of_piece(Piece::BlackPawn, Square::S77);
        assert_eq!(key.side(), Color::Black);
        assert_eq!(key.flipped().side(), Color::White);
        assert_eq!(key.flipped(), key + Key128::of_side(Color::White));
    }
}
