//! What the move picker generates at each stage, and how it scores the moves: captures by what they take, quiet moves by the
//! histories.

use crate::bitboard::Bitboard;
use crate::movegen;
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{Move, MoveList, Piece, PieceType};

use super::candidates::MAX_SCORE;
use super::history::{Histories, piece_to};
use super::move_picker::MovePicker;
use super::quiet_moves::QuietMoves;
use super::tunables::{order_remembered, order_victim};

/// Captures come before all quiet evasions.
const EVASION_CAPTURE_BONUS: i32 = MAX_SCORE / 2;
impl MovePicker {
    #[inline(never)]
    pub(super) fn add_captures(&mut self, position: &Position, histories: &Histories) {
        let list = self.candidates.refill();
        generate_captures(position, list, self.all_moves);
        self.candidates
            .score(|mv| capture_score(position, histories, mv));
    }

    /// Captures, and pawns that step into the enemy's camp or within it.
    #[inline(never)]
    pub(super) fn add_tactical(&mut self, position: &Position, histories: &Histories) {
        let list = self.candidates.refill();
        generate_captures(position, list, self.all_moves);
        let board = position.board();
        let us = board.side_to_move();
        let pawns = board.pieces(us, PieceType::Pawn);
        let targets = (pawns.forward(us) & Bitboard::promotion_zone(us)) - board.occupied();
        for to in targets {
            let Some(from) = Bitboard::of(to).forward(!us).first() else {
                continue;
            };
            list.push(Move::promotion(
                from,
                to,
                Piece::new(us, PieceType::ProPawn),
            ));
        }
        self.candidates
            .score(|mv| capture_score(position, histories, mv));
    }

    #[inline(never)]
    pub(super) fn add_quiets(&mut self, position: &Position, histories: &Histories) {
        self.candidates.refill();
        let board = position.board();
        let us = board.side_to_move();
        let attacks = board.lesser_attacks(!us);
        self.threatened = board.threatened(us, &attacks);
        let checks = self.checks.as_ref();
        let mut quiets = QuietMoves::new(
            position,
            histories,
            &self.context,
            &attacks,
            checks,
            &mut self.candidates,
        );
        if self.all_moves {
            movegen::quiets_into::<_, true>(position, &mut quiets);
        } else {
            movegen::quiets_into::<_, false>(position, &mut quiets);
        }
        for (index, &mv) in self.remembered.iter().enumerate() {
            // A move that is remembered twice counts once.
            if let Some(mv) = mv
                && !self.remembered[..index].contains(&Some(mv))
            {
                self.candidates.raise(mv, order_remembered());
            }
        }
        self.candidates.finish();
    }

    #[inline(never)]
    pub(super) fn add_evasions(&mut self, position: &Position, histories: &Histories) {
        let list = self.candidates.refill();
        if self.all_moves {
            movegen::evasions::<true>(position, list);
        } else {
            movegen::evasions::<false>(position, list);
        }
        let row = histories.continuation_row(self.context.rows[0]);
        self.candidates.score(|mv| {
            if let Some(captured) = position.piece_on(mv.to()) {
                EVASION_CAPTURE_BONUS + piece_value(captured.kind())
            } else {
                histories.butterfly(mv) + row.balance(piece_to(mv.piece(), mv.to()))
            }
        });
    }
}

fn generate_captures(position: &Position, list: &mut MoveList, all_moves: bool) {
    if all_moves {
        movegen::captures::<true>(position, list);
    } else {
        movegen::captures::<false>(position, list);
    }
}

/// Whether quiescence looks at a move out of check.
pub(super) fn is_tactical(position: &Position, mv: Move) -> bool {
    position.piece_on(mv.to()).is_some()
        || mv.is_promotion() && mv.piece().kind() == PieceType::ProPawn
}

/// What a promotion adds to the value of the piece.
#[inline(always)]
pub(super) fn promotion_gain(mv: Move) -> i32 {
    if mv.is_promotion() {
        piece_value(mv.piece().kind()) - piece_value(mv.piece_before().kind())
    } else {
        0
    }
}

#[inline(always)]
fn capture_score(position: &Position, histories: &Histories, mv: Move) -> i32 {
    let Some(captured) = position.piece_on(mv.to()) else {
        return promotion_gain(mv) * order_victim();
    };
    let victim = piece_value(captured.kind());
    victim * order_victim() + histories.capture(mv, captured.kind())
}
