//! `simd128` of WebAssembly.

#![allow(clippy::wildcard_imports, reason = "names of intrinsics are unambiguous")]

use std::arch::wasm32::*;

use super::{Simd, operations};

/// Vectors of 128 bits. There is no product of bytes: a load widens eight of them to words. Their
/// order is kept, so each sum is in two neighbouring lanes, and a vector of sums is a pair.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Simd128;

impl Simd for Simd128 {
    type I16 = v128;
    type I32 = [v128; 2];
    const I16_LANES: usize = 8;
    const I32_LANES: usize = 4;
    const SUMS_ARE_PAIRS: bool = true;

    operations! {
        fn load_i16(from: *const i16) -> Self::I16 {
            v128_load(from.cast())
        }

        fn store_i16(to: *mut i16, vector: Self::I16) {
            v128_store(to.cast(), vector);
        }

        fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            i16x8_add(a, b)
        }

        fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            i16x8_sub(a, b)
        }

        fn clamp_to_bytes(from: *const i16, to: *mut u8) {
            let (low, high) = (
                v128_load(from.cast()),
                v128_load(from.add(Self::I16_LANES).cast()),
            );
            let bytes = i8x16_max(i8x16_narrow_i16x8(low, high), i8x16_splat(0));
            v128_store(to.cast(), bytes);
        }

        fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
            let (zero, limit) = (i16x8_splat(0), i16x8_splat(254));
            let product = |offset| {
                let one = v128_load(first.add(offset).cast());
                let other = v128_load(second.add(offset).cast());
                let one = i16x8_min(i16x8_max(one, zero), limit);
                let other = i16x8_min(i16x8_max(other, zero), limit);
                u16x8_shr(i16x8_mul(one, other), 9)
            };
            let bytes = u8x16_narrow_i16x8(product(0), product(Self::I16_LANES));
            v128_store(to.cast(), bytes);
        }

        fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
            // The product of value and weight is at most 255 * 127 and fits into 16 bits.
            let positive = i16x8_max(v128_load(from.cast()), i16x8_splat(0));
            let value = i16x8_min(positive, i16x8_splat(255));
            let weighted = i16x8_mul(value, v128_load(weights.cast()));
            let [low, high] = sums;
            [i32x4_add(low, i32x4_dot_i16x8(weighted, value)), high]
        }

        fn load_i32(from: *const i32) -> Self::I32 {
            let zero = i32x4_splat(0);
            let sums = v128_load(from.cast());
            [
                i32x4_shuffle::<0, 4, 1, 5>(sums, zero),
                i32x4_shuffle::<2, 6, 3, 7>(sums, zero),
            ]
        }

        fn store_i32(to: *mut i32, vector: Self::I32) {
            let [low, high] = vector;
            let even = i32x4_shuffle::<0, 2, 4, 6>(low, high);
            let odd = i32x4_shuffle::<1, 3, 5, 7>(low, high);
            v128_store(to.cast(), i32x4_add(even, odd));
        }

        fn zero_i32() -> Self::I32 {
            [i32x4_splat(0); 2]
        }

        fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
            [i32x4_add(a[0], b[0]), i32x4_add(a[1], b[1])]
        }

        fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
            // Inputs are at most 127, so signed and unsigned bytes are the same.
            let inputs = i16x8_extend_low_i8x16(i32x4_splat(inputs));
            let low = i32x4_dot_i16x8(inputs, i16x8_load_extend_i8x8(weights));
            let high = i32x4_dot_i16x8(inputs, i16x8_load_extend_i8x8(weights.add(8)));
            [i32x4_add(sums[0], low), i32x4_add(sums[1], high)]
        }

        fn nonzero_groups(inputs: *const u8) -> u32 {
            let groups = v128_load(inputs.cast());
            u32::from(i32x4_bitmask(i32x4_ne(groups, i32x4_splat(0))))
        }
    }
}
