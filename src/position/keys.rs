//! Keys of a board: Zobrist keys of the whole in any width, and keys of its parts.
//!
//! A [`Position`](super::Position) carries its 64-bit keys along. Wider keys, whose low 64 bits are
//! the 64-bit key, are for perft, books and research: their users carry them along themselves with
//! [`Board::key_after`].
//!
//! Parts are the pawns, the minor pieces, each side's pieces other than pawns, and each side's
//! castle. The search indexes pawn history and correction histories by them, because positions that
//! share a part of the board tend to share good moves and evaluation errors. All but the castle
//! keys are updated with every move.

use super::Board;
use crate::bitboard::{Bitboard, king_attacks};
use crate::types::{Color, Key, Key64, Move, Piece, PieceType, Square};

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

// --- Parts of the board ---

/// Incremental keys: sums of the upper 32 bits of the pieces' values in [`Key64`]. Side by side, so
/// that a vector holds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(16))]
pub(super) struct StructureKeys([u32; PARTS]);

/// Pawns of both sides, black's other pieces, white's other pieces, minor pieces.
const PARTS: usize = 4;
const PAWNS: usize = 0;
const NON_PAWNS: usize = 1;
const MINOR_PIECES: usize = 3;

/// By piece code: all ones for each part that the piece counts in, else 0.
static PARTS_OF: [StructureKeys; Piece::NUM] = {
    let mut masks = [StructureKeys([0; PARTS]); Piece::NUM];
    let mut index = 0;
    while index < Piece::NUM {
        if let Some(piece) = Piece::from_index(index) {
            let kind = piece.kind();
            let is_minor = kind.moves_as_gold()
                || matches!(kind, PieceType::Lance | PieceType::Knight | PieceType::Silver);
            let part = if matches!(piece.kind(), PieceType::Pawn) {
                PAWNS
            } else {
                NON_PAWNS + piece.color() as usize
            };
            masks[index].0[part] = u32::MAX;
            if is_minor {
                masks[index].0[MINOR_PIECES] = u32::MAX;
            }
        }
        index += 1;
    }
    masks
};

impl StructureKeys {
    pub(super) fn of_board(board: &Board) -> Self {
        let mut keys = Self::default();
        for square in board.occupied() {
            if let Some(piece) = board.piece_on(square) {
                keys.add(piece, square);
            }
        }
        keys
    }

    #[inline(always)]
    pub(super) fn add(&mut self, piece: Piece, square: Square) {
        let masks = &PARTS_OF[piece.index()].0;
        let random = random(piece, square);
        for (sum, mask) in self.0.iter_mut().zip(masks) {
            *sum = sum.wrapping_add(random & mask);
        }
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        let masks = &PARTS_OF[piece.index()].0;
        let random = random(piece, square);
        for (sum, mask) in self.0.iter_mut().zip(masks) {
            *sum = sum.wrapping_sub(random & mask);
        }
    }

    #[inline(always)]
    pub(super) fn pawns(&self) -> u32 {
        self.0[PAWNS]
    }

    #[inline(always)]
    pub(super) fn minor_pieces(&self) -> u32 {
        self.0[MINOR_PIECES]
    }

    #[inline(always)]
    pub(super) fn non_pawns(&self, color: Color) -> u32 {
        self.0[NON_PAWNS + color.index()]
    }
}

impl Board {
    /// Key of one side's castle: its king and its own pieces on the squares around it. 0 without a
    /// king. Computed from the board, because only the corrections of the material evaluation need
    /// it.
    #[inline]
    pub(super) fn castle_key(&self, color: Color) -> u32 {
        let Some(king) = self.king(color) else {
            return 0;
        };
        let mut sum = random(Piece::new(color, PieceType::King), king);
        for square in king_attacks(king) & self.color(color) {
            if let Some(piece) = self.piece_on(square) {
                sum = sum.wrapping_add(random(piece, square));
            }
        }
        sum
    }

    /// Whether a move that was just made begins or ends at a king or beside it.
    #[inline(always)]
    pub(super) fn touches_castles(&self, mv: Move) -> bool {
        let castle = |king: Option<Square>| {
            king.map_or(Bitboard::EMPTY, |king| king_attacks(king) | Bitboard::from(king))
        };
        let castles = castle(self.king(Color::Black)) | castle(self.king(Color::White));
        let moved = mv.from().map_or(Bitboard::EMPTY, Bitboard::of) | Bitboard::of(mv.to());
        moved.intersects(castles)
    }
}

/// The upper half of the Zobrist value of a piece: unlike in the lower half, all its bits are
/// random.
#[inline(always)]
fn random(piece: Piece, square: Square) -> u32 {
    (Key64::of_piece(piece, square).low64() >> u32::BITS) as u32
}
