//! Generates and scores the moves of each stage of the move picker: captures by the captured piece
//! and capture history (MVV and history), quiet moves by their histories.

use crate::bitboard::Bitboard;
use crate::movegen;
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{Move, MoveList, Piece, PieceType};

use super::history::{Histories, HistoryContext};
use super::history_entry::piece_to;
use super::move_picker::MovePicker;
use super::params::Params;
use super::quiet_scoring::QuietScorer;
use super::scored_moves::MAX_SCORE;
use super::tunables;

/// Score added to capturing evasions, above every quiet one.
const EVASION_CAPTURE_BONUS: i32 = MAX_SCORE / 2;
impl MovePicker<'_> {
    #[inline(never)]
    pub(super) fn add_captures<P: Params>(&mut self, position: &Position, histories: &Histories) {
        let list = self.moves.refill();
        generate_captures(position, list, self.all_moves);
        self.moves
            .score(|mv| capture_score::<P>(position, histories, mv));
    }

    /// Captures, and pawn moves that promote.
    #[inline(never)]
    pub(super) fn add_tactical<P: Params>(&mut self, position: &Position, histories: &Histories) {
        let list = self.moves.refill();
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
        self.moves
            .score(|mv| capture_score::<P>(position, histories, mv));
    }

    #[inline(never)]
    pub(super) fn add_quiets<P: Params>(
        &mut self,
        position: &Position,
        histories: &Histories,
        context: &mut HistoryContext,
    ) {
        self.moves.refill();
        let board = position.board();
        let us = board.side_to_move();
        let attacks = context.lesser_attacks(board);
        let attacked = context.attacked(board);
        self.threatened = board.threatened(us, &attacks);
        let mut quiets = QuietScorer::<P>::new(
            position,
            histories,
            context,
            &attacks,
            attacked,
            self.checks,
            &mut self.moves,
        );
        if self.all_moves {
            movegen::quiets_into::<_, true>(position, &mut quiets);
        } else {
            movegen::quiets_into::<_, false>(position, &mut quiets);
        }
        for (index, &mv) in self.refutations.iter().enumerate() {
            // A move that is both a killer and the counter move gets the bonus once.
            if let Some(mv) = mv
                && !self.refutations[..index].contains(&Some(mv))
            {
                self.moves
                    .raise(mv, tunables::order_refutation_bonus::<P>());
            }
        }
        self.moves.finish();
    }

    #[inline(never)]
    pub(super) fn add_evasions(
        &mut self,
        position: &Position,
        histories: &Histories,
        context: &mut HistoryContext,
    ) {
        let list = self.moves.refill();
        if self.all_moves {
            movegen::evasions::<true>(position, list);
        } else {
            movegen::evasions::<false>(position, list);
        }
        let attacked = context.attacked(position.board());
        let row = histories.continuation_row(context.continuation_rows[0]);
        self.moves.score(|mv| {
            if let Some(captured) = position.piece_on(mv.to()) {
                EVASION_CAPTURE_BONUS + piece_value(captured.kind())
            } else {
                histories.butterfly(mv, attacked) + row.value(piece_to(mv.piece(), mv.to()))
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

/// Gain in piece value by promotion, 0 for other moves.
#[inline(always)]
pub(super) fn promotion_gain(mv: Move) -> i32 {
    if mv.is_promotion() {
        piece_value(mv.piece().kind()) - piece_value(mv.piece_before().kind())
    } else {
        0
    }
}

#[inline(always)]
fn capture_score<P: Params>(position: &Position, histories: &Histories, mv: Move) -> i32 {
    let Some(captured) = position.piece_on(mv.to()) else {
        return promotion_gain(mv) * tunables::order_victim_weight::<P>();
    };
    let victim = piece_value(captured.kind());
    victim * tunables::order_victim_weight::<P>() + histories.capture(mv, captured.kind())
}
