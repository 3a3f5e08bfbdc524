//! What did well before: statistics of moves, owned by one thread, by which the search orders, prunes and reduces.
//!
//! An entry holds the running balance of a move: each update pulls it towards the bonus and never beyond the limit
//! ("gravity"). The tables (butterfly, low-ply, capture, continuation and pawn history) and how they are weighed follow
//! Stockfish, in the form that `YaneuraOu` gave them for shogi.

use crate::position::Position;
use crate::types::{Color, Move, Piece, PieceType, Ply, Square};
use crate::util::ZeroedPages;

use super::correction_history::Corrections;
use super::history_entry::{PIECE_TO, apply_gravity, piece_to, value_of};

/// No entry of a history is larger than the limit of its table.
pub(super) const BUTTERFLY_LIMIT: i32 = 7183;
const CAPTURE_LIMIT: i32 = 10_692;
const CONTINUATION_LIMIT: i32 = 30_000;
const PAWN_LIMIT: i32 = 8192;
const TT_MOVE_LIMIT: i32 = 8192;

/// What is not known yet counts a little less than what was neither good nor bad; near the root a little more.
const CONTINUATION_START: i32 = -523;
const PAWN_START: i32 = -1238;
const CAPTURE_START: i32 = -678;
const LOW_PLY_START: i32 = 98;

/// Origins on the board and the seven kinds in hand.
const ORIGINS: usize = Square::NUM + PieceType::HAND.len();
const BUTTERFLY: usize = ORIGINS * Square::NUM;

/// The origin of moves from a square, as [`Move::from_to_index`] counts.
#[inline(always)]
pub(super) fn origin_on_board(from: Square) -> usize {
    from.index()
}

/// The origin of drops of a kind.
#[inline(always)]
pub(super) fn origin_in_hand(kind: PieceType) -> usize {
    Square::NUM + kind.index() - 1
}

/// Pawn structures are told apart by so many values of their key.
const PAWN_STRUCTURES: usize = 4096;
/// Plies from the root that have a history of their own.
pub(super) const LOW_PLIES: usize = 5;
/// So many earlier moves have a continuation history.
pub(super) const CONTINUATIONS: usize = 6;

/// The continuation history of one earlier move: what did well after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ContinuationRow(u32);

impl ContinuationRow {
    /// What follows no move. No piece has code 0, so this row belongs to no move.
    pub(super) const NONE: Self = Self(0);

    const NUM: usize = 4 * PIECE_TO;

    /// The row of a move, told apart by whether it was made in check and whether it captured.
    #[inline(always)]
    pub(super) fn of(mv: Move, in_check: bool, is_capture: bool) -> Self {
        let kind = usize::from(in_check) * 2 + usize::from(is_capture);
        Self((kind * PIECE_TO + piece_to(mv.piece(), mv.to())) as u32)
    }

    #[inline(always)]
    fn entry(self, mv: Move) -> usize {
        self.0 as usize * PIECE_TO + piece_to(mv.piece(), mv.to())
    }
}

/// One row of a history: what did well after one move, or with one pawn structure, by piece and target.
#[derive(Clone, Copy)]
pub(super) struct HistoryRow<'a> {
    entries: &'a [i16; PIECE_TO],
    start: i32,
}

impl<'a> HistoryRow<'a> {
    /// Row `index` of a table whose entries mean `start` where they are zero.
    #[inline(always)]
    fn of(table: &'a [i16], index: usize, start: i32) -> Self {
        let (rows, _) = table.as_chunks();
        Self {
            entries: &rows[index],
            start,
        }
    }

    /// The entries of one piece by target, without [`Self::start`].
    #[inline(always)]
    pub(super) fn of_piece(&self, piece: Piece) -> &'a [i16; Square::NUM] {
        &self.entries.as_chunks().0[piece.index()]
    }

    /// What an entry of zero means.
    #[inline(always)]
    pub(super) fn start(&self) -> i32 {
        self.start
    }

    /// The balance of a piece on its target.
    #[inline(always)]
    pub(super) fn value(&self, piece_to: usize) -> i32 {
        i32::from(self.entries[piece_to]) + self.start
    }
}

/// Where in a search a move is judged: what was played before it, and the pawns.
#[derive(Clone, Copy, Debug)]
pub(super) struct HistoryContext {
    /// The rows of the moves one to six plies ago.
    pub(super) continuation_rows: [ContinuationRow; CONTINUATIONS],
    /// The index of the pawn structure.
    pawns: u32,
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
            ply,
        }
    }
}

#[inline(always)]
fn pawn_structure(position: &Position) -> u32 {
    position.pawn_key() % PAWN_STRUCTURES as u32
}

/// The tables of one thread.
pub(super) struct Histories {
    // [side][origin and target]
    butterfly: [Box<[i16]>; Color::NUM],
    // [ply][origin and target]
    low_ply: [Box<[i16]>; LOW_PLIES],
    // [piece and target][captured kind]
    captures: Box<[[i16; PieceType::NUM]]>,
    // [row of an earlier move][piece and target]
    continuation: ZeroedPages<i16>,
    // [pawn structure][piece and target]
    pawns: ZeroedPages<i16>,
    // [piece and target] of the move that is answered
    counter_moves: Box<[Option<Move>]>,
    /// How often the table's move proves best.
    tt_move_history: i16,
    pub(super) corrections: Corrections,
}

impl Histories {
    /// About the memory that the tables of one thread take once they are used.
    pub(super) const MEGABYTES: usize =
        ((ContinuationRow::NUM + PAWN_STRUCTURES + PIECE_TO) * PIECE_TO * size_of::<i16>()) >> 20;

