//! One position of a book and its moves, in the terms that all formats share.

use crate::records::packed::PackedSfen;
use crate::types::Move16;

/// The depth of moves from formats that store none, as `YaneuraOu` takes it: deep enough for any
/// limit.
pub const UNKNOWN_DEPTH: i32 = 256;

/// A move of a book position. What a format does not store keeps its default: no ponder move,
/// depth 0 ([`UNKNOWN_DEPTH`] from Apery's and `ShogiGUI`'s books), count 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move itself; it may be illegal where it stands.
    pub mv: Move16,
    /// The expected answer.
    pub ponder: Option<Move16>,
    /// Value in centipawns from the view of the side to move.
    pub value: i32,
    /// Depth of the search behind the value, in plies.
    pub depth: i32,
    /// How often the move was played.
    pub count: u64,
}

/// A position of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookEntry {
    /// The position without its ply.
    pub position: PackedSfen,
    /// Ply of the position, 1 at the start of a game; 0 where a `.db` gives none.
    pub ply: u32,
    /// Its moves in the order of the file.
    pub moves: Vec<BookMove>,
}

impl BookEntry {
    /// Adds the moves of another entry for the same position. A move that is there gets the new
    /// value, depth and ponder move, and the sum of the counts.
    pub fn merge(&mut self, other: &Self) {
        merge_moves(&mut self.moves, &other.moves);
    }
}

/// Adds moves to those of the same position, as [`BookEntry::merge`] does.
pub(super) fn merge_moves(moves: &mut Vec<BookMove>, more: &[BookMove]) {
    for new in more {
        match moves.iter_mut().find(|known| known.mv == new.mv) {
            Some(known) => {
                *known = BookMove {
                    count: known.count.saturating_add(new.count),
                    ..*new
                }
            }
            None => moves.push(*new),
        }
    }
}
