//! What the kernels need of vector instructions: a handful of operations, once for each instruction set.
//!
//! Kernels are written once, generic over `Simd`, and always inlined; `Model::evaluate` enters them through one function
//! for each instruction set, which tells the compiler what it may use. So nothing is dispatched within a pass, and one
//! executable is fast on every processor. The pattern is that of the `memchr` crate.
//!
//! Why unsafe here: vector loads take pointers, and instructions exist only where the processor has them.
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vectors of one instruction set, all under one promise"
)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
mod neon;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
pub(super) use plain::Plain;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Sse41};

/// Vectors of one instruction set. Every operation wraps around.
pub(super) trait Simd: Copy {
    /// Sums of the transformer.
    type I16: Copy;
    /// Sums of the layers.
    type I32: Copy;
    /// How many of them a vector holds; divides 64.
    const I16_LANES: usize;
    /// Likewise, at most 16.
    const I32_LANES: usize;

    /// # Safety
    /// The processor has the instruction set (this holds for every function here), and `from` points to a vector's worth.
    unsafe fn load_i16(from: *const i16) -> Self::I16;
    /// # Safety
    /// `to` has room for a vector.
    unsafe fn store_i16(to: *mut i16, vector: Self::I16);
    /// # Safety
    /// As above.
    unsafe fn add_i16(a: Self::I16, b: Self::I16) -> Self::I16;
    /// # Safety
    /// As above.
    unsafe fn sub_i16(a: Self::I16, b: Self::I16) -> Self::I16;

    /// Two vectors of sums, limited to 0..=127, as bytes.
    ///
    /// # Safety
    /// `from` points to two vectors' worth, and at `to` there is room for as many bytes.
    unsafe fn clamp_to_bytes(from: *const i16, to: *mut u8);
    /// The products of two vectors of sums each, all limited to 0..=254, without their lowest nine bits.
    ///
    /// # Safety
    /// As above.
    unsafe fn multiply_to_bytes(first: *const i16, second: *const i16, to: *mut u8);

    /// Adds the products of the squares of sums, limited to 0..=255, with their weights of at most 127 in magnitude: two to
    /// each lane.
    ///
    /// # Safety
    /// `from` and `weights` point to a vector's worth.
    unsafe fn add_squares(sums: Self::I32, from: *const i16, weights: *const i16) -> Self::I32;

    /// # Safety
    /// `from` points to a vector's worth.
    unsafe fn load_i32(from: *const i32) -> Self::I32;
    /// # Safety
    /// `to` has room for a vector.
    unsafe fn store_i32(to: *mut i32, vector: Self::I32);
    /// # Safety
    /// As above.
    unsafe fn zero_i32() -> Self::I32;
    /// # Safety
    /// As above.
    unsafe fn add_i32(a: Self::I32, b: Self::I32) -> Self::I32;
    /// Adds to each lane the products of the four bytes of `inputs` (each at most 127) with the lane's four weights.
    ///
    /// # Safety
    /// `weights` points to four for each lane.
    unsafe fn add_products(sums: Self::I32, inputs: i32, weights: *const i8) -> Self::I32;
    /// One bit for each of [`Self::I32_LANES`] groups of four bytes: whether any of the four is not 0.
    ///
    /// # Safety
    /// `inputs` points to a vector's worth.
    unsafe fn nonzero_groups(inputs: *const u8) -> u32;
}

/// An instruction set that the kernels can use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstructionSet {
    /// None: the compiler's choice for every processor.
    Plain,
    /// x86-64 since 2008.
    Sse41,
    /// x86-64 since 2013.
    Avx2,
    /// With byte and word instructions; x86-64 servers since 2017.
    Avx512,
    /// And with dot products of bytes.
    Avx512Vnni,
    /// All 64-bit ARM processors.
    Neon,
}

/// A name that is no instruction set, or one that is not here.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum InstructionSetError {
    /// No such name.
    #[error(
        "\"{0}\" is no instruction set, expected plain, sse4.1, avx2, avx512, avx512vnni or neon"
    )]
    Unknown(String),
    /// This processor has it not.
    #[error("this processor has no {0}")]
    Missing(InstructionSet),
}

impl InstructionSet {
    /// From the simplest to the best.
    pub const ALL: [Self; 6] = [
        Self::Plain,
        Self::Sse41,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Vnni,
        Self::Neon,
    ];

    /// Whether this processor has it.
    pub fn is_here(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse41 => is_x86_feature_detected!("sse4.1"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => Self::Avx512.is_here() && is_x86_feature_detected!("avx512vnni"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            _ => false,
        }
    }

    /// The best that this processor has.
    pub fn best() -> Self {
        let mut sets = Self::ALL.into_iter().rev();
        sets.find(|set| set.is_here()).unwrap_or(Self::Plain)
    }

    /// How many sums of the layers one vector holds.
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
        })
    }
}

/// Only sets that this processor has.
impl FromStr for InstructionSet {
    type Err = InstructionSetError;

    fn from_str(text: &str) -> Result<Self, InstructionSetError> {
        let set = Self::ALL
            .into_iter()
            .find(|set| set.to_string() == text.to_ascii_lowercase())
            .ok_or_else(|| InstructionSetError::Unknown(crate::util::shorten(text)))?;
        if set.is_here() {
            Ok(set)
        } else {
            Err(InstructionSetError::Missing(set))
        }
    }
}
