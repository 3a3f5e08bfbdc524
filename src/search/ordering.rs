//! What the move picker generates at each stage, and how it scores the moves: captures by what they take, quiet moves by the
//! histories.

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::movegen;
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{Color, Hand, Move, MoveList, Piece, PieceType, Ply, Square};

use super::candidates::MAX_SCORE;
use super::history::{Context, Histories, HistoryRow, LOW_PLIES, piece_to};
use super::move_picker::MovePicker;
use super::tunables::{
    order_butterfly, order_check, order_check_see, order_low_ply, order_pawns, order_remembered,
    order_victim,
};

/// Captures come before all quiet evasions.
const EVASION_CAPTURE_BONUS: i32 = MAX_SCORE / 2;
/// The continuation histories that count for the order: of the moves one, two, three, four and six plies ago.
const ORDER_ROWS: [usize; 5] = [0, 1, 2, 3, 5];

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
        let list = self.candidates.refill();
        if self.all_moves {
            movegen::quiets::<true, 1>(position, list);
        } else {
            movegen::quiets::<false, 1>(position, list);
        }
        let us = position.side_to_move();
        let scores = QuietScores::new(&self.context, histories);
        let mut drops = DropScores::new();
        drops.fill(&scores, us, position.hand(us));
        let (remembered, checks) = (self.remembered, &self.checks);
        self.candidates.score(|mv| {
            let mut score = if mv.is_drop() {
                drops.of(mv)
            } else {
                scores.of(mv)
            };
            score += scores.near_root(mv);
            if checks.as_ref().is_some_and(|checks| checks.is_direct(mv))
                && position.see_ge(mv, -order_check_see())
            {
                score += order_check();
            }
            if remembered.contains(&Some(mv)) {
                score += order_remembered();
            }
            score
        });
    }

    #[inline(never)]
    pub(super) fn add_evasions(&mut self, position: &Position, histories: &Histories) {
        let list = self.candidates.refill();
        if self.all_moves {
            movegen::evasions::<true, 1>(position, list);
        } else {
            movegen::evasions::<false, 1>(position, list);
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
        movegen::captures::<true, 1>(position, list);
    } else {
        movegen::captures::<false, 1>(position, list);
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

    /// The scores of all drops of a piece, by target.
    #[inline(always)]
    fn of_drops(&self, piece: Piece, scores: &mut [i32; Square::NUM]) {
        let butterfly = self.histories.butterfly_drops(piece);
        let pawns = self.pawns.of_piece(piece);
        let [one, two, three, four, six] = self.continuation.map(|row| row.of_piece(piece));
        let start = self.start();
        for (to, score) in scores.iter_mut().enumerate() {
            *score = order_butterfly() * i32::from(butterfly[to])
                + order_pawns() * i32::from(pawns[to])
                + i32::from(one[to])
                + i32::from(two[to])
                + i32::from(three[to])
                + i32::from(four[to])
                + i32::from(six[to])
                + start;
        }
    }

    /// What the entries mean where they are zero.
    #[inline(always)]
    fn start(&self) -> i32 {
        let continuation: i32 = self.continuation.iter().map(HistoryRow::start).sum();
        order_pawns() * self.pawns.start() + continuation
    }

    #[inline(always)]
    fn of(&self, mv: Move) -> i32 {
        let target = piece_to(mv.piece(), mv.to());
        let mut score = order_butterfly() * self.histories.butterfly(mv)
            + order_pawns() * self.pawns.balance(target);
        for row in &self.continuation {
            score += row.balance(target);
        }
        score
    }

    /// What counts for plies near the root alone.
    #[inline(always)]
    fn near_root(&self, mv: Move) -> i32 {
        if self.ply < LOW_PLIES {
            order_low_ply() * self.histories.low_ply(mv, self.ply) / (1 + self.ply as i32)
        } else {
            0
        }
    }
}

/// The scores of the drops of each kind in hand, by target: there are many drops, and their entries lie side by side.
struct DropScores {
    tables: ArrayVec<[i32; Square::NUM], { PieceType::HAND.len() }>,
    /// Where in `tables` a kind is.
    places: [u8; PieceType::HAND.len() + 1],
}

impl DropScores {
    #[inline(always)]
    fn new() -> Self {
        Self {
            tables: ArrayVec::new(),
            places: [0; PieceType::HAND.len() + 1],
        }
    }

    #[inline(always)]
    fn fill(&mut self, scores: &QuietScores, us: Color, hand: Hand) {
        for kind in PieceType::HAND {
            if hand.has(kind) {
                let place = self.tables.len();
                self.places[kind.index()] = place as u8;
                self.tables.push([0; Square::NUM]);
                scores.of_drops(Piece::new(us, kind), &mut self.tables[place]);
            }
        }
    }

    #[inline(always)]
    fn of(&self, mv: Move) -> i32 {
        let place = self.places[mv.piece().kind().index() % self.places.len()];
        self.tables[usize::from(place)][mv.to().index()]
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
