//! The kernel of the output of our own networks: clipped and squared sums times weights.
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use super::layers::MAX_LANES;
use super::simd::Simd;

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
