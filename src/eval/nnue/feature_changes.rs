//! Incremental update of accumulators: columns of weights are added for features that appear and
//! subtracted for features that vanish.
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use arrayvec::ArrayVec;

use super::network::FeatureTransformer;
use super::simd::Simd;

/// Widths are a multiple of this number of columns, that of two of the widest vectors.
const TILE: usize = 64;

/// Features that appear and vanish between two positions, up to `MAX` of each.
#[derive(Default)]
pub(super) struct FeatureChanges<const MAX: usize> {
    pub(super) added: ArrayVec<u32, MAX>,
    pub(super) removed: ArrayVec<u32, MAX>,
}

/// Changes by one move: at most two dirty pieces, each with up to two features.
pub(super) type MoveChanges = FeatureChanges<4>;

/// Changes between any two positions, each with at most 64 active features.
pub(super) type RefreshChanges = FeatureChanges<128>;

/// Computes the accumulator at `to` from the one at `from` by the changed features.
///
/// # Safety
/// The processor has the instruction set of `S`. `from` and `to` point to `width` columns each;
/// they may be the same.
#[inline(always)]
pub(super) unsafe fn apply<S: Simd, const MAX: usize>(
    transformer: &FeatureTransformer,
    width: usize,
    from: *const i16,
    to: *mut i16,
    changes: &FeatureChanges<MAX>,
) {
    let () = S::LANES_DIVIDE;
    let weights = &transformer.weights;
    let last = changes.added.iter().chain(&changes.removed).max();
    let end = last.map_or(0, |&feature| (feature as usize + 1) * width);
    assert!(end <= weights.len() && width.is_multiple_of(TILE));
    // SAFETY: the caller vouches for `S`, `from` and `to`. The assertion puts every row of weights
    // that is read within `weights`, and tiles of 8 or 2 vectors divide the width: 2 vectors are at
    // most `TILE` columns, and a rest of fewer than 8 vectors is a multiple of 2.
    unsafe {
        let weights = weights.as_ptr();
        let mut start = 0;
        while start < width {
            if width - start >= 8 * S::I16_LANES {
                tile::<S, 8, MAX>(
                    weights.add(start),
                    width,
                    from.add(start),
                    to.add(start),
                    changes,
                );
                start += 8 * S::I16_LANES;
            } else {
                tile::<S, 2, MAX>(
                    weights.add(start),
                    width,
                    from.add(start),
                    to.add(start),
                    changes,
                );
                start += 2 * S::I16_LANES;
            }
        }
    }
}

/// [`apply`] for a tile of `N` vectors, which stay in registers.
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))] // As `PackedLayer::few`.
unsafe fn tile<S: Simd, const N: usize, const MAX: usize>(
    weights: *const i16,
    width: usize,
    from: *const i16,
    to: *mut i16,
    changes: &FeatureChanges<MAX>,
) {
    // SAFETY: `apply` has checked that `N` vectors at `from`, at `to` and in every row of weights
    // lie within their allocations, and its caller vouches for `S`.
    unsafe {
        let mut sums = [S::load_i16(from); N];
        for (vector, sum) in sums.iter_mut().enumerate().skip(1) {
            *sum = S::load_i16(from.add(vector * S::I16_LANES));
        }
        for &feature in &changes.added {
            let row = weights.add(feature as usize * width);
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = S::add_i16(*sum, S::load_i16(row.add(vector * S::I16_LANES)));
            }
        }
        for &feature in &changes.removed {
            let row = weights.add(feature as usize * width);
            for (vector, sum) in sums.iter_mut().enumerate() {
                *sum = S::sub_i16(*sum, S::load_i16(row.add(vector * S::I16_LANES)));
            }
        }
        for (vector, &sum) in sums.iter().enumerate() {
            S::store_i16(to.add(vector * S::I16_LANES), sum);
        }
    }
}
