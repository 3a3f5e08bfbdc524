//! Quiet moves with their scores, as the generator brings them.
//!
//! It brings them piece by piece. What belongs to a piece is looked up once: its rows of the histories, where it gives check;
//! then each of its targets costs one sum.

use crate::bitboard::{Bitboard, king_attacks};
use crate::movegen::{CheckSquares, Sink, behind};
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{Color, Move, Piece, PieceType, Ply, Square};

use super::candidates::Candidates;
use super::history::{Context, Histories, HistoryRow, LOW_PLIES, origin_in_hand, origin_on_board};
use super::tunables::{order_butterfly, order_check, order_check_see, order_low_ply, order_pawns};

/// The continuation histories that count for the order: of the moves one, two, three, four and six plies ago.
const ORDER_ROWS: [usize; 5] = [0, 1, 2, 3, 5];

/// Scores the quiet moves of one node.
pub(super) struct QuietMoves<'a> {
    position: &'a Position,
    histories: &'a Histories,
    checks: Option<&'a CheckSquares>,
    candidates: &'a mut Candidates,
    pawns: HistoryRow<'a>,
    continuation: [HistoryRow<'a>; ORDER_ROWS.len()],
    /// What the entries mean where they are zero.
    start: i32,
    ply: Ply,
    /// Found when the first drop gives check.
    near_king: Option<NearKing>,
}

/// The squares around the enemy king.
#[derive(Clone, Copy)]
struct NearKing {
    /// Those where only the king can take.
    lonely: Bitboard,
    /// Those that we attack, and perhaps others further away.
    supported: Bitboard,
}

/// What counts for one piece, by target.
struct PieceScores<'a> {
    pawns: &'a [i16; Square::NUM],
    continuation: [&'a [i16; Square::NUM]; ORDER_ROWS.len()],
    checks: Bitboard,
}

impl NearKing {
    fn of(position: &Position) -> Self {
        let board = position.board();
        let us = board.side_to_move();
        let Some(king) = board.king(!us) else {
            return Self {
                lonely: Bitboard::EMPTY,
                supported: Bitboard::EMPTY,
            };
        };
        Self {
            lonely: king_attacks(king) - board.defended_around(!us, king),
            supported: board.attacked_around(us, king, board.occupied()),
        }
    }
}

impl PieceScores<'_> {
    /// The sums for all targets at once: there are many drops of a kind, and the compiler makes vectors of this.
    #[inline(always)]
    fn of_all(&self, butterfly: &[i16; Square::NUM], start: i32, scores: &mut [i32; Square::NUM]) {
        let [one, two, three, four, six] = self.continuation;
        for (to, score) in scores.iter_mut().enumerate() {
            *score = order_butterfly() * i32::from(butterfly[to])
                + order_pawns() * i32::from(self.pawns[to])
                + i32::from(one[to])
                + i32::from(two[to])
                + i32::from(three[to])
                + i32::from(four[to])
                + i32::from(six[to])
                + start;
        }
    }
}

impl<'a> QuietMoves<'a> {
    #[inline(always)]
    pub(super) fn new(
        position: &'a Position,
        histories: &'a Histories,
        context: &Context,
        checks: Option<&'a CheckSquares>,
        candidates: &'a mut Candidates,
    ) -> Self {
        let pawns = histories.pawns_row(context);
        let continuation = ORDER_ROWS.map(|row| histories.continuation_row(context.rows[row]));
        let start =
            order_pawns() * pawns.start() + continuation.iter().map(HistoryRow::start).sum::<i32>();
        Self {
            position,
            histories,
            checks,
            candidates,
            pawns,
            continuation,
            start,
            ply: context.ply,
            near_king: None,
        }
    }