    /// Empty tables.
    ///
    /// # Panics
    /// Panics where the system has no address space left.
    pub(super) fn new() -> Self {
        let pages = |length| ZeroedPages::on_demand(length).expect("the system gives memory");
        Self {
            butterfly: Color::ALL.map(|_| vec![0; BUTTERFLY].into_boxed_slice()),
            low_ply: [(); LOW_PLIES].map(|()| vec![0; BUTTERFLY].into_boxed_slice()),
            captures: vec![[0; PieceType::NUM]; PIECE_TO].into_boxed_slice(),
            continuation: pages(ContinuationRow::NUM * PIECE_TO),
            pawns: pages(PAWN_STRUCTURES * PIECE_TO),
            counter_moves: vec![None; PIECE_TO].into_boxed_slice(),
            tt_move_history: 0,
            corrections: Corrections::new(),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for table in self.butterfly.iter_mut().chain(&mut self.low_ply) {
            table.fill(0);
        }
        self.captures.fill([0; PieceType::NUM]);
        self.continuation.fill(0);
        self.pawns.fill(0);
        self.counter_moves.fill(None);
        self.tt_move_history = 0;
        self.corrections.clear();
    }

    /// A new search begins: plies near the root mean something else now.
    pub(super) fn begin_search(&mut self) {
        for table in &mut self.low_ply {
            table.fill(0);
        }
    }

    /// How well a quiet move did in general.
    #[inline(always)]
    pub(super) fn butterfly(&self, mv: Move) -> i32 {
        let side = mv.piece().color();
        i32::from(self.butterfly[side.index()][mv.from_to_index()])
    }

    /// How well moves from one origin ([`origin_on_board`], [`origin_in_hand`]) did in general, by target.
    #[inline(always)]
    pub(super) fn butterfly_from(&self, side: Color, origin: usize) -> &[i16; Square::NUM] {
        &self.butterfly[side.index()].as_chunks().0[origin]
    }

    /// How well a quiet move did so near to the root; 0 further away.
    #[inline(always)]
    pub(super) fn low_ply(&self, mv: Move, ply: Ply) -> i32 {
        self.low_ply.get(ply).map_or(0, |table| {
            value_of::<LOW_PLY_START>(table[mv.from_to_index()])
        })
    }

    /// How well a move did after an earlier one.
    #[inline(always)]
    pub(super) fn continuation(&self, row: ContinuationRow, mv: Move) -> i32 {
        value_of::<CONTINUATION_START>(self.continuation[row.entry(mv)])
    }

    /// What did well after an earlier move.
    #[inline(always)]
    pub(super) fn continuation_row(&self, row: ContinuationRow) -> HistoryRow<'_> {
        HistoryRow::of(&self.continuation, row.0 as usize, CONTINUATION_START)
    }

    /// Which quiet moves did well with these pawns.
    #[inline(always)]
    pub(super) fn pawn_row(&self, context: &HistoryContext) -> HistoryRow<'_> {
        HistoryRow::of(&self.pawns, context.pawns as usize, PAWN_START)
    }

    /// How well a quiet move did with these pawns.
    #[inline(always)]
    pub(super) fn pawn(&self, context: &HistoryContext, mv: Move) -> i32 {
        let index = context.pawns as usize * PIECE_TO + piece_to(mv.piece(), mv.to());
        value_of::<PAWN_START>(self.pawns[index])
    }

    /// How well a capture did.
    #[inline(always)]
    pub(super) fn capture(&self, mv: Move, captured: PieceType) -> i32 {
        let entries = &self.captures[piece_to(mv.piece(), mv.to())];
        value_of::<CAPTURE_START>(entries[captured.index()])
    }

    /// What refuted a move.
    #[inline(always)]
    pub(super) fn counter_move(&self, last: Option<Move>) -> Option<Move> {
        let last = last?;
        self.counter_moves[piece_to(last.piece(), last.to())]
    }

    /// How far the table's move can be trusted.
    #[inline(always)]
    pub(super) fn tt_move_history(&self) -> i32 {
        i32::from(self.tt_move_history)
    }

    pub(super) fn set_counter_move(&mut self, last: Move, answer: Move) {
        self.counter_moves[piece_to(last.piece(), last.to())] = Some(answer);
    }

    pub(super) fn update_butterfly(&mut self, mv: Move, bonus: i32) {
        let side = mv.piece().color();
        let entry = &mut self.butterfly[side.index()][mv.from_to_index()];
        apply_gravity::<BUTTERFLY_LIMIT, 0>(entry, bonus);
    }

    pub(super) fn update_low_ply(&mut self, mv: Move, ply: Ply, bonus: i32) {
        if let Some(table) = self.low_ply.get_mut(ply) {
            apply_gravity::<BUTTERFLY_LIMIT, LOW_PLY_START>(&mut table[mv.from_to_index()], bonus);
        }
    }

    #[inline(always)]
    pub(super) fn update_continuation(&mut self, row: ContinuationRow, mv: Move, bonus: i32) {
        apply_gravity::<CONTINUATION_LIMIT, CONTINUATION_START>(
            &mut self.continuation[row.entry(mv)],
            bonus,
        );
    }

    pub(super) fn update_pawn(&mut self, position: &Position, mv: Move, bonus: i32) {
        let structure = pawn_structure(position) as usize;
        let entry = &mut self.pawns[structure * PIECE_TO + piece_to(mv.piece(), mv.to())];
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
