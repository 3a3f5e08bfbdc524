//! The layers behind the transformer, laid out for vectors.
//!
//! Inputs come in groups of four bytes. Of each group all neurons are served at once: a vector holds sums of several neurons,
//! and the weights of a group lie neuron by neuron. Where at least half of a vector of groups are four zeros, those are not
//! looked at; otherwise all groups are, which saves guessing where the zeros lie.
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vectors of one instruction set, all under one promise"
)]

use super::network::{Affine, Stack};
use super::scalar::{MAX_ACTIVATION, WEIGHT_BITS};
use super::shape::MAX_HIDDEN;
use super::simd::Simd;
use crate::util::Aligned;

/// Bytes that are multiplied at once for each neuron.
const GROUP: usize = 4;

/// Inputs of later layers are padded to a multiple of two groups.
const HIDDEN_STEP: usize = 2 * GROUP;

/// Inputs of the first layer are padded with zeros to a multiple of so many, the bytes of the widest vector.
pub(super) const INPUT_STEP: usize = 64;

/// Vectors of sums that are kept in registers at once.
const MOST_VECTORS: usize = 4;

/// Sets of sums, so that one addition need not wait for another: products are added in five cycles, two at a time.
const SETS: usize = 4;

/// Sets that are enough where products are few, or where there are more vectors than so many, each with sums of its own.
const FEW_SETS: usize = 2;

/// The widest vector of sums.
const MOST_LANES: usize = 16;

/// Room for the sums of any layer.
const SUMS: usize = MAX_HIDDEN + 2 * MOST_LANES;

/// A layer of neurons.
#[derive(Debug)]
pub(super) struct Layer {
    /// Groups of inputs.
    groups: usize,
    outputs: usize,
    /// A whole number of vectors.
    padded_outputs: usize,
    biases: Aligned<i32>,
    /// `[group][output][input of the group]`
    weights: Aligned<i8>,
}

impl Layer {
    fn new(affine: &Affine, lanes: usize, step: usize) -> Self {
        let groups = affine.inputs.next_multiple_of(step) / GROUP;
        let padded_outputs = affine.outputs.next_multiple_of(lanes);
        let mut biases = Aligned::zeroed(padded_outputs);
        biases[..affine.outputs].copy_from_slice(&affine.biases);
        let mut weights = Aligned::zeroed(groups * padded_outputs * GROUP);
        for output in 0..affine.outputs {
            for (input, &weight) in affine.row(output).iter().enumerate() {
                let group = input / GROUP * padded_outputs + output;
                weights[group * GROUP + input % GROUP] = weight;
            }
        }
        Self {
            groups,
            outputs: affine.outputs,
            padded_outputs,
            biases,
            weights,
        }
    }
}

/// The layers of one stack.
#[derive(Debug)]
pub(super) struct Layers {
    first: Layer,
    second: Layer,
    last: Layer,
}

/// Where a pass keeps what goes from layer to layer.
#[derive(Debug)]
pub(super) struct Scratch {
    /// The activations of the transformer. What lies behind them is 0.
    pub(super) input: Aligned<u8>,
    sums: Aligned<i32>,
    hidden: Aligned<u8>,
}

impl Scratch {
    /// For a first layer of so many inputs.
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            input: Aligned::zeroed(inputs.next_multiple_of(INPUT_STEP)),
            sums: Aligned::zeroed(SUMS),
            hidden: Aligned::zeroed((2 * MAX_HIDDEN).next_multiple_of(INPUT_STEP)),
        }
    }
}

impl Layers {
    /// `lanes` is the number of sums in a vector.
    pub(super) fn new(stack: &Stack, lanes: usize) -> Self {
        Self {
            first: Layer::new(&stack.first, lanes, INPUT_STEP),
            second: Layer::new(&stack.second, lanes, HIDDEN_STEP),
            last: Layer::new(&stack.last, lanes, HIDDEN_STEP),
        }
    }

    /// The output of a network without stacks for `scratch.input`.
    ///
    /// # Safety
    /// The processor has `S`.
    #[inline(always)]
    pub(super) unsafe fn propagate_plain<S: Simd>(&self, scratch: &mut Scratch) -> i32 {
        // SAFETY: the caller's promise.
        unsafe {
            self.first.sparse::<S>(&scratch.input, &mut scratch.sums);
            clip(&scratch.sums, &mut scratch.hidden, self.first.outputs);
            self.rest::<S>(scratch)
        }
    }

