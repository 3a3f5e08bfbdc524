//! A network as the search uses it: laid out for one instruction set and evaluated incrementally,
//! with exactly the values of [`super::scalar`].
//!
//! Why unsafe here: code for an instruction set may run only where the processor has it.
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use super::accumulator::AccumulatorStack;
use super::column_order::sort_columns;
use super::layers::{LayerBuffers, PackedStack};
use super::network::Network;
use super::output_sum::weighted_squares;
use super::scalar::bucket;
use super::shape::Head;
use super::simd::{InstructionSet, Plain, Simd};
use crate::position::Position;
use crate::types::Value;

/// A network laid out for an instruction set. All threads share it.
#[derive(Debug)]
pub struct Model {
    network: Network,
    /// One per layer stack.
    stacks: Vec<PackedStack>,
    set: InstructionSet,
}

/// The accumulators and buffers of one thread for one [`Model`].
#[derive(Debug)]
pub struct Accumulator {
    stack: AccumulatorStack,
    buffers: LayerBuffers,
}

impl Model {
    /// Lays a network out for the fastest instruction set of this processor.
    pub fn new(network: Network) -> Self {
        Self::for_set(network, InstructionSet::best())
    }

    /// Lays a network out for an instruction set, or for the fastest one where the processor does
    /// not have it.
    pub fn for_set(mut network: Network, set: InstructionSet) -> Self {
        let set = if set.is_available() {
            set
        } else {
            InstructionSet::best()
        };
        sort_columns(&mut network);
        let lanes = set.lanes();
        let stacks = network
            .stacks
            .iter()
            .map(|stack| PackedStack::new(stack, lanes))
            .collect();
        Self {
            network,
            stacks,
            set,
        }
    }

    /// The network that was laid out, with its columns in another order.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The instruction set that it is laid out for, which the processor has.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    /// Accumulators and buffers for one thread.
    pub fn accumulator(&self) -> Accumulator {
        let [first, ..] = self.network.shape.layers();
        Accumulator {
            stack: AccumulatorStack::new(&self.network),
            buffers: LayerBuffers::new(first.inputs),
        }
    }

