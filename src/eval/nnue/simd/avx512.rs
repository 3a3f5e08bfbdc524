//! The wide instruction sets of x86-64.

#![allow(clippy::wildcard_imports, reason = "the vocabulary of the processor")]

use std::arch::x86_64::*;

use super::Simd;

/// 512 bits, with `AVX-512F`, `BW` and, where `VNNI`, that.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Avx512<const VNNI: bool>;

impl<const VNNI: bool> Simd for Avx512<VNNI> {
    type I16 = __m512i;
    type I32 = __m512i;
    const I16_LANES: usize = 32;
    const I32_LANES: usize = 16;

    #[inline(always)]
    unsafe fn load_i16(from: *const i16) -> Self::I16 {
        // SAFETY: the caller's promise; so in all functions here.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_i16(to: *mut i16, vector: Self::I16) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(to.cast(), vector) }
    }

    #[inline(always)]
    unsafe fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
        // SAFETY: as above.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
        // SAFETY: as above.
        unsafe { _mm512_sub_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn clamp_to_bytes(from: *const i16, to: *mut u8) {
        // SAFETY: as above.
        unsafe {
            for half in 0..2 {
                let sums = _mm512_loadu_si512(from.add(half * Self::I16_LANES).cast());
                let positive = _mm512_max_epi16(sums, _mm512_setzero_si512());
                _mm256_storeu_si256(
                    to.add(half * Self::I16_LANES).cast(),
                    _mm512_cvtsepi16_epi8(positive),
                );
            }
        }
    }

    #[inline(always)]
    unsafe fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
        // SAFETY: as above.
        unsafe {
            let (zero, limit) = (_mm512_setzero_si512(), _mm512_set1_epi16(254));
            for half in 0..2 {
                let offset = half * Self::I16_LANES;
                let one = _mm512_loadu_si512(first.add(offset).cast());
                let other = _mm512_loadu_si512(second.add(offset).cast());
                let one = _mm512_min_epi16(_mm512_max_epi16(one, zero), limit);
                let other = _mm512_min_epi16(_mm512_max_epi16(other, zero), limit);
                let product = _mm512_srli_epi16::<9>(_mm512_mullo_epi16(one, other));
                _mm256_storeu_si256(to.add(offset).cast(), _mm512_cvtepi16_epi8(product));
            }
        }
    }

    #[inline(always)]
    unsafe fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
        // A value times its weight fits into 16 bits.
        // SAFETY: as above.
        unsafe {
            let positive =
                _mm512_max_epi16(_mm512_loadu_si512(from.cast()), _mm512_setzero_si512());
            let value = _mm512_min_epi16(positive, _mm512_set1_epi16(255));
            let weighted = _mm512_mullo_epi16(value, _mm512_loadu_si512(weights.cast()));
            _mm512_add_epi32(sums, _mm512_madd_epi16(weighted, value))
        }
    }

    #[inline(always)]
    unsafe fn load_i32(from: *const i32) -> Self::I32 {
        // SAFETY: as above.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_i32(to: *mut i32, vector: Self::I32) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(to.cast(), vector) }
    }

    #[inline(always)]
    unsafe fn zero_i32() -> Self::I32 {
        // SAFETY: as above.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
        // SAFETY: as above.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
        // SAFETY: as above; and the caller says `VNNI` only where the processor has it.
        unsafe {
            let (inputs, weights) = (
                _mm512_set1_epi32(inputs),
                _mm512_loadu_si512(weights.cast()),
            );
            if VNNI {
                return _mm512_dpbusd_epi32(sums, inputs, weights);
            }
            // Two products of 127 and -128 fit into 16 bits, so nothing saturates.
            let products = _mm512_maddubs_epi16(inputs, weights);
            _mm512_add_epi32(sums, _mm512_madd_epi16(products, _mm512_set1_epi16(1)))
        }
    }

    #[inline(always)]
    unsafe fn nonzero_groups(inputs: *const u8) -> u32 {
        // SAFETY: as above.
        unsafe {
            let groups = _mm512_loadu_si512(inputs.cast());
            u32::from(_mm512_test_epi32_mask(groups, groups))
        }
    }
}
