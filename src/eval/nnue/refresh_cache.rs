//! The refresh cache: for each king bucket, the last accumulator computed with it and the pieces
//! that it is of.
//!
//! When a king changes its bucket, the accumulator is refreshed from the cache by the pieces that
//! differ instead of being summed up from all pieces (the "Finny table" of Luecx's Koivisto, also
//! in Stockfish).

use super::feature_changes::RefreshChanges;
use super::feature_table::PerspectiveTable;
use super::features::ActiveFeatures;
use crate::eval::bona_piece::PIECES_IN_SET;
use crate::position::Position;
use crate::types::{Color, Hand, Piece, PieceType, Square};

/// Squares that are compared at once.
const SQUARES_AT_ONCE: usize = 27;

/// The pieces of a cached accumulator.
#[derive(Clone, Debug)]
pub(super) struct CacheEntry {
    squares: [Option<Piece>; Square::NUM],
    hands: [Hand; Color::NUM],
    /// Number of pieces of the set that are not in the game.
    not_in_game: usize,
    /// Whether the accumulator does not hold the biases yet.
    pub(super) is_new: bool,
}

impl CacheEntry {
    pub(super) const NEW: Self = Self {
        squares: [None; Square::NUM],
        hands: [Hand::EMPTY; Color::NUM],
        not_in_game: 0,
        is_new: true,
    };

    /// Replaces the pieces by those of `position` and appends the features that change to
    /// `changes`.
    pub(super) fn replace(
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
pub(super) fn compare_sorted(
    before: &ActiveFeatures,
    now: &ActiveFeatures,
    changes: &mut RefreshChanges,
) {
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
