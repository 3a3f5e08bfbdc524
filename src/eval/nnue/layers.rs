//! The layers after the feature transformer, with weights laid out for vectors.
//!
//! Inputs are processed in groups of four bytes. Each group is multiplied for all neurons at once:
//! a vector holds the sums of several neurons, and the weights of a group are stored neuron by
//! neuron. Groups of four zeros contribute nothing. The first layer, whose inputs are mostly 0,
//! lists the other groups without a branch for each, as Stockfish does, and multiplies only those.
//! Our own networks have one sum of clipped and squared columns times weights instead.
//!
//! Why unsafe here: the vectors of [`super::simd`].

#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use super::scalar::{MAX_ACTIVATION, WEIGHT_BITS};
use super::{AffineLayer, LayerStack, shape::MAX_HIDDEN, simd::Simd};
use crate::util::Aligned;

/// Input bytes in a group: those that one 32-bit lane multiplies at once.
const GROUP: usize = 4;

/// Inputs of the first layer are padded with zeros to a multiple of this, the widest vector in
/// bytes.
const INPUT_STEP: usize = 64;

/// Inputs of later layers are padded to a multiple of this number of bytes.
const HIDDEN_STEP: usize = 2 * GROUP;

/// Most vectors of sums that are kept in registers at once.
const MAX_VECTORS: usize = 4;

/// Independent sets of sums, which hide the latency of the multiply-add: it takes about five
/// cycles, and two start in each.
const SETS: usize = 4;

/// Sets that suffice where there are few products, or more vectors than this, which are independent
/// too.
const FEW_SETS: usize = 2;

/// Lanes of the widest vector of sums.
const MAX_LANES: usize = 16;

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
        Self { groups, outputs: affine.outputs, padded_outputs, biases, weights }
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
    /// The groups of inputs of the first layer that are not all 0.
    active: Aligned<u16>,
    sums: Aligned<i32>,
    hidden: Aligned<u8>,
}

