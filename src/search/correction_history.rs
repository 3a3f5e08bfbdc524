//! Correction histories: by how much the search found the static evaluation wrong in positions that share something: the
//! pawns, the small pieces, one side's pieces, the last moves. The sum corrects the next evaluation, and its size says how
//! far an evaluation is to be trusted. Each side's castle and what both have in hand count too where the evaluation is the
//! material alone, which sees nothing of them; networks, which do, played no better with these at 20 ms a move and are
//! spared the time.
//!
//! Idea and weights: Stockfish (2024 and later) after Caissa. Castles and hands are ours.

use crate::position::Position;
use crate::types::{Color, Move, Value};
use crate::util::{ZeroedPages, prefetch};

use super::history_entry::{PIECE_TO, apply_gravity, piece_to};
use super::tunables;

/// No entry is larger.
pub(super) const CORRECTION_LIMIT: i32 = 1024;
/// Structures are told apart by so many values of their key.
const STRUCTURES: usize = 1 << 16;
/// A correction is the weighted sum of entries divided by this.
const SCALE: i32 = 131_072;
/// Weights of updates are in 1/128.
const UPDATE_SCALE: i32 = 128;

/// The corrections of one earlier move, by the move that answers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CorrectionRow(u32);

impl CorrectionRow {
    /// What follows no move; belongs to no move, because no piece has code 0.
    pub(super) const NONE: Self = Self(0);

    #[inline(always)]
    pub(super) fn of(mv: Move) -> Self {
        Self(piece_to(mv.piece(), mv.to()) as u32)
    }

    #[inline(always)]
    fn entry(self, mv: Move) -> usize {
        self.0 as usize * PIECE_TO + piece_to(mv.piece(), mv.to())
    }
}

/// The rows that a node's last move is looked up in: of the moves two and four plies before the node.
pub(super) type CorrectionRows = [CorrectionRow; 2];

/// What each key that falls on an entry has to say, side by side so that one key costs one cache line.
#[derive(Clone, Copy, Default)]
struct Entry {
    pawn: i16,
    minor: i16,
    non_pawn: [i16; Color::NUM],
}

/// The same for what material alone sees nothing of.
#[derive(Clone, Copy, Default)]
struct UnseenEntry {
    castle: [i16; Color::NUM],
    hands: i16,
    /// Makes the size a power of two.
    _unused: i16,
}

/// The tables of one thread.
pub(super) struct Corrections {
    // [key][side to move]
    structures: Box<[[Entry; Color::NUM]]>,
    // [key][side to move], read where `of_material`
    unseen: Box<[[UnseenEntry; Color::NUM]]>,
    // [earlier move][answer]
    continuation: ZeroedPages<i16>,
    /// Whether castles and hands count.
    of_material: bool,
}

impl Corrections {
    /// Empty tables.
    ///
    /// # Panics
    /// Panics where the system has no address space left.
    pub(super) fn new() -> Self {
        Self {
            structures: vec![[Entry::default(); Color::NUM]; STRUCTURES].into_boxed_slice(),
            unseen: vec![[UnseenEntry::default(); Color::NUM]; STRUCTURES].into_boxed_slice(),
            continuation: ZeroedPages::on_demand(PIECE_TO * PIECE_TO)
                .expect("the system gives memory"),
            of_material: false,
        }
    }

    /// Whether it is material alone that is corrected: then castles and hands count.
    pub(super) fn set_of_material(&mut self, of_material: bool) {
        self.of_material = of_material;
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.structures.fill([Entry::default(); Color::NUM]);
        self.unseen.fill([UnseenEntry::default(); Color::NUM]);
        self.continuation.fill(0);
    }

