//! What the move picker generates at each stage, and how it scores the moves: captures by what they take, quiet moves by the
//! histories.

use crate::bitboard::Bitboard;
use crate::movegen::{self, CheckSquares};
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{Color, Move, MoveList, Piece, PieceType, Ply};

use super::history::{Context, Histories, HistoryRow, LOW_PLIES, piece_to};
use super::move_picker::{MovePicker, ScoredMove};
use super::tunables::{
    order_butterfly, order_check, order_check_see, order_low_ply, order_pawns, order_victim,
};

/// Captures come before all quiet evasions.
const EVASION_CAPTURE_BONUS: i32 = 1 << 28;
/// The continuation histories that count for the order: of the moves one, two, three, four and six plies ago.
const ORDER_ROWS: [usize; 5] = [0, 1, 2, 3, 5];

impl MovePicker {
    #[inline(always)]
    fn push(&mut self, mv: Move, score: i32) {
        self.moves.push(ScoredMove { score, mv });
    }

    #[inline(never)]
    pub(super) fn add_captures(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        if self.all_moves {
            movegen::captures::<true, 1>(position, &mut list);
        } else {
            movegen::captures::<false, 1>(position, &mut list);
        }
        for &mv in &list {
            self.push(mv, capture_score(position, histories, mv));
        }
    }

    #[inline(never)]
    pub(super) fn add_quiets(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        if self.all_moves {
            movegen::quiets::<true, 1>(position, &mut list);
        } else {
            movegen::quiets::<false, 1>(position, &mut list);
        }
        self.moves.clear();
        self.next = 0;
        let them: Color = !position.side_to_move();
        let checks = position
            .king(them)
            .map(|king| CheckSquares::new(position.board(), king));
        let scores = QuietScores::new(&self.context, histories);
        for &mv in &list {
            let mut score = scores.of(mv);
            if checks
                .as_ref()
                .is_some_and(|checks| checks.of(mv.piece().kind()).contains(mv.to()))
                && position.see_ge(mv, -order_check_see())
            {
                score += order_check();
            }
            self.push(mv, score);
        }
    }

    #[inline(never)]
    pub(super) fn add_evasions(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        if self.all_moves {
            movegen::evasions::<true, 1>(position, &mut list);
        } else {
            movegen::evasions::<false, 1>(position, &mut list);
        }
        for &mv in &list {
            let score = if let Some(captured) = position.piece_on(mv.to()) {
                EVASION_CAPTURE_BONUS + piece_value(captured.kind())
            } else {
                histories.butterfly(mv) + histories.continuation(self.context.rows[0], mv)
            };
            self.push(mv, score);
        }
    }

    /// Pawns that step into the enemy's camp or within it.
    pub(super) fn add_pawn_promotions(&mut self, position: &Position) {
        let board = position.board();
        let us = board.side_to_move();
        let pawns = board.pieces(us, PieceType::Pawn);
        let targets = (pawns.forward(us) & Bitboard::promotion_zone(us)) - board.occupied();
        for to in targets {
            let Some(from) = Bitboard::of(to).forward(!us).first() else {
                continue;
            };
            let mv = Move::promotion(from, to, Piece::new(us, PieceType::ProPawn));
            self.push(mv, promotion_gain(mv) * order_victim());
        }
    }
}

/// The statistics that count for the quiet moves of one node.
struct QuietScores<'a> {
    histories: &'a Histories,
    pawns: HistoryRow<'a>,
    continuation: [HistoryRow<'a>; ORDER_ROWS.len()],
    ply: Ply,
}

impl<'a> QuietScores<'a> {
    #[inline(always)]
    fn new(context: &Context, histories: &'a Histories) -> Self {
        Self {
            histories,
            pawns: histories.pawns_row(context),
            continuation: ORDER_ROWS.map(|row| histories.continuation_row(context.rows[row])),
            ply: context.ply,
        }
    }

    #[inline(always)]
    fn of(&self, mv: Move) -> i32 {
        let target = piece_to(mv.piece(), mv.to());
        let mut score = order_butterfly() * self.histories.butterfly(mv)
            + order_pawns() * self.pawns.balance(target);
        for row in &self.continuation {
            score += row.balance(target);
        }
        if self.ply < LOW_PLIES {
            let low_ply = self.histories.low_ply(mv, self.ply);
            score += order_low_ply() * low_ply / (1 + self.ply as i32);
        }
        score
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
        return 0;
    };
    let victim = piece_value(captured.kind());
    victim * order_victim() + histories.capture(mv, captured.kind())
}