    /// The output of a network with stacks: `neurons` of the first layer go on twice, squared and clipped; one more, where
    /// there is one, goes straight to the output.
    ///
    /// # Safety
    /// The processor has `S`.
    #[inline(always)]
    pub(super) unsafe fn propagate_products<S: Simd>(
        &self,
        scratch: &mut Scratch,
        neurons: usize,
    ) -> i32 {
        // SAFETY: the caller's promise.
        let shortcut = unsafe {
            self.first.sparse::<S>(&scratch.input, &mut scratch.sums);
            let shortcut = if self.first.outputs > neurons {
                scratch.sums[neurons]
            } else {
                0
            };
            square(&scratch.sums, &mut scratch.hidden, neurons);
            let (_, clipped) = scratch.hidden.split_at_mut(neurons);
            clip(&scratch.sums, clipped, neurons);
            shortcut
        };
        // SAFETY: the caller's promise.
        unsafe { self.rest::<S>(scratch) }.wrapping_add(shortcut)
    }

    /// From the activations of the first layer on.
    #[inline(always)]
    unsafe fn rest<S: Simd>(&self, scratch: &mut Scratch) -> i32 {
        // SAFETY: the caller's promise.
        unsafe {
            self.second.dense::<S>(&scratch.hidden, &mut scratch.sums);
            clip(&scratch.sums, &mut scratch.hidden, self.second.outputs);
            self.last.dense::<S>(&scratch.hidden, &mut scratch.sums);
        }
        scratch.sums[0]
    }
}

impl Layer {
    /// The sums of all neurons, where many inputs are 0.
    #[inline(always)]
    unsafe fn sparse<S: Simd>(&self, input: &[u8], sums: &mut [i32]) {
        // SAFETY: the caller's promise.
        unsafe { self.sums::<S, true>(input, sums) }
    }

    /// The sums of all neurons.
    #[inline(always)]
    unsafe fn dense<S: Simd>(&self, input: &[u8], sums: &mut [i32]) {
        // SAFETY: the caller's promise.
        unsafe { self.sums::<S, false>(input, sums) }
    }

    /// A few vectors at a time, so that their sums stay in registers.
    #[inline(always)]
    unsafe fn sums<S: Simd, const SPARSE: bool>(&self, input: &[u8], sums: &mut [i32]) {
        assert!(input.len() >= self.groups * GROUP && sums.len() >= self.padded_outputs);
        let vectors = self.padded_outputs / S::I32_LANES;
        let mut vector = 0;
        while vector < vectors {
            let first = vector * S::I32_LANES;
            // SAFETY: the caller's promise; the lengths were checked, and `first` and what follows lie below
            // `padded_outputs`.
            unsafe {
                let to = sums.as_mut_ptr().add(first);
                vector += match vectors - vector {
                    left if left >= MOST_VECTORS => {
                        self.few::<S, MOST_VECTORS, SPARSE>(input, first, to);
                        MOST_VECTORS
                    }
                    2 | 3 => {
                        self.few::<S, 2, SPARSE>(input, first, to);
                        2
                    }
                    _ => {
                        self.few::<S, 1, SPARSE>(input, first, to);
                        1
                    }
                };
            }
        }
    }

    /// The sums of `N` vectors of neurons from neuron `first` on.
    #[inline(always)]
    unsafe fn few<S: Simd, const N: usize, const SPARSE: bool>(
        &self,
        input: &[u8],
        first: usize,
        to: *mut i32,
    ) {
        // SAFETY: the caller has checked that inputs, weights and sums reach so far, and that the processor has `S`.
        unsafe {
            let weights = self.weights.as_ptr().add(first * GROUP);
            let stride = self.padded_outputs * GROUP;
            let bias = self.biases.as_ptr().add(first);
            let mut sets = [[S::zero_i32(); N]; SETS];
            for (vector, sum) in sets[0].iter_mut().enumerate() {
                *sum = S::load_i32(bias.add(vector * S::I32_LANES));
            }
            if SPARSE {
                for base in (0..self.groups).step_by(S::I32_LANES) {
                    let input = input.as_ptr().add(base * GROUP);
                    let rows = weights.add(base * stride);
                    let mask = S::nonzero_groups(input);
                    if mask.count_ones() as usize <= S::I32_LANES / 2 {
                        add_some::<S, N>(&mut sets, input, rows, stride, mask);
                    } else if N <= FEW_SETS {
                        add_all::<S, N, SETS>(&mut sets, input, rows, stride, S::I32_LANES);
                    } else {
                        add_all::<S, N, FEW_SETS>(&mut sets, input, rows, stride, S::I32_LANES);
                    }
                }
            } else {
                add_all::<S, N, FEW_SETS>(&mut sets, input.as_ptr(), weights, stride, self.groups);
            }
            for vector in 0..N {
                let mut sum = sets[0][vector];
                for set in &sets[1..] {
                    sum = S::add_i32(sum, set[vector]);
                }
                S::store_i32(to.add(vector * S::I32_LANES), sum);
            }
        }
    }
}

