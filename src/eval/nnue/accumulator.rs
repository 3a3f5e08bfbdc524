//! Accumulators of the feature transformer along the line that is searched, updated incrementally.
//!
//! A stack holds one accumulator per ply and side, with the key of its position. Updates are lazy:
//! an accumulator is computed when it is evaluated, from the nearest earlier ply that is computed,
//! so positions that are not evaluated cost nothing and undoing a move needs no call. Columns of
//! weights are added for features that appear and subtracted for features that vanish.
//!
//! A king that changes its bucket causes a refresh: for each king bucket, a cache holds the last
//! accumulator computed with it, from which the new one differs by a few pieces instead of being
//! summed up from all of them (the "Finny table" of Luecx's Koivisto, also in Stockfish).
//!
//! Why unsafe here: the vectors of [`super::simd`].

#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vector operations share the contract of the trait `Simd`"
)]

use arrayvec::ArrayVec;

use super::features::{ActiveFeatures, Attacks, FeatureSet, KingBucket, active_with_attacks};
use super::features::{features_in_hand, features_not_in_game, features_on_board, king_bucket};
use super::{FeatureTransformer, Network, shape::COLUMNS_STEP, simd::Simd};
use crate::position::{PastMove, Position};
use crate::types::{Color, Hand, Key64, Move, Piece, PieceType, Square};
use crate::{eval::bona_piece::PIECES_IN_SET, util::Aligned};

/// Plies that have a slot in the stack; longer lines reuse the first slots.
const SLOTS: usize = 256;

/// Most plies that are updated move by move. A seventh of the positions evaluated in a search lies
/// more than 8 plies after the nearest computed one, because those between are in the
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
        let with_attacks = if features.counts_attacks() { entries } else { 0 };
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
                _ => &self.attacks.insert((position.key(), Attacks::of(position))).1,
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
            && mv.from().is_some_and(|from| king_bucket(features, from, side) != bucket)
    })
}

// --- Changes between two positions ---

/// Features that appear and vanish between two positions, up to `MAX` of each.
#[derive(Default)]
struct FeatureChanges<const MAX: usize> {
    added: ArrayVec<u32, MAX>,
    removed: ArrayVec<u32, MAX>,
}

/// Changes by one move: at most two dirty pieces, each with up to two features.
type MoveChanges = FeatureChanges<4>;

/// Changes between any two positions, each with at most 64 active features.
type RefreshChanges = FeatureChanges<128>;

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

