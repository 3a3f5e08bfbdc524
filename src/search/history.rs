//! Histories: statistics of how often moves were best, by which the search orders, prunes and
//! reduces moves, and of how far the static evaluation was off.
//!
//! Most are a thread's own. The pawn history and the correction histories depend on the position,
//! so that threads that search the same root learn the same: all threads of a search share them, as
//! in Stockfish (2025). Their entries are atomic, and of two updates at one time one may be lost.
//!
//! Each entry is updated by gravity and stays within the limit of its table. The tables (butterfly,
//! low ply, capture, continuation, pawn, TT move and correction history) and their weights follow
//! Stockfish, adapted to shogi by `YaneuraOu`.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytemuck::Zeroable;

use crate::bitboard::Bitboard;
use crate::position::{Board, LesserAttacks, Position};
use crate::types::{Color, Move, Piece, PieceType, Ply, Square, Value};
use crate::util::{PREFETCHES, ZeroedPages, prefetch};

use super::tunables;

/// Greatest absolute value of an entry, per table.
const BUTTERFLY_LIMIT: i32 = 7183;
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

/// One row of the continuation history, indexed by moved piece and target square.
#[derive(Clone, Copy)]
pub(super) struct HistoryRow<'a>(&'a [i16; PIECE_TO]);

impl<'a> HistoryRow<'a> {
    /// The initial value, to be added to an entry.
    pub(super) const START: i32 = CONTINUATION_START;

    /// The entries of one piece by target square, without [`Self::START`].
    #[inline(always)]
    pub(super) fn of_piece(self, piece: Piece) -> &'a [i16; Square::NUM] {
        &self.0.as_chunks().0[piece.index()]
    }

    /// The value of a piece and target square, see [`piece_to`].
    #[inline(always)]
    pub(super) fn value(self, piece_to: usize) -> i32 {
        i32::from(self.0[piece_to]) + Self::START
    }
}

/// One row of the pawn history, indexed by moved piece and target square.
#[derive(Clone, Copy)]
pub(super) struct PawnRow<'a>(&'a [SharedTargets; Piece::NUM]);

impl<'a> PawnRow<'a> {
    /// The initial value, to be added to an entry.
    pub(super) const START: i32 = PAWN_START;

    /// The entries of one piece, without [`Self::START`].
    #[inline(always)]
    pub(super) fn of_piece(self, piece: Piece) -> &'a SharedTargets {
        &self.0[piece.index()]
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
        *self.lesser_attacks.get_or_insert_with(|| board.lesser_attacks(!board.side_to_move()))
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

/// The histories of one thread, and those that it shares.
pub(super) struct Histories {
    // [side][class by threat and origin][target]
    butterfly: [Box<[[i16; Square::NUM]]>; Color::NUM],
    // [ply][origin and target]
    low_ply: [Box<[i16]>; LOW_PLIES],
    // [piece and target][captured kind]
    captures: Box<[[i16; PieceType::NUM]]>,
    // [row of an earlier move][piece and target]
    continuation: HistoryRows,
    // [piece and target of the move answered]
    counter_moves: Box<[Option<Move>]>,
    /// Reliability of TT moves: positive where they usually are the best move.
    tt_move_history: i16,
    /// Whether the evaluation is material alone, so that castles and hands correct it.
    of_material: bool,
    shared: Arc<SharedHistories>,
}

/// The histories that the threads of a search share.
pub(super) struct SharedHistories {
    // [row by pawn structure][piece and target]
    pawns: SharedRows,
    corrections: Corrections,
}

/// Where the threads of a search find the histories that they share: they exist while a thread
/// uses them.
#[derive(Default)]
pub(super) struct HistoryPool(Mutex<Weak<SharedHistories>>);

impl HistoryPool {
    /// The shared histories, which are made where no thread has them.
    fn get(&self) -> io::Result<Arc<SharedHistories>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = known.upgrade() {
            return Ok(shared);
        }
        let shared = Arc::new(SharedHistories::new()?);
        *known = Arc::downgrade(&shared);
        Ok(shared)
    }
}

impl SharedHistories {
    /// Approximate memory of the tables in MB, once every page is in use.
    pub(super) const MEGABYTES: usize =
        ((PAWN_STRUCTURES + PIECE_TO) * PIECE_TO * size_of::<i16>()) >> 20;

