//! Histories: statistics of how often moves were best, owned by one thread, by which the search
//! orders, prunes and reduces moves.
//!
//! Each entry is updated by gravity and stays within the limit of its table. The tables (butterfly,
//! low ply, capture, continuation, pawn and TT move history) and their weights follow Stockfish,
//! adapted to shogi by `YaneuraOu`.

use std::io;

use crate::bitboard::Bitboard;
use crate::position::{Board, LesserAttacks, Position};
use crate::types::{Color, Move, Piece, PieceType, Ply, Square};

use super::butterfly::{BUTTERFLY, ORIGINS, THREAT_CLASSES, butterfly_index, threat_class_of};
use super::correction_history::Corrections;
use super::history_entry::{PIECE_TO, apply_gravity, piece_to, value_of};
use super::history_rows::HistoryRows;

/// Greatest absolute value of an entry, per table.
pub(super) const BUTTERFLY_LIMIT: i32 = 7183;
const CAPTURE_LIMIT: i32 = 10_692;
const CONTINUATION_LIMIT: i32 = 30_000;
const PAWN_LIMIT: i32 = 8192;
const TT_MOVE_LIMIT: i32 = 8192;

/// Initial values: slightly below neutral for moves without statistics, slightly above near the
/// root.
const CONTINUATION_START: i32 = -523;
const PAWN_START: i32 = -1238;
const CAPTURE_START: i32 = -678;
const LOW_PLY_START: i32 = 98;

/// Number of rows of the pawn history; pawn keys are reduced to this range.
const PAWN_STRUCTURES: usize = 16_384;
/// Number of plies from the root with a low ply history.
pub(super) const LOW_PLIES: usize = 5;
/// Number of earlier moves with a continuation history.
pub(super) const CONTINUATIONS: usize = 6;

/// A row of the continuation history: the entries of all replies to one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ContinuationRow(u32);

impl ContinuationRow {
    /// The row before the first move and after a null move. No piece has index 0, so no move has
    /// it.
    pub(super) const NONE: Self = Self(0);

    const NUM: usize = 4 * PIECE_TO;

    /// The row of a move, which also depends on whether it was made in check and whether it
    /// captured.
    #[inline(always)]
    pub(super) fn of(mv: Move, in_check: bool, is_capture: bool) -> Self {
        let kind = usize::from(in_check) * 2 + usize::from(is_capture);
        Self((kind * PIECE_TO + piece_to(mv.piece(), mv.to())) as u32)
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// One row of the continuation or pawn history, indexed by moved piece and target square.
#[derive(Clone, Copy)]
pub(super) struct HistoryRow<'a> {
    entries: &'a [i16; PIECE_TO],
    start: i32,
}

impl<'a> HistoryRow<'a> {
    /// Row `index` of a table with initial value `start`.
    #[inline(always)]
    fn of(table: &'a HistoryRows, index: usize, start: i32) -> Self {
        Self {
            entries: table.row(index),
            start,
        }
    }

    /// The entries of one piece by target square, without [`Self::start`].
    #[inline(always)]
    pub(super) fn of_piece(&self, piece: Piece) -> &'a [i16; Square::NUM] {
        &self.entries.as_chunks().0[piece.index()]
    }

    /// The initial value, to be added to an entry.
    #[inline(always)]
    pub(super) fn start(&self) -> i32 {
        self.start
    }

    /// The value of a piece and target square, see [`piece_to`].
    #[inline(always)]
    pub(super) fn value(&self, piece_to: usize) -> i32 {
        i32::from(self.entries[piece_to]) + self.start
    }
}

/// What the histories of a node depend on: the moves before it, its pawns, attacks, and its ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryContext {
    /// The rows of the moves one to six plies ago.
    pub(super) continuation_rows: [ContinuationRow; CONTINUATIONS],
    /// Row of the pawn history.
    pawns: u32,
    /// The opponent's attacks by class of piece, once something has asked for them.
    lesser_attacks: Option<LesserAttacks>,
    /// The squares that the opponent attacks, once something has asked for them.
    attacked: Option<Bitboard>,
    pub(super) ply: Ply,
}

impl HistoryContext {
    #[inline(always)]
    pub(super) fn new(
        position: &Position,
        continuation_rows: [ContinuationRow; CONTINUATIONS],
        ply: Ply,
    ) -> Self {
        Self {
            continuation_rows,
            pawns: pawn_structure(position),
            lesser_attacks: None,
            attacked: None,
            ply,
        }
    }

    /// Makes it as if the opponent attacked nothing. For quiescence, which computes no attacks.
    #[inline(always)]
    pub(super) fn ignore_attacks(&mut self) {
        self.attacked = Some(Bitboard::EMPTY);
    }

    /// The squares that the opponent attacks, computed once for a node.
    #[inline(always)]
    pub(super) fn attacked(&mut self, board: &Board) -> Bitboard {
        if let Some(attacked) = self.attacked {
            return attacked;
        }
        let attacked = board.attacked(!board.side_to_move(), &self.lesser_attacks(board));
        self.attacked = Some(attacked);
        attacked
    }

