//! Scores quiet moves while they are generated.
//!
//! The generator passes the moves of one piece together. History rows and check squares of the
//! piece are looked up once; each target square then costs one sum.
//!
//! A piece attacked by a less valuable one gets a bonus for moving, and a malus for moving to such
//! a square. The idea is Stockfish's `threatByLesser`, with classes of pieces for shogi; attacked
//! pieces without a defender get the bonus too.

use super::history::origin_in_hand;
use super::history::{Histories, HistoryContext, HistoryRow, LOW_PLIES, PawnRow, SharedTargets};
use super::{history::origin_on_board, move_picker::ScoredMoves, tunables};
use crate::bitboard::{Bitboard, king_attacks};
use crate::movegen::{CheckSquares, Sink, behind};
use crate::position::{LesserAttacks, Position};
use crate::types::value::piece_value;
use crate::types::{Color, Move, Piece, PieceType, Ply, Square};

/// The continuation histories used: of the moves one, two, three, four and six plies ago.
const ORDER_ROWS: [usize; 5] = [0, 1, 2, 3, 5];

/// Scores the quiet moves of one node, as the sink of the move generator.
pub(super) struct QuietScorer<'a> {
    position: &'a Position,
    histories: &'a Histories,
    checks: &'a CheckSquares,
    moves: &'a mut ScoredMoves,
    pawns: PawnRow<'a>,
    continuation: [HistoryRow<'a>; ORDER_ROWS.len()],
    /// Sum of the initial values of all histories used.
    start: i32,
    ply: Ply,
    /// The squares that the opponent attacks.
    attacked: Bitboard,
    /// Computed at the first drop that gives check.
    near_king: Option<NearKing>,
    /// The squares attacked by less valuable enemy pieces, by kind of own piece.
    attacks: &'a LesserAttacks,
    /// Own pieces that are attacked and not defended.
    hanging: Bitboard,
}

/// The squares next to the enemy king, by who can capture there.
#[derive(Clone, Copy)]
struct NearKing {
    neighbours: Bitboard,
    /// Those that only the enemy king defends.
    king_only: Bitboard,
    /// Those that the side to move attacks; may contain squares further away.
    supported: Bitboard,
}

/// The history rows and check squares of one piece, by target square.
struct PieceScores<'a> {
    pawns: &'a SharedTargets,
    continuation: [&'a [i16; Square::NUM]; ORDER_ROWS.len()],
    checks: Bitboard,
}

impl NearKing {
    fn of(position: &Position) -> Self {
        let board = position.board();
        let us = board.side_to_move();
        let Some(king) = board.king(!us) else {
            return Self {
                neighbours: Bitboard::EMPTY,
                king_only: Bitboard::EMPTY,
                supported: Bitboard::EMPTY,
            };
        };
        let neighbours = king_attacks(king);
        Self {
            neighbours,
            king_only: neighbours - board.defended_around(!us, king),
            supported: board.attacked_around(us, king, board.occupied()),
        }
    }
}

impl PieceScores<'_> {
    /// The history score of one target square; `butterfly` is the row of the origin.
    #[inline(always)]
    fn of(&self, butterfly: &[i16; Square::NUM], start: i32, to: Square) -> i32 {
        self.sum(butterfly, self.pawns.get(to), start, to.index())
    }

    #[inline(always)]
    fn sum(&self, butterfly: &[i16; Square::NUM], pawns: i16, start: i32, to: usize) -> i32 {
        let [one, two, three, four, six] = self.continuation;
        tunables::order_butterfly_weight() * i32::from(butterfly[to])
            + tunables::order_pawn_history_weight() * i32::from(pawns)
            + i32::from(one[to])
            + i32::from(two[to])
            + i32::from(three[to])
            + i32::from(four[to])
            + i32::from(six[to])
            + start
    }

    /// The history scores of all target squares. Drops have many targets, and this loop is
    /// vectorized.
    #[inline(always)]
    fn of_all(&self, butterfly: &[i16; Square::NUM], start: i32, scores: &mut [i32; Square::NUM]) {
        let pawns = self.pawns.all();
        for (to, (score, pawns)) in scores.iter_mut().zip(pawns).enumerate() {
            *score = self.sum(butterfly, pawns, start, to);
        }
    }
}

