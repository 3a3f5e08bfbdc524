//! NEON (Advanced SIMD) of 64-bit ARM.

#![allow(clippy::wildcard_imports, reason = "names of intrinsics are unambiguous")]

use std::arch::aarch64::*;

use super::{Simd, operations};

/// Vectors of 128 bits.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Neon;

impl Simd for Neon {
    type I16 = int16x8_t;
    type I32 = int32x4_t;
    const I16_LANES: usize = 8;
    const I32_LANES: usize = 4;

    operations! {
        fn load_i16(from: *const i16) -> Self::I16 {
            vld1q_s16(from)
        }

        fn store_i16(to: *mut i16, vector: Self::I16) {
            vst1q_s16(to, vector);
        }

        fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            vaddq_s16(a, b)
        }

        fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
            vsubq_s16(a, b)
        }

        fn clamp_to_bytes(from: *const i16, to: *mut u8) {
            let low = vqmovn_s16(vld1q_s16(from));
            let bytes = vqmovn_high_s16(low, vld1q_s16(from.add(Self::I16_LANES)));
            vst1q_u8(to, vreinterpretq_u8_s8(vmaxq_s8(bytes, vdupq_n_s8(0))));
        }

        fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
            let (zero, limit) = (vdupq_n_s16(0), vdupq_n_s16(254));
            for half in 0..2 {
                let offset = half * Self::I16_LANES;
                let one = vminq_s16(vmaxq_s16(vld1q_s16(first.add(offset)), zero), limit);
                let other = vminq_s16(vmaxq_s16(vld1q_s16(second.add(offset)), zero), limit);
                let product = vreinterpretq_u16_s16(vmulq_s16(one, other));
                vst1_u8(to.add(offset), vmovn_u16(vshrq_n_u16::<9>(product)));
            }
        }

        fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
            // The product of value and weight is at most 255 * 127 and fits into 16 bits.
            let positive = vmaxq_s16(vld1q_s16(from), vdupq_n_s16(0));
            let value = vminq_s16(positive, vdupq_n_s16(255));
            let weighted = vmulq_s16(value, vld1q_s16(weights));
            let low = vmlal_s16(sums, vget_low_s16(weighted), vget_low_s16(value));
            vmlal_high_s16(low, weighted, value)
        }

        fn load_i32(from: *const i32) -> Self::I32 {
            vld1q_s32(from)
        }

        fn store_i32(to: *mut i32, vector: Self::I32) {
            vst1q_s32(to, vector);
        }

        fn zero_i32() -> Self::I32 {
            vdupq_n_s32(0)
        }

        fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
            vaddq_s32(a, b)
        }

        fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
            // Inputs are at most 127, so signed and unsigned bytes are the same.
            let inputs = vreinterpretq_s8_s32(vdupq_n_s32(inputs));
            let weights = vld1q_s8(weights);
            let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
            let high = vmull_high_s8(inputs, weights);
            vaddq_s32(sums, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)))
        }

        fn nonzero_groups(inputs: *const u8) -> u32 {
            const BITS: [u32; 4] = [1, 2, 4, 8];
            let groups = vreinterpretq_u32_u8(vld1q_u8(inputs));
            let bits = vandq_u32(vtstq_u32(groups, groups), vld1q_u32(BITS.as_ptr()));
            vaddvq_u32(bits)
        }
    }
}