    fn new() -> io::Result<Self> {
        let pawns = SharedRows::new(PAWN_STRUCTURES)?;
        Ok(Self { pawns, corrections: Corrections::new()? })
    }

    /// Resets all tables to their initial values.
    pub(super) fn clear(&self) {
        self.pawns.clear();
        self.corrections.clear();
    }

    /// Has the system provide the memory of all tables.
    pub(super) fn fetch(&self) {
        self.pawns.fetch();
        self.corrections.fetch();
    }
}

impl Histories {
    /// Approximate memory of one thread's own tables in MB, once every page is in use.
    pub(super) const MEGABYTES: usize = (ContinuationRow::NUM * PIECE_TO * size_of::<i16>()) >> 20;

    /// Empty tables, but for those that other threads of the pool have filled.
    ///
    /// # Errors
    /// There is no address space left.
    pub(super) fn new(pool: &HistoryPool) -> io::Result<Self> {
        Ok(Self {
            butterfly: Color::ALL
                .map(|_| vec![[0; Square::NUM]; THREAT_CLASSES * ORIGINS].into_boxed_slice()),
            low_ply: [(); LOW_PLIES].map(|()| vec![0; BUTTERFLY].into_boxed_slice()),
            captures: vec![[0; PieceType::NUM]; PIECE_TO].into_boxed_slice(),
            continuation: HistoryRows::new(ContinuationRow::NUM)?,
            counter_moves: vec![None; PIECE_TO].into_boxed_slice(),
            tt_move_history: 0,
            of_material: false,
            shared: pool.get()?,
        })
    }

    /// Resets the thread's own tables to their initial values.
    pub(super) fn clear(&mut self) {
        for table in &mut self.butterfly {
            table.fill([0; Square::NUM]);
        }
        for table in &mut self.low_ply {
            table.fill(0);
        }
        self.captures.fill([0; PieceType::NUM]);
        self.continuation.clear();
        self.counter_moves.fill(None);
        self.tt_move_history = 0;
    }

    /// Has the system provide the memory of the thread's own tables.
    pub(super) fn fetch(&mut self) {
        self.continuation.fetch();
    }

    /// The tables that other threads use too.
    pub(super) fn shared(&self) -> &SharedHistories {
        &self.shared
    }

    /// Sets whether the evaluation is material alone; castles and hands are used only then.
    pub(super) fn set_of_material(&mut self, of_material: bool) {
        self.of_material = of_material;
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
        self.low_ply
            .get(ply)
            .map_or(0, |table| value_of::<LOW_PLY_START>(table[mv.from_to_index()]))
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
        HistoryRow(self.continuation.row(row.index()))
    }

    /// The pawn history of all moves with the pawns of a node.
    #[inline(always)]
    pub(super) fn pawn_row(&self, context: &HistoryContext) -> PawnRow<'_> {
        PawnRow(self.shared.pawns.row(context.pawns as usize))
    }

    /// Pawn history of a quiet move.
    #[inline(always)]
    pub(super) fn pawn(&self, context: &HistoryContext, mv: Move) -> i32 {
        let entries = self.shared.pawns.row(context.pawns as usize);
        value_of::<PAWN_START>(entries[mv.piece().index()].get(mv.to()))
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
        let entries = self.shared.pawns.row_to_write(structure);
        entries[mv.piece().index()]
            .update(mv.to(), |entry| with_gravity::<PAWN_LIMIT, PAWN_START>(entry, bonus));
    }

    pub(super) fn update_capture(&mut self, mv: Move, captured: PieceType, bonus: i32) {
        let entries = &mut self.captures[piece_to(mv.piece(), mv.to())];
        apply_gravity::<CAPTURE_LIMIT, CAPTURE_START>(&mut entries[captured.index()], bonus);
    }

    pub(super) fn update_tt_move_history(&mut self, bonus: i32) {
        apply_gravity::<TT_MOVE_LIMIT, 0>(&mut self.tt_move_history, bonus);
    }

    /// Prefetches the entries that [`Self::correction`] reads.
    #[inline(always)]
    pub(super) fn prefetch_correction(
        &self,
        position: &Position,
        last: Move,
        rows: CorrectionRows,
    ) {
        self.shared.corrections.prefetch(position, last, rows, self.of_material);
    }

    /// Whether [`Self::correction`] needs the keys of the castles.
    #[inline(always)]
    pub(super) fn uses_castles(&self) -> bool {
        self.of_material
    }

    /// The correction of a position: the weighted sum of its entries, in 1/131072 of the internal
    /// unit.
    #[inline(always)]
    pub(super) fn correction(
        &self,
        position: &Position,
        castles: Option<CastleKeys>,
        rows: CorrectionRows,
    ) -> i32 {
        self.shared.corrections.of(position, castles, rows)
    }

    /// Adds a bonus to all correction entries of a position; positive where the evaluation was too
    /// low.
    pub(super) fn update_correction(
        &mut self,
        position: &Position,
        castles: Option<CastleKeys>,
        rows: CorrectionRows,
        bonus: i32,
    ) {
        self.shared.corrections.update(position, castles, rows, bonus);
    }
}

