//! Accumulators of the feature transformer along the line that is searched, updated incrementally.
//!
//! A stack holds one accumulator per ply and side, with the key of its position. Updates are lazy:
//! an accumulator is computed when it is evaluated, from the nearest earlier ply that is computed,
//! so positions that are not evaluated cost nothing and undoing a move needs no call. A king that
//! changes its bucket causes a refresh from the [cache](super::refresh_cache).
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use super::feature_changes::{MoveChanges, RefreshChanges, apply};
use super::feature_table::{FeatureTable, PerspectiveTable};
use super::features::{
    ActiveFeatures, Attacks, FeatureSet, KingBucket, active_with_attacks, king_bucket,
};
use super::network::Network;
use super::refresh_cache::{CacheEntry, compare_sorted};
use super::simd::Simd;
use crate::position::{PastMove, Position};
use crate::types::{Color, Key64, Move, Piece, PieceType, Square};
use crate::util::Aligned;

/// Plies that have a slot in the stack; longer lines reuse the first slots.
const SLOTS: usize = 256;

/// Most plies that are updated move by move. A seventh of the positions evaluated in a search lies
/// more than 8 plies behind the nearest computed one, because those between are in the
/// transposition table; their siblings find them computed.
const MAX_UPDATE_PLIES: usize = 32;

/// The accumulators of one thread.
#[derive(Debug)]
pub(super) struct AccumulatorStack {
    width: usize,
    table: FeatureTable,
    /// `[slot][side][column]`
    sums: Aligned<i16>,
    /// The position of each accumulator, `[slot][side]`.
    keys: Vec<[Option<Key64>; Color::NUM]>,
    /// `[king bucket][mirrored][side]`
    cache: Vec<CacheEntry>,
    /// The accumulators of the cache, `[king bucket][mirrored][side][column]`.
    cache_sums: Aligned<i16>,
    /// The active features of the cache, sorted; empty unless the feature set counts attacks.
    cache_features: Vec<ActiveFeatures>,
    /// The attacks of the last position, which the refreshes of both sides share.
    attacks: Option<(Key64, Attacks)>,
}

impl AccumulatorStack {
    pub(super) fn new(network: &Network) -> Self {
        let width = network.shape.width;
        let features = network.shape.features;
        let entries = features.king_buckets() as usize * 2 * Color::NUM;
        let with_attacks = if features.counts_attacks() {
            entries
        } else {
            0
        };
        Self {
            width,
            table: FeatureTable::new(features),
            sums: Aligned::zeroed(SLOTS * Color::NUM * width),
            keys: vec![[None; Color::NUM]; SLOTS],
            cache: vec![CacheEntry::NEW; entries],
            cache_sums: Aligned::zeroed(entries * width),
            cache_features: vec![ActiveFeatures::new(); with_attacks],
            attacks: None,
        }
    }

    /// The accumulator of one side for `position`, computed if it is not yet. `king` is the square
    /// of that side's king.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`, and this stack was made for `network`.
    #[inline(always)]
    pub(super) unsafe fn get<S: Simd>(
        &mut self,
        network: &Network,
        position: &Position,
        side: Color,
        king: Square,
    ) -> &[i16] {
        let features = network.shape.features;
        let bucket = king_bucket(features, king, side);
        let now = position.moves_made();
        match self.plies_to_computed(features, position, side, bucket) {
            Some(back) => {
                for back in (0..back).rev() {
                    let Some(past) = position.past_move(back) else {
                        break;
                    };
                    let from = self.start(now - back - 1, side);
                    let to = self.start(now - back, side);
                    let changes = MoveChanges::of_move(self.table.seen_by(side, bucket), past);
                    // SAFETY: the caller vouches for `S`. `start` returns the first of `width`
                    // columns of a slot within `sums`.
                    unsafe {
                        let sums = self.sums.as_mut_ptr();
                        apply::<S, _>(
                            &network.transformer,
                            self.width,
                            sums.add(from),
                            sums.add(to),
                            &changes,
                        );
                    }
                    self.keys[(now - back) % SLOTS][side.index()] = position.key_before(back);
                }
            }
            // SAFETY: the caller vouches for `S` and `network`.
            None => unsafe { self.refresh::<S>(network, position, side, bucket) },
        }
        let start = self.start(now, side);
        &self.sums[start..start + self.width]
    }