    /// The value of a position for the side to move, equal to that of [`super::scalar::evaluate`].
    /// `None` where a king is missing. `accumulator` must come from [`Self::accumulator`] of this
    /// model.
    ///
    /// # Panics
    /// May panic where `accumulator` comes from another model.
    #[inline]
    pub fn evaluate(&self, position: &Position, accumulator: &mut Accumulator) -> Option<Value> {
        // SAFETY: `for_set` has checked that the processor has the instruction set.
        unsafe {
            match self.set {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512Vnni => self.with_avx512_vnni(position, accumulator),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 => self.with_avx512(position, accumulator),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => self.with_avx2(position, accumulator),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Sse41 => self.with_sse41(position, accumulator),
                #[cfg(target_arch = "aarch64")]
                InstructionSet::Neon => {
                    self.evaluate_with::<super::simd::Neon>(position, accumulator)
                }
                #[cfg(target_arch = "wasm32")]
                InstructionSet::Simd128 => {
                    self.evaluate_with::<super::simd::Simd128>(position, accumulator)
                }
                _ => self.evaluate_with::<Plain>(position, accumulator),
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx512_vnni(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        // SAFETY: the caller has checked the instruction set, which this function enables.
        unsafe { self.evaluate_with::<super::simd::Avx512<true>>(position, accumulator) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx512(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        // SAFETY: the caller has checked the instruction set, which this function enables.
        unsafe { self.evaluate_with::<super::simd::Avx512<false>>(position, accumulator) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx2(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        // SAFETY: the caller has checked the instruction set, which this function enables.
        unsafe { self.evaluate_with::<super::simd::Avx2>(position, accumulator) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse4.1")]
    unsafe fn with_sse41(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        // SAFETY: the caller has checked the instruction set, which this function enables.
        unsafe { self.evaluate_with::<super::simd::Sse41>(position, accumulator) }
    }

    /// The evaluation with the vectors of `S`.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    unsafe fn evaluate_with<S: Simd>(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        let network = &self.network;
        let us = position.side_to_move();
        let kings = [position.king(us)?, position.king(!us)?];
        let Accumulator { stack, buffers } = accumulator;
        if let Some(output_layer) = &network.output_layer {
            let bucket = bucket(network, position)?;
            let (ours, theirs) = output_layer.row(bucket).split_at(network.shape.width);
            let mut total = 0;
            for ((side, king), weights) in [us, !us].into_iter().zip(kings).zip([ours, theirs]) {
                // SAFETY: the caller vouches for `S`, and the stack was made for this network.
                total += unsafe {
                    let sums = stack.get::<S>(network, position, side, king);
                    weighted_squares::<S>(sums, weights)
                };
            }
            return Some(output_layer.value(total, bucket));
        }
        let is_plain = network.shape.head == Head::Plain;
        let mut rest = &mut buffers.input[..];
        for (side, king) in [us, !us].into_iter().zip(kings) {
            // SAFETY: the caller vouches for `S`, and the stack was made for this network.
            let sums = unsafe { stack.get::<S>(network, position, side, king) };
            let outputs = if is_plain { sums.len() } else { sums.len() / 2 };
            let (to, left) = rest.split_at_mut(outputs);
            // SAFETY: the caller vouches for `S`.
            unsafe {
                if is_plain {
                    clamp::<S>(sums, to);
                } else {
                    multiply::<S>(sums, to);
                }
            }
            rest = left;
        }
        let layers = &self.stacks[bucket(network, position)?];
        // SAFETY: the caller vouches for `S`.
        let output = unsafe {
            if is_plain {
                layers.propagate_plain::<S>(buffers)
            } else {
                layers.propagate_products::<S>(buffers, network.shape.hidden[0])
            }
        };
        Some(output / network.scale)
    }
}

/// Writes the activations of a plain network, one byte per column.
///
/// # Safety
/// The processor has the instruction set of `S`.
#[inline(always)]
unsafe fn clamp<S: Simd>(sums: &[i16], to: &mut [u8]) {
    debug_assert!(sums.len() == to.len() && sums.len().is_multiple_of(2 * S::I16_LANES));
    for start in (0..sums.len()).step_by(2 * S::I16_LANES) {
        // SAFETY: the caller vouches for `S`. Widths are multiples of 64, the columns of two of the
        // widest vectors, so each step ends within both slices, which have the same length.
        unsafe { S::clamp_to_bytes(sums.as_ptr().add(start), to.as_mut_ptr().add(start)) }
    }
}

/// Writes the activations of a layer stack: pairwise products of the two halves of the columns.
///
/// # Safety
/// The processor has the instruction set of `S`.
#[inline(always)]
unsafe fn multiply<S: Simd>(sums: &[i16], to: &mut [u8]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    debug_assert_eq!(first.len(), to.len());
    for start in (0..first.len()).step_by(2 * S::I16_LANES) {
        let left = first.len() - start;
        // Half of a width is a multiple of 32 only, the columns of four plain arrays. SAFETY: the
        // caller vouches for `S`. Two vectors are used only where that many columns are left in
        // both halves and in `to`, else plain arrays, which need no instruction set.
        unsafe {
            let (one, other) = (first.as_ptr().add(start), second.as_ptr().add(start));
            let to = to.as_mut_ptr().add(start);
            if left >= 2 * S::I16_LANES {
                S::multiply_to_bytes(one, other, to);
            } else {
                for offset in (0..left).step_by(2 * Plain::I16_LANES) {
                    Plain::multiply_to_bytes(one.add(offset), other.add(offset), to.add(offset));
                }
            }
        }
    }
}

/// The instruction set named by the environment variable `RAICHO_SIMD`, the fastest one where it is
/// unset.
///
/// # Errors
/// The variable names no instruction set, or one that this processor does not have.
pub fn instruction_set_from_env() -> Result<InstructionSet, super::simd::InstructionSetError> {
    match std::env::var("RAICHO_SIMD") {
        Ok(text) if !text.is_empty() => text.parse(),
        _ => Ok(InstructionSet::best()),
    }
}
