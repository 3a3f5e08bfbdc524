//! A part of a batch, prepared for the network: the active features of each position, and the
//! transpose, the positions of each feature.
//!
//! The forward pass sums the weights of the features of a position; the backward pass sums the
//! gradients of the positions of a feature. Both are the same gather loop, and no two threads write
//! to the same sum.

use super::loss::Target;
use super::sample::{ActiveFeatures, MAX_ACTIVE, Sample};
use crate::eval::nnue::FeatureSet;

/// Positions in a chunk. Small enough that the sums of one block of columns stay in the cache of a
/// core (256 KB).
pub(super) const CHUNK: usize = 1024;

/// Views in a chunk: position n has the view 2n of the side to move and 2n + 1 of the other side.
pub(super) const VIEWS: usize = 2 * CHUNK;

const _: () = assert!(VIEWS <= 1 << u16::BITS);

/// Up to [`CHUNK`] positions of a batch. The allocations are reused.
#[derive(Debug)]
pub struct Chunk {
    feature_set: FeatureSet,
    features: Vec<[ActiveFeatures; 2]>,
    positions: Vec<PositionInfo>,
    /// Index into [`Self::views`] of the first view of each feature, and the end of the last one.
    starts: Vec<u32>,
    views: Vec<u16>,
}

/// What is known of a position besides its features.
#[derive(Clone, Copy, Debug)]
pub(super) struct PositionInfo {
    /// Active features of each side.
    active: u8,
    /// The output bucket of the position.
    pub(super) bucket: u8,
    /// The target of the output.
    pub(super) target: Target,
}

impl Chunk {
    /// A chunk without positions, for one of our own feature sets.
    pub(super) fn new(feature_set: FeatureSet) -> Self {
        Self {
            feature_set,
            features: Vec::with_capacity(CHUNK),
            positions: Vec::with_capacity(CHUNK),
            starts: vec![0; feature_set.count() + 1],
            views: Vec::with_capacity(VIEWS * MAX_ACTIVE),
        }
    }

    /// Replaces the content by up to [`CHUNK`] positions.
    pub(super) fn fill<'a>(
        &mut self,
        samples: impl Iterator<Item = &'a Sample>,
        target: impl Fn(&Sample) -> Target,
    ) {
        self.features.clear();
        self.positions.clear();
        let mut features = [[0; MAX_ACTIVE]; 2];
        for sample in samples.take(CHUNK) {
            let active = sample.features(self.feature_set, &mut features);
            self.features.push(features);
            self.positions.push(PositionInfo {
                active: active as u8,
                bucket: sample.bucket() as u8,
                target: target(sample),
            });
        }
        self.transpose();
    }

    /// Sorts the views by their features (counting sort).
    fn transpose(&mut self) {
        let Self {
            features,
            positions,
            starts,
            views,
            ..
        } = self;
        starts.fill(0);
        for (features, info) in features.iter().zip(&*positions) {
            for &feature in features.iter().flat_map(|side| &side[..info.active.into()]) {
                starts[usize::from(feature) + 1] += 1;
            }
        }
        let mut total = 0;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        views.resize(total as usize, 0);
        // The start of each feature advances to its end, which is the start of the next one.
        for (position, (features, info)) in features.iter().zip(positions).enumerate() {
            for (side, features) in features.iter().enumerate() {
                for &feature in &features[..info.active.into()] {
                    let place = &mut starts[usize::from(feature)];
                    views[*place as usize] = (2 * position + side) as u16;
                    *place += 1;
                }
            }
        }
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// Number of positions in the chunk.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Number of features of one side, active or not.
    #[inline(always)]
    pub(super) fn feature_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn positions(&self) -> &[PositionInfo] {
        &self.positions
    }

    /// The active features of a position, of the side to move (0) or the other side (1).
    #[inline(always)]
    pub(super) fn features(&self, position: usize, side: usize) -> &[u16] {
        &self.features[position][side][..self.positions[position].active.into()]
    }

    /// The views in which a feature is active, in ascending order.
    #[inline(always)]
    pub(super) fn views(&self, feature: usize) -> &[u16] {
        &self.views[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}
