//! Lookup tables of the features of single pieces, for incremental updates. They hold what the
//! functions of [`super::features`] compute.

use arrayvec::ArrayVec;

use super::features::{
    FeatureSet, KingBucket, features_in_hand, features_not_in_game, features_on_board,
};
use crate::types::{Color, Piece, PieceType, Square};

/// Counts of a piece type in hand: 0 to 18.
const COUNTS: usize = 19;

/// The features of one piece within a block. Blocks have far fewer than 65535 features.
type Entry = [u16; 2];
const NO_FEATURE: u16 = u16::MAX;

/// The features of every piece on every square and in hand.
#[derive(Debug)]
pub(super) struct FeatureTable {
    /// `[mirrored][side][piece and square]`
    on_board: [[Vec<Entry>; Color::NUM]; 2],
    /// `[side][owner][piece type and count]`
    in_hand: [[Vec<Entry>; Color::NUM]; Color::NUM],
    not_in_game: Entry,
    /// Features in each block.
    block: u32,
}

impl FeatureTable {
    pub(super) fn new(set: FeatureSet) -> Self {
        let king = |is_mirrored| KingBucket {
            index: 0,
            is_mirrored,
        };
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
    pub(super) fn seen_by(&self, side: Color, bucket: KingBucket) -> PerspectiveTable<'_> {
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
pub(super) struct PerspectiveTable<'a> {
    on_board: &'a [Entry],
    in_hand: &'a [Vec<Entry>; Color::NUM],
    not_in_game: Entry,
    /// First feature of the block.
    start: u32,
}

impl PerspectiveTable<'_> {
    /// The features of a piece on the board.
    #[inline(always)]
    pub(super) fn on_board<const MAX: usize>(
        &self,
        piece: Piece,
        square: Square,
        to: &mut ArrayVec<u32, MAX>,
    ) {
        self.push(
            self.on_board[piece.index() * Square::NUM + square.index()],
            to,
        );
    }

    /// The features of the `count`-th (from 1) piece of a type in the hand of `owner`.
    #[inline(always)]
    pub(super) fn in_hand<const MAX: usize>(
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
    pub(super) fn not_in_game<const MAX: usize>(&self, to: &mut ArrayVec<u32, MAX>) {
        self.push(self.not_in_game, to);
    }

    #[inline(always)]
    fn push<const MAX: usize>(&self, entry: Entry, to: &mut ArrayVec<u32, MAX>) {
        for feature in entry {
            if feature != NO_FEATURE {
                to.push(self.start + u32::from(feature));
            }
        }
    }
}
