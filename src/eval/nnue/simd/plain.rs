//! No particular instruction set: small arrays, which the compiler may put into whatever vectors there are.

use std::array::from_fn;

use super::Simd;

/// Arrays of the size of the smallest vectors.
#[derive(Clone, Copy)]
pub(in crate::eval::nnue) struct Plain;

impl Simd for Plain {
    type I16 = [i16; 8];
    type I32 = [i32; 4];
    const I16_LANES: usize = 8;
    const I32_LANES: usize = 4;

    #[inline(always)]
    unsafe fn load_i16(from: *const i16) -> Self::I16 {
        // SAFETY: the caller's promise.
        unsafe { from.cast::<Self::I16>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store_i16(to: *mut i16, vector: Self::I16) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<Self::I16>().write_unaligned(vector) }
    }

    #[inline(always)]
    unsafe fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    unsafe fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16 {
        from_fn(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    unsafe fn clamp_to_bytes(from: *const i16, to: *mut u8) {
        // SAFETY: the caller's promise.
        let sums = unsafe { from.cast::<[i16; 16]>().read_unaligned() };
        let bytes = sums.map(|sum| sum.clamp(0, 127) as u8);
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[u8; 16]>().write_unaligned(bytes) }
    }

    #[inline(always)]
    unsafe fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8) {
        // SAFETY: the caller's promise.
        let first = unsafe { first.cast::<[i16; 16]>().read_unaligned() };
        // SAFETY: the caller's promise.
        let second = unsafe { second.cast::<[i16; 16]>().read_unaligned() };
        let factor = |sum: i16| sum.clamp(0, 254) as u16;
        let bytes: [u8; 16] =
            from_fn(|lane| ((factor(first[lane]) * factor(second[lane])) >> 9) as u8);
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[u8; 16]>().write_unaligned(bytes) }
    }

    #[inline(always)]
    unsafe fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32 {
        // SAFETY: the caller's promise.
        let values = unsafe { from.cast::<[i16; 8]>().read_unaligned() };
        // SAFETY: the caller's promise.
        let weights = unsafe { weights.cast::<[i16; 8]>().read_unaligned() };
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

    #[inline(always)]
    unsafe fn load_i32(from: *const i32) -> Self::I32 {
        // SAFETY: the caller's promise.
        unsafe { from.cast::<Self::I32>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store_i32(to: *mut i32, vector: Self::I32) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<Self::I32>().write_unaligned(vector) }
    }

    #[inline(always)]
    unsafe fn zero_i32() -> Self::I32 {
        [0; 4]
    }

    #[inline(always)]
    unsafe fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32 {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    unsafe fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32 {
        let inputs = inputs.to_ne_bytes();
        // SAFETY: the caller's promise: four for each of four lanes.
        let weights = unsafe { weights.cast::<[[i8; 4]; 4]>().read_unaligned() };
        from_fn(|lane| {
            let products = inputs.iter().zip(&weights[lane]);
            products.fold(sums[lane], |sum, (&input, &weight)| {
                sum.wrapping_add(i32::from(input) * i32::from(weight))
            })
        })
    }

    #[inline(always)]
    unsafe fn nonzero_groups(inputs: *const u8) -> u32 {
        // SAFETY: the caller's promise.
        let groups = unsafe { inputs.cast::<[u32; 4]>().read_unaligned() };
        (0..4)
            .map(|lane| u32::from(groups[lane] != 0) << lane)
            .sum()
    }
}
