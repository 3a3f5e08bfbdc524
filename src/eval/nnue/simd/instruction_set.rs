//! The instruction sets that kernels exist for, and which of them the processor has.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::plain::Plain;
use super::vector::Simd as _;
#[cfg(target_arch = "wasm32")]
use super::wasm::Simd128;
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Sse41};
use crate::util::shorten;

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

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
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

    /// Number of 32-bit sums in a vector.
    pub(in crate::eval::nnue) const fn lanes(self) -> usize {
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
        if set.is_available() {
            Ok(set)
        } else {
            Err(InstructionSetError::Missing(set))
        }
    }
}
