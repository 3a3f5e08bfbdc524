//! A network as the search uses it: laid out for one instruction set and evaluated incrementally,
//! with exactly the values of [`super::scalar`].
//!
//! Why unsafe here: code for an instruction set may run only where the processor has it.

#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use std::cmp::Reverse;

use super::layers::{LayerBuffers, PackedStack, weighted_squares};
use super::scalar::{bucket, first_activations};
use super::simd::{InstructionSet, InstructionSetError, Plain, Simd};
use super::{LayerStack, Network, accumulator::AccumulatorStack, shape::Head};
use crate::util::{cores, for_each_part};
use crate::{position::Position, types::Value};

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
        let set = set.or_best();
        sort_columns(&mut network);
        let lanes = set.lanes();
        let packed = |stack: &LayerStack| PackedStack::new(stack, lanes);
        Self { stacks: network.stacks.iter().map(packed).collect(), network, set }
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
    debug_assert_eq!(sums.len(), to.len());
    for start in (0..sums.len()).step_by(2 * S::I16_LANES) {
        let left = sums.len() - start;
        // Widths are multiples of 32, which may be one vector only. SAFETY: the caller vouches for
        // `S`. As for products below, plain arrays take what is left of less than two vectors.
        unsafe {
            let (from, to) = (sums.as_ptr().add(start), to.as_mut_ptr().add(start));
            if left >= 2 * S::I16_LANES {
                S::clamp_to_bytes(from, to);
            } else {
                for offset in (0..left).step_by(2 * Plain::I16_LANES) {
                    Plain::clamp_to_bytes(from.add(offset), to.add(offset));
                }
            }
        }
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
        // Half of a width is a multiple of 16 only, the columns of two plain arrays. SAFETY: the
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
pub fn instruction_set_from_env() -> Result<InstructionSet, InstructionSetError> {
    match std::env::var("RAICHO_SIMD") {
        Ok(text) if !text.is_empty() => text.parse(),
        _ => Ok(InstructionSet::best()),
    }
}

// --- The order of the columns of the feature transformer ---
//
// The first layer skips groups of inputs that are all 0. Some columns are nearly always active and
// others hardly ever. With those that are equally often active side by side, more groups are 0: 39
// instead of 9 % in a K-P network. Stockfish orders the columns when a network is made; here it is
// done when a network is loaded, so that networks of other programs gain as well. Values stay the
// same.

/// Positions of all parts of the game, on which the activity of the columns is counted. More
/// positions hardly improve the order.
const POSITIONS: [&str; 16] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsg2snl/1r3kgb1/p1ppppppp/9/1p7/2P4P1/PPBPPPP1P/2G3SR1/LNS1KG1NL w - 10",
    "ln1gk2nl/1rs3gs1/pppppp1pp/6p2/7P1/2P6/PP1PPPP1P/1S3S1R1/LN1GKG1NL b Bb 11",
    "ln1gk1snl/1r1s2g2/p1pppp1pp/6p2/1p7/2P4P1/PP+bPPPP1P/1SG2S1R1/LN2KG1NL b b 13",
    "ln3k1nl/1r1sgsgb1/p1pp3pp/1p2ppp2/9/2P1P1P2/PPSP1P1PP/1BG1GS1R1/LN1K3NL b - 19",
    "lnsgk1snl/6g2/p2ppp2p/2p3B2/9/1rP6/P2PPPP1P/2G1K4/LNS2GSNL b BR2P2p 25",
    "ln1g1g1nl/1ks4r1/1pppp1ppp/p4p3/9/P1P1P1P2/1P1P1P2P/1BK1GS1R1/LNSG3NL w Bp 30",
    "ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42",
    "ln5nl/1r2g1gk1/2pps2s1/p4p1Sp/1p2p4/P1PP4P/1PSBPPP2/2G4R1/LN2KG1NL w 2Pbp 44",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 70",
    "kn6l/2g4s1/1pl2p1p1/N1p3p1p/1P3N3/2P3P1P/B1NPPP3/1K2gS3/6G1L b RBGL5Pr2s 91",
    "l6+P1/2+R3s2/p3ppkpl/8p/7l1/1PP6/Pp2P+nPPP/1br2g1K1/LN5G1 b B2GN3P3snp 101",
    "7nl/3+R2gk1/4p1sp1/3p1gp2/3NP2Pp/LP4P2/P1KP1+bSRP/6g2/7NL w 2SNL2Pbg4p 112",
    "l1g1Rnkgl/2s3g2/p3ppSn1/3p2rpp/2P2Ns2/1P3P3/P2P4P/2GK5/L+p5PL b 2BSNP3p 117",
    "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    "l4l1+Bl/3p5/1pn+R4b/pkp2P1Sp/2nPS1Kp1/PGGG4P/6PP1/4+r4/7NL b GN3P2s3p 139",
];