    /// Brings what [`Self::of`] reads into the cache.
    #[inline(always)]
    pub(super) fn prefetch(&self, position: &Position, last: Move, rows: CorrectionRows) {
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
            let [black, white] = Color::ALL.map(|color| position.castle_key(color));
            for key in [black, white, position.hand_key()] {
                prefetch(&self.unseen[key as usize % STRUCTURES]);
            }
        }
        for row in rows {
            prefetch(&self.continuation[row.entry(last)]);
        }
    }

    /// The weighted sum of all that is known about the position, in 1/131072 of a value.
    #[inline(always)]
    pub(super) fn of(&self, position: &Position, rows: CorrectionRows) -> i32 {
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
        let unseen = if self.of_material {
            self.of_unseen(position)
        } else {
            0
        };
        let continuation = position.last_move().map_or(0, |last| {
            let [reply, follow_up] = rows.map(|row| i32::from(self.continuation[row.entry(last)]));
            reply + follow_up
        });
        tunables::correction_pawn_weight() * pawn
            + tunables::correction_minor_piece_weight() * minor
            + tunables::correction_non_pawn_weight() * non_pawn
            + tunables::correction_continuation_weight() * continuation
            + unseen
    }

    /// What castles and hands add to it.
    #[inline(always)]
    fn of_unseen(&self, position: &Position) -> i32 {
        let us = position.side_to_move().index();
        let entry = |key: u32| &self.unseen[key as usize % STRUCTURES][us];
        let castle: i32 = Color::ALL
            .map(|color| i32::from(entry(position.castle_key(color)).castle[color.index()]))
            .iter()
            .sum();
        let hands = i32::from(entry(position.hand_key()).hands);
        tunables::correction_castle_weight() * castle + tunables::correction_hand_weight() * hands
    }

    /// The search found the evaluation wrong; `bonus` has the sign and strength.
    pub(super) fn update(&mut self, position: &Position, rows: CorrectionRows, bonus: i32) {
        let us = position.side_to_move().index();
        let structures = &mut self.structures;
        let mut entry = |key: u32, weight: i32, part: fn(&mut Entry) -> &mut i16| {
            let entry = &mut structures[key as usize % STRUCTURES][us];
            apply_gravity::<CORRECTION_LIMIT, 0>(part(entry), bonus * weight / UPDATE_SCALE);
        };
        entry(position.pawn_key(), UPDATE_SCALE, |entry| &mut entry.pawn);
        entry(
            position.minor_piece_key(),
            tunables::correction_update_minor_piece_weight(),
            |entry| &mut entry.minor,
        );
        entry(
            position.non_pawn_key(Color::Black),
            tunables::correction_update_non_pawn_weight(),
            |entry| &mut entry.non_pawn[Color::Black.index()],
        );
        entry(
            position.non_pawn_key(Color::White),
            tunables::correction_update_non_pawn_weight(),
            |entry| &mut entry.non_pawn[Color::White.index()],
        );
        if self.of_material {
            self.update_unseen(position, bonus);
        }
        if let Some(last) = position.last_move() {
            let weights = [
                tunables::correction_update_two_plies_weight(),
                tunables::correction_update_four_plies_weight(),
            ];
            for (row, weight) in rows.into_iter().zip(weights) {
                let entry = &mut self.continuation[row.entry(last)];
                apply_gravity::<CORRECTION_LIMIT, 0>(entry, bonus * weight / UPDATE_SCALE);
            }
        }
    }

    fn update_unseen(&mut self, position: &Position, bonus: i32) {
        let us = position.side_to_move().index();
        let mut entry = |key: u32, weight: i32, part: fn(&mut UnseenEntry) -> &mut i16| {
            let entry = &mut self.unseen[key as usize % STRUCTURES][us];
            apply_gravity::<CORRECTION_LIMIT, 0>(part(entry), bonus * weight / UPDATE_SCALE);
        };
        entry(
            position.castle_key(Color::Black),
            tunables::correction_update_castle_weight(),
            |entry| &mut entry.castle[Color::Black.index()],
        );
        entry(
            position.castle_key(Color::White),
            tunables::correction_update_castle_weight(),
            |entry| &mut entry.castle[Color::White.index()],
        );
        entry(position.hand_key(), UPDATE_SCALE, |entry| &mut entry.hands);
    }
}

/// A correction in units of value.
#[inline(always)]
pub(super) const fn to_value(correction: i32) -> Value {
    correction / SCALE
}
