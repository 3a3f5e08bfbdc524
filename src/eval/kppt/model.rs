//! A three-piece evaluation as the search uses it, with exactly the values of [`super::scalar`]:
//! the sums of the positions along the line that is searched, updated incrementally.
//!
//! A stack holds the sums of one position per ply, with its key. Updates are lazy: the sums of a
//! position are computed when it is evaluated, from those of the nearest earlier ply that has
//! them. A king that has moved takes its sum of pairs from a cache by king square, from which it
//! differs by a few pieces, as networks with king buckets do.
//!
//! Why unsafe here: code for an instruction set may run only where the processor has it, and the
//! contract of [`Kernel`] is passed on to the callers.

#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "functions for an instruction set are unsafe to call"
)]

use arrayvec::ArrayVec;

use super::kernel::{Kernel, Plain};
use super::numbers::{NONE, NUMBERS, Numbers, SLOTS, Slots, changes};
use super::scalar::{Sums, Weight, Weights, add, subtract};
use super::{Kind, Tables};
use crate::eval::bona_piece::{HAND_END, seen_by};
use crate::types::{Color, Key64, PieceType, Square, Value};
use crate::{eval::nnue::simd::InstructionSet, position::Position};

/// The weights with the way to sum them. All threads share it.
#[derive(Debug)]
pub struct Model {
    tables: Tables,
    source: String,
    set: InstructionSet,
}

/// The sums of one thread for one [`Model`].
#[derive(Debug)]
pub struct Accumulator(SumStack);

impl Model {
    /// The weights of `source`, as messages name it, for an instruction set, or for the fastest one
    /// where the processor does not have it.
    pub fn new(tables: Tables, source: String, set: InstructionSet) -> Self {
        Self { tables, source, set: set.or_best() }
    }

    /// The tables that [`Self::evaluate`] sums.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Gives back the tables.
    pub fn into_tables(self) -> Tables {
        self.tables
    }

    /// The folder of the files.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The instruction set, which the processor has.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    /// Sums for one thread.
    pub fn accumulator(&self) -> Accumulator {
        Accumulator(SumStack::new())
    }