// --- Correction histories ---

/// Greatest absolute value of an entry.
pub(super) const CORRECTION_LIMIT: i32 = 1024;
/// Number of rows; the keys of features are reduced to this range.
const CORRECTION_STRUCTURES: usize = 1 << 16;
/// A correction is in 1/131072 of the internal unit.
const CORRECTION_PARTS: i32 = 131_072;
/// Divisor of the weights of updates, which are in 1/128.
pub(super) const CORRECTION_UPDATE_SCALE: i32 = 128;

/// A row of the continuation correction history: the entries of all replies to one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CorrectionRow(u32);

impl CorrectionRow {
    /// The row before the first move and after a null move. No piece has index 0, so no move has
    /// it.
    pub(super) const NONE: Self = Self(0);

    #[inline(always)]
    pub(super) fn of(mv: Move) -> Self {
        Self(piece_to(mv.piece(), mv.to()) as u32)
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The rows of the moves two and four plies before a node, in which its last move is looked up.
pub(super) type CorrectionRows = [CorrectionRow; 2];

/// The keys of both castles of a position, by colour.
pub(super) type CastleKeys = [u32; Color::NUM];

/// Entries that share a row; side by side so that a key costs one cache line.
#[derive(Zeroable)]
struct CorrectionEntry {
    pawn: AtomicI16,
    minor: AtomicI16,
    non_pawn: [AtomicI16; Color::NUM],
}

/// The entries of features that the material evaluation does not know.
#[derive(Zeroable)]
struct UnseenEntry {
    castle: [AtomicI16; Color::NUM],
    hands: AtomicI16,
    /// Padding to a power of two.
    _unused: i16,
}

/// The correction histories: how far the search values of earlier positions were
/// above their static evaluations, for positions that share a feature: pawns, minor pieces, the
/// other pieces of one side, or the last moves. Their weighted sum corrects the static evaluation;
/// its absolute value says how uncertain the evaluation is.
///
/// Each side's castle and the pieces in hand are features too where the evaluation is material
/// alone, which does not know them. For networks, which do, they gained nothing at 20 ms per move
/// and are left out to save time.
///
/// Idea and weights: Stockfish (2024 and later), after Caissa. Castles and hands are our own.
struct Corrections {
    // [row by key][side to move]
    structures: ZeroedPages<[CorrectionEntry; Color::NUM]>,
    // [row by key][side to move]; used for material alone
    unseen: ZeroedPages<[UnseenEntry; Color::NUM]>,
    // [row of an earlier move][piece and target of the reply]
    continuation: SharedRows,
}

impl Corrections {
    /// Tables of zeros.
    fn new() -> io::Result<Self> {
        Ok(Self {
            structures: ZeroedPages::on_demand(CORRECTION_STRUCTURES)?,
            unseen: ZeroedPages::on_demand(CORRECTION_STRUCTURES)?,
            continuation: SharedRows::new(PIECE_TO)?,
        })
    }

    /// Resets all entries to zero.
    fn clear(&self) {
        self.clear_structures();
        for entry in self.unseen.iter().flatten() {
            for part in entry.castle.iter().chain([&entry.hands]) {
                reset(part);
            }
        }
        self.continuation.clear();
    }

    fn clear_structures(&self) {
        for entry in self.structures.iter().flatten() {
            for part in entry.non_pawn.iter().chain([&entry.pawn, &entry.minor]) {
                part.store(0, Relaxed);
            }
        }
    }

    /// Has the system provide the memory of the tables that networks use.
    fn fetch(&self) {
        self.clear_structures();
        self.continuation.fetch();
    }

    /// Prefetches the entries that [`Self::of`] reads.
    #[inline(always)]
    fn prefetch(&self, position: &Position, last: Move, rows: CorrectionRows, of_material: bool) {
        if !PREFETCHES {
            return;
        }
        let keys = [
            position.pawn_key(),
            position.minor_piece_key(),
            position.non_pawn_key(Color::Black),
            position.non_pawn_key(Color::White),
        ];
        for key in keys {
            prefetch(&self.structures[key as usize % CORRECTION_STRUCTURES]);
        }
        if of_material {
            // Not those of the castles: their keys cost more than a miss.
            prefetch(&self.unseen[position.hand_key() as usize % CORRECTION_STRUCTURES]);
        }
        for row in rows {
            let replies = self.continuation.row(row.index());
            prefetch(replies[last.piece().index()].word(last.to()));
        }
    }

    /// The correction of a position: the weighted sum of its entries, in 1/131072 of the internal
    /// unit.
    #[inline(always)]
    fn of(&self, position: &Position, castles: Option<CastleKeys>, rows: CorrectionRows) -> i32 {
        let us = position.side_to_move().index();
        let entry = |key: u32| &self.structures[key as usize % CORRECTION_STRUCTURES][us];
        let pawn = value_in(&entry(position.pawn_key()).pawn);
        let minor = value_in(&entry(position.minor_piece_key()).minor);
        let non_pawn: i32 = Color::ALL
            .map(|color| {
                let entry = entry(position.non_pawn_key(color));
                value_in(&entry.non_pawn[color.index()])
            })
            .iter()
            .sum();
        let unseen = castles.map_or(0, |castles| self.of_unseen(position, castles));
        let continuation = position.last_move().map_or(0, |last| {
            let [two, four] = rows.map(|row| {
                let replies = self.continuation.row(row.index());
                i32::from(replies[last.piece().index()].get(last.to()))
            });
            two + four
        });
        tunables::correction_pawn_weight() * pawn
            + tunables::correction_minor_piece_weight() * minor
            + tunables::correction_non_pawn_weight() * non_pawn
            + tunables::correction_continuation_weight() * continuation
            + unseen
    }

    /// The part of castles and hands.
    #[inline(always)]
    fn of_unseen(&self, position: &Position, castles: CastleKeys) -> i32 {
        let us = position.side_to_move().index();
        let entry = |key: u32| &self.unseen[key as usize % CORRECTION_STRUCTURES][us];
        let castle: i32 = Color::ALL
            .map(|color| value_in(&entry(castles[color.index()]).castle[color.index()]))
            .iter()
            .sum();
        let hands = value_in(&entry(position.hand_key()).hands);
        tunables::correction_castle_weight() * castle + tunables::correction_hand_weight() * hands
    }

    /// Adds a bonus to all entries of a position; positive where the evaluation was too low.
    fn update(
        &self,
        position: &Position,
        castles: Option<CastleKeys>,
        rows: CorrectionRows,
        bonus: i32,
    ) {
        let us = position.side_to_move().index();
        let entry = |key: u32, weight: i32, part: fn(&CorrectionEntry) -> &AtomicI16| {
            let entry = &self.structures[key as usize % CORRECTION_STRUCTURES][us];
            correct(part(entry), bonus, weight);
        };
        entry(position.pawn_key(), CORRECTION_UPDATE_SCALE, |entry| &entry.pawn);
        entry(
            position.minor_piece_key(),
            tunables::correction_update_minor_piece_weight(),
            |entry| &entry.minor,
        );
        entry(
            position.non_pawn_key(Color::Black),
            tunables::correction_update_non_pawn_weight(),
            |entry| &entry.non_pawn[Color::Black.index()],
        );
        entry(
            position.non_pawn_key(Color::White),
            tunables::correction_update_non_pawn_weight(),
            |entry| &entry.non_pawn[Color::White.index()],
        );
        if let Some(castles) = castles {
            self.update_unseen(position, castles, bonus);
        }
        if let Some(last) = position.last_move() {
            let weights = [
                tunables::correction_update_two_plies_weight(),
                tunables::correction_update_four_plies_weight(),
            ];
            for (row, weight) in rows.into_iter().zip(weights) {
                let replies = self.continuation.row_to_write(row.index());
                replies[last.piece().index()]
                    .update(last.to(), |entry| corrected(entry, bonus, weight));
            }
        }
    }

    fn update_unseen(&self, position: &Position, castles: CastleKeys, bonus: i32) {
        let us = position.side_to_move().index();
        let entry = |key: u32, weight: i32, part: fn(&UnseenEntry) -> &AtomicI16| {
            let entry = &self.unseen[key as usize % CORRECTION_STRUCTURES][us];
            correct(part(entry), bonus, weight);
        };
        entry(
            castles[Color::Black.index()],
            tunables::correction_update_castle_weight(),
            |entry| &entry.castle[Color::Black.index()],
        );
        entry(
            castles[Color::White.index()],
            tunables::correction_update_castle_weight(),
            |entry| &entry.castle[Color::White.index()],
        );
        entry(position.hand_key(), CORRECTION_UPDATE_SCALE, |entry| &entry.hands);
    }
}

/// The value of an entry.
#[inline(always)]
fn value_in(entry: &AtomicI16) -> i32 {
    i32::from(entry.load(Relaxed))
}

/// Sets an entry to zero, without touching a page that is zero anyway.
#[inline(always)]
fn reset(entry: &AtomicI16) {
    if entry.load(Relaxed) != 0 {
        entry.store(0, Relaxed);
    }
}

/// Adds a bonus to an entry; `weight` is in 1/128.
#[inline(always)]
fn correct(entry: &AtomicI16, bonus: i32, weight: i32) {
    entry.store(corrected(entry.load(Relaxed), bonus, weight), Relaxed);
}

#[inline(always)]
fn corrected(entry: i16, bonus: i32, weight: i32) -> i16 {
    with_gravity::<CORRECTION_LIMIT, 0>(entry, bonus * weight / CORRECTION_UPDATE_SCALE)
}

/// A correction in the internal unit, rounded towards zero.
#[inline(always)]
pub(super) const fn correction_to_value(correction: i32) -> Value {
    correction / CORRECTION_PARTS
}

// --- Tables, entries and indices ---

/// A large table in rows of entries by moved piece and target square ([`piece_to`]), cleared in
/// proportion to what was written.
///
/// The tables of one thread take some 50 MB, of which a game of short searches writes a small
/// part. Filling all of it between two games took longer than many of their moves.
struct HistoryRows {
    entries: ZeroedPages<i16>,
    /// By row: whether one of its entries was written since the last [`Self::clear`].
    is_written: Box<[bool]>,
}

impl HistoryRows {
    /// Rows of zeros, whose memory is taken on first use.
    ///
    /// # Errors
    /// There is no address space left.
    pub(super) fn new(rows: usize) -> io::Result<Self> {
        Ok(Self {
            entries: ZeroedPages::on_demand(rows * PIECE_TO)?,
            is_written: vec![false; rows].into_boxed_slice(),
        })
    }

    /// All entries of a row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[i16; PIECE_TO] {
        &self.entries.as_chunks().0[row]
    }

    /// The entry of a moved piece and target square.
    #[inline(always)]
    pub(super) fn entry(&self, row: usize, piece_to: usize) -> &i16 {
        &self.entries[row * PIECE_TO + piece_to]
    }

    /// The same, to be written.
    #[inline(always)]
    fn entry_mut(&mut self, row: usize, piece_to: usize) -> &mut i16 {
        self.is_written[row] = true;
        &mut self.entries[row * PIECE_TO + piece_to]
    }

    /// Has the system provide all memory now, so that no search waits for it.
    pub(super) fn fetch(&mut self) {
        self.entries.fill(0);
        self.is_written.fill(false);
    }

    /// Resets all entries to zero.
    pub(super) fn clear(&mut self) {
        let rows = self.entries.as_chunks_mut::<PIECE_TO>().0;
        for (row, is_written) in rows.iter_mut().zip(&mut self.is_written) {
            if std::mem::take(is_written) {
                row.fill(0);
            }
        }
    }
}

/// The same for tables that several threads write.
struct SharedRows {
    rows: ZeroedPages<[SharedTargets; Piece::NUM]>,
    /// By row: whether one of its entries was written since the last [`Self::clear`].
    is_written: Box<[AtomicBool]>,
}

/// The entries of one piece by target square, four in a word: the scores of drops read all of them,
/// and words are copied faster than single entries.
#[derive(Zeroable)]
pub(super) struct SharedTargets([AtomicU64; Square::NUM.div_ceil(LANES)]);

/// Entries in a word, and their size in bits.
const LANES: usize = 4;
const LANE_BITS: usize = 16;
/// Least size in bytes of a page of memory.
const PAGE_BYTES: usize = 4096;

impl SharedTargets {
    /// All entries, and some zeros.
    #[inline(always)]
    pub(super) fn all(&self) -> [i16; Square::NUM.div_ceil(LANES) * LANES] {
        let mut entries = [0; Square::NUM.div_ceil(LANES) * LANES];
        for (lanes, word) in entries.as_chunks_mut().0.iter_mut().zip(&self.0) {
            *lanes = lanes_of(word.load(Relaxed));
        }
        entries
    }