impl LayerBuffers {
    /// Buffers for a first layer with this number of inputs.
    pub(super) fn new(inputs: usize) -> Self {
        let inputs = inputs.next_multiple_of(INPUT_STEP);
        Self {
            input: Aligned::zeroed(inputs),
            active: Aligned::zeroed(inputs / GROUP + PLACES),
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
            self.first.sparse::<S>(buffers);
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
            self.first.sparse::<S>(buffers);
            let shortcut = if self.first.outputs > neurons { buffers.sums[neurons] } else { 0 };
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
    /// The sums of all neurons of the first layer.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    unsafe fn sparse<S: Simd>(&self, buffers: &mut LayerBuffers) {
        let LayerBuffers { input, active, sums, .. } = buffers;
        assert!(input.len() >= self.groups * GROUP && active.len() >= self.groups + PLACES);
        // SAFETY: the caller vouches for `S`. The assertion has checked the buffers, and the first
        // layer is padded to `INPUT_STEP` bytes. Listed groups are below `groups`.
        unsafe {
            let count = list_active::<S>(input.as_ptr(), self.groups, active.as_mut_ptr());
            self.sums::<S, true>(input, &active[..count], sums);
        }
    }

    /// The sums of all neurons of a later layer.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`.
    #[inline(always)]
    unsafe fn dense<S: Simd>(&self, input: &[u8], sums: &mut [i32]) {
        // SAFETY: the caller vouches for `S`.
        unsafe { self.sums::<S, false>(input, &[], sums) }
    }

    /// Processes a few vectors of neurons at a time, so that their sums stay in registers. With
    /// `SPARSE`, only the groups `active` are multiplied, otherwise all.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`, and `active` has only groups of this layer.
    #[inline(always)]
    unsafe fn sums<S: Simd, const SPARSE: bool>(
        &self,
        input: &[u8],
        active: &[u16],
        sums: &mut [i32],
    ) {
        assert!(input.len() >= self.groups * GROUP && sums.len() >= self.padded_outputs);
        let vectors = self.padded_outputs / S::I32_LANES;
        let mut vector = 0;
        while vector < vectors {
            let first = vector * S::I32_LANES;
            // SAFETY: the caller vouches for `S` and `active`. The assertion has checked the
            // buffers, and the vectors from `first` on that are processed end at `padded_outputs`
            // or before.
            unsafe {
                let to = sums.as_mut_ptr().add(first);
                vector += match vectors - vector {
                    left if left >= MAX_VECTORS && S::SUMS_ARE_PAIRS => {
                        self.few::<S, MAX_VECTORS, 1, SPARSE>(input, active, first, to);
                        MAX_VECTORS
                    }
                    left if left >= MAX_VECTORS => {
                        self.few::<S, MAX_VECTORS, FEW_SETS, SPARSE>(input, active, first, to);
                        MAX_VECTORS
                    }
                    2 | 3 if S::SUMS_ARE_PAIRS || !SPARSE => {
                        self.few::<S, 2, FEW_SETS, SPARSE>(input, active, first, to);
                        2
                    }
                    2 | 3 => {
                        self.few::<S, 2, SETS, SPARSE>(input, active, first, to);
                        2
                    }
                    _ if SPARSE => {
                        self.few::<S, 1, SETS, SPARSE>(input, active, first, to);
                        1
                    }
                    _ => {
                        self.few::<S, 1, FEW_SETS, SPARSE>(input, active, first, to);
                        1
                    }
                };
            }
        }
    }

    /// The sums of `N` vectors of neurons from neuron `first` on, in `K` independent sets.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`, `input` holds all groups, `active` has only
    /// groups of this layer, the vectors lie within `padded_outputs`, and `to` has room for them.
    // Not inlined in WebAssembly: browsers spill the registers of large functions.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    unsafe fn few<S: Simd, const N: usize, const K: usize, const SPARSE: bool>(
        &self,
        input: &[u8],
        active: &[u16],
        first: usize,
        to: *mut i32,
    ) {
        let stride = self.padded_outputs * GROUP;
        // SAFETY: the caller vouches for `S`, `input`, `active`, `first` and `to`. Biases and
        // weights hold `padded_outputs` neurons for each of `groups` groups.
        unsafe {
            let bias = self.biases.as_ptr().add(first);
            let rows = self.weights.as_ptr().add(first * GROUP);
            let input = input.as_ptr();
            let mut sets = [[S::zero_i32(); N]; K];
            for (vector, sum) in sets[0].iter_mut().enumerate() {
                *sum = S::load_i32(bias.add(vector * S::I32_LANES));
            }
            if SPARSE {
                let chunks = active.chunks_exact(K);
                let rest = chunks.remainder();
                for chunk in chunks {
                    for (set, &group) in sets.iter_mut().zip(chunk) {
                        add_group::<S, N>(set, input, rows, stride, group.into());
                    }
                }
                for (set, &group) in sets.iter_mut().zip(rest) {
                    add_group::<S, N>(set, input, rows, stride, group.into());
                }
            } else {
                assert!(self.groups.is_multiple_of(K));
                for base in (0..self.groups).step_by(K) {
                    for (set, group) in sets.iter_mut().zip(base..) {
                        add_group::<S, N>(set, input, rows, stride, group);
                    }
                }
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

/// Adds the products of one group of inputs to the sums. Not a closure, because a closure that
/// is not inlined would be compiled without the instruction set.
///
/// # Safety
/// The processor has the instruction set of `S`, `input` has this group, and `rows` its row of
/// weights, with `N` vectors of neurons.
#[inline(always)]
unsafe fn add_group<S: Simd, const N: usize>(
    sums: &mut [S::I32; N],
    input: *const u8,
    rows: *const i8,
    stride: usize,
    group: usize,
) {
    // SAFETY: the caller vouches for `S`, the group and `N` vectors of weights. The read of four
    // bytes requires no alignment.
    unsafe {
        let inputs = input.add(group * GROUP).cast::<i32>().read_unaligned();
        let row = rows.add(group * stride);
        for (vector, sum) in sums.iter_mut().enumerate() {
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

// --- The groups of inputs of the first layer that are not all 0 ---

/// Places of a byte.
const PLACES: usize = 8;

/// For each byte the places of its bits that are set, in ascending order; the rest is 0.
static BITS: [[u16; PLACES]; 256] = {
    let mut places = [[0; PLACES]; 256];
    let mut byte = 0;
    while byte < places.len() {
        let (mut place, mut count) = (0, 0);
        while place < PLACES {
            if byte & 1 << place != 0 {
                places[byte][count] = place as u16;
                count += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

/// Lists the groups of inputs that are not all 0 in ascending order and returns their number.
///
/// # Safety
/// The processor has the instruction set of `S`. `input` has `groups` groups, a multiple of those
/// in [`INPUT_STEP`] bytes, and `to` has room for [`PLACES`] more.
#[inline(always)]
unsafe fn list_active<S: Simd>(input: *const u8, groups: usize, to: *mut u16) -> usize {
    const STEP: usize = INPUT_STEP / GROUP;
    debug_assert!(groups.is_multiple_of(STEP) && u16::try_from(groups).is_ok());
    let mut count = 0;
    for base in (0..groups).step_by(STEP) {
        let mut mask = 0;
        let () = S::LANES_DIVIDE;
        for group in (0..STEP).step_by(S::I32_LANES) {
            // SAFETY: the caller vouches for `S` and `input`; vectors of groups divide a step.
            mask |= unsafe { S::nonzero_groups(input.add((base + group) * GROUP)) } << group;
        }
        for first in (0..STEP).step_by(PLACES) {
            let bits = (mask >> first) as u8;
            let places = BITS[usize::from(bits)].map(|place| place + (base + first) as u16);
            // SAFETY: at most as many groups are listed as there are before these places, and
            // the caller vouches for room for `PLACES` more.
            unsafe {
                to.add(count).cast::<[u16; PLACES]>().write_unaligned(places);
            };
            count += bits.count_ones() as usize;
        }
    }
    count
}

// --- The output of our own networks ---

/// Vectors that are summed in 32 bits: each adds two products to a lane, and a lane holds 260.
const VECTORS_AT_ONCE: usize = 128;

/// The sum of `clamp(sum, 0, 255)^2 * weight` over the accumulator of one side, for networks of our
/// own.
///
/// # Safety
/// The processor has the instruction set of `S`.
#[inline(always)]
pub(super) unsafe fn weighted_squares<S: Simd>(sums: &[i16], weights: &[i16]) -> i64 {
    assert!(sums.len() == weights.len() && sums.len().is_multiple_of(S::I16_LANES));
    let mut total = 0;
    let step = VECTORS_AT_ONCE * S::I16_LANES;
    for (sums, weights) in sums.chunks(step).zip(weights.chunks(step)) {
        let mut lanes = [0; MAX_LANES];
        // SAFETY: the caller vouches for `S`. Chunks have the same length, a multiple of the vector
        // as asserted, and `lanes` has room for the widest vector.
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