    #[inline(always)]
    fn of_piece(&self, piece: Piece) -> PieceScores<'a> {
        PieceScores {
            pawns: self.pawns.of_piece(piece),
            continuation: self.continuation.map(|row| row.of_piece(piece)),
            checks: self
                .checks
                .map_or(Bitboard::EMPTY, |checks| checks.of(piece.kind())),
        }
    }

    /// Whether a drop that gives check stands by exchange. Next to the king mostly only the king can take, and then all
    /// that counts is whether the piece is supported: found for all squares at once.
    #[inline(always)]
    fn drop_stands(&mut self, mv: Move) -> bool {
        let position = self.position;
        let near = *self.near_king.get_or_insert_with(|| NearKing::of(position));
        let kind = mv.piece().kind();
        if near.lonely.contains(mv.to()) && piece_value(kind) > order_check_see() {
            return near.supported.contains(mv.to());
        }
        position.see_ge(mv, -order_check_see())
    }

    /// What counts besides the sum of the histories.
    #[inline(always)]
    fn extra(&self, mv: Move, piece: &PieceScores) -> i32 {
        let mut score = self.near_root(mv);
        if piece.checks.contains(mv.to()) && self.position.see_ge(mv, -order_check_see()) {
            score += order_check();
        }
        score
    }

    /// What counts for plies near the root alone.
    #[inline(always)]
    fn near_root(&self, mv: Move) -> i32 {
        if self.ply < LOW_PLIES {
            let low_ply = self.histories.low_ply(mv, self.ply);
            order_low_ply() * low_ply / (1 + self.ply as i32)
        } else {
            0
        }
    }

    /// `butterfly` is the row of the origin.
    #[inline(always)]
    fn add(&mut self, mv: Move, butterfly: &[i16; Square::NUM], piece: &PieceScores) {
        let to = mv.to().index();
        let mut score = order_butterfly() * i32::from(butterfly[to])
            + order_pawns() * i32::from(piece.pawns[to])
            + self.start;
        for row in piece.continuation {
            score += i32::from(row[to]);
        }
        score += self.extra(mv, piece);
        self.candidates.push(mv, score);
    }
}

impl Sink for QuietMoves<'_> {
    // Loops and not `for_each`: a closure is not inlined for certain, and a call for each move costs a tenth.
    #[inline(always)]
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard) {
        let origin = origin_on_board(from);
        let butterfly = self.histories.butterfly_from(piece.color(), origin);
        if plain.is_any() {
            let scores = self.of_piece(piece);
            for to in plain {
                self.add(Move::normal(from, to, piece), butterfly, &scores);
            }
        }
        if promoting.is_any()
            && let Some(promoted) = piece.promoted()
        {
            let scores = self.of_piece(promoted);
            for to in promoting {
                self.add(Move::promotion(from, to, promoted), butterfly, &scores);
            }
        }
    }

    #[inline(always)]
    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard) {
        let histories = self.histories;
        let butterfly = |from| histories.butterfly_from(us, origin_on_board(from));
        let pawn = Piece::new(us, PieceType::Pawn);
        let scores = self.of_piece(pawn);
        for to in plain {
            let from = behind(to, us);
            self.add(Move::normal(from, to, pawn), butterfly(from), &scores);
        }
        if promoting.is_empty() {
            return;
        }
        let promoted = Piece::new(us, PieceType::ProPawn);
        let scores = self.of_piece(promoted);
        for to in promoting {
            let from = behind(to, us);
            self.add(
                Move::promotion(from, to, promoted),
                butterfly(from),
                &scores,
            );
        }
    }

    #[inline(always)]
    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard) {
        // Of one kind after the other; zeroed but once.
        let mut table = [0; Square::NUM];
        for &kind in kinds {
            let piece = Piece::new(us, kind);
            let butterfly = self.histories.butterfly_from(us, origin_in_hand(kind));
            let scores = self.of_piece(piece);
            scores.of_all(butterfly, self.start, &mut table);
            let near_root = if self.ply < LOW_PLIES {
                targets
            } else {
                Bitboard::EMPTY
            };
            for to in near_root {
                table[to.index()] += self.near_root(Move::drop(piece, to));
            }
            for to in scores.checks & targets {
                if self.drop_stands(Move::drop(piece, to)) {
                    table[to.index()] += order_check();
                }
            }
            for to in targets {
                self.candidates
                    .push(Move::drop(piece, to), table[to.index()]);
            }
        }
    }
}