/// Adds the products of the groups of inputs in `mask` to the sums.
///
/// # Safety
/// There are so many groups and rows, and the processor has `S`.
#[inline(always)]
unsafe fn add_some<S: Simd, const N: usize>(
    sets: &mut [[S::I32; N]; SETS],
    input: *const u8,
    rows: *const i8,
    stride: usize,
    mut mask: u32,
) {
    while mask != 0 {
        for set in &mut sets[..FEW_SETS] {
            let group = mask.trailing_zeros() as usize;
            // SAFETY: the caller's promise.
            unsafe { add_group::<S, N>(set, group_at(input, group), rows.add(group * stride)) };
            mask &= mask - 1;
            if mask == 0 {
                break;
            }
        }
    }
}

/// Adds the products of `groups` groups of inputs to the sums, in `K` sets.
///
/// # Safety
/// There are so many groups and rows, a multiple of `K`, and the processor has `S`.
#[inline(always)]
unsafe fn add_all<S: Simd, const N: usize, const K: usize>(
    sets: &mut [[S::I32; N]; SETS],
    input: *const u8,
    rows: *const i8,
    stride: usize,
    groups: usize,
) {
    debug_assert!(groups.is_multiple_of(K));
    for first in (0..groups).step_by(K) {
        for (set, group) in sets[..K].iter_mut().zip(first..) {
            // SAFETY: the caller's promise.
            unsafe { add_group::<S, N>(set, group_at(input, group), rows.add(group * stride)) };
        }
    }
}

/// Vectors whose squares a sum of 32 bits holds: each adds two products to a lane, and 260 fit.
const VECTORS_AT_ONCE: usize = 128;

/// The sum over one side of a network of our own: squares of the sums of the transformer, each with its weight.
///
/// # Safety
/// The processor has `S`.
#[inline(always)]
pub(super) unsafe fn weighted_squares<S: Simd>(sums: &[i16], weights: &[i16]) -> i64 {
    assert!(sums.len() == weights.len() && sums.len().is_multiple_of(S::I16_LANES));
    let mut total = 0;
    let step = VECTORS_AT_ONCE * S::I16_LANES;
    for (sums, weights) in sums.chunks(step).zip(weights.chunks(step)) {
        let mut lanes = [0; MOST_LANES];
        // SAFETY: the caller's promise; all vectors lie within their slices, and there is room for the widest.
        unsafe {
            let mut squares = S::zero_i32();
            for start in (0..sums.len()).step_by(S::I16_LANES) {
                let (sums, weights) = (sums.as_ptr().add(start), weights.as_ptr().add(start));
                squares = S::add_squares(squares, sums, weights);
            }
            S::store_i32(lanes.as_mut_ptr(), squares);
        }
        total += lanes.into_iter().map(i64::from).sum::<i64>();
    }
    total
}

/// Four inputs in one word.
///
/// # Safety
/// There are so many.
#[inline(always)]
unsafe fn group_at(input: *const u8, group: usize) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { input.add(group * GROUP).cast::<i32>().read_unaligned() }
}

/// Adds the products of a group of inputs to the sums. Not a closure: what is not inlined for certain has no instruction set.
#[inline(always)]
unsafe fn add_group<S: Simd, const N: usize>(sums: &mut [S::I32; N], inputs: i32, row: *const i8) {
    for (vector, sum) in sums.iter_mut().enumerate() {
        // SAFETY: the caller's promise, and the row is `N` vectors long.
        unsafe {
            *sum = S::add_products(*sum, inputs, row.add(vector * S::I32_LANES * GROUP));
        }
    }
}

/// `ClippedReLU`.
#[inline(always)]
fn clip(sums: &[i32], to: &mut [u8], count: usize) {
    for (to, &sum) in to[..count].iter_mut().zip(&sums[..count]) {
        *to = (sum >> WEIGHT_BITS).clamp(0, MAX_ACTIVATION) as u8;
    }
}

/// `SqrClippedReLU`.
#[inline(always)]
fn square(sums: &[i32], to: &mut [u8], count: usize) {
    // From here on the square is at the limit: so it fits into 32 bits.
    const LIMIT: i32 = 1 << 13;
    for (to, &sum) in to[..count].iter_mut().zip(&sums[..count]) {
        let sum = sum.clamp(-LIMIT, LIMIT);
        *to = ((sum * sum) >> (2 * WEIGHT_BITS + 7)).min(MAX_ACTIVATION) as u8;
    }
}