    /// The opponent's attacks by class of piece, computed once for a node.
    #[inline(always)]
    pub(super) fn lesser_attacks(&mut self, board: &Board) -> LesserAttacks {
        *self
            .lesser_attacks
            .get_or_insert_with(|| board.lesser_attacks(!board.side_to_move()))
    }
}

#[inline(always)]
fn pawn_structure(position: &Position) -> u32 {
    position.pawn_key() % PAWN_STRUCTURES as u32
}

/// The index of a move in a row.
#[inline(always)]
fn of_move(mv: Move) -> usize {
    piece_to(mv.piece(), mv.to())
}

/// The histories of one thread.
pub(super) struct Histories {
    // [side][class by threat and origin][target]
    butterfly: [Box<[[i16; Square::NUM]]>; Color::NUM],
    // [ply][origin and target]
    low_ply: [Box<[i16]>; LOW_PLIES],
    // [piece and target][captured kind]
    captures: Box<[[i16; PieceType::NUM]]>,
    // [row of an earlier move][piece and target]
    continuation: HistoryRows,
    // [row by pawn structure][piece and target]
    pawns: HistoryRows,
    // [piece and target of the move answered]
    counter_moves: Box<[Option<Move>]>,
    /// Reliability of TT moves: positive where they usually are the best move.
    tt_move_history: i16,
    pub(super) corrections: Corrections,
}

impl Histories {
    /// Approximate memory of one thread's tables in MB, once every page is in use.
    pub(super) const MEGABYTES: usize =
        ((ContinuationRow::NUM + PAWN_STRUCTURES + PIECE_TO) * PIECE_TO * size_of::<i16>()) >> 20;

