//! Receivers of generated moves.

use crate::bitboard::Bitboard;
use crate::types::{Color, Move, MoveList, Piece, PieceType, Square};

/// Receives sets of moves from the generator: lists append them, perft counts them, the search
/// scores them.
pub trait Sink {
    /// `piece` moves from `from` to each of `plain`, and to each of `promoting` with promotion.
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard);

    /// Pawns of `us` advance onto each of `plain`, and onto each of `promoting` with promotion.
    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard);

    /// `us` drops one of each of `kinds` onto each of `targets`.
    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard);
}

impl Sink for MoveList {
    #[inline(always)]
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard) {
        plain
            .into_iter()
            .for_each(|to| self.push(Move::normal(from, to, piece)));
        if promoting.is_any() {
            let Some(promoted) = piece.promoted() else {
                return;
            };
            promoting
                .into_iter()
                .for_each(|to| self.push(Move::promotion(from, to, promoted)));
        }
    }

    #[inline(always)]
    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard) {
        let pawn = Piece::new(us, PieceType::Pawn);
        let promoted = Piece::new(us, PieceType::ProPawn);
        plain
            .into_iter()
            .for_each(|to| self.push(Move::normal(behind(to, us), to, pawn)));
        promoting
            .into_iter()
            .for_each(|to| self.push(Move::promotion(behind(to, us), to, promoted)));
    }

    #[inline(always)]
    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard) {
        for &kind in kinds {
            let piece = Piece::new(us, kind);
            targets
                .into_iter()
                .for_each(|to| self.push(Move::drop(piece, to)));
        }
    }
}

/// The square from which a pawn of `us` advances to `to`, which must not be on the rank nearest to
/// `us`.
#[inline(always)]
pub fn behind(to: Square, us: Color) -> Square {
    let index = match us {
        Color::Black => to.index() + 1,
        Color::White => to.index().wrapping_sub(1),
    };
    // The clamp never applies; it shows the compiler that the index is in range.
    Square::ALL[index.min(Square::NUM - 1)]
}

/// Counts moves without writing them.
#[derive(Default)]
pub(super) struct Counter(pub(super) usize);

impl Sink for Counter {
    #[inline(always)]
    fn board_moves(&mut self, _: Square, _: Piece, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline(always)]
    fn pawn_steps(&mut self, _: Color, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline(always)]
    fn drops(&mut self, _: Color, kinds: &[PieceType], targets: Bitboard) {
        self.0 += kinds.len() * targets.count();
    }
}
