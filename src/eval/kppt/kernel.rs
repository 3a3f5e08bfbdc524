//! Sums of KPP weights of some pieces with all others, for each instruction set.
//!
//! The weights of a piece with the others are a row of the table or, as it is symmetric, a column.
//! Columns are read: the weights of a piece on two squares with a third one then lie in one cache
//! line or near each other, and those of all its moves in a few.
//!
//! Why unsafe here: gathers read from an address that the caller vouches for.
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Kernel`"
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_load_si128, _mm_shuffle_epi32, _mm256_add_epi32,
    _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpgt_epi32, _mm256_cvtepi16_epi32,
    _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_mullo_epi32, _mm256_set1_epi32,
    _mm256_setr_epi32, _mm256_setzero_si256, _mm256_srai_epi32, _mm256_storeu_si256,
    _mm256_sub_epi32,
};

use super::numbers::{NUMBERS, Numbers};
use super::scalar::{Weight, add, subtract};

/// A way to sum weights.
pub(super) trait Kernel {
    /// The weights of the pieces `added` with each piece of `others`, minus those of the pieces
    /// `removed`. `table` is that of one king; with `TURN`, a weight has two words, else one, the
    /// board part.
    ///
    /// # Safety
    /// The processor has the instruction set, the table has `NUMBERS` · `NUMBERS` weights, numbers
    /// are below [`NUMBERS`], those of `others` may be negative for none, and no piece is paired
    /// with itself.
    unsafe fn sum<const TURN: bool>(
        table: &[i16],
        added: &[usize],
        removed: &[usize],
        others: &Numbers,
    ) -> Weight;
}

/// Checks in debug builds what callers of [`Kernel::sum`] vouch for.
#[inline(always)]
fn check<const TURN: bool>(table: &[i16], added: &[usize], removed: &[usize], others: &Numbers) {
    debug_assert_eq!(table.len(), (NUMBERS * NUMBERS) << usize::from(TURN));
    debug_assert!(others.0.iter().all(|&number| number < NUMBERS as i16));
    let is_right = |&number: &usize| number < NUMBERS && others.slot_of(number as i16).is_none();
    debug_assert!(added.iter().all(is_right) && removed.iter().all(is_right));
}

/// No gathers: one load per part and piece.
pub(super) struct Plain;

impl Kernel for Plain {
    #[inline(always)]
    unsafe fn sum<const TURN: bool>(
        table: &[i16],
        added: &[usize],
        removed: &[usize],
        others: &Numbers,
    ) -> Weight {
        check::<TURN>(table, added, removed, others);
        let weight = |row: usize, column: usize| {
            let index = (row * NUMBERS + column) << usize::from(TURN);
            let turn = if TURN { table[index + 1] } else { 0 };
            [table[index], turn].map(i32::from)
        };
        let mut total = [0; 2];
        for &number in &others.0 {
            let Ok(row) = usize::try_from(number) else {
                continue;
            };
            for &column in added {
                add(&mut total, weight(row, column));
            }
            for &column in removed {
                subtract(&mut total, weight(row, column));
            }
        }
        total
    }
}

/// Eight weights at a time, each loaded on its own: gathers take more than twice as many
/// instructions inside the processor (AMD Zen), or are slowed down by its fixes (Intel).
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx2;

/// Distances of the rows of eight pieces from the first row, in weights, and which of them are
/// there.
#[cfg(target_arch = "x86_64")]
struct Rows {
    distances: [u32; 8],
    mask: __m256i,
}

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// The rows of eight numbers.
    ///
    /// # Safety
    /// The processor has AVX2; eight numbers, aligned to 16 bytes.
    #[inline(always)]
    unsafe fn rows(numbers: &[i16]) -> Rows {
        // SAFETY: the caller vouches for the instruction set and the numbers.
        unsafe {
            let numbers = _mm256_cvtepi16_epi32(_mm_load_si128(numbers.as_ptr().cast()));
            let mask = _mm256_cmpgt_epi32(numbers, _mm256_set1_epi32(-1));
            let rows = _mm256_mullo_epi32(
                _mm256_and_si256(numbers, mask),
                _mm256_set1_epi32(NUMBERS as i32),
            );
            let mut distances = [0; 8];
            _mm256_storeu_si256(distances.as_mut_ptr().cast(), rows);
            Rows { distances, mask }
        }
    }

    /// The weights of a piece with eight others; 0 for those that are not there.
    ///
    /// # Safety
    /// As for [`Kernel::sum`].
    #[inline(always)]
    unsafe fn weights<const TURN: bool>(table: &[i16], column: usize, rows: &Rows) -> __m256i {
        // SAFETY: the caller vouches for the instruction set, the table and the numbers. A weight
        // of one word is read together with the one after it; the last one has none, but it is
        // that of a piece with itself.
        unsafe {
            let column = table.as_ptr().add(column << usize::from(TURN));
            let weight = |lane: usize| {
                let distance = (rows.distances[lane] as usize) << usize::from(TURN);
                column.add(distance).cast::<i32>().read_unaligned()
            };
            let weights = _mm256_setr_epi32(
                weight(0),
                weight(1),
                weight(2),
                weight(3),
                weight(4),
                weight(5),
                weight(6),
                weight(7),
            );
            _mm256_and_si256(weights, rows.mask)
        }
    }

    /// The sum of all lanes.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn total(sums: __m256i) -> i32 {
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            let low = _mm256_castsi256_si128(sums);
            let four = _mm_add_epi32(low, _mm256_extracti128_si256::<1>(sums));
            let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
            _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx2 {
    #[inline(always)]
    unsafe fn sum<const TURN: bool>(
        table: &[i16],
        added: &[usize],
        removed: &[usize],
        others: &Numbers,
    ) -> Weight {
        check::<TURN>(table, added, removed, others);
        // SAFETY: the caller vouches for the instruction set, the table and the numbers.
        unsafe {
            let low_word = _mm256_set1_epi32(1);
            let [mut board, mut turn] = [_mm256_setzero_si256(); 2];
            for chunk in others.0.chunks_exact(8) {
                let rows = Self::rows(chunk);
                for &column in added {
                    let weights = Self::weights::<TURN>(table, column, &rows);
                    board = _mm256_add_epi32(board, _mm256_madd_epi16(weights, low_word));
                    if TURN {
                        turn = _mm256_add_epi32(turn, _mm256_srai_epi32::<16>(weights));
                    }
                }
                for &column in removed {
                    let weights = Self::weights::<TURN>(table, column, &rows);
                    board = _mm256_sub_epi32(board, _mm256_madd_epi16(weights, low_word));
                    if TURN {
                        turn = _mm256_sub_epi32(turn, _mm256_srai_epi32::<16>(weights));
                    }
                }
            }
            [Self::total(board), Self::total(turn)]
        }
    }
}
