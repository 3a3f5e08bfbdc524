//! SSE4.1, AVX2 and AVX-512.

#![allow(clippy::wildcard_imports, reason = "names of intrinsics are unambiguous")]

use std::arch::x86_64::*;

use super::{Simd, operations};

/// Vectors of 128 bits; requires SSE4.1.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Sse41;

impl Simd for Sse41 {
    type I16 = __m128i;
    type I32 = __m128i;
    const I16_LANES: usize = 8;
    const I32_LANES: usize = 4;

    operations! {
        fn load_i16(from: *const i16) -> Self::I16 {
            _mm_loadu_si128(from.cast())
        }

        fn store_i16(to: *mut i16, vector: Self::I16) {
            _mm_storeu_si128(to.cast(), vector);
        }

        fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            _mm_add_epi16(a, b)
        }

        fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            _mm_sub_epi16(a, b)
        }

        fn clamp_to_bytes(from: *const i16, to: *mut u8) {
            let low = _mm_loadu_si128(from.cast());
            let high = _mm_loadu_si128(from.add(Self::I16_LANES).cast());
            // Packing saturates to -128..=127.
            let bytes = _mm_max_epi8(_mm_packs_epi16(low, high), _mm_setzero_si128());
            _mm_storeu_si128(to.cast(), bytes);
        }

        fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
            let (zero, limit) = (_mm_setzero_si128(), _mm_set1_epi16(254));
            let mut products = [zero; 2];
            for (half, product) in products.iter_mut().enumerate() {
                let one = _mm_loadu_si128(first.add(half * Self::I16_LANES).cast());
                let other = _mm_loadu_si128(second.add(half * Self::I16_LANES).cast());
                let one = _mm_min_epi16(_mm_max_epi16(one, zero), limit);
                let other = _mm_min_epi16(_mm_max_epi16(other, zero), limit);
                *product = _mm_srli_epi16::<9>(_mm_mullo_epi16(one, other));
            }
            let bytes = _mm_packus_epi16(products[0], products[1]);
            _mm_storeu_si128(to.cast(), bytes);
        }

        fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
            // The product of value and weight is at most 255 * 127 and fits into 16 bits.
            let positive = _mm_max_epi16(_mm_loadu_si128(from.cast()), _mm_setzero_si128());
            let value = _mm_min_epi16(positive, _mm_set1_epi16(255));
            let weighted = _mm_mullo_epi16(value, _mm_loadu_si128(weights.cast()));
            _mm_add_epi32(sums, _mm_madd_epi16(weighted, value))
        }

        fn load_i32(from: *const i32) -> Self::I32 {
            _mm_loadu_si128(from.cast())
        }

        fn store_i32(to: *mut i32, vector: Self::I32) {
            _mm_storeu_si128(to.cast(), vector);
        }

        fn zero_i32() -> Self::I32 {
            _mm_setzero_si128()
        }

        fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
            _mm_add_epi32(a, b)
        }

        fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
            // The sum of two products of at most 127 * 128 fits into 16 bits: nothing saturates.
            let products =
                _mm_maddubs_epi16(_mm_set1_epi32(inputs), _mm_loadu_si128(weights.cast()));
            _mm_add_epi32(sums, _mm_madd_epi16(products, _mm_set1_epi16(1)))
        }

        fn nonzero_groups(inputs: *const u8) -> u32 {
            let is_zero = _mm_cmpeq_epi32(_mm_loadu_si128(inputs.cast()), _mm_setzero_si128());
            !_mm_movemask_ps(_mm_castsi128_ps(is_zero)) as u32 & 0xf
        }
    }
}

/// Vectors of 256 bits; requires AVX2.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Avx2;

impl Simd for Avx2 {
    type I16 = __m256i;
    type I32 = __m256i;
    const I16_LANES: usize = 16;
    const I32_LANES: usize = 8;

    operations! {
        fn load_i16(from: *const i16) -> Self::I16 {
            _mm256_loadu_si256(from.cast())
        }

        fn store_i16(to: *mut i16, vector: Self::I16) {
            _mm256_storeu_si256(to.cast(), vector);
        }

        fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            _mm256_add_epi16(a, b)
        }

        fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            _mm256_sub_epi16(a, b)
        }

        fn clamp_to_bytes(from: *const i16, to: *mut u8) {
            let low = _mm256_loadu_si256(from.cast());
            let high = _mm256_loadu_si256(from.add(Self::I16_LANES).cast());
            // Packing saturates to -128..=127.
            let bytes = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
            // Packing works within halves of 128 bits; the permutation restores the order.
            _mm256_storeu_si256(to.cast(), _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes));
        }

        fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
            let (zero, limit) = (_mm256_setzero_si256(), _mm256_set1_epi16(254));
            let mut products = [zero; 2];
            for (half, product) in products.iter_mut().enumerate() {
                let one = _mm256_loadu_si256(first.add(half * Self::I16_LANES).cast());
                let other = _mm256_loadu_si256(second.add(half * Self::I16_LANES).cast());
                let one = _mm256_min_epi16(_mm256_max_epi16(one, zero), limit);
                let other = _mm256_min_epi16(_mm256_max_epi16(other, zero), limit);
                *product = _mm256_srli_epi16::<9>(_mm256_mullo_epi16(one, other));
            }
            let bytes = _mm256_packus_epi16(products[0], products[1]);
            // Packing works within halves of 128 bits; the permutation restores the order.
            _mm256_storeu_si256(to.cast(), _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes));
        }

        fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
            // The product of value and weight is at most 255 * 127 and fits into 16 bits.
            let positive =
                _mm256_max_epi16(_mm256_loadu_si256(from.cast()), _mm256_setzero_si256());
            let value = _mm256_min_epi16(positive, _mm256_set1_epi16(255));
            let weighted = _mm256_mullo_epi16(value, _mm256_loadu_si256(weights.cast()));
            _mm256_add_epi32(sums, _mm256_madd_epi16(weighted, value))
        }

        fn load_i32(from: *const i32) -> Self::I32 {
            _mm256_loadu_si256(from.cast())
        }

        fn store_i32(to: *mut i32, vector: Self::I32) {
            _mm256_storeu_si256(to.cast(), vector);
        }

        fn zero_i32() -> Self::I32 {
            _mm256_setzero_si256()
        }

        fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
            _mm256_add_epi32(a, b)
        }

        fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
            // The sum of two products of at most 127 * 128 fits into 16 bits: nothing saturates.
            let products = _mm256_maddubs_epi16(
                _mm256_set1_epi32(inputs),
                _mm256_loadu_si256(weights.cast()),
            );
            _mm256_add_epi32(sums, _mm256_madd_epi16(products, _mm256_set1_epi16(1)))
        }

        fn nonzero_groups(inputs: *const u8) -> u32 {
            let is_zero =
                _mm256_cmpeq_epi32(_mm256_loadu_si256(inputs.cast()), _mm256_setzero_si256());
            !_mm256_movemask_ps(_mm256_castsi256_ps(is_zero)) as u32 & 0xff
        }
    }
}

/// Vectors of 512 bits; requires AVX-512 F and BW, and VNNI where `VNNI` is true.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Avx512<const VNNI: bool>;

impl<const VNNI: bool> Simd for Avx512<VNNI> {
    type I16 = __m512i;
    type I32 = __m512i;
    const I16_LANES: usize = 32;
    const I32_LANES: usize = 16;

    operations! {
        fn load_i16(from: *const i16) -> Self::I16 {
            _mm512_loadu_si512(from.cast())
        }

        fn store_i16(to: *mut i16, vector: Self::I16) {
            _mm512_storeu_si512(to.cast(), vector);
        }

        fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            _mm512_add_epi16(a, b)
        }

        fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            _mm512_sub_epi16(a, b)
        }

        fn clamp_to_bytes(from: *const i16, to: *mut u8) {
            for half in 0..2 {
                let sums = _mm512_loadu_si512(from.add(half * Self::I16_LANES).cast());
                let positive = _mm512_max_epi16(sums, _mm512_setzero_si512());
                _mm256_storeu_si256(
                    to.add(half * Self::I16_LANES).cast(),
                    _mm512_cvtsepi16_epi8(positive),
                );
            }
        }

        fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
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

        fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
            // The product of value and weight is at most 255 * 127 and fits into 16 bits.
            let positive =
                _mm512_max_epi16(_mm512_loadu_si512(from.cast()), _mm512_setzero_si512());
            let value = _mm512_min_epi16(positive, _mm512_set1_epi16(255));
            let weighted = _mm512_mullo_epi16(value, _mm512_loadu_si512(weights.cast()));
            _mm512_add_epi32(sums, _mm512_madd_epi16(weighted, value))
        }

        fn load_i32(from: *const i32) -> Self::I32 {
            _mm512_loadu_si512(from.cast())
        }

        fn store_i32(to: *mut i32, vector: Self::I32) {
            _mm512_storeu_si512(to.cast(), vector);
        }

        fn zero_i32() -> Self::I32 {
            _mm512_setzero_si512()
        }

        fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
            _mm512_add_epi32(a, b)
        }

        fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
            let (inputs, weights) = (
                _mm512_set1_epi32(inputs),
                _mm512_loadu_si512(weights.cast()),
            );
            if VNNI {
                return _mm512_dpbusd_epi32(sums, inputs, weights);
            }
            // The sum of two products of at most 127 * 128 fits into 16 bits: nothing saturates.
            let products = _mm512_maddubs_epi16(inputs, weights);
            _mm512_add_epi32(sums, _mm512_madd_epi16(products, _mm512_set1_epi16(1)))
        }

        fn nonzero_groups(inputs: *const u8) -> u32 {
            let groups = _mm512_loadu_si512(inputs.cast());
            u32::from(_mm512_test_epi32_mask(groups, groups))
        }
    }
}
