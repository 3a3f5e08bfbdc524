//! Lists of the pieces of a position by piece number.

use arrayvec::ArrayVec;

use crate::eval::bona_piece::{self, PIECES_END, PIECES_IN_SET, number_in_hand, number_on_board};
use crate::position::{PastMove, Position};
use crate::types::{Color, PieceType};

/// Piece numbers, those of kings excluded.
pub(super) const NUMBERS: usize = PIECES_END as usize;

/// The number of no piece: an empty slot.
pub(super) const NONE: i16 = -1;

/// Slots of a list: 38 pieces, rounded up to vectors of eight.
pub(super) const SLOTS: usize = 40;

/// The piece numbers in the game as one side sees them, kings and missing pieces left out.
pub(super) fn piece_numbers(position: &Position, side: Color) -> ArrayVec<usize, PIECES_IN_SET> {
    bona_piece::piece_numbers(position, side)
        .into_iter()
        .filter(|&number| (1..PIECES_END).contains(&number))
        .map(|number| number as usize)
        .collect()
}

/// The pieces of a position in slots, as one side sees them. A piece keeps its slot when it moves
/// or changes hands, so that two positions of one line differ in few slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(16))]
pub(super) struct Numbers(pub(super) [i16; SLOTS]);

impl Numbers {
    /// A list of empty slots.
    pub(super) const EMPTY: Self = Self([NONE; SLOTS]);

    /// The pieces of a position. The same piece has the same slot for both sides.
    pub(super) fn of(position: &Position, side: Color) -> Self {
        let mut numbers = Self::EMPTY;
        for (slot, number) in numbers.0.iter_mut().zip(piece_numbers(position, side)) {
            *slot = number as i16;
        }
        numbers
    }

    /// The number in a slot.
    #[inline(always)]
    pub(super) fn get(&self, slot: usize) -> Option<usize> {
        usize::try_from(self.0[slot]).ok()
    }

    /// The slots whose numbers differ.
    #[inline(always)]
    pub(super) fn difference(&self, other: &Self) -> u64 {
        let mut different = 0;
        for (slot, (one, other)) in self.0.iter().zip(&other.0).enumerate() {
            different |= u64::from(one != other) << slot;
        }
        different
    }

    /// The slot of a number.
    #[inline(always)]
    pub(super) fn slot_of(&self, number: i16) -> Option<usize> {
        // Without a branch per slot, so that it becomes vector code.
        let mut found = 0;
        for (index, &slot) in self.0.iter().enumerate() {
            found |= if slot == number { index as i16 + 1 } else { 0 };
        }
        (found as usize).checked_sub(1)
    }
}

/// A set of slots, a bit each, in ascending order.
pub(super) struct Slots(pub(super) u64);

impl Iterator for Slots {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let slot = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(slot)
    }
}

/// One piece that a move put elsewhere: its number before and after, as black and as white see it.
type Change = [[i16; 2]; Color::NUM];

/// The pieces other than kings that a move put elsewhere: the moving one and a captured one.
#[inline(always)]
pub(super) fn changes(past: PastMove) -> ArrayVec<Change, 2> {
    let mut changes = ArrayVec::new();
    let Some(mv) = past.mv else {
        return changes;
    };
    let (piece, to) = (mv.piece(), mv.to());
    let mover = piece.color();
    if piece.kind() != PieceType::King {
        changes.push(as_both_see(|side| {
            let before = if let Some(from) = mv.from() {
                number_on_board(mv.piece_before(), from, side)
            } else {
                let kind = piece.kind();
                number_in_hand(kind, past.hand.count(kind), mover, side)
            };
            [before, number_on_board(piece, to, side)]
        }));
    }
    if let Some(captured) = past.captured {
        let kind = captured.kind().unpromoted();
        changes.push(as_both_see(|side| {
            let after = number_in_hand(kind, past.hand.count(kind) + 1, mover, side);
            [number_on_board(captured, to, side), after]
        }));
    }
    changes
}

/// The numbers that a function gives for black, then for white.
#[inline(always)]
fn as_both_see(number: impl Fn(Color) -> [u32; 2]) -> Change {
    Color::ALL.map(|side| number(side).map(|number| number as i16))
}
