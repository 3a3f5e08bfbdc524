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

#[cfg(target_arch = "x86_64")]
mod avx512;
mod instruction_set;
#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
mod vector;
#[cfg(target_arch = "wasm32")]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
pub use instruction_set::{InstructionSet, InstructionSetError};
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
pub(super) use plain::Plain;
pub(super) use vector::Simd;
#[cfg(target_arch = "wasm32")]
pub(super) use wasm::Simd128;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Sse41};
