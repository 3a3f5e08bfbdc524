//! Sums of rows of KPP over a list of pieces, for each instruction set.
//!
//! Why unsafe here: gathers read from an address that the caller vouches for.
#![expect(unsafe_code, reason = "vector operations are unsafe")]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_cmpgt_epi32, _mm256_extracti128_si256, _mm256_load_si256,
    _mm256_madd_epi16, _mm256_mask_i32gather_epi32, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_srai_epi32, _mm256_sub_epi32, _mm512_add_epi32, _mm512_cmpgt_epi32_mask,
    _mm512_load_si512, _mm512_madd_epi16, _mm512_mask_i32gather_epi32, _mm512_reduce_add_epi32,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srai_epi32, _mm512_sub_epi32,
};

use super::numbers::{NUMBERS, Numbers, SLOTS};
use super::scalar::{Weight, add, subtract};

/// A way to sum rows.
pub(super) trait Kernel {
    /// The weights of the pieces of `others` in the rows `added`, minus those in the rows
    /// `removed`. A row is the index of its first word in `table`; with `TURN`, a weight has two
    /// words, else one, the board part.
    ///
    /// # Safety
    /// The processor has the instruction set, the rows lie within `table`, and the numbers of
    /// `others` are below [`NUMBERS`] or negative, for none.
    unsafe fn sum_rows<const TURN: bool>(
        table: &[i16],
        added: &[usize],
        removed: &[usize],
        others: &Numbers,
    ) -> Weight;
}

/// Checks in debug builds what callers of [`Kernel::sum_rows`] vouch for.
#[inline(always)]
fn check<const TURN: bool>(table: &[i16], added: &[usize], removed: &[usize], others: &Numbers) {
    debug_assert!(others.0.iter().all(|&number| number < NUMBERS as i32));
    let row_words = NUMBERS << usize::from(TURN);
    let is_within = |&row: &usize| row + row_words <= table.len();
    debug_assert!(added.iter().all(is_within) && removed.iter().all(is_within));
}

/// No gathers: one load per part and piece.
pub(super) struct Plain;

impl Kernel for Plain {
    #[inline(always)]
    unsafe fn sum_rows<const TURN: bool>(
        table: &[i16],
        added: &[usize],
        removed: &[usize],
        others: &Numbers,
    ) -> Weight {
        check::<TURN>(table, added, removed, others);
        let row_sum = |row: usize| {
            let words = &table[row..row + (NUMBERS << usize::from(TURN))];
            let mut sum = [0; 2];
            for &number in &others.0 {
                // An empty slot reads the weight of number 0 and masks it.
                let mask = !(number >> 31);
                let index = (number & mask) as usize;
                if TURN {
                    let [board, turn] = [words[2 * index], words[2 * index + 1]];
                    add(&mut sum, [i32::from(board) & mask, i32::from(turn) & mask]);
                } else {
                    add(&mut sum, [i32::from(words[index]) & mask, 0]);
                }
            }
            sum
        };
        let mut total = [0; 2];
        for &row in added {
            add(&mut total, row_sum(row));
        }
        for &row in removed {
            subtract(&mut total, row_sum(row));
        }
        total
    }
}

/// Gathers of eight weights.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// # Safety
    /// As for [`Kernel::sum_rows`].
    #[inline(always)]
    unsafe fn row<const TURN: bool>(row: *const i32, others: &Numbers) -> [__m256i; 2] {
        // SAFETY: the caller vouches for the instruction set and for the row, of which only the
        // weights of numbers are read: a lane without a number is masked. A weight of one word is
        // read together with the one behind it; the last number has one, since no piece is paired
        // with itself.
        unsafe {
            let zero = _mm256_setzero_si256();
            let [mut board, mut turn] = [zero; 2];
            for chunk in others.0[..LANES_USED].chunks_exact(8) {
                let numbers = _mm256_load_si256(chunk.as_ptr().cast());
                let mask = _mm256_cmpgt_epi32(numbers, _mm256_set1_epi32(-1));
                let weights = if TURN {
                    _mm256_mask_i32gather_epi32::<4>(zero, row, numbers, mask)
                } else {
                    _mm256_mask_i32gather_epi32::<2>(zero, row, numbers, mask)
                };
                let low = _mm256_madd_epi16(weights, _mm256_set1_epi32(1));
                board = _mm256_add_epi32(board, low);
                if TURN {
                    turn = _mm256_add_epi32(turn, _mm256_srai_epi32::<16>(weights));
                }
            }
            [board, turn]
        }
    }

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