    #[inline(always)]
    pub(super) fn get(&self, to: Square) -> i16 {
        (self.word(to).load(Relaxed) >> shift(to)) as i16
    }

    /// Changes an entry. Of a change of the same word on another thread at this time, one is lost.
    #[inline(always)]
    fn update(&self, to: Square, change: impl FnOnce(i16) -> i16) {
        let word = self.word(to).load(Relaxed);
        let new = u64::from(change((word >> shift(to)) as i16) as u16) << shift(to);
        let mask = u64::from(u16::MAX) << shift(to);
        self.word(to).store(word & !mask | new, Relaxed);
    }

    #[inline(always)]
    fn word(&self, to: Square) -> &AtomicU64 {
        &self.0[to.index() / LANES]
    }
}

#[inline(always)]
fn shift(to: Square) -> usize {
    to.index() % LANES * LANE_BITS
}

#[inline(always)]
fn lanes_of(word: u64) -> [i16; LANES] {
    std::array::from_fn(|lane| (word >> (lane * LANE_BITS)) as i16)
}

impl SharedRows {
    /// Rows of zeros, whose memory is taken on first use.
    fn new(rows: usize) -> io::Result<Self> {
        Ok(Self {
            rows: ZeroedPages::on_demand(rows)?,
            is_written: (0..rows).map(|_| AtomicBool::new(false)).collect(),
        })
    }

