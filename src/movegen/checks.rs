//! A filter for moves that give check, applied to sets instead of single moves.

use super::Sink;
use crate::bitboard::{Bitboard, bishop_attacks, gold_attacks, king_attacks, knight_attacks};
use crate::bitboard::{lance_line, line, pawn_attacks, rook_attacks, silver_attacks};
use crate::position::{Board, Position};
use crate::types::{Color, Move, Piece, PieceType, Square};

/// By kind: the squares from which a piece of the side to move gives check directly.
#[derive(Clone, Debug)]
pub struct CheckSquares([Bitboard; PieceType::NUM]);

impl CheckSquares {
    /// No piece gives check: there is no king.
    pub const NONE: Self = Self([Bitboard::EMPTY; PieceType::NUM]);

    /// The squares from which the side to move attacks `king`, with the current occupancy.
    #[inline]
    pub fn new(board: &Board, king: Square) -> Self {
        let us = board.side_to_move();
        let occupied = board.occupied();
        let bishop = bishop_attacks(king, occupied);
        let rook = rook_attacks(king, occupied);
        let neighbours = king_attacks(king);
        let gold = gold_attacks(!us, king);
        let mut squares = [gold; PieceType::NUM];
        squares[0] = Bitboard::EMPTY;
        squares[PieceType::Pawn.index()] = pawn_attacks(!us, king);
        squares[PieceType::Lance.index()] = lance_line(!us, king) & rook;
        squares[PieceType::Knight.index()] = knight_attacks(!us, king);
        squares[PieceType::Silver.index()] = silver_attacks(!us, king);
        squares[PieceType::Bishop.index()] = bishop;
        squares[PieceType::Rook.index()] = rook;
        squares[PieceType::King.index()] = Bitboard::EMPTY;
        squares[PieceType::Horse.index()] = bishop | neighbours;
        squares[PieceType::Dragon.index()] = rook | neighbours;
        Self(squares)
    }

    /// [`Self::new`] for the opponent's king, [`Self::NONE`] where it has none.
    #[inline]
    pub fn of_position(position: &Position) -> Self {
        let board = position.board();
        match board.king(!board.side_to_move()) {
            Some(king) => Self::new(board, king),
            None => Self::NONE,
        }
    }

    /// Whether a pseudo-legal move gives check directly, that is without a discovered check.
    #[inline(always)]
    pub fn is_direct(&self, mv: Move) -> bool {
        self.of(mv.piece().kind()).contains(mv.to())
    }

    /// The squares from which a piece of this kind gives check.
    #[inline(always)]
    pub fn of(&self, kind: PieceType) -> Bitboard {
        self.0[kind.index()]
    }
}

/// Passes on the moves that give check, directly or discovered.
pub(super) struct ChecksOnly<'a, S: Sink> {
    king: Square,
    /// Pieces that discover a check when they leave the line to the king.
    blockers: Bitboard,
    squares: CheckSquares,
    sink: &'a mut S,
}

impl<'a, S: Sink> ChecksOnly<'a, S> {
    pub(super) fn new(board: &Board, king: Square, blockers: Bitboard, sink: &'a mut S) -> Self {
        Self { king, blockers, squares: CheckSquares::new(board, king), sink }
    }

    fn direct(&self, kind: PieceType) -> Bitboard {
        self.squares.of(kind)
    }
}

impl<S: Sink> Sink for ChecksOnly<'_, S> {
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard) {
        let uncovering =
            if self.blockers.contains(from) { !line(self.king, from) } else { Bitboard::EMPTY };
        let kind = piece.kind();
        let plain = plain & (self.direct(kind) | uncovering);
        let promoting = match kind.promoted() {
            Some(promoted) => promoting & (self.direct(promoted) | uncovering),
            None => Bitboard::EMPTY,
        };
        self.sink.board_moves(from, piece, plain, promoting);
    }

    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard) {
        // A pawn stays on its file, so it discovers every check but one along the king's file.
        let uncovering = self.blockers.forward(us) - Bitboard::file(self.king.file());
        self.sink.pawn_steps(
            us,
            plain & (self.direct(PieceType::Pawn) | uncovering),
            promoting & (self.direct(PieceType::ProPawn) | uncovering),
        );
    }

    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard) {
        for &kind in kinds {
            self.sink.drops(us, &[kind], targets & self.direct(kind));
        }
    }
}
