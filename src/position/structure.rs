//! Keys of parts of the board: the pawns, the minor pieces, each side's pieces other than pawns,
//! and each side's castle.
//!
//! The search indexes pawn history and correction histories by them, because positions that share a
//! part of the board tend to share good moves and evaluation errors. All but the castle keys are
//! updated with every move.

use super::board::Board;
use crate::bitboard::{Bitboard, king_attacks};
use crate::types::{Color, Key64, Move, Piece, PieceType, Square};

/// Incremental keys: sums of the upper 32 bits of the pieces' values in [`Key64`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct StructureKeys {
    /// Pawns of both sides, black's other pieces, white's other pieces: each piece counts in one.
    exclusive: [u32; PARTS],
    minor_pieces: u32,
}

const PARTS: usize = 3;
const PAWNS: usize = 0;

/// By piece code: the index into `exclusive`, and a mask that is all ones for minor pieces, else 0.
const PART_OF: [(u8, u32); Piece::NUM] = {
    let mut parts = [(0, 0); Piece::NUM];
    let mut index = 0;
    while index < Piece::NUM {
        if let Some(piece) = Piece::from_index(index) {
            let is_minor = match piece.kind() {
                PieceType::Lance
                | PieceType::Knight
                | PieceType::Silver
                | PieceType::Gold
                | PieceType::ProPawn
                | PieceType::ProLance
                | PieceType::ProKnight
                | PieceType::ProSilver => true,
                PieceType::Pawn
                | PieceType::Bishop
                | PieceType::Rook
                | PieceType::King
                | PieceType::Horse
                | PieceType::Dragon => false,
            };
            let part = if matches!(piece.kind(), PieceType::Pawn) {
                PAWNS as u8
            } else {
                1 + piece.color() as u8
            };
            parts[index] = (part, if is_minor { u32::MAX } else { 0 });
        }
        index += 1;
    }
    parts
};

impl StructureKeys {
    pub(super) fn of_board(board: &Board) -> Self {
        let mut keys = Self::default();
        for square in Square::ALL {
            if let Some(piece) = board.piece_on(square) {
                keys.add(piece, square);
            }
        }
        keys
    }

    #[inline(always)]
    pub(super) fn add(&mut self, piece: Piece, square: Square) {
        let (part, minor_mask) = PART_OF[piece.index()];
        let random = random(piece, square);
        let sum = &mut self.exclusive[part as usize];
        *sum = sum.wrapping_add(random);
        self.minor_pieces = self.minor_pieces.wrapping_add(random & minor_mask);
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        let (part, minor_mask) = PART_OF[piece.index()];
        let random = random(piece, square);
        let sum = &mut self.exclusive[part as usize];
        *sum = sum.wrapping_sub(random);
        self.minor_pieces = self.minor_pieces.wrapping_sub(random & minor_mask);
    }

    #[inline(always)]
    pub(super) fn pawns(&self) -> u32 {
        self.exclusive[PAWNS]
    }

    #[inline(always)]
    pub(super) fn minor_pieces(&self) -> u32 {
        self.minor_pieces
    }

    #[inline(always)]
    pub(super) fn non_pawns(&self, color: Color) -> u32 {
        self.exclusive[1 + color.index()]
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
        let touches = |king: Square| {
            let castle = king_attacks(king) | Bitboard::from(king);
            castle.contains(mv.to()) || mv.from().is_some_and(|from| castle.contains(from))
        };
        Color::ALL
            .iter()
            .any(|&color| self.king(color).is_some_and(touches))
    }
}

/// The upper half of the Zobrist value of a piece: unlike in the lower half, all its bits are
/// random.
#[inline(always)]
fn random(piece: Piece, square: Square) -> u32 {
    (Key64::of_piece(piece, square).low64() >> u32::BITS) as u32
}
