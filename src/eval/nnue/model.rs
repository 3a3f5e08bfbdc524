//! A network as the search uses it: laid out for one instruction set, with sums that are kept from move to move.
//!
//! It says exactly what [`super::scalar`] says.
//!
//! Why unsafe here: functions that use an instruction set may run only where it was found.
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vectors of one instruction set, all under one promise"
)]

use super::accumulators::Accumulators;
use super::layers::{Layers, Scratch, weighted_squares};
use super::network::Network;
use super::scalar::bucket;
use super::shape::Head;
use super::simd::{InstructionSet, Plain, Simd};
use crate::position::Position;
use crate::types::Value;

/// A network, ready for evaluation. Shared by all threads.
#[derive(Debug)]
pub struct Model {
    network: Network,
    layers: Vec<Layers>,
    set: InstructionSet,
}

/// What one thread keeps for the evaluation of the positions that it searches: belongs to one [`Model`].
#[derive(Debug)]
pub struct Memory {
    accumulators: Accumulators,
    scratch: Scratch,
}

impl Model {
    /// Lays a network out for the best instruction set of this processor.
    pub fn new(network: Network) -> Self {
        Self::for_set(network, InstructionSet::best())
    }

    /// Lays a network out for an instruction set; for the best one where this processor has it not.
    pub fn for_set(network: Network, set: InstructionSet) -> Self {
        let set = if set.is_here() {
            set
        } else {
            InstructionSet::best()
        };
        let lanes = set.lanes();
        let layers = network
            .stacks
            .iter()
            .map(|stack| Layers::new(stack, lanes))
            .collect();
        Self {
            network,
            layers,
            set,
        }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Which instructions are used.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    /// Memory for a thread.
    pub fn memory(&self) -> Memory {
        let [first, ..] = self.network.shape.layers();
        Memory {
            accumulators: Accumulators::new(&self.network),
            scratch: Scratch::new(first.inputs),
        }
    }

    /// The value of the position for the side to move, as [`super::scalar::evaluate`] gives it, not limited in size.
    /// `None` where a king is missing. `memory` must come from [`Self::memory`].
    ///
    /// # Panics
    /// Panics where `memory` is another network's and too small for this one.
    #[inline]
    pub fn evaluate(&self, position: &Position, memory: &mut Memory) -> Option<Value> {
        // SAFETY: `for_set` has found the instruction set on this processor.
        unsafe {
            match self.set {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512Vnni => self.with_avx512_vnni(position, memory),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 => self.with_avx512(position, memory),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => self.with_avx2(position, memory),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Sse41 => self.with_sse41(position, memory),
                #[cfg(target_arch = "aarch64")]
                InstructionSet::Neon => self.pass::<super::simd::Neon>(position, memory),
                _ => self.pass::<Plain>(position, memory),
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx512_vnni(&self, position: &Position, memory: &mut Memory) -> Option<Value> {
        // SAFETY: the caller's promise.
        unsafe { self.pass::<super::simd::Avx512<true>>(position, memory) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx512(&self, position: &Position, memory: &mut Memory) -> Option<Value> {
        // SAFETY: the caller's promise.
        unsafe { self.pass::<super::simd::Avx512<false>>(position, memory) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx2(&self, position: &Position, memory: &mut Memory) -> Option<Value> {
        // SAFETY: the caller's promise.
        unsafe { self.pass::<super::simd::Avx2>(position, memory) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse4.1")]
    unsafe fn with_sse41(&self, position: &Position, memory: &mut Memory) -> Option<Value> {
        // SAFETY: the caller's promise.
        unsafe { self.pass::<super::simd::Sse41>(position, memory) }
    }

    /// The whole evaluation.
    #[inline(always)]
    unsafe fn pass<S: Simd>(&self, position: &Position, memory: &mut Memory) -> Option<Value> {
        let network = &self.network;
        let us = position.side_to_move();
        let kings = [position.king(us)?, position.king(!us)?];
        let Memory {
            accumulators,
            scratch,
        } = memory;
        if let Some(direct) = &network.direct {
            let bucket = bucket(network, position)?;
            let (ours, theirs) = direct.row(bucket).split_at(network.shape.width);
            let mut total = 0;
            for ((side, king), weights) in [us, !us].into_iter().zip(kings).zip([ours, theirs]) {
                // SAFETY: the caller's promise.
                total += unsafe {
                    let sums = accumulators.up_to_date::<S>(network, position, side, king);
                    weighted_squares::<S>(sums, weights)
                };
            }
            return Some(direct.value(total, bucket));
        }
        let is_plain = network.shape.head == Head::Plain;
        let mut rest = &mut scratch.input[..];
        for (side, king) in [us, !us].into_iter().zip(kings) {
            // SAFETY: the caller's promise.
            let sums = unsafe { accumulators.up_to_date::<S>(network, position, side, king) };
            let outputs = if is_plain { sums.len() } else { sums.len() / 2 };
            let (to, left) = rest.split_at_mut(outputs);
            // SAFETY: the caller's promise.
            unsafe {
                if is_plain {
                    clamp::<S>(sums, to);
                } else {
                    multiply::<S>(sums, to);
                }
            }
            rest = left;
        }
        let layers = &self.layers[bucket(network, position)?];
        // SAFETY: the caller's promise.
        let output = unsafe {
            if is_plain {
                layers.propagate_plain::<S>(scratch)
            } else {
                layers.propagate_products::<S>(scratch, network.shape.hidden[0])
            }
        };
        Some(output / network.scale)
    }
}

/// The activations of a plain network.
#[inline(always)]
unsafe fn clamp<S: Simd>(sums: &[i16], to: &mut [u8]) {
    debug_assert!(sums.len() == to.len() && sums.len().is_multiple_of(2 * S::I16_LANES));
    for start in (0..sums.len()).step_by(2 * S::I16_LANES) {
        // SAFETY: the caller's promise; widths are multiples of the longest two vectors.
        unsafe { S::clamp_to_bytes(sums.as_ptr().add(start), to.as_mut_ptr().add(start)) }
    }
}

/// The activations of a network with stacks: products of the two halves.
#[inline(always)]
unsafe fn multiply<S: Simd>(sums: &[i16], to: &mut [u8]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    debug_assert_eq!(first.len(), to.len());
    for start in (0..first.len()).step_by(2 * S::I16_LANES) {
        let left = first.len() - start;
        // Half of a width need not be a multiple of the longest two vectors; the arrays of plain code are short enough.
        // SAFETY: the caller's promise, and what is left was looked at.
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

/// Which instruction set `RAICHO_SIMD` asks for, the best one where it is not set.
///
/// # Errors
/// The variable names none, or one that this processor has not.
pub fn chosen_set() -> Result<InstructionSet, super::simd::InstructionSetError> {
    match std::env::var("RAICHO_SIMD") {
        Ok(text) if !text.is_empty() => text.parse(),
        _ => Ok(InstructionSet::best()),
    }
}
