//! Columns of the transformer's weights, added to sums and taken away from them.
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vectors of one instruction set, all under one promise"
)]

use arrayvec::ArrayVec;

use super::network::Transformer;
use super::simd::Simd;

/// Columns are added in tiles of so many, which stay in registers.
const TILE: usize = 64;

/// Inputs that come and go, so many at most of each.
#[derive(Default)]
pub(super) struct Difference<const MOST: usize> {
    pub(super) added: ArrayVec<u32, MOST>,
    pub(super) removed: ArrayVec<u32, MOST>,
}

/// What a move changes: the piece that moves and one that is captured, each with up to two inputs.
pub(super) type MoveDifference = Difference<4>;

/// What may change between any two positions: all inputs, twice over.
pub(super) type AnyDifference = Difference<128>;

/// Adds the columns of the inputs that came to the sums, and takes away those of the inputs that went.
///
/// # Safety
/// The processor has `S`; `from` and `to` point to `width` sums each and may be the same.
#[inline(always)]
pub(super) unsafe fn apply<S: Simd, const MOST: usize>(
    transformer: &Transformer,
    width: usize,
    from: *const i16,
    to: *mut i16,
    difference: &Difference<MOST>,
) {
    let weights = &transformer.weights;
    let furthest = difference.added.iter().chain(&difference.removed).max();
    let end = furthest.map_or(0, |&input| (input as usize + 1) * width);
    assert!(end <= weights.len() && width.is_multiple_of(TILE));
    // SAFETY: the caller's promise; every row was checked to lie within the weights, and tiles end with the row.
    unsafe {
        let weights = weights.as_ptr();
        let mut start = 0;
        while start < width {
            if width - start >= 8 * S::I16_LANES {
                tile::<S, 8, MOST>(
                    weights.add(start),
                    width,
                    from.add(start),
                    to.add(start),
                    difference,
                );
                start += 8 * S::I16_LANES;
            } else {
                tile::<S, 2, MOST>(
                    weights.add(start),
                    width,
                    from.add(start),
                    to.add(start),
                    difference,
                );
                start += 2 * S::I16_LANES;
            }
        }
    }
}

/// `N` vectors of sums.
#[inline(always)]
unsafe fn tile<S: Simd, const N: usize, const MOST: usize>(
    weights: *const i16,
    width: usize,
    from: *const i16,
    to: *mut i16,
    difference: &Difference<MOST>,
) {
    // SAFETY: the caller has checked that everything lies within its memory.
    unsafe {
        let mut sums = [S::load_i16(from); N];
        for (vector, sum) in sums.iter_mut().enumerate().skip(1) {
            *sum = S::load_i16(from.add(vector * S::I16_LANES));
        }
        for &input in &difference.added {
            let row = weights.add(input as usize * width);
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = S::add_i16(*sum, S::load_i16(row.add(vector * S::I16_LANES)));
            }
        }
        for &input in &difference.removed {
            let row = weights.add(input as usize * width);
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = S::sub_i16(*sum, S::load_i16(row.add(vector * S::I16_LANES)));
            }
        }
        for (vector, &sum) in sums.iter().enumerate() {
            S::store_i16(to.add(vector * S::I16_LANES), sum);
        }
    }
}