    /// Number of plies back to the nearest computed accumulator, `None` where the king changed its
    /// bucket since then or it is too far away.
    #[inline(always)]
    fn plies_to_computed(
        &self,
        features: FeatureSet,
        position: &Position,
        side: Color,
        bucket: KingBucket,
    ) -> Option<usize> {
        let now = position.moves_made();
        for back in 0..=MAX_UPDATE_PLIES {
            let key = position.key_before(back)?;
            if self.keys[(now - back) % SLOTS][side.index()] == Some(key) {
                return Some(back);
            }
            let past = position.past_move(back)?;
            if features.counts_attacks() || changes_bucket(features, bucket, side, past.mv) {
                return None;
            }
        }
        None
    }

    /// Index of the first column of a side's accumulator at a ply.
    #[inline(always)]
    fn start(&self, ply: usize, side: Color) -> usize {
        (ply % SLOTS * Color::NUM + side.index()) * self.width
    }

    /// Computes the accumulator of the current ply from the cache, and updates the cache.
    ///
    /// # Safety
    /// The processor has the instruction set of `S`, and this stack was made for `network`.
    #[inline(always)]
    unsafe fn refresh<S: Simd>(
        &mut self,
        network: &Network,
        position: &Position,
        side: Color,
        bucket: KingBucket,
    ) {
        let ply = position.moves_made();
        let to = self.start(ply, side);
        self.keys[ply % SLOTS][side.index()] = Some(position.key());
        let width = self.width;
        let transformer = &network.transformer;
        let index = (bucket.index as usize * 2 + usize::from(bucket.is_mirrored)) * Color::NUM
            + side.index();
        let from = index * width;
        let entry = &mut self.cache[index];
        let cache_sums = &mut self.cache_sums[from..from + width];
        if entry.is_new {
            cache_sums.copy_from_slice(&transformer.biases);
            entry.is_new = false;
        }
        let features = network.shape.features;
        // Filled in place, because it is large.
        let mut changes = RefreshChanges::default();
        if features.counts_attacks() {
            // Any move may change the attackers of any piece, and so its feature.
            let attacks = match &self.attacks {
                Some((key, attacks)) if *key == position.key() => attacks,
                _ => {
                    &self
                        .attacks
                        .insert((position.key(), Attacks::of(position)))
                        .1
                }
            };
            let mut now = active_with_attacks(features, position, side, bucket, attacks);
            now.sort_unstable();
            let before = std::mem::replace(&mut self.cache_features[index], now);
            compare_sorted(&before, &self.cache_features[index], &mut changes);
        } else {
            entry.replace(self.table.seen_by(side, bucket), position, &mut changes);
        }
        // SAFETY: the caller vouches for `S`, and `cache_sums` is a slice of `width` columns.
        unsafe {
            let sums = cache_sums.as_mut_ptr();
            apply::<S, _>(transformer, width, sums, sums, &changes);
        }
        self.sums[to..to + width].copy_from_slice(cache_sums);
    }
}

/// Whether the king of `side` came to `bucket` from another one by this move.
#[inline(always)]
fn changes_bucket(features: FeatureSet, bucket: KingBucket, side: Color, mv: Option<Move>) -> bool {
    mv.is_some_and(|mv| {
        mv.piece() == Piece::new(side, PieceType::King)
            && mv
                .from()
                .is_some_and(|from| king_bucket(features, from, side) != bucket)
    })
}

impl MoveChanges {
    /// The features that a move changed for a side whose king stayed in its bucket.
    #[inline(always)]
    fn of_move(table: PerspectiveTable<'_>, past: PastMove) -> Self {
        let mut changes = Self::default();
        let Some(mv) = past.mv else {
            return changes;
        };
        let (piece, to) = (mv.piece(), mv.to());
        let mover = piece.color();
        let Self { added, removed } = &mut changes;
        table.on_board(piece, to, added);
        if let Some(from) = mv.from() {
            table.on_board(mv.piece_before(), from, removed);
        } else {
            table.in_hand(mover, piece.kind(), past.hand.count(piece.kind()), removed);
        }
        if let Some(captured) = past.captured {
            let kind = captured.kind().unpromoted();
            table.on_board(captured, to, removed);
            table.in_hand(mover, kind, past.hand.count(kind) + 1, added);
        }
        changes
    }
}