impl<'a> QuietScorer<'a> {
    #[inline(always)]
    pub(super) fn new(
        position: &'a Position,
        histories: &'a Histories,
        context: &HistoryContext,
        attacks: &'a LesserAttacks,
        attacked: Bitboard,
        checks: &'a CheckSquares,
        moves: &'a mut ScoredMoves,
    ) -> Self {
        let pawns = histories.pawn_row(context);
        let continuation =
            ORDER_ROWS.map(|row| histories.continuation_row(context.continuation_rows[row]));
        let start = tunables::order_pawn_history_weight() * PawnRow::START
            + ORDER_ROWS.len() as i32 * HistoryRow::START;
        Self {
            position,
            histories,
            checks,
            moves,
            pawns,
            continuation,
            start,
            ply: context.ply,
            attacked,
            near_king: None,
            attacks,
            hanging: hanging(position, attacked),
        }
    }

    #[inline(always)]
    fn of_piece(&self, piece: Piece) -> PieceScores<'a> {
        PieceScores {
            pawns: self.pawns.of_piece(piece),
            continuation: self.continuation.map(|row| row.of_piece(piece)),
            checks: self.checks.of(piece.kind()),
        }
    }

    /// Whether a drop that gives check passes the static exchange test. It does where the opponent
    /// attacks nothing. Beside the king, an unsupported drop is lost, and a supported one passes
    /// where only the king defends; both sets are computed for all squares at once.
    #[inline(always)]
    fn drop_passes_see(&mut self, mv: Move) -> bool {
        if !self.attacked.contains(mv.to()) {
            return true;
        }
        let position = self.position;
        let near = *self.near_king.get_or_insert_with(|| NearKing::of(position));
        let to = mv.to();
        if near.neighbours.contains(to)
            && piece_value(mv.piece().kind()) > tunables::order_check_see_margin()
        {
            let is_supported = near.supported.contains(to);
            if near.king_only.contains(to) {
                return is_supported;
            }
            // Nothing recaptures, unless the capture uncovers a slider.
            if !is_supported && !position.board().has_slider_towards(mv.piece().color(), to) {
                return false;
            }
        }
        position.see_ge(mv, -tunables::order_check_see_margin())
    }

    /// Scores the moves of one piece that all promote or all do not. Not generic over the kind of
    /// piece: one copy stays in the instruction cache.
    #[inline(never)]
    fn add_moves(&mut self, from: Square, targets: Bitboard, piece: Piece, is_promotion: bool) {
        let butterfly = self.histories.butterfly_from(
            piece.color(),
            origin_on_board(from),
            self.attacked.contains(from),
        );
        let scores = self.of_piece(piece);
        let attacks = self.attacks.on(piece.kind());
        let worth = piece_value(piece.kind());
        let mut start = self.start;
        if (attacks | self.hanging).contains(from) {
            start += worth * tunables::order_escape_weight();
        }
        let into_threat = self.start - worth * tunables::order_into_threat_weight();
        let (position, histories, ply) = (self.position, self.histories, self.ply);
        let attacked = self.attacked;
        self.moves.push_each(targets, |to| {
            let mv = board_move(from, to, piece, is_promotion);
            let start = if attacks.contains(to) { into_threat } else { start };
            let butterfly = butterfly[usize::from(attacked.contains(to))];
            let mut score = scores.of(butterfly, start, to);
            score += low_ply_score(histories, ply, mv);
            if scores.checks.contains(to) {
                score += check_score(position, mv);
            }
            (mv, score)
        });
    }

    /// Scores the pawn moves of one side that all promote or all do not.
    #[inline(never)]
    fn add_pawn_steps(&mut self, us: Color, targets: Bitboard, piece: Piece, is_promotion: bool) {
        let scores = self.of_piece(piece);
        let (position, histories, ply) = (self.position, self.histories, self.ply);
        let (attacked, start) = (self.attacked, self.start);
        self.moves.push_each(targets, |to| {
            let from = behind(to, us);
            let mv = board_move(from, to, piece, is_promotion);
            let butterfly =
                histories.butterfly_from(us, origin_on_board(from), attacked.contains(from))
                    [usize::from(attacked.contains(to))];
            let mut score = scores.of(butterfly, start, to);
            score += low_ply_score(histories, ply, mv);
            if scores.checks.contains(to) {
                score += check_score(position, mv);
            }
            (mv, score)
        });
    }

    #[inline(never)]
    fn add_drops(&mut self, piece: Piece, targets: Bitboard) {
        let mut table = [0; Square::NUM];
        let origin = origin_in_hand(piece.kind());
        let [safe, attacked] = self.histories.butterfly_from(piece.color(), origin, false);
        let scores = self.of_piece(piece);
        scores.of_all(safe, self.start, &mut table);
        for to in targets & self.attacked {
            table[to.index()] = scores.of(attacked, self.start, to);
        }
        if self.ply < LOW_PLIES {
            for to in targets {
                let mv = Move::drop(piece, to);
                table[to.index()] += low_ply_score(self.histories, self.ply, mv);
            }
        }
        for to in scores.checks & targets {
            if self.drop_passes_see(Move::drop(piece, to)) {
                table[to.index()] += tunables::order_check_bonus();
            }
        }
        for to in targets & self.attacks.on(piece.kind()) {
            table[to.index()] -= piece_value(piece.kind()) * tunables::order_into_threat_weight();
        }
        self.moves.push_each(targets, |to| (Move::drop(piece, to), table[to.index()]));
    }
}

