//! A three-piece evaluation as the search uses it, with exactly the values of [`super::scalar`].
//!
//! Why unsafe here: code for an instruction set may run only where the processor has it.
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "functions for an instruction set are unsafe to call"
)]

use super::accumulator::SumStack;
use super::kernel::{Kernel, Plain};
use super::tables::{Kind, Tables};
use crate::eval::nnue::simd::InstructionSet;
use crate::position::Position;
use crate::types::Value;

/// The weights with the way to sum them. All threads share it.
#[derive(Debug)]
pub struct Model {
    tables: Tables,
    source: String,
    set: InstructionSet,
}

/// The sums of one thread for one [`Model`].
#[derive(Debug)]
pub struct Accumulator(SumStack);

impl Model {
    /// The weights of `source`, as messages name it, for an instruction set, or for the fastest one
    /// where the processor does not have it.
    pub fn new(tables: Tables, source: String, set: InstructionSet) -> Self {
        let set = if set.is_available() {
            set
        } else {
            InstructionSet::best()
        };
        Self {
            tables,
            source,
            set,
        }
    }

    /// The weights.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The weights, given back.
    pub fn into_tables(self) -> Tables {
        self.tables
    }

    /// The folder of the files.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The instruction set, which the processor has.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    /// Sums for one thread.
    pub fn accumulator(&self) -> Accumulator {
        Accumulator(SumStack::new())
    }

    /// The value of a position for the side to move, equal to that of [`super::scalar::evaluate`].
    /// `None` where a king is missing. `accumulator` must come from [`Self::accumulator`] of this
    /// model.
    #[inline]
    pub fn evaluate(&self, position: &Position, accumulator: &mut Accumulator) -> Option<Value> {
        // SAFETY: `new` has checked that the processor has the instruction set.
        unsafe {
            match self.set {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 | InstructionSet::Avx512 | InstructionSet::Avx512Vnni => {
                    self.with_avx2(position, accumulator)
                }
                _ => self.evaluate_with::<Plain>(position, accumulator),
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn with_avx2(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        // SAFETY: the caller has checked the instruction set, which this function enables.
        unsafe { self.evaluate_with::<super::kernel::Avx2>(position, accumulator) }
    }

    /// The evaluation with the vectors of `K`.
    ///
    /// # Safety
    /// The processor has the instruction set of `K`.
    #[inline(always)]
    unsafe fn evaluate_with<K: Kernel>(
        &self,
        position: &Position,
        accumulator: &mut Accumulator,
    ) -> Option<Value> {
        let stack = &mut accumulator.0;
        // SAFETY: the caller vouches for `K`, the kind says whether there is a turn part, and the
        // sums were made for this model.
        unsafe {
            match self.tables.kind() {
                Kind::Kppt => stack.evaluate::<K, true>(&self.tables, position),
                Kind::KppKkpt => stack.evaluate::<K, false>(&self.tables, position),
            }
        }
    }
}
