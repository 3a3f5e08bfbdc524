//! The sums of the positions along the line that is searched, updated incrementally.
//!
//! A stack holds the sums of one position per ply, with its key. Updates are lazy: the sums of a
//! position are computed when it is evaluated, from those of the nearest earlier ply that has
//! them. A king that has moved takes its sum of pairs from a cache by king square, from which it
//! differs by a few pieces, as networks with king buckets do.
//!
//! Why unsafe here: the contract of [`Kernel`] is passed on to the callers.
#![expect(
    unsafe_code,
    reason = "functions for an instruction set are unsafe to call"
)]

use arrayvec::ArrayVec;

use super::kernel::Kernel;
use super::numbers::{NONE, Numbers, SLOTS, changes};
use super::scalar::{Sums, Weight, Weights, add, subtract};
use super::tables::Tables;
use crate::eval::perspective::seen_by;
use crate::position::Position;
use crate::types::{Color, Key64, Square, Value};

/// Plies that have an entry in the stack; longer lines reuse the first ones.
const STACK: usize = 256;

/// Most plies that are updated from an earlier one.
const MAX_UPDATE_PLIES: usize = 6;

/// Most pieces that are updated one by one; beyond, all pairs are summed anew.
const MAX_CHANGES: usize = 8;

/// The sums of a position with what they were summed over.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Option<Key64>,
    kings: [Square; Color::NUM],
    numbers: [Numbers; Color::NUM],
    sums: Sums,
}

impl Entry {
    const EMPTY: Self = Self {
        key: None,
        kings: [Square::S11; Color::NUM],
        numbers: [Numbers::EMPTY; Color::NUM],
        sums: Sums {
            pairs: [[0; 2]; Color::NUM],
            kings: [0; 2],
        },
    };
}

/// The last sum of pairs that was computed for a king on a square.
#[derive(Clone, Copy, Debug)]
struct CachedSum {
    numbers: Numbers,
    sum: Weight,
}

impl CachedSum {
    /// The sum of no pieces, which is right.
    const EMPTY: Self = Self {
        numbers: Numbers::EMPTY,
        sum: [0; 2],
    };
}

/// The sums of one thread.
#[derive(Debug)]
pub(super) struct SumStack {
    entries: Vec<Entry>,
    /// `[side][square of its king]`
    cache: [Vec<CachedSum>; Color::NUM],
}

impl SumStack {
    pub(super) fn new() -> Self {
        Self {
            entries: vec![Entry::EMPTY; STACK],
            cache: std::array::from_fn(|_| vec![CachedSum::EMPTY; Square::NUM]),
        }
    }

    /// The value of a position for the side to move. `None` where a king is missing.
    ///
    /// # Safety
    /// The processor has the instruction set of `K`, `TURN` is right for `tables`, and this stack
    /// is used with no other tables.
    #[inline(always)]
    pub(super) unsafe fn evaluate<K: Kernel, const TURN: bool>(
        &mut self,
        tables: &Tables,
        position: &Position,
    ) -> Option<Value> {
        let kings = [position.king(Color::Black)?, position.king(Color::White)?];
        let now = position.moves_made();
        let index = now % STACK;
        match self.plies_to_computed(position) {
            Some(0) => {}
            // SAFETY: the caller vouches for `K`, `TURN` and `tables`.
            Some(back) => unsafe { self.update::<K, TURN>(tables, position, kings, back) },
            None => {
                self.entries[index].numbers = Color::ALL.map(|side| Numbers::of(position, side));
                for side in Color::ALL {
                    // SAFETY: the caller vouches for `K`, `TURN` and `tables`.
                    unsafe { self.from_cache::<K, TURN>(tables, index, side, kings) }
                }
                let entry = &mut self.entries[index];
                entry.sums.kings = sum_of_kings(tables, kings, &entry.numbers[0]);
            }
        }
        let entry = &mut self.entries[index];
        entry.key = Some(position.key());
        entry.kings = kings;
        Some(entry.sums.value(position))
    }

    /// Number of plies back to the nearest position whose sums are here.
    #[inline(always)]
    fn plies_to_computed(&self, position: &Position) -> Option<usize> {
        let now = position.moves_made();
        for back in 0..=MAX_UPDATE_PLIES {
            let key = position.key_before(back)?;
            if self.entries[(now - back) % STACK].key == Some(key) {
                return Some(back);
            }
            position.past_move(back)?;
        }
        None
    }

