//! Zobrist keys of a board, from scratch and after a move, in any width.
//!
//! A [`Position`] carries its 64-bit keys along. Wider keys, whose low 64 bits are the 64-bit key,
//! are for perft, books and research: their users carry them along themselves with
//! [`Board::key_after`].

use super::base::Position;
use super::board::Board;
use crate::types::{Color, Key, Key64, Move, PieceType};

impl Board {
    /// Key of board, hands and side to move, from scratch.
    pub fn key<const LANES: usize>(&self) -> Key<LANES> {
        self.board_key() + self.hands_key()
    }

    /// Key of board and side to move, without the hands, from scratch.
    pub fn board_key<const LANES: usize>(&self) -> Key<LANES> {
        let mut key = Key::EMPTY + Key::of_side(self.side_to_move());
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                key += Key::of_piece(piece, square);
            }
        }
        key
    }

    /// Key of both hands, from scratch.
    pub(super) fn hands_key<const LANES: usize>(&self) -> Key<LANES> {
        let mut key = Key::EMPTY;
        for color in Color::ALL {
            for kind in PieceType::HAND {
                for _ in 0..self.hand(color).count(kind) {
                    key += Key::of_hand(color, kind);
                }
            }
        }
        key
    }

    /// The key of the position after a pseudo-legal move, given `key`, the key of this one.
    #[inline(always)]
    pub fn key_after<const LANES: usize>(&self, mut key: Key<LANES>, mv: Move) -> Key<LANES> {
        let (us, to) = (self.side_to_move(), mv.to());
        key = key.flipped() + Key::of_piece(mv.piece(), to);
        let Some(from) = mv.from() else {
            key -= Key::of_hand(us, mv.piece().kind());
            return key;
        };
        key -= Key::of_piece(mv.piece_before(), from);
        if let Some(captured) = self.piece_on(to) {
            key -= Key::of_piece(captured, to);
            key += Key::of_hand(us, captured.kind().unpromoted());
        }
        key
    }
}

impl Position {
    /// The key after a pseudo-legal move, to prefetch table entries before the move is made.
    #[inline(always)]
    pub fn key_after(&self, mv: Move) -> Key64 {
        self.board().key_after(self.key(), mv)
    }
}
