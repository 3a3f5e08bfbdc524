//! The layers after the feature transformer, with weights laid out for vectors.
//!
//! Inputs are processed in groups of four bytes. Each group is multiplied for all neurons at once:
//! a vector holds the sums of several neurons, and the weights of a group are stored neuron by
//! neuron. Groups of four zeros contribute nothing. In the first layer, whose inputs are mostly 0,
//! they are skipped where they are at least half of a vector of groups; otherwise all groups are
//! multiplied, which avoids mispredicted branches.
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use super::network::{AffineLayer, LayerStack};
use super::scalar::{MAX_ACTIVATION, WEIGHT_BITS};
use super::shape::MAX_HIDDEN;
use super::simd::Simd;
use crate::util::Aligned;

/// Input bytes in a group: those that one 32-bit lane multiplies at once.
const GROUP: usize = 4;

/// Inputs of later layers are padded to a multiple of this number of bytes.
const HIDDEN_STEP: usize = 2 * GROUP;

/// Inputs of the first layer are padded with zeros to a multiple of this, the widest vector in
/// bytes.
pub(super) const INPUT_STEP: usize = 64;

/// Most vectors of sums that are kept in registers at once.
const MAX_VECTORS: usize = 4;

/// Independent sets of sums, which hide the latency of the multiply-add: it takes about five
/// cycles, and two start in each.
const SETS: usize = 4;

/// Sets that suffice where there are few products, or more vectors than this, which are independent
/// too.
const FEW_SETS: usize = 2;

/// Lanes of the widest vector of sums.
pub(super) const MAX_LANES: usize = 16;

/// Size of a buffer for the sums of any layer.
const SUMS: usize = MAX_HIDDEN + 2 * MAX_LANES;

/// An affine layer, laid out for vectors.
#[derive(Debug)]
struct PackedLayer {
    /// Number of groups of inputs.
    groups: usize,
    outputs: usize,
    /// `outputs` rounded up to a multiple of the lanes of a vector.
    padded_outputs: usize,
    biases: Aligned<i32>,
    /// `[group][output][input of the group]`
    weights: Aligned<i8>,
}

impl PackedLayer {
    /// `lanes` is the number of sums in a vector, `step` the multiple to which inputs are padded.
    fn new(affine: &AffineLayer, lanes: usize, step: usize) -> Self {
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

/// The three layers of one layer stack, laid out for vectors.
#[derive(Debug)]
pub(super) struct PackedStack {
    first: PackedLayer,
    second: PackedLayer,
    last: PackedLayer,
}

/// Buffers between the layers. One per thread.
#[derive(Debug)]
pub(super) struct LayerBuffers {
    /// Inputs of the first layer, padded with zeros.
    pub(super) input: Aligned<u8>,
    sums: Aligned<i32>,
    hidden: Aligned<u8>,
}

impl LayerBuffers {
    /// Buffers for a first layer with this number of inputs.
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            input: Aligned::zeroed(inputs.next_multiple_of(INPUT_STEP)),
            sums: Aligned::zeroed(SUMS),
            hidden: Aligned::zeroed((2 * MAX_HIDDEN).next_multiple_of(INPUT_STEP)),
        }
    }
}

impl PackedStack {
    /// `lanes` is the number of sums in a vector.
    pub(super) fn new(stack: &LayerStack, lanes: usize) -> Self {
        Self {
            first: PackedLayer::new(&stack.first, lanes, INPUT_STEP),
            second: PackedLayer::new(&stack.second, lanes, HIDDEN_STEP),
            last: PackedLayer::new(&stack.last, lanes, HIDDEN_STEP),
        }
    }

    /// The output of a plain network for `buffers.input`.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    pub(super) unsafe fn propagate_plain<S: Simd>(&self, buffers: &mut LayerBuffers) -> i32 {
        // SAFETY: the caller vouches for `S`.
        unsafe {
            self.first.sparse::<S>(&buffers.input, &mut buffers.sums);
            clip(&buffers.sums, &mut buffers.hidden, self.first.outputs);
            self.rest::<S>(buffers)
        }
    }

    /// The output of a layer stack for `buffers.input`: the first `neurons` of the first layer are
    /// passed on squared and clipped; the shortcut neuron, where there is one, is added to the
    /// output.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    pub(super) unsafe fn propagate_products<S: Simd>(
        &self,
        buffers: &mut LayerBuffers,
        neurons: usize,
    ) -> i32 {
        // SAFETY: the caller vouches for `S`.
        let shortcut = unsafe {
            self.first.sparse::<S>(&buffers.input, &mut buffers.sums);
            let shortcut = if self.first.outputs > neurons {
                buffers.sums[neurons]
            } else {
                0
            };
            square(&buffers.sums, &mut buffers.hidden, neurons);
            let (_, clipped) = buffers.hidden.split_at_mut(neurons);
            clip(&buffers.sums, clipped, neurons);
            shortcut
        };
        // SAFETY: the caller vouches for `S`.
        unsafe { self.rest::<S>(buffers) }.wrapping_add(shortcut)
    }

    /// The second and the last layer.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    unsafe fn rest<S: Simd>(&self, buffers: &mut LayerBuffers) -> i32 {
        // SAFETY: the caller vouches for `S`.
        unsafe {
            self.second.dense::<S>(&buffers.hidden, &mut buffers.sums);
            clip(&buffers.sums, &mut buffers.hidden, self.second.outputs);
            self.last.dense::<S>(&buffers.hidden, &mut buffers.sums);
        }
        buffers.sums[0]
    }
}

