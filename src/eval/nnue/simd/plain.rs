//! Vectors without intrinsics: small arrays, which the compiler vectorizes for the build's
//! baseline.

use std::array::from_fn;

use super::vector::{Simd, operations};

/// Arrays of 128 bits, the smallest vector size.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Plain;

impl Simd for Plain {
    type I16 = [i16; 8];
    type I32 = [i32; 4];
    const I16_LANES: usize = 8;
    const I32_LANES: usize = 4;

    #[inline(always)]
    unsafe fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    unsafe fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
        from_fn(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    unsafe fn zero_i32() -> Self::I32 {
        [0; 4]
    }

    #[inline(always)]
    unsafe fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    operations! {
        fn load_i16(from: *const i16) -> Self::I16 {
            from.cast::<Self::I16>().read_unaligned()
        }

        fn store_i16(to: *mut i16, vector: Self::I16) {
            to.cast::<Self::I16>().write_unaligned(vector);
        }

        fn load_i32(from: *const i32) -> Self::I32 {
            from.cast::<Self::I32>().read_unaligned()
        }

        fn store_i32(to: *mut i32, vector: Self::I32) {
            to.cast::<Self::I32>().write_unaligned(vector);
        }

        fn clamp_to_bytes(from: *const i16, to: *mut u8) {
            let sums = from.cast::<[i16; 16]>().read_unaligned();
            let bytes = sums.map(|sum| sum.clamp(0, 127) as u8);
            to.cast::<[u8; 16]>().write_unaligned(bytes);
        }

        fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
            let first = first.cast::<[i16; 16]>().read_unaligned();
            let second = second.cast::<[i16; 16]>().read_unaligned();
            let factor = |sum: i16| sum.clamp(0, 254) as u16;
            let bytes: [u8; 16] =
                from_fn(|lane| ((factor(first[lane]) * factor(second[lane])) >> 9) as u8);
            to.cast::<[u8; 16]>().write_unaligned(bytes);
        }

        fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
            let values = from.cast::<[i16; 8]>().read_unaligned();
            let weights = weights.cast::<[i16; 8]>().read_unaligned();
            let product = |place: usize| {
                let value = i32::from(values[place].clamp(0, 255));
                value * value * i32::from(weights[place])
            };
            from_fn(|lane| {
                sums[lane]
                    .wrapping_add(product(2 * lane))
                    .wrapping_add(product(2 * lane + 1))
            })
        }

        fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
            let inputs = inputs.to_ne_bytes();
            let weights = weights.cast::<[[i8; 4]; 4]>().read_unaligned();
            from_fn(|lane| {
                let products = inputs.iter().zip(&weights[lane]);
                products.fold(sums[lane], |sum, (&input, &weight)| {
                    sum.wrapping_add(i32::from(input) * i32::from(weight))
                })
            })
        }

        fn nonzero_groups(inputs: *const u8) -> u32 {
            let groups = inputs.cast::<[u32; 4]>().read_unaligned();
            (0..4)
                .map(|lane| u32::from(groups[lane] != 0) << lane)
                .sum()
        }
    }
}