    /// Empty tables.
    ///
    /// # Errors
    /// There is no address space left.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            butterfly: Color::ALL
                .map(|_| vec![[0; Square::NUM]; THREAT_CLASSES * ORIGINS].into_boxed_slice()),
            low_ply: [(); LOW_PLIES].map(|()| vec![0; BUTTERFLY].into_boxed_slice()),
            captures: vec![[0; PieceType::NUM]; PIECE_TO].into_boxed_slice(),
            continuation: HistoryRows::new(ContinuationRow::NUM)?,
            pawns: HistoryRows::new(PAWN_STRUCTURES)?,
            counter_moves: vec![None; PIECE_TO].into_boxed_slice(),
            tt_move_history: 0,
            corrections: Corrections::new()?,
        })
    }

    /// Resets all tables to their initial values.
    pub(super) fn clear(&mut self) {
        for table in &mut self.butterfly {
            table.fill([0; Square::NUM]);
        }
        for table in &mut self.low_ply {
            table.fill(0);
        }
        self.captures.fill([0; PieceType::NUM]);
        self.continuation.clear();
        self.pawns.clear();
        self.counter_moves.fill(None);
        self.tt_move_history = 0;
        self.corrections.clear();
    }

    /// Has the system provide the memory of all tables.
    pub(super) fn fetch(&mut self) {
        self.continuation.fetch();
        self.pawns.fetch();
        self.corrections.fetch();
    }

    /// Clears the low ply history: its plies are counted from the root of one search.
    pub(super) fn begin_search(&mut self) {
        for table in &mut self.low_ply {
            table.fill(0);
        }
    }

    /// Butterfly history of a quiet move, by side, origin and target, and by whether the opponent
    /// attacks these. Idea: Berserk.
    #[inline(always)]
    pub(super) fn butterfly(&self, mv: Move, attacked: Bitboard) -> i32 {
        let side = mv.piece().color();
        i32::from(self.butterfly[side.index()].as_flattened()[butterfly_index(mv, attacked)])
    }

    /// Butterfly history of all moves from one origin ([`origin_on_board`], [`origin_in_hand`]), by
    /// target square: for targets that the opponent does not attack, and for those that it does.
    #[inline(always)]
    pub(super) fn butterfly_from(
        &self,
        side: Color,
        origin: usize,
        is_origin_attacked: bool,
    ) -> [&[i16; Square::NUM]; 2] {
        let rows = &self.butterfly[side.index()];
        [false, true].map(|is_target_attacked| {
            &rows[threat_class_of(is_origin_attacked, is_target_attacked) * ORIGINS + origin]
        })
    }

    /// Low ply history of a quiet move; 0 at greater plies.
    #[inline(always)]
    pub(super) fn low_ply(&self, mv: Move, ply: Ply) -> i32 {
        self.low_ply.get(ply).map_or(0, |table| {
            value_of::<LOW_PLY_START>(table[mv.from_to_index()])
        })
    }

    /// Continuation history of a move after an earlier one.
    #[inline(always)]
    pub(super) fn continuation(&self, row: ContinuationRow, mv: Move) -> i32 {
        let entry = self.continuation.entry(row.index(), of_move(mv));
        value_of::<CONTINUATION_START>(*entry)
    }

    /// The continuation history of all replies to an earlier move.
    #[inline(always)]
    pub(super) fn continuation_row(&self, row: ContinuationRow) -> HistoryRow<'_> {
        HistoryRow::of(&self.continuation, row.index(), CONTINUATION_START)
    }

    /// The pawn history of all moves with the pawns of a node.
    #[inline(always)]
    pub(super) fn pawn_row(&self, context: &HistoryContext) -> HistoryRow<'_> {
        HistoryRow::of(&self.pawns, context.pawns as usize, PAWN_START)
    }

    /// Pawn history of a quiet move.
    #[inline(always)]
    pub(super) fn pawn(&self, context: &HistoryContext, mv: Move) -> i32 {
        let entry = self.pawns.entry(context.pawns as usize, of_move(mv));
        value_of::<PAWN_START>(*entry)
    }

    /// Capture history of a move, by the kind of piece it captures.
    #[inline(always)]
    pub(super) fn capture(&self, mv: Move, captured: PieceType) -> i32 {
        let entries = &self.captures[piece_to(mv.piece(), mv.to())];
        value_of::<CAPTURE_START>(entries[captured.index()])
    }

    /// The quiet move that last refuted a move.
    #[inline(always)]
    pub(super) fn counter_move(&self, last: Option<Move>) -> Option<Move> {
        let last = last?;
        self.counter_moves[piece_to(last.piece(), last.to())]
    }

    /// Reliability of TT moves, within ±8192.
    #[inline(always)]
    pub(super) fn tt_move_history(&self) -> i32 {
        i32::from(self.tt_move_history)
    }

    pub(super) fn set_counter_move(&mut self, last: Move, answer: Move) {
        self.counter_moves[piece_to(last.piece(), last.to())] = Some(answer);
    }

    pub(super) fn update_butterfly(&mut self, mv: Move, attacked: Bitboard, bonus: i32) {
        let side = mv.piece().color();
        let table = self.butterfly[side.index()].as_flattened_mut();
        let entry = &mut table[butterfly_index(mv, attacked)];
        apply_gravity::<BUTTERFLY_LIMIT, 0>(entry, bonus);
    }

    pub(super) fn update_low_ply(&mut self, mv: Move, ply: Ply, bonus: i32) {
        if let Some(table) = self.low_ply.get_mut(ply) {
            apply_gravity::<BUTTERFLY_LIMIT, LOW_PLY_START>(&mut table[mv.from_to_index()], bonus);
        }
    }

    #[inline(always)]
    pub(super) fn update_continuation(&mut self, row: ContinuationRow, mv: Move, bonus: i32) {
        let entry = self.continuation.entry_mut(row.index(), of_move(mv));
        apply_gravity::<CONTINUATION_LIMIT, CONTINUATION_START>(entry, bonus);
    }

    pub(super) fn update_pawn(&mut self, position: &Position, mv: Move, bonus: i32) {
        let structure = pawn_structure(position) as usize;
        let entry = self.pawns.entry_mut(structure, of_move(mv));
        apply_gravity::<PAWN_LIMIT, PAWN_START>(entry, bonus);
    }

    pub(super) fn update_capture(&mut self, mv: Move, captured: PieceType, bonus: i32) {
        let entries = &mut self.captures[piece_to(mv.piece(), mv.to())];
        apply_gravity::<CAPTURE_LIMIT, CAPTURE_START>(&mut entries[captured.index()], bonus);
    }

    pub(super) fn update_tt_move_history(&mut self, bonus: i32) {
        apply_gravity::<TT_MOVE_LIMIT, 0>(&mut self.tt_move_history, bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_approach_the_limit_and_stay_within() {
        let mut entry = 0;
        for (bonus, end) in [
            (900, CONTINUATION_LIMIT),
            (-900, -CONTINUATION_LIMIT),
            (i32::MAX / 2, CONTINUATION_LIMIT),
        ] {
            for _ in 0..1000 {
                apply_gravity::<CONTINUATION_LIMIT, CONTINUATION_START>(&mut entry, bonus);
                assert!(value_of::<CONTINUATION_START>(entry).abs() <= CONTINUATION_LIMIT);
            }
            let distance = value_of::<CONTINUATION_START>(entry) - end;
            assert!(distance.abs() < CONTINUATION_LIMIT / 10);
        }
    }

    #[test]
    fn rows_of_moves_differ_from_no_move() {
        let position: Position = Position::startpos();
        for mv in crate::movegen::legal_moves(&position) {
            let rows = [(false, false), (false, true), (true, false), (true, true)];
            for (in_check, is_capture) in rows {
                let row = ContinuationRow::of(mv, in_check, is_capture);
                assert_ne!(row, ContinuationRow::NONE);
                assert!((row.0 as usize) < ContinuationRow::NUM);
            }
        }
    }
}