impl PackedLayer {
    /// The sums of all neurons, skipping groups of zeros.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    unsafe fn sparse<S: Simd>(&self, input: &[u8], sums: &mut [i32]) {
        // SAFETY: the caller vouches for `S`.
        unsafe { self.sums::<S, true>(input, sums) }
    }

    /// The sums of all neurons.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    unsafe fn dense<S: Simd>(&self, input: &[u8], sums: &mut [i32]) {
        // SAFETY: the caller vouches for `S`.
        unsafe { self.sums::<S, false>(input, sums) }
    }

    /// Processes a few vectors of neurons at a time, so that their sums stay in registers.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    unsafe fn sums<S: Simd, const SPARSE: bool>(&self, input: &[u8], sums: &mut [i32]) {
        assert!(input.len() >= self.groups * GROUP && sums.len() >= self.padded_outputs);
        let vectors = self.padded_outputs / S::I32_LANES;
        let mut vector = 0;
        while vector < vectors {
            let first = vector * S::I32_LANES;
            // SAFETY: the caller vouches for `S`. The assertion has checked the buffers, and the
            // vectors from `first` on that are processed end at `padded_outputs` or before.
            unsafe {
                let to = sums.as_mut_ptr().add(first);
                vector += match vectors - vector {
                    left if left >= MAX_VECTORS => {
                        self.few::<S, MAX_VECTORS, SPARSE>(input, first, to);
                        MAX_VECTORS
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
    ///
    /// # Safety
    /// The processor has the instruction set of `S`, `input` holds all groups, the vectors lie
    /// within `padded_outputs`, and `to` has room for them.
    #[inline(always)]
    unsafe fn few<S: Simd, const N: usize, const SPARSE: bool>(
        &self,
        input: &[u8],
        first: usize,
        to: *mut i32,
    ) {
        // SAFETY: the caller vouches for `S`, `input`, `first` and `to`. Biases and weights hold
        // `padded_outputs` neurons for each of `groups` groups. Vectors of groups end at `groups`
        // or before, because the first layer, the only sparse one, is padded to `INPUT_STEP` bytes.
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

/// Adds the products of the groups of inputs whose bits are set in `mask` to the sums.
///
/// # Safety
/// The processor has the instruction set of `S`. For every group in `mask`, `input` has its four
/// bytes and `rows` its row of weights.
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
            // SAFETY: the caller vouches for `S`, and that this group has its bytes and its row.
            unsafe { add_group::<S, N>(set, group_at(input, group), rows.add(group * stride)) };
            mask &= mask - 1;
            if mask == 0 {
                break;
            }
        }
    }
}

/// Adds the products of all groups of inputs to the sums, in `K` sets.
///
/// # Safety
/// The processor has the instruction set of `S`. `input` has `groups` groups and `rows` as many
/// rows of weights; `groups` is a multiple of `K`.
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
            // SAFETY: the caller vouches for `S`, and that this group has its bytes and its row.
            unsafe { add_group::<S, N>(set, group_at(input, group), rows.add(group * stride)) };
        }
    }
}

/// The four bytes of a group as one word.
///
/// # Safety
/// `input` points to at least `group + 1` groups.
#[inline(always)]
unsafe fn group_at(input: *const u8, group: usize) -> i32 {
    // SAFETY: the caller vouches for the group, and the read requires no alignment.
    unsafe { input.add(group * GROUP).cast::<i32>().read_unaligned() }
}

/// Adds the products of one group of inputs to the sums. It is no closure, because a closure that
/// is not inlined would be compiled without the instruction set.
///
/// # Safety
/// The processor has the instruction set of `S`, and `row` points to weights for `N` vectors of
/// neurons.
#[inline(always)]
unsafe fn add_group<S: Simd, const N: usize>(sums: &mut [S::I32; N], inputs: i32, row: *const i8) {
    for (vector, sum) in sums.iter_mut().enumerate() {
        // SAFETY: the caller vouches for `S` and for `N` vectors of weights at `row`.
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
    // Larger sums give the largest activation as well, and the square fits into 32 bits.
    const LIMIT: i32 = 1 << 13;
    for (to, &sum) in to[..count].iter_mut().zip(&sums[..count]) {
        let sum = sum.clamp(-LIMIT, LIMIT);
        *to = ((sum * sum) >> (2 * WEIGHT_BITS + 7)).min(MAX_ACTIVATION) as u8;
    }
}