/// Computes the accumulator at `to` from the one at `from` by the changed features.
///
/// # Safety
/// The processor has the instruction set of `S`. `from` and `to` point to `width` columns each;
/// they may be the same.
#[inline(always)]
unsafe fn apply<S: Simd, const MAX: usize>(
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
    assert!(end <= weights.len() && width.is_multiple_of(COLUMNS_STEP));
    // SAFETY: the caller vouches for `S`, `from` and `to`. The assertion puts every row of weights
    // that is read within `weights`, and vectors divide the width: a vector is at most
    // `COLUMNS_STEP` columns.
    unsafe {
        let weights = weights.as_ptr();
        let mut start = 0;
        while start < width {
            let weights = weights.add(start);
            let (from, to) = (from.add(start), to.add(start));
            start += S::I16_LANES
                * match (width - start) / S::I16_LANES {
                    8.. => {
                        tile::<S, 8, MAX>(weights, width, from, to, changes);
                        8
                    }
                    2.. => {
                        tile::<S, 2, MAX>(weights, width, from, to, changes);
                        2
                    }
                    _ => {
                        tile::<S, 1, MAX>(weights, width, from, to, changes);
                        1
                    }
                };
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

// --- The refresh cache ---

/// Squares that are compared at once.
const SQUARES_AT_ONCE: usize = 27;

/// The pieces of a cached accumulator.
#[derive(Clone, Debug)]
struct CacheEntry {
    squares: [Option<Piece>; Square::NUM],
    hands: [Hand; Color::NUM],
    /// Number of pieces of the set that are not in the game.
    not_in_game: usize,
    /// Whether the accumulator does not hold the biases yet.
    is_new: bool,
}

impl CacheEntry {
    const NEW: Self = Self {
        squares: [None; Square::NUM],
        hands: [Hand::EMPTY; Color::NUM],
        not_in_game: 0,
        is_new: true,
    };

    /// Replaces the pieces by those of `position` and appends the features that change to
    /// `changes`.
    fn replace(
        &mut self,
        table: PerspectiveTable<'_>,
        position: &Position,
        changes: &mut RefreshChanges,
    ) {
        let RefreshChanges { added, removed } = changes;
        let board = position.board();
        // Few squares differ, and most ranges of squares are equal.
        for (start, before) in self.squares.chunks_mut(SQUARES_AT_ONCE).enumerate() {
            let start = start * SQUARES_AT_ONCE;
            let now = &board.squares()[start..start + before.len()];
            if *before == *now {
                continue;
            }
            for (offset, (before, &now)) in before.iter_mut().zip(now).enumerate() {
                if *before == now {
                    continue;
                }
                let square = Square::ALL[start + offset];
                if let Some(piece) = *before {
                    table.on_board(piece, square, removed);
                }
                if let Some(piece) = now {
                    table.on_board(piece, square, added);
                }
                *before = now;
            }
        }
        let mut pieces = (board.occupied() - board.kind(PieceType::King)).count() as u32;
        for owner in Color::ALL {
            let now = position.hand(owner);
            let before = std::mem::replace(&mut self.hands[owner.index()], now);
            for kind in PieceType::HAND {
                let (before, now) = (before.count(kind), now.count(kind));
                pieces += now;
                for count in now + 1..=before {
                    table.in_hand(owner, kind, count, removed);
                }
                for count in before + 1..=now {
                    table.in_hand(owner, kind, count, added);
                }
            }
        }
        let not_in_game = PIECES_IN_SET.saturating_sub(pieces as usize);
        let before = std::mem::replace(&mut self.not_in_game, not_in_game);
        for _ in not_in_game..before {
            table.not_in_game(removed);
        }
        for _ in before..not_in_game {
            table.not_in_game(added);
        }
    }
}

/// Appends the differences between two sorted lists of features to `changes`.
fn compare_sorted(before: &ActiveFeatures, now: &ActiveFeatures, changes: &mut RefreshChanges) {
    let (mut before, mut now) = (before.iter().peekable(), now.iter().peekable());
    loop {
        match (before.peek(), now.peek()) {
            (None, None) => return,
            (Some(one), Some(other)) if one == other => {
                before.next();
                now.next();
            }
            (Some(one), other) if other.is_none_or(|other| one < other) => {
                changes.removed.extend(before.next().copied());
            }
            _ => changes.added.extend(now.next().copied()),
        }
    }
}

// --- Features of single pieces ---
//
// Lookup tables, which hold what the functions of `features` compute.

/// Counts of a piece type in hand: 0 to 18.
const COUNTS: usize = 19;

/// The features of one piece within a block. Blocks have far fewer than 65535 features.
type PieceFeatures = [u16; 2];
const NO_FEATURE: u16 = u16::MAX;

/// The features of every piece on every square and in hand.
#[derive(Debug)]
struct FeatureTable {
    /// `[mirrored][side][piece and square]`
    on_board: [[Vec<PieceFeatures>; Color::NUM]; 2],
    /// `[side][owner][piece type and count]`
    in_hand: [[Vec<PieceFeatures>; Color::NUM]; Color::NUM],
    not_in_game: PieceFeatures,
    /// Features in each block.
    block: u32,
}

impl FeatureTable {
    fn new(set: FeatureSet) -> Self {
        let king = |is_mirrored| KingBucket { index: 0, is_mirrored };
        let entry = |found: ArrayVec<u32, 2>| {
            let mut entry = [NO_FEATURE; 2];
            for (entry, feature) in entry.iter_mut().zip(found) {
                *entry = feature as u16;
            }
            entry
        };
        let on_board = |is_mirrored, side| {
            let mut entries = vec![[NO_FEATURE; 2]; Piece::NUM * Square::NUM];
            for piece in Piece::ALL {
                for square in Square::ALL {
                    let found = features_on_board(set, king(is_mirrored), side, piece, square);
                    entries[piece.index() * Square::NUM + square.index()] = entry(found);
                }
            }
            entries
        };
        let in_hand = |side, owner| {
            let mut entries = vec![[NO_FEATURE; 2]; (PieceType::HAND.len() + 1) * COUNTS];
            for kind in PieceType::HAND {
                for count in 1..=kind.count_in_set() {
                    let found = features_in_hand(set, king(false), side, kind, count, owner);
                    entries[kind.index() * COUNTS + count as usize] = entry(found);
                }
            }
            entries
        };
        Self {
            on_board: [false, true]
                .map(|is_mirrored| Color::ALL.map(|side| on_board(is_mirrored, side))),
            in_hand: Color::ALL.map(|side| Color::ALL.map(|owner| in_hand(side, owner))),
            not_in_game: entry(features_not_in_game(set, king(false))),
            block: set.features_per_king(),
        }
    }

    /// The part of the table for one side with its king in `bucket`.
    #[inline(always)]
    fn seen_by(&self, side: Color, bucket: KingBucket) -> PerspectiveTable<'_> {
        PerspectiveTable {
            on_board: &self.on_board[usize::from(bucket.is_mirrored)][side.index()],
            in_hand: &self.in_hand[side.index()],
            not_in_game: self.not_in_game,
            start: bucket.index * self.block,
        }
    }
}

/// The features of single pieces for one side and its king bucket. Methods append to `to`.
#[derive(Clone, Copy)]
struct PerspectiveTable<'a> {
    on_board: &'a [PieceFeatures],
    in_hand: &'a [Vec<PieceFeatures>; Color::NUM],
    not_in_game: PieceFeatures,
    /// First feature of the block.
    start: u32,
}

impl PerspectiveTable<'_> {
    /// The features of a piece on the board.
    #[inline(always)]
    fn on_board<const MAX: usize>(
        &self,
        piece: Piece,
        square: Square,
        to: &mut ArrayVec<u32, MAX>,
    ) {
        self.push(self.on_board[piece.index() * Square::NUM + square.index()], to);
    }

    /// The features of the `count`-th (from 1) piece of a type in the hand of `owner`.
    #[inline(always)]
    fn in_hand<const MAX: usize>(
        &self,
        owner: Color,
        kind: PieceType,
        count: u32,
        to: &mut ArrayVec<u32, MAX>,
    ) {
        let entry = self.in_hand[owner.index()][kind.index() * COUNTS + count as usize];
        self.push(entry, to);
    }

    /// The features of one piece that is not in the game.
    #[inline(always)]
    fn not_in_game<const MAX: usize>(&self, to: &mut ArrayVec<u32, MAX>) {
        self.push(self.not_in_game, to);
    }

    #[inline(always)]
    fn push<const MAX: usize>(&self, entry: PieceFeatures, to: &mut ArrayVec<u32, MAX>) {
        for feature in entry {
            if feature != NO_FEATURE {
                to.push(self.start + u32::from(feature));
            }
        }
    }
}
