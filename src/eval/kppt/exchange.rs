//! The step from the sum of pairs of one position to that of another one.
//!
//! Why unsafe here: the contract of [`Kernel`] is passed on to the callers.
#![expect(
    unsafe_code,
    reason = "functions for an instruction set are unsafe to call"
)]

use arrayvec::ArrayVec;

use super::kernel::Kernel;
use super::numbers::{NONE, NUMBERS, Numbers, SLOTS, Slots};
use super::scalar::{Weight, Weights, add, subtract};
use super::tables::Tables;
use crate::eval::bona_piece::HAND_END;

/// What turns the pieces of one position into those of another one.
pub(super) struct Exchange {
    pub(super) added: ArrayVec<usize, SLOTS>,
    pub(super) removed: ArrayVec<usize, SLOTS>,
    /// The pieces of both positions.
    others: Numbers,
}

impl Exchange {
    /// The pieces `now` differ from those `before` in no other slots than `slots`. The piece in
    /// slot `first` comes first, if it is among them.
    #[inline(always)]
    pub(super) fn of_slots(before: &Numbers, now: &Numbers, slots: u64, first: usize) -> Self {
        let mut exchange = Self {
            added: ArrayVec::new(),
            removed: ArrayVec::new(),
            others: *now,
        };
        let first = slots & 1 << first;
        for slot in Slots(first).chain(Slots(slots & !first)) {
            let [new, old] = [now, before].map(|numbers| numbers.get(slot));
            // Else it moved and came back.
            if new != old {
                exchange.others.0[slot] = NONE;
                exchange.added.extend(new);
                exchange.removed.extend(old);
            }
        }
        exchange
    }

    /// The pieces may be in any order.
    #[inline(always)]
    pub(super) fn of_lists(before: &Numbers, now: &Numbers) -> Self {
        let mut exchange = Self {
            added: ArrayVec::new(),
            removed: ArrayVec::new(),
            others: *now,
        };
        // Most pieces are in the same slot in both.
        let different = before.difference(now);
        let mut left = NumberSet::EMPTY;
        for number in Slots(different).filter_map(|slot| before.get(slot)) {
            left.insert(number);
        }
        for slot in Slots(different) {
            if let Some(number) = now.get(slot)
                && !left.remove(number)
            {
                exchange.others.0[slot] = NONE;
                exchange.added.push(number);
            }
        }
        let removed = Slots(different).filter_map(|slot| before.get(slot));
        exchange
            .removed
            .extend(removed.filter(|&number| left.remove(number)));
        exchange
    }

    /// Turns the sum of pairs before into that of now.
    ///
    /// # Safety
    /// The processor has the instruction set of `K`, `TURN` is right for `tables`, and numbers are
    /// below [`NUMBERS`].
    #[inline(always)]
    pub(super) unsafe fn apply<K: Kernel, const TURN: bool>(
        &self,
        tables: &Tables,
        king: usize,
        sum: &mut Weight,
    ) {
        let Self {
            added,
            removed,
            others,
        } = self;
        subtract(sum, sum_of_pairs(tables, king, removed));
        add(sum, sum_of_pairs(tables, king, added));
        // SAFETY: the caller vouches for the instruction set; king and numbers are in range, and
        // `others` has none of the exchanged pieces.
        add(sum, unsafe {
            K::sum::<TURN>(tables.kpp_of(king), added, removed, others)
        });
    }
}

/// The sum of the pairs of a few pieces.
#[inline(always)]
fn sum_of_pairs(tables: &Tables, king: usize, pieces: &[usize]) -> Weight {
    let mut sum = [0; 2];
    for (index, &other) in pieces.iter().enumerate() {
        for &one in &pieces[..index] {
            // Of the two equal weights, the one that is likelier in the cache: the rows of pieces
            // in hand are few; and where a piece that has just moved is captured, its column was
            // read for that move.
            let weight = if other < HAND_END as usize {
                tables.kpp(king, other, one)
            } else {
                tables.kpp(king, one, other)
            };
            add(&mut sum, weight);
        }
    }
    sum
}

/// A set of piece numbers.
struct NumberSet([u64; NUMBERS.div_ceil(64)]);

impl NumberSet {
    const EMPTY: Self = Self([0; NUMBERS.div_ceil(64)]);

    #[inline(always)]
    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Removes a number and returns whether it was there.
    #[inline(always)]
    fn remove(&mut self, number: usize) -> bool {
        let bit = 1 << (number % 64);
        let was_there = self.0[number / 64] & bit != 0;
        self.0[number / 64] &= !bit;
        was_there
    }
}

/// The sum of all pairs.
///
/// # Safety
/// As for [`Exchange::apply`].
#[inline(always)]
pub(super) unsafe fn all_pairs<K: Kernel, const TURN: bool>(
    tables: &Tables,
    king: usize,
    numbers: &Numbers,
) -> Weight {
    let mut others = Numbers::EMPTY;
    let mut sum = [0; 2];
    for (slot, &number) in numbers.0.iter().enumerate() {
        if let Ok(piece) = usize::try_from(number) {
            // SAFETY: as in `Exchange::apply`.
            add(&mut sum, unsafe {
                K::sum::<TURN>(tables.kpp_of(king), &[piece], &[], &others)
            });
            others.0[slot] = number;
        }
    }
    sum
}