/// Least weights per thread.
const PART: usize = 1 << 20;

/// Sorts the columns by how often they are active, if the network has a first layer.
fn sort_columns(network: &mut Network) {
    if network.shape.head == Head::Direct {
        return;
    }
    let order = by_activity(network);
    for stack in &mut network.stacks {
        let first = &mut stack.first;
        for row in first.weights.chunks_exact_mut(first.padded_inputs) {
            reorder(&mut row[..first.inputs], &order);
        }
    }
    let columns = match network.shape.head {
        // Column i is multiplied by column i of the second half.
        Head::Stacks { .. } => {
            let second = order.iter().map(|&column| column + order.len());
            order.iter().copied().chain(second).collect()
        }
        Head::Plain | Head::Direct => order,
    };
    let transformer = &mut network.transformer;
    reorder(&mut transformer.biases, &columns);
    let part = transformer.weights.len().div_ceil(cores()).max(PART);
    let parts = transformer.weights.chunks_mut(part.next_multiple_of(columns.len()));
    let mut parts = parts.map(|part| (part, false)).collect::<Vec<_>>();
    let work = |(part, is_done): &mut (&mut [i16], bool)| {
        reorder(part, &columns);
        *is_done = true;
    };
    if parts.len() == 1 || for_each_part(parts.iter_mut(), work).is_err() {
        // The parts for which there was no thread.
        let left = parts.iter_mut().filter(|(_, is_done)| !is_done);
        left.for_each(work);
    }
}

/// The inputs that one side gives to the first layer, those that are active most often first.
fn by_activity(network: &Network) -> Vec<usize> {
    let mut counts = Vec::new();
    for sfen in POSITIONS {
        let Some(inputs) = Position::from_sfen(sfen)
            .ok()
            .and_then(|position| first_activations(network, &position))
        else {
            continue;
        };
        counts.resize(inputs.len() / 2, 0);
        for side in inputs.chunks_exact(counts.len()) {
            for (count, &input) in counts.iter_mut().zip(side) {
                *count += u32::from(input != 0);
            }
        }
    }
    let mut order: Vec<_> = (0..counts.len()).collect();
    order.sort_by_key(|&input| Reverse(counts[input]));
    order
}

/// Reorders each row of `values`: what is at `order[i]` comes to `i`.
fn reorder<T: Copy>(values: &mut [T], order: &[usize]) {
    let mut before = Vec::with_capacity(order.len());
    for row in values.chunks_exact_mut(order.len()) {
        before.clear();
        before.extend_from_slice(row);
        for (value, &from) in row.iter_mut().zip(order) {
            *value = before[from];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::{random, scalar};

    fn network(shape: &str) -> Network {
        let file = random::file(&shape.parse().expect("a shape"), 5);
        Network::read(&file).expect("a good file").0
    }

    fn positions() -> impl Iterator<Item = Position> {
        POSITIONS.map(|sfen| Position::from_sfen(sfen).expect("a position")).into_iter()
    }

    #[test]
    fn values_do_not_change() {
        for shape in
            ["raicho_64x2-8", "kp_256x2-32-32", "halfkp_64x2-8-32", "SFNN_halfkahm2_128_15_32_k3k3"]
        {
            let (mut sorted, before) = (network(shape), network(shape));
            sort_columns(&mut sorted);
            for position in positions() {
                let values = [&sorted, &before].map(|network| scalar::evaluate(network, &position));
                assert_eq!(values[0], values[1], "{shape}, {}", position.to_sfen());
            }
        }
    }

    #[test]
    fn columns_are_in_the_order_of_their_activity() {
        for shape in ["kp_256x2-32-32", "SFNN_halfkahm2_128_15_32_k3k3"] {
            let mut network = network(shape);
            assert!(!by_activity(&network).is_sorted(), "{shape}");
            sort_columns(&mut network);
            assert!(by_activity(&network).is_sorted(), "{shape}");
        }
    }
}
