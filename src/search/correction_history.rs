//! Correction histories: how far the search values of earlier positions were above their static
//! evaluations, for positions that share a feature: pawns, minor pieces, the other pieces of one
//! side, or the last moves. Their weighted sum corrects the static evaluation; its absolute value
//! says how uncertain the evaluation is.
//!
//! Each side's castle and the pieces in hand are features too where the evaluation is material
//! alone, which does not know them. For networks, which do, they gained nothing at 20 ms per move
//! and are left out to save time.
//!
//! Idea and weights: Stockfish (2024 and later), after Caissa. Castles and hands are our own.

use std::io;

use crate::position::Position;
use crate::types::{Color, Move, Value};
use crate::util::{PREFETCHES, prefetch};

use super::history_entry::{PIECE_TO, apply_gravity, piece_to};
use super::history_rows::HistoryRows;
use super::params::Params;
use super::tunables;

/// Greatest absolute value of an entry.
pub(super) const CORRECTION_LIMIT: i32 = 1024;
/// Number of rows; the keys of features are reduced to this range.
const STRUCTURES: usize = 1 << 16;
/// A correction is in 1/131072 of the internal unit.
const SCALE: i32 = 131_072;
/// Divisor of the weights of updates, which are in 1/128.
const UPDATE_SCALE: i32 = 128;

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
#[derive(Clone, Copy, Default)]
struct Entry {
    pawn: i16,
    minor: i16,
    non_pawn: [i16; Color::NUM],
}

/// The entries of features that the material evaluation does not know.
#[derive(Clone, Copy, Default)]
struct UnseenEntry {
    castle: [i16; Color::NUM],
    hands: i16,
    /// Padding to a power of two.
    _unused: i16,
}

/// The correction histories of one thread.
pub(super) struct Corrections {
    // [row by key][side to move]
    structures: Box<[[Entry; Color::NUM]]>,
    // [row by key][side to move]; used if `of_material`
    unseen: Box<[[UnseenEntry; Color::NUM]]>,
    // [row of an earlier move][piece and target of the reply]
    continuation: HistoryRows,
    /// Whether the evaluation is material alone, so that castles and hands are used.
    of_material: bool,
}