    /// Computes the entry of a position from that of `back` plies before.
    ///
    /// # Safety
    /// As for [`Self::evaluate`].
    #[inline(always)]
    unsafe fn update<K: Kernel, const TURN: bool>(
        &mut self,
        tables: &Tables,
        position: &Position,
        kings: [Square; Color::NUM],
        back: usize,
    ) {
        let now = position.moves_made();
        let (from, to) = ((now - back) % STACK, now % STACK);
        self.entries.copy_within(from..=from, to);
        let entry = &mut self.entries[to];
        let mut slots = 0_u64;
        for back in (0..back).rev() {
            let Some(past) = position.past_move(back) else {
                break;
            };
            for change in changes(past) {
                let Some(slot) = entry.numbers[0].slot_of(change[0][0]) else {
                    debug_assert!(false, "a piece moved that was not there");
                    continue;
                };
                for (numbers, [_, after]) in entry.numbers.iter_mut().zip(change) {
                    numbers.0[slot] = after;
                }
                slots |= 1 << slot;
            }
        }
        let old_kings = entry.kings;
        for side in Color::ALL {
            let own = side.index();
            if kings[own] == old_kings[own] {
                let king = seen_by(kings[own], side).index();
                let before = self.entries[from].numbers[own];
                let entry = &mut self.entries[to];
                let Entry { numbers, sums, .. } = entry;
                let (now, sum) = (&numbers[own], &mut sums.pairs[own]);
                // SAFETY: the caller vouches for `K`, `TURN` and `tables`; numbers are in range.
                unsafe { exchange::<K, TURN>(tables, king, &before, now, slots, sum) }
            } else {
                // SAFETY: the caller vouches for `K`, `TURN` and `tables`.
                unsafe { self.from_cache::<K, TURN>(tables, to, side, kings) }
            }
        }
        let before = self.entries[from].numbers[0];
        let entry = &mut self.entries[to];
        if kings == old_kings {
            let [black, white] = kings.map(Square::index);
            let sum = &mut entry.sums.kings;
            for slot in Slots(slots) {
                add(
                    sum,
                    tables.kkp(black, white, entry.numbers[0].0[slot] as usize),
                );
                subtract(sum, tables.kkp(black, white, before.0[slot] as usize));
            }
        } else {
            entry.sums.kings = sum_of_kings(tables, kings, &entry.numbers[0]);
        }
    }

    /// Computes the sum of pairs of a side from that of the cache, and updates the cache.
    ///
    /// # Safety
    /// As for [`Self::evaluate`].
    #[inline(always)]
    unsafe fn from_cache<K: Kernel, const TURN: bool>(
        &mut self,
        tables: &Tables,
        index: usize,
        side: Color,
        kings: [Square; Color::NUM],
    ) {
        let own = side.index();
        let entry = &mut self.entries[index];
        let cached = &mut self.cache[own][kings[own].index()];
        let king = seen_by(kings[own], side).index();
        let numbers = &entry.numbers[own];
        let slots = cached.numbers.difference(numbers);
        // SAFETY: the caller vouches for `K`, `TURN` and `tables`; numbers are in range.
        unsafe {
            if slots.count_ones() as usize <= MAX_CHANGES {
                exchange::<K, TURN>(
                    tables,
                    king,
                    &cached.numbers,
                    numbers,
                    slots,
                    &mut cached.sum,
                );
            } else {
                cached.sum = all_pairs::<K, TURN>(tables, king, numbers);
            }
        }
        cached.numbers = *numbers;
        entry.sums.pairs[own] = cached.sum;
    }
}

/// Turns the sum of pairs of the pieces `before` into that of the pieces `now`, which differ in no
/// other slots than `slots`.
///
/// # Safety
/// As for [`SumStack::evaluate`]; numbers are below [`super::numbers::NUMBERS`].
#[inline(always)]
unsafe fn exchange<K: Kernel, const TURN: bool>(
    tables: &Tables,
    king: usize,
    before: &Numbers,
    now: &Numbers,
    slots: u64,
    sum: &mut Weight,
) {
    let mut others = *now;
    let [mut added, mut removed] = [(); 2].map(|()| ArrayVec::<usize, SLOTS>::new());
    for slot in Slots(slots) {
        let [new, old] = [now, before].map(|numbers| numbers.0[slot]);
        others.0[slot] = NONE;
        if new == old {
            // It moved and came back, so it is one of the others.
            others.0[slot] = new;
            continue;
        }
        for (number, list, is_new) in [(new, &mut added, true), (old, &mut removed, false)] {
            let Ok(number) = usize::try_from(number) else {
                continue;
            };
            for &other in list.iter() {
                let pair = tables.kpp(king, number, other);
                if is_new {
                    add(sum, pair)
                } else {
                    subtract(sum, pair)
                }
            }
            list.push(number);
        }
    }
    for list in [&mut added, &mut removed] {
        for number in list {
            *number = tables.kpp_index(king, *number, 0);
        }
    }
    // SAFETY: the caller vouches for the instruction set; king and numbers are in range, so the
    // rows lie within the table.
    add(sum, unsafe {
        K::sum_rows::<TURN>(&tables.kpp, &added, &removed, &others)
    });
}

/// The sum of all pairs.
///
/// # Safety
/// As for [`exchange`].
#[inline(always)]
unsafe fn all_pairs<K: Kernel, const TURN: bool>(
    tables: &Tables,
    king: usize,
    numbers: &Numbers,
) -> Weight {
    let mut others = Numbers::EMPTY;
    let mut sum = [0; 2];
    for (slot, &number) in numbers.0.iter().enumerate() {
        let Ok(piece) = usize::try_from(number) else {
            continue;
        };
        let row = tables.kpp_index(king, piece, 0);
        // SAFETY: as in `exchange`.
        add(&mut sum, unsafe {
            K::sum_rows::<TURN>(&tables.kpp, &[row], &[], &others)
        });
        others.0[slot] = number;
    }
    sum
}

/// The sum of KK and KKP, whose pieces are those that black sees.
#[inline(always)]
fn sum_of_kings(tables: &Tables, kings: [Square; Color::NUM], numbers: &Numbers) -> Weight {
    let [black, white] = kings.map(Square::index);
    let mut sum = tables.kk(black, white);
    for &number in &numbers.0 {
        if let Ok(number) = usize::try_from(number) {
            add(&mut sum, tables.kkp(black, white, number));
        }
    }
    sum
}

/// The bits of a set of slots.
struct Slots(u64);

impl Iterator for Slots {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let slot = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(slot)
    }
}