    /// The entries of a row, by moved piece.
    #[inline(always)]
    fn row(&self, row: usize) -> &[SharedTargets; Piece::NUM] {
        &self.rows[row]
    }

    /// The same, to be written.
    #[inline(always)]
    fn row_to_write(&self, row: usize) -> &[SharedTargets; Piece::NUM] {
        // Written only once, as other threads read the same cache line.
        if !self.is_written[row].load(Relaxed) {
            self.is_written[row].store(true, Relaxed);
        }
        self.row(row)
    }

    /// Has the system provide all memory now, so that no search waits for it.
    fn fetch(&self) {
        // A write to each page, which changes nothing.
        let targets = self.rows.as_flattened();
        for targets in targets.iter().step_by(PAGE_BYTES / size_of::<SharedTargets>()) {
            targets.0[0].fetch_or(0, Relaxed);
        }
    }

    /// Resets all entries to zero.
    fn clear(&self) {
        for (row, is_written) in self.rows.iter().zip(&self.is_written) {
            if is_written.swap(false, Relaxed) {
                for word in row.iter().flat_map(|targets| &targets.0) {
                    word.store(0, Relaxed);
                }
            }
        }
    }
}

/// Number of indices by moved piece and target square.
const PIECE_TO: usize = Piece::NUM * Square::NUM;

/// The index of a moved piece and its target square, below [`PIECE_TO`].
#[inline(always)]
pub(super) fn piece_to(piece: Piece, to: Square) -> usize {
    piece.index() * Square::NUM + to.index()
}

/// The value of an entry. Entries are stored as the difference from `START`, so that zeroed memory
/// is a table of initial values.
#[inline(always)]
fn value_of<const START: i32>(entry: i16) -> i32 {
    i32::from(entry) + START
}

/// Adds a bonus to an entry, reduced in proportion to the entry's value, which therefore stays
/// within `-LIMIT..=LIMIT` (Stockfish's `StatsEntry::operator<<`).
#[inline(always)]
fn apply_gravity<const LIMIT: i32, const START: i32>(entry: &mut i16, bonus: i32) {
    *entry = with_gravity::<LIMIT, START>(*entry, bonus);
}

#[inline(always)]
fn with_gravity<const LIMIT: i32, const START: i32>(entry: i16, bonus: i32) -> i16 {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = value_of::<START>(entry);
    (old + bonus - old * bonus.abs() / LIMIT - START) as i16
}

/// Origins of moves: the squares of the board and the seven kinds of pieces in hand.
const ORIGINS: usize = Square::NUM + PieceType::HAND.len();
/// Entries of a table by origin and target.
const BUTTERFLY: usize = ORIGINS * Square::NUM;
/// Classes of moves by threat: whether the opponent attacks the origin, and the target.
const THREAT_CLASSES: usize = 4;

/// The class of a move by threat, where the opponent attacks the squares `attacked`. Drops have no
/// origin that can be attacked.
#[inline(always)]
fn threat_class(mv: Move, attacked: Bitboard) -> usize {
    let moved = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
    threat_class_of(attacked.intersects(moved), attacked.contains(mv.to()))
}

/// The class of a move from and to squares that the opponent attacks or not.
#[inline(always)]
fn threat_class_of(is_origin_attacked: bool, is_target_attacked: bool) -> usize {
    usize::from(is_target_attacked) * 2 + usize::from(is_origin_attacked)
}

/// The origin of moves from a square, as in [`Move::from_to_index`].
#[inline(always)]
pub(super) fn origin_on_board(from: Square) -> usize {
    from.index()
}

/// The origin of drops of a kind of piece.
#[inline(always)]
pub(super) fn origin_in_hand(kind: PieceType) -> usize {
    Square::NUM + kind.index() - 1
}

/// Index of a move by its class, origin and target.
#[inline(always)]
fn butterfly_index(mv: Move, attacked: Bitboard) -> usize {
    threat_class(mv, attacked) * BUTTERFLY + mv.from_to_index()
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

    #[test]
    fn each_square_has_an_entry_of_its_own() {
        let targets = SharedTargets::zeroed();
        let value = |to: Square| to.index() as i16 * 400 - 16_000;
        for to in Square::ALL {
            targets.update(to, |old| old + value(to));
        }
        for (to, entry) in Square::ALL.into_iter().zip(targets.all()) {
            assert_eq!((entry, targets.get(to)), (value(to), value(to)), "{to}");
        }
    }

    #[test]
    fn threads_of_a_pool_share_what_depends_on_the_position() {
        let pool = HistoryPool::default();
        let [mut one, two] = [(); 2].map(|()| Histories::new(&pool).expect("there is memory"));
        let other = Histories::new(&HistoryPool::default()).expect("there is memory");
        let position = Position::startpos();
        let context = HistoryContext::new(&position, [ContinuationRow::NONE; CONTINUATIONS], 0);
        let mv = crate::movegen::legal_moves(&position)[0];
        let rows = [CorrectionRow::NONE; 2];
        one.update_pawn(&position, mv, 700);
        one.update_continuation(ContinuationRow::NONE, mv, 700);
        one.update_correction(&position, None, rows, 200);
        assert_eq!(one.pawn(&context, mv), two.pawn(&context, mv));
        assert_ne!(one.pawn(&context, mv), other.pawn(&context, mv));
        let correction = |histories: &Histories| histories.correction(&position, None, rows);
        assert_eq!(correction(&one), correction(&two));
        assert_ne!(correction(&one), correction(&other));
        assert_ne!(
            one.continuation(ContinuationRow::NONE, mv),
            two.continuation(ContinuationRow::NONE, mv)
        );
        two.shared().clear();
        assert_eq!(one.pawn(&context, mv), other.pawn(&context, mv));
        assert_eq!(correction(&one), correction(&other));
    }

    #[test]
    fn whatever_was_written_is_cleared() {
        let mut rows = HistoryRows::new(5).expect("some kilobytes are available");
        for round in 1..4 {
            for row in [0, 2, 4] {
                *rows.entry_mut(row, round) = 7;
                *rows.entry_mut(row, PIECE_TO - round) = -7;
            }
            assert_eq!(*rows.entry(2, round), 7);
            assert_eq!(rows.row(4)[PIECE_TO - round], -7);
            rows.clear();
            assert!((0..5).all(|row| *rows.row(row) == [0; PIECE_TO]));
        }
    }
}