    /// The value of a position for the side to move, equal to that of [`super::scalar::evaluate`].
    /// `None` where a king is missing. `accumulator` must come from [`Self::accumulator`] of this
    /// model.
    #[inline]
    pub fn evaluate(&self, position: &Position, accumulator: &mut Accumulator) -> Option<Value> {
        // SAFETY: `new` has checked that the processor has the instruction set.
        unsafe {
            match self.set {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 | InstructionSet::Avx512 | InstructionSet::Avx512Vnni => {
                    self.with_avx2(position, accumulator)
                }
                _ => self.evaluate_with::<Plain>(position, accumulator),
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx2(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        // SAFETY: the caller has checked the instruction set, which this function enables.
        unsafe { self.evaluate_with::<super::kernel::Avx2>(position, accumulator) }
    }

    /// The evaluation with the vectors of `K`.
    ///
    /// # Safety
    /// The processor has the instruction set of `K`.
    #[inline(always)]
    unsafe fn evaluate_with<K: Kernel>(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        let stack = &mut accumulator.0;
        // SAFETY: the caller vouches for `K`, the kind says whether there is a turn part, and the
        // sums were made for this model.
        unsafe {
            match self.tables.kind() {
                Kind::Kppt => stack.evaluate::<K, true>(&self.tables, position),
                Kind::KppKkpt => stack.evaluate::<K, false>(&self.tables, position),
            }
        }
    }
}

// --- The sums of the positions along a line ---

/// Plies that have an entry in the stack; longer lines reuse the first ones.
const STACK: usize = 256;

/// Most plies that are updated from an earlier one.
const MAX_UPDATE_PLIES: usize = 32;

/// Most pieces that are added and removed one by one; beyond, all pairs are summed anew.
const MAX_EXCHANGED: usize = 28;

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
        sums: Sums { pairs: [[0; 2]; Color::NUM], kings: [0; 2] },
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
    const EMPTY: Self = Self { numbers: Numbers::EMPTY, sum: [0; 2] };
}

/// The sums of one thread.
#[derive(Debug)]
struct SumStack {
    entries: Vec<Entry>,
    cache: KingCache,
}

/// Sums of pairs, `[side][square of its king as it sees it]`.
#[derive(Debug)]
struct KingCache([Vec<CachedSum>; Color::NUM]);

impl SumStack {
    fn new() -> Self {
        Self { entries: vec![Entry::EMPTY; STACK], cache: KingCache::new() }
    }

    /// The value of a position for the side to move. `None` where a king is missing.
    ///
    /// # Safety
    /// The processor has the instruction set of `K`, `TURN` is right for `tables`, and this stack
    /// is used with no other tables.
    #[inline(always)]
    unsafe fn evaluate<K: Kernel, const TURN: bool>(
        &mut self,
        tables: &Tables,
        position: &Position,
    ) -> Option<Value> {
        let kings = [position.king(Color::Black)?, position.king(Color::White)?];
        let now = position.moves_made();
        let index = now % STACK;
        match self.plies_to_computed(position) {
            Some(0) => {}
            Some(back) => {
                // The position before, too, from which those after its other moves are one step.
                if back > 1 {
                    let before = kings_before_last_move(position, kings);
                    // SAFETY: the caller vouches for `K`, `TURN` and `tables`.
                    unsafe { self.update::<K, TURN>(tables, position, before, back, 1) };
                }
                // SAFETY: the caller vouches for `K`, `TURN` and `tables`.
                unsafe { self.update::<K, TURN>(tables, position, kings, 1, 0) };
            }
            None => {
                let entry = &mut self.entries[index];
                entry.numbers = Color::ALL.map(|side| Numbers::of(position, side));
                for side in Color::ALL {
                    let own = side.index();
                    let king = seen_by(kings[own], side).index();
                    let numbers = &entry.numbers[own];
                    // SAFETY: the caller vouches for `K`, `TURN` and `tables`.
                    entry.sums.pairs[own] =
                        unsafe { self.cache.sum::<K, TURN>(tables, side, king, numbers) };
                }
                entry.sums.kings = sum_of_kings(tables, kings, &entry.numbers[0]);
                entry.key = Some(position.key());
                entry.kings = kings;
            }
        }
        Some(self.entries[index].sums.value(position))
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

    /// Computes the entry of the position `to` plies before the current one, whose kings are given,
    /// from that of the position `from` plies before the current one.
    ///
    /// # Safety
    /// As for [`Self::evaluate`].
    #[inline(always)]
    unsafe fn update<K: Kernel, const TURN: bool>(
        &mut self,
        tables: &Tables,
        position: &Position,
        kings: [Square; Color::NUM],
        from: usize,
        to: usize,
    ) {
        let indices = [from, to].map(|back| (position.moves_made() - back) % STACK);
        let Ok([source, entry]) = self.entries.get_disjoint_mut(indices) else {
            return;
        };
        entry.key = position.key_before(to);
        entry.kings = kings;
        entry.numbers = source.numbers;
        entry.sums = source.sums;
        let mut slots = 0_u64;
        let mut mover = 0;
        for back in (to..from).rev() {
            let Some(past) = position.past_move(back) else {
                break;
            };
            for (index, change) in changes(past).into_iter().enumerate() {
                let Some(slot) = entry.numbers[0].slot_of(change[0][0]) else {
                    debug_assert!(false, "a piece moved that was not there");
                    continue;
                };
                for (numbers, [_, after]) in entry.numbers.iter_mut().zip(change) {
                    numbers.0[slot] = after;
                }
                slots |= 1 << slot;
                if index == 0 {
                    mover = slot;
                }
            }
        }
        for side in Color::ALL {
            let own = side.index();
            let king = seen_by(kings[own], side).index();
            let (before, numbers) = (&source.numbers[own], &entry.numbers[own]);
            let sum = &mut entry.sums.pairs[own];
            // SAFETY: the caller vouches for `K`, `TURN` and `tables`; numbers are in range.
            unsafe {
                if kings[own] == source.kings[own] {
                    Exchange::of_slots(before, numbers, slots, mover)
                        .apply::<K, TURN>(tables, king, sum);
                } else {
                    *sum = self.cache.sum::<K, TURN>(tables, side, king, numbers);
                }
            }
        }
        let (before, numbers) = (&source.numbers[0], &entry.numbers[0]);
        if kings == source.kings {
            let weight = |numbers: &Numbers, slot: usize| {
                let [black_king, white_king] = kings.map(Square::index);
                tables.kkp(black_king, white_king, numbers.0[slot] as usize)
            };
            for slot in Slots(slots) {
                add(&mut entry.sums.kings, weight(numbers, slot));
                subtract(&mut entry.sums.kings, weight(before, slot));
            }
        } else {
            entry.sums.kings = sum_of_kings(tables, kings, numbers);
        }
    }
}

impl KingCache {
    fn new() -> Self {
        Self(std::array::from_fn(|_| vec![CachedSum::EMPTY; Square::NUM]))
    }

    /// The sum of pairs of a side whose king is seen on a square, computed from the last one, which
    /// it replaces.
    ///
    /// # Safety
    /// As for [`SumStack::evaluate`]; numbers are in range.
    #[inline(always)]
    unsafe fn sum<K: Kernel, const TURN: bool>(
        &mut self,
        tables: &Tables,
        side: Color,
        king: usize,
        numbers: &Numbers,
    ) -> Weight {
        let last = &mut self.0[side.index()][king];
        let exchange = Exchange::of_lists(&last.numbers, numbers);
        // SAFETY: the caller vouches for `K`, `TURN`, `tables` and the numbers.
        unsafe {
            if exchange.added.len() + exchange.removed.len() <= MAX_EXCHANGED {
                exchange.apply::<K, TURN>(tables, king, &mut last.sum);
            } else {
                last.sum = all_pairs::<K, TURN>(tables, king, numbers);
            }
        }
        last.numbers = *numbers;
        last.sum
    }
}

/// The squares of the kings before the last move, from those after it.
#[inline(always)]
fn kings_before_last_move(
    position: &Position,
    mut kings: [Square; Color::NUM],
) -> [Square; Color::NUM] {
    if let Some(mv) = position.past_move(0).and_then(|past| past.mv)
        && mv.piece().kind() == PieceType::King
        && let Some(from) = mv.from()
    {
        kings[mv.piece().color().index()] = from;
    }
    kings
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

// --- The step from the sum of pairs of one position to that of another one ---

/// What turns the pieces of one position into those of another one.
struct Exchange {
    added: ArrayVec<usize, SLOTS>,
    removed: ArrayVec<usize, SLOTS>,
    /// The pieces of both positions.
    others: Numbers,
}

impl Exchange {
    /// The pieces `now` differ from those `before` in no other slots than `slots`. The piece in
    /// slot `first` comes first, if it is among them.
    #[inline(always)]
    fn of_slots(before: &Numbers, now: &Numbers, slots: u64, first: usize) -> Self {
        let mut exchange = Self { added: ArrayVec::new(), removed: ArrayVec::new(), others: *now };
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
    fn of_lists(before: &Numbers, now: &Numbers) -> Self {
        let mut exchange = Self { added: ArrayVec::new(), removed: ArrayVec::new(), others: *now };
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
        exchange.removed.extend(removed.filter(|&number| left.remove(number)));
        exchange
    }

    /// Turns the sum of pairs before into that of now.
    ///
    /// # Safety
    /// The processor has the instruction set of `K`, `TURN` is right for `tables`, and numbers are
    /// below [`NUMBERS`].
    #[inline(always)]
    unsafe fn apply<K: Kernel, const TURN: bool>(
        &self,
        tables: &Tables,
        king: usize,
        sum: &mut Weight,
    ) {
        let Self { added, removed, others } = self;
        subtract(sum, sum_of_pairs(tables, king, removed));
        add(sum, sum_of_pairs(tables, king, added));
        // SAFETY: the caller vouches for the instruction set; king and numbers are in range, and
        // `others` has none of the exchanged pieces.
        add(sum, unsafe { K::sum::<TURN>(tables.kpp_of(king), added, removed, others) });
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
unsafe fn all_pairs<K: Kernel, const TURN: bool>(
    tables: &Tables,
    king: usize,
    numbers: &Numbers,
) -> Weight {
    let mut others = Numbers::EMPTY;
    let mut sum = [0; 2];
    for (slot, &number) in numbers.0.iter().enumerate() {
        if let Ok(piece) = usize::try_from(number) {
            // SAFETY: as in `Exchange::apply`.
            add(&mut sum, unsafe { K::sum::<TURN>(tables.kpp_of(king), &[piece], &[], &others) });
            others.0[slot] = number;
        }
    }
    sum
}
