//! Vector instructions for the kernels: a small set of operations, implemented once per instruction
//! set.
//!
//! Kernels are written once, generic over `Simd`, and always inlined. `Model::evaluate` enters
//! them through one function per instruction set, which enables the set for the compiler, so
//! nothing is dispatched within an evaluation and one executable is fast on every processor. The
//! pattern is that of the `memchr` crate.
//!
//! Why unsafe here: vector loads take pointers, and an intrinsic may run only where the processor
//! has it.

#![expect(
    unsafe_code,
    reason = "intrinsics and their loads share the contract of the trait `Simd`"
)]

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "wasm32")]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::{array::from_fn, fmt, str::FromStr};

use thiserror::Error;

use crate::util::shorten;

#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
#[cfg(target_arch = "wasm32")]
pub(super) use wasm::Simd128;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512, Sse41};

/// An instruction set that the kernels can use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstructionSet {
    /// No intrinsics: what the compiler generates for the baseline of the build.
    Plain,
    /// SSE4.1: x86-64 since 2008.
    Sse41,
    /// AVX2: x86-64 since 2013.
    Avx2,
    /// AVX-512 F and BW: x86-64 servers since 2017.
    Avx512,
    /// [`Self::Avx512`] with VNNI, the dot products of bytes.
    Avx512Vnni,
    /// Advanced SIMD: all 64-bit ARM processors.
    Neon,
    /// `simd128` of WebAssembly: all browsers since 2023.
    Simd128,
}

/// Why an instruction set cannot be chosen by name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum InstructionSetError {
    /// The name is none of the known ones.
    #[error(
        "\"{0}\" is no instruction set, expected plain, sse4.1, avx2, avx512, avx512vnni, neon \
         or simd128"
    )]
    Unknown(String),
    /// The processor does not have the instruction set.
    #[error("this processor has no {0}")]
    Missing(InstructionSet),
}

impl InstructionSet {
    /// All instruction sets of all processors, slower ones first.
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Sse41,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Vnni,
        Self::Neon,
        Self::Simd128,
    ];

    /// Whether this processor has it, with all that the kernels for it are compiled with: virtual
    /// machines hide single sets, and old processors lack some.
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse41 => is_x86_feature_detected!("sse4.1"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => {
                Self::Avx512.is_available() && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            // A browser without it refuses the program.
            #[cfg(target_arch = "wasm32")]
            Self::Simd128 => true,
            _ => false,
        }
    }

    /// The fastest that this processor has.
    pub fn best() -> Self {
        let mut sets = Self::ALL.into_iter().rev();
        sets.find(|set| set.is_available()).unwrap_or(Self::Plain)
    }

    /// This one, or the fastest where the processor does not have it.
    pub(in crate::eval) fn or_best(self) -> Self {
        if self.is_available() { self } else { Self::best() }
    }

    /// Number of 32-bit sums in a vector.
    pub(super) const fn lanes(self) -> usize {
        match self {
            Self::Plain => Plain::I32_LANES,
            #[cfg(target_arch = "x86_64")]
            Self::Sse41 => Sse41::I32_LANES,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::I32_LANES,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx512Vnni => Avx512::<true>::I32_LANES,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Neon::I32_LANES,
            #[cfg(target_arch = "wasm32")]
            Self::Simd128 => Simd128::I32_LANES,
            _ => Plain::I32_LANES,
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Plain => "plain",
            Self::Sse41 => "sse4.1",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Vnni => "avx512vnni",
            Self::Neon => "neon",
            Self::Simd128 => "simd128",
        })
    }
}

/// Parses a name, ignoring case. Instruction sets that this processor does not have are refused.
impl FromStr for InstructionSet {
    type Err = InstructionSetError;

    fn from_str(text: &str) -> Result<Self, InstructionSetError> {
        let set = Self::ALL
            .into_iter()
            .find(|set| set.to_string() == text.to_ascii_lowercase())
            .ok_or_else(|| InstructionSetError::Unknown(shorten(text)))?;
        if set.is_available() { Ok(set) } else { Err(InstructionSetError::Missing(set)) }
    }
}

// --- Vector operations ---

/// Vectors of one instruction set. All additions and subtractions wrap around.
///
/// # Safety
/// Every method requires that the processor has the instruction set. `from`, `first`, `second`,
/// `weights` and `inputs` must point to the values that the method says it loads, `to` to room for
/// the values that it stores. No alignment is required.
pub(super) trait Simd: Copy {
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

use operations;

// --- Without intrinsics ---

/// Arrays of 128 bits, the smallest vector size.
#[derive(Clone, Copy)]
pub(super) struct Plain;

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