/// Score of a move on the board that gives check.
#[inline(never)]
fn check_score(position: &Position, mv: Move) -> i32 {
    if position.see_ge(mv, -tunables::order_check_see_margin()) {
        tunables::order_check_bonus()
    } else {
        0
    }
}

/// Score of the low ply history, less the greater the ply.
#[inline(always)]
fn low_ply_score(histories: &Histories, ply: Ply, mv: Move) -> i32 {
    if ply < LOW_PLIES {
        let low_ply = histories.low_ply(mv, ply);
        tunables::order_low_ply_weight() * low_ply / (1 + ply as i32)
    } else {
        0
    }
}

/// The own pieces other than pawns on `attacked` squares that nothing defends.
#[inline(always)]
fn hanging(position: &Position, attacked: Bitboard) -> Bitboard {
    let board = position.board();
    let us = board.side_to_move();
    let attacked = attacked & (board.color(us) - board.kind(PieceType::Pawn));
    let occupied = board.occupied();
    let mut hanging = Bitboard::EMPTY;
    for square in attacked {
        if board.attackers_by(us, square, occupied).is_empty() {
            hanging |= Bitboard::of(square);
        }
    }
    hanging
}

/// A move on the board; `piece` is the moved piece after a promotion.
#[inline(always)]
fn board_move(from: Square, to: Square, piece: Piece, is_promotion: bool) -> Move {
    if is_promotion { Move::promotion(from, to, piece) } else { Move::normal(from, to, piece) }
}

impl Sink for QuietScorer<'_> {
    #[inline(always)]
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard) {
        if plain.is_any() {
            self.add_moves(from, plain, piece, false);
        }
        if promoting.is_any()
            && let Some(promoted) = piece.promoted()
        {
            self.add_moves(from, promoting, promoted, true);
        }
    }

    #[inline(always)]
    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard) {
        self.add_pawn_steps(us, plain, Piece::new(us, PieceType::Pawn), false);
        if promoting.is_any() {
            self.add_pawn_steps(us, promoting, Piece::new(us, PieceType::ProPawn), true);
        }
    }

    #[inline(always)]
    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard) {
        for &kind in kinds {
            self.add_drops(Piece::new(us, kind), targets);
        }
    }
}