/// Slots that can hold pieces, in vectors of eight.
#[cfg(target_arch = "x86_64")]
const LANES_USED: usize = 40;

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx2 {
    #[inline(always)]
    unsafe fn sum_rows<const TURN: bool>(
        table: &[i16],
        added: &[usize],
        removed: &[usize],
        others: &Numbers,
    ) -> Weight {
        check::<TURN>(table, added, removed, others);
        // SAFETY: the caller vouches for the instruction set, the rows and the numbers.
        unsafe {
            let [mut board, mut turn] = [_mm256_setzero_si256(); 2];
            for &row in added {
                let [more_board, more_turn] =
                    Self::row::<TURN>(table.as_ptr().add(row).cast(), others);
                board = _mm256_add_epi32(board, more_board);
                turn = _mm256_add_epi32(turn, more_turn);
            }
            for &row in removed {
                let [less_board, less_turn] =
                    Self::row::<TURN>(table.as_ptr().add(row).cast(), others);
                board = _mm256_sub_epi32(board, less_board);
                turn = _mm256_sub_epi32(turn, less_turn);
            }
            [Self::total(board), Self::total(turn)]
        }
    }
}

/// Gathers of sixteen weights.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// # Safety
    /// As for [`Kernel::sum_rows`].
    #[inline(always)]
    unsafe fn row<const TURN: bool>(row: *const i32, others: &Numbers) -> [__m512i; 2] {
        // SAFETY: as in `Avx2::row`.
        unsafe {
            let zero = _mm512_setzero_si512();
            let [mut board, mut turn] = [zero; 2];
            for chunk in others.0.chunks_exact(16) {
                let numbers = _mm512_load_si512(chunk.as_ptr().cast());
                let mask = _mm512_cmpgt_epi32_mask(numbers, _mm512_set1_epi32(-1));
                let weights = if TURN {
                    _mm512_mask_i32gather_epi32::<4>(zero, mask, numbers, row)
                } else {
                    _mm512_mask_i32gather_epi32::<2>(zero, mask, numbers, row)
                };
                let low = _mm512_madd_epi16(weights, _mm512_set1_epi32(1));
                board = _mm512_add_epi32(board, low);
                if TURN {
                    turn = _mm512_add_epi32(turn, _mm512_srai_epi32::<16>(weights));
                }
            }
            [board, turn]
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx512 {
    #[inline(always)]
    unsafe fn sum_rows<const TURN: bool>(
        table: &[i16],
        added: &[usize],
        removed: &[usize],
        others: &Numbers,
    ) -> Weight {
        check::<TURN>(table, added, removed, others);
        // SAFETY: the caller vouches for the instruction set, the rows and the numbers.
        unsafe {
            let [mut board, mut turn] = [_mm512_setzero_si512(); 2];
            for &row in added {
                let [more_board, more_turn] =
                    Self::row::<TURN>(table.as_ptr().add(row).cast(), others);
                board = _mm512_add_epi32(board, more_board);
                turn = _mm512_add_epi32(turn, more_turn);
            }
            for &row in removed {
                let [less_board, less_turn] =
                    Self::row::<TURN>(table.as_ptr().add(row).cast(), others);
                board = _mm512_sub_epi32(board, less_board);
                turn = _mm512_sub_epi32(turn, less_turn);
            }
            [
                _mm512_reduce_add_epi32(board),
                _mm512_reduce_add_epi32(turn),
            ]
        }
    }
}

const _: () = assert!(SLOTS.is_multiple_of(16));