impl Corrections {
    /// Empty tables.
    ///
    /// # Errors
    /// There is no address space left.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            structures: vec![[Entry::default(); Color::NUM]; STRUCTURES].into_boxed_slice(),
            unseen: vec![[UnseenEntry::default(); Color::NUM]; STRUCTURES].into_boxed_slice(),
            continuation: HistoryRows::new(PIECE_TO)?,
            of_material: false,
        })
    }

    /// Sets whether the evaluation is material alone; castles and hands are used only then.
    pub(super) fn set_of_material(&mut self, of_material: bool) {
        self.of_material = of_material;
    }

    /// Resets all entries to zero.
    pub(super) fn clear(&mut self) {
        self.structures.fill([Entry::default(); Color::NUM]);
        self.unseen.fill([UnseenEntry::default(); Color::NUM]);
        self.continuation.clear();
    }

    /// Has the system provide the memory of all tables.
    pub(super) fn fetch(&mut self) {
        self.clear();
        self.continuation.fetch();
    }

    /// Prefetches the entries that [`Self::of`] reads.
    #[inline(always)]
    pub(super) fn prefetch(&self, position: &Position, last: Move, rows: CorrectionRows) {
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
            prefetch(&self.structures[key as usize % STRUCTURES]);
        }
        if self.of_material {
            // Not those of the castles: their keys cost more than a miss.
            prefetch(&self.unseen[position.hand_key() as usize % STRUCTURES]);
        }
        let reply = piece_to(last.piece(), last.to());
        for row in rows {
            prefetch(self.continuation.entry(row.index(), reply));
        }
    }

    /// Whether [`Self::of`] needs the keys of the castles.
    #[inline(always)]
    pub(super) fn uses_castles(&self) -> bool {
        self.of_material
    }

    /// The correction of a position: the weighted sum of its entries, in 1/131072 of the internal
    /// unit.
    #[inline(always)]
    pub(super) fn of<P: Params>(
        &self,
        position: &Position,
        castles: Option<CastleKeys>,
        rows: CorrectionRows,
    ) -> i32 {
        let us = position.side_to_move().index();
        let entry = |key: u32| &self.structures[key as usize % STRUCTURES][us];
        let pawn = i32::from(entry(position.pawn_key()).pawn);
        let minor = i32::from(entry(position.minor_piece_key()).minor);
        let non_pawn: i32 = Color::ALL
            .map(|color| {
                let entry = entry(position.non_pawn_key(color));
                i32::from(entry.non_pawn[color.index()])
            })
            .iter()
            .sum();
        let unseen = castles.map_or(0, |castles| self.of_unseen::<P>(position, castles));
        let continuation = position.last_move().map_or(0, |last| {
            let reply = piece_to(last.piece(), last.to());
            let [two, four] =
                rows.map(|row| i32::from(*self.continuation.entry(row.index(), reply)));
            two + four
        });
        tunables::correction_pawn_weight::<P>() * pawn
            + tunables::correction_minor_piece_weight::<P>() * minor
            + tunables::correction_non_pawn_weight::<P>() * non_pawn
            + tunables::correction_continuation_weight::<P>() * continuation
            + unseen
    }

    /// The part of castles and hands.
    #[inline(always)]
    fn of_unseen<P: Params>(&self, position: &Position, castles: CastleKeys) -> i32 {
        let us = position.side_to_move().index();
        let entry = |key: u32| &self.unseen[key as usize % STRUCTURES][us];
        let castle: i32 = Color::ALL
            .map(|color| i32::from(entry(castles[color.index()]).castle[color.index()]))
            .iter()
            .sum();
        let hands = i32::from(entry(position.hand_key()).hands);
        tunables::correction_castle_weight::<P>() * castle
            + tunables::correction_hand_weight::<P>() * hands
    }

    /// Adds a bonus to all entries of a position; positive where the evaluation was too low.
    pub(super) fn update<P: Params>(
        &mut self,
        position: &Position,
        castles: Option<CastleKeys>,
        rows: CorrectionRows,
        bonus: i32,
    ) {
        let us = position.side_to_move().index();
        let structures = &mut self.structures;
        let mut entry = |key: u32, weight: i32, part: fn(&mut Entry) -> &mut i16| {
            let entry = &mut structures[key as usize % STRUCTURES][us];
            apply_gravity::<CORRECTION_LIMIT, 0>(part(entry), bonus * weight / UPDATE_SCALE);
        };
        entry(position.pawn_key(), UPDATE_SCALE, |entry| &mut entry.pawn);
        entry(
            position.minor_piece_key(),
            tunables::correction_update_minor_piece_weight::<P>(),
            |entry| &mut entry.minor,
        );
        entry(
            position.non_pawn_key(Color::Black),
            tunables::correction_update_non_pawn_weight::<P>(),
            |entry| &mut entry.non_pawn[Color::Black.index()],
        );
        entry(
            position.non_pawn_key(Color::White),
            tunables::correction_update_non_pawn_weight::<P>(),
            |entry| &mut entry.non_pawn[Color::White.index()],
        );
        if let Some(castles) = castles {
            self.update_unseen::<P>(position, castles, bonus);
        }
        if let Some(last) = position.last_move() {
            let weights = [
                tunables::correction_update_two_plies_weight::<P>(),
                tunables::correction_update_four_plies_weight::<P>(),
            ];
            let reply = piece_to(last.piece(), last.to());
            for (row, weight) in rows.into_iter().zip(weights) {
                let entry = self.continuation.entry_mut(row.index(), reply);
                apply_gravity::<CORRECTION_LIMIT, 0>(entry, bonus * weight / UPDATE_SCALE);
            }
        }
    }

    fn update_unseen<P: Params>(&mut self, position: &Position, castles: CastleKeys, bonus: i32) {
        let us = position.side_to_move().index();
        let mut entry = |key: u32, weight: i32, part: fn(&mut UnseenEntry) -> &mut i16| {
            let entry = &mut self.unseen[key as usize % STRUCTURES][us];
            apply_gravity::<CORRECTION_LIMIT, 0>(part(entry), bonus * weight / UPDATE_SCALE);
        };
        entry(
            castles[Color::Black.index()],
            tunables::correction_update_castle_weight::<P>(),
            |entry| &mut entry.castle[Color::Black.index()],
        );
        entry(
            castles[Color::White.index()],
            tunables::correction_update_castle_weight::<P>(),
            |entry| &mut entry.castle[Color::White.index()],
        );
        entry(position.hand_key(), UPDATE_SCALE, |entry| &mut entry.hands);
    }
}

/// A correction in the internal unit, rounded towards zero.
#[inline(always)]
pub(super) const fn to_value(correction: i32) -> Value {
    correction / SCALE
}
