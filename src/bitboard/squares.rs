//! The iterator over the squares of a set.
//!
//! Why unsafe here: it yields the target of every generated move, and the set bits of a bitboard
//! are squares, so the index needs no check.

#![allow(unsafe_code, reason = "set bits are squares, see the module text")]

use crate::types::Square;

/// The first square in the upper word of a bitboard.
pub(super) const UPPER_START: usize = 63;

/// Iterator over the squares of a set, from the lowest index up.
#[derive(Clone, Debug)]
pub struct Squares {
    pub(super) lower: u64,
    pub(super) upper: u64,
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let index = if self.lower != 0 {
            let index = self.lower.trailing_zeros() as usize;
            self.lower &= self.lower - 1;
            index
        } else if self.upper != 0 {
            let index = UPPER_START + self.upper.trailing_zeros() as usize;
            self.upper &= self.upper - 1;
            index
        } else {
            return None;
        };
        // SAFETY: both words come from a bitboard, where only bits of squares are set.
        Some(unsafe { Square::from_index_unchecked(index) })
    }

    #[inline]
    fn fold<B, F: FnMut(B, Square) -> B>(self, init: B, mut each: F) -> B {
        // Two simple loops are faster than one that selects the word in each step.
        let mut value = init;
        let mut word = self.lower;
        while word != 0 {
            // SAFETY: the word comes from a bitboard, where only bits of squares are set.
            value = each(value, unsafe {
                Square::from_index_unchecked(word.trailing_zeros() as usize)
            });
            word &= word - 1;
        }
        word = self.upper;
        while word != 0 {
            let index = UPPER_START + word.trailing_zeros() as usize;
            // SAFETY: the word comes from a bitboard, where only bits of squares are set.
            value = each(value, unsafe { Square::from_index_unchecked(index) });
            word &= word - 1;
        }
        value
    }
}
