//! Keys of parts of the board: where the pawns stand, the small pieces, each side's pieces, its castle. The search keeps
//! statistics by them (pawn history, correction histories), because positions that share a part of the board share habits.

use super::board::Board;
use crate::bitboard::king_attacks;
use crate::types::{Color, Key64, Move, Piece, PieceType, Square};

/// Parts of the board, as sums of the piece parts of [`Key64`] cut to 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct StructureKeys {
    /// Pawns, pieces other than pawns of black and of white: each piece counts in one of them.
    exclusive: [u32; PARTS],
    minor_pieces: u32,
    /// Each king with the own pieces around it; 0 without a king.
    castles: [u32; Color::NUM],
}

const PARTS: usize = 3;
const PAWNS: usize = 0;

/// The exclusive part in which a piece counts, and a mask that is zero unless it is a minor piece; by piece code.
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
        keys.castles = Color::ALL.map(|color| Self::castle_of_board(board, color));
        keys
    }

    #[inline(always)]
    pub(super) fn add(&mut self, piece: Piece, square: Square) {
        let (part, minor_mask) = PART_OF[piece.index()];
        let random = Self::random(piece, square);
        let sum = &mut self.exclusive[part as usize];
        *sum = sum.wrapping_add(random);
        self.minor_pieces = self.minor_pieces.wrapping_add(random & minor_mask);
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        let (part, minor_mask) = PART_OF[piece.index()];
        let random = Self::random(piece, square);
        let sum = &mut self.exclusive[part as usize];
        *sum = sum.wrapping_sub(random);
        self.minor_pieces = self.minor_pieces.wrapping_sub(random & minor_mask);
    }

    fn castle_of_board(board: &Board, color: Color) -> u32 {
        let Some(king) = board.king(color) else {
            return 0;
        };
        let mut sum = Self::random(Piece::new(color, PieceType::King), king);
        for square in king_attacks(king) & board.color(color) {
            if let Some(piece) = board.piece_on(square) {
                sum = sum.wrapping_add(Self::random(piece, square));
            }
        }
        sum
    }

    /// What a move that was made on `board` changes around the kings.
    #[inline(always)]
    pub(super) fn change_castles(&mut self, board: &Board, mv: Move, captured: Option<Piece>) {
        let (piece, to) = (mv.piece(), mv.to());
        let (us, them) = (piece.color(), piece.color().opponent());
        if piece.kind() == PieceType::King {
            self.castles[us.index()] = Self::castle_of_board(board, us);
        } else if let Some(king) = board.king(us) {
            let (castle, around) = (&mut self.castles[us.index()], king_attacks(king));
            if around.contains(to) {
                *castle = castle.wrapping_add(Self::random(piece, to));
            }
            if let Some(from) = mv.from().filter(|&from| around.contains(from)) {
                *castle = castle.wrapping_sub(Self::random(mv.piece_before(), from));
            }
        }
        if let Some(captured) = captured
            && let Some(king) = board.king(them)
            && king_attacks(king).contains(to)
        {
            let castle = &mut self.castles[them.index()];
            *castle = castle.wrapping_sub(Self::random(captured, to));
        }
        debug_assert_eq!(
            self.castles,
            Color::ALL.map(|color| Self::castle_of_board(board, color))
        );
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

    #[inline(always)]
    pub(super) fn castle(&self, color: Color) -> u32 {
        self.castles[color.index()]
    }

    /// The upper half, in which all bits are random.
    #[inline(always)]
    fn random(piece: Piece, square: Square) -> u32 {
        (Key64::of_piece(piece, square).low64() >> u32::BITS) as u32
    }
}
