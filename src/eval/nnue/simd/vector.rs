//! The vector operations that the kernels need, and the macro that implements them.

/// Vectors of one instruction set. All additions and subtractions wrap around.
///
/// # Safety
/// Every method requires that the processor has the instruction set. `from`, `first`, `second`,
/// `weights` and `inputs` must point to the values that the method says it loads, `to` to room for
/// the values that it stores. No alignment is required.
pub(in crate::eval::nnue) trait Simd: Copy {
    /// A vector of accumulator columns.
    type I16: Copy;
    /// A vector of layer sums.
    type I32: Copy;
    /// Values in an [`Self::I16`]; divides 32.
    const I16_LANES: usize;
    /// Values in an [`Self::I32`]; divides 16.
    const I32_LANES: usize;
    /// Fails to compile where the lanes do not divide these numbers. Loops over vectors whose
    /// bounds rest on that name it.
    const LANES_DIVIDE: () = assert!(32 % Self::I16_LANES == 0 && 16 % Self::I32_LANES == 0);
    /// Whether an [`Self::I32`] takes two registers, so that few are left for other values.
    const SUMS_ARE_PAIRS: bool = false;

    /// Loads one vector.
    unsafe fn load_i16(from: *const i16) -> Self::I16;
    /// Stores one vector.
    unsafe fn store_i16(to: *mut i16, vector: Self::I16);
    /// `a + b` in each lane.
    unsafe fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16;
    /// `a - b` in each lane.
    unsafe fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16;

    /// Loads two vectors and stores their values as bytes, clamped to 0..=127 (`ClippedReLU`).
    unsafe fn clamp_to_bytes(from: *const i16, to: *mut u8);
    /// Loads two vectors from each of `first` and `second` and stores their products as bytes: both
    /// factors are clamped to 0..=254, and the product is shifted right by 9.
    unsafe fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8);

    /// Loads one vector from each of `from` and `weights` and adds the products
    /// `clamp(value, 0, 255)^2 * weight` to `sums`, two to each lane. Weights are at most 127 in
    /// magnitude.
    unsafe fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32;

    /// Loads one vector.
    unsafe fn load_i32(from: *const i32) -> Self::I32;
    /// Stores one vector.
    unsafe fn store_i32(to: *mut i32, vector: Self::I32);
    /// A vector of zeros.
    unsafe fn zero_i32() -> Self::I32;
    /// `a + b` in each lane.
    unsafe fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32;
    /// Adds to each lane the dot product of the four bytes of `inputs`, each at most 127, with the
    /// four weights of the lane. Loads four weights for each lane.
    unsafe fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32;
    /// Loads four bytes for each lane and returns one bit for each lane: whether any of them is not
    /// 0.
    unsafe fn nonzero_groups(inputs: *const u8) -> u32;
}

/// Implements methods of [`Simd`] by intrinsics: each is written as a plain function and becomes an
/// unsafe one that is always inlined, so that its body is compiled for the instruction set of the
/// kernel that calls it.
macro_rules! operations {
    ($(
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    )*) => {$(
        #[inline(always)]
        unsafe fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: callers keep the contract of `Simd`. The processor has the instruction set,
            // so that every intrinsic of the body exists; pointers cover all that the body loads
            // and stores, and the intrinsics used for that accept any alignment.
            unsafe { $body }
        }
    )*};
}

pub(super) use operations;
