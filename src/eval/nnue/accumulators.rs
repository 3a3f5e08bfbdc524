//! The sums of the transformer along the line that is searched, kept from move to move.
//!
//! For each ply there is a slot with the sums of both sides and the key of the position that they belong to. What is asked
//! for is computed from the nearest ply before it that is known, so positions that nobody evaluates cost nothing, and
//! moves are taken back without a word. Where the own king has moved to another plane of the inputs, the sums start from
//! the last ones seen with the king there, by the difference of the pieces (the "finny table" of Luecx's Koivisto and of
//! Stockfish).
//!
//! Why unsafe here: the vectors of [`super::simd`].
#![allow(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "vectors of one instruction set, all under one promise"
)]

use super::columns::{AnyDifference, MoveDifference, apply};
use super::features::{
    ActiveInputs, Attacks, KingPlane, PIECES_IN_SET, active_with_attacks, king_plane,
};
use super::input_table::{InputTable, View};
use super::inputs::Inputs;
use super::network::Network;
use super::simd::Simd;
use crate::position::{PastMove, Position};
use crate::types::{Color, Hand, Key64, Move, Piece, PieceType, Square};
use crate::util::Aligned;

/// Plies that have a slot; a line that is longer goes round.
const SLOTS: usize = 256;

/// Sums are sought so many plies back; further away it is cheaper to start from those kept for the king's plane.
const FURTHEST: usize = 6;

/// Squares that are compared at once.
const SQUARES_AT_ONCE: usize = 27;

/// The sums of one thread.
#[derive(Debug)]
pub(super) struct Accumulators {
    width: usize,
    table: InputTable,
    /// `[slot][side][column]`
    sums: Aligned<i16>,
    /// `[slot][side]`: the position that the sums are of.
    keys: Vec<[Option<Key64>; Color::NUM]>,
    /// `[plane][mirrored][side]`
    kept: Vec<Kept>,
    /// The sums of each of `kept`.
    kept_sums: Aligned<i16>,
    /// Where inputs count attacks: those of each of `kept`, in their order.
    kept_inputs: Vec<ActiveInputs>,
    /// The attacks of the position that was seen last: both sides need them.
    attacks: Option<(Key64, Attacks)>,
}

/// The pieces of the last position that was seen with a king on a plane.
#[derive(Clone, Debug)]
struct Kept {
    squares: [Option<Piece>; Square::NUM],
    hands: [Hand; Color::NUM],
    not_in_game: usize,
    /// Nothing was added to the biases yet, nor were they copied.
    is_new: bool,
}

impl Kept {
    const NEW: Self = Self {
        squares: [None; Square::NUM],
        hands: [Hand::EMPTY; Color::NUM],
        not_in_game: 0,
        is_new: true,
    };
}

impl Accumulators {
    pub(super) fn new(network: &Network) -> Self {
        let width = network.shape.width;
        let inputs = network.shape.inputs;
        let kept = inputs.planes() as usize * 2 * Color::NUM;
        let with_attacks = if inputs.counts_attacks() { kept } else { 0 };
        Self {
            width,
            table: InputTable::new(inputs),
            sums: Aligned::zeroed(SLOTS * Color::NUM * width),
            keys: vec![[None; Color::NUM]; SLOTS],
            kept: vec![Kept::NEW; kept],
            kept_sums: Aligned::zeroed(kept * width),
            kept_inputs: vec![ActiveInputs::new(); with_attacks],
            attacks: None,
        }
    }

    /// The sums of one side, up to date. `king` is where its king stands.
    ///
    /// # Safety
    /// The processor has `S`; `network` is the one that these sums were made for.
    #[inline(always)]
    pub(super) unsafe fn up_to_date<S: Simd>(
        &mut self,
        network: &Network,
        position: &Position,
        side: Color,
        king: Square,
    ) -> &[i16] {
        let inputs = network.shape.inputs;
        let plane = king_plane(inputs, king, side);
        let now = position.moves_made();
        match self.nearest(inputs, position, side, plane) {
            Some(back) => {
                for back in (0..back).rev() {
                    let Some(past) = position.past_move(back) else {
                        break;
                    };
                    let from = self.start(now - back - 1, side);
                    let to = self.start(now - back, side);
                    let difference = MoveDifference::of_move(self.table.seen_by(side, plane), past);
                    // SAFETY: the caller's promise; both slots lie within the sums.
                    unsafe {
                        let sums = self.sums.as_mut_ptr();
                        apply::<S, _>(
                            &network.transformer,
                            self.width,
                            sums.add(from),
                            sums.add(to),
                            &difference,
                        );
                    }
                    self.keys[(now - back) % SLOTS][side.index()] = position.key_before(back);
                }
            }
            // SAFETY: the caller's promise.
            None => unsafe { self.refresh::<S>(network, position, side, plane) },
        }
        let start = self.start(now, side);
        &self.sums[start..start + self.width]
    }

    /// How many plies back the sums are known, if from there on the king stayed on its plane.
    #[inline(always)]
    fn nearest(
        &self,
        inputs: Inputs,
        position: &Position,
        side: Color,
        plane: KingPlane,
    ) -> Option<usize> {
        let now = position.moves_made();
        for back in 0..=FURTHEST {
            let key = position.key_before(back)?;
            if self.keys[(now - back) % SLOTS][side.index()] == Some(key) {
                return Some(back);
            }
            let past = position.past_move(back)?;
            if inputs.counts_attacks() || leaves_plane(inputs, plane, side, past.mv) {
                return None;
            }
        }
        None
    }

    #[inline(always)]
    fn start(&self, ply: usize, side: Color) -> usize {
        (ply % SLOTS * Color::NUM + side.index()) * self.width
    }

    /// Brings the sums up to date from those kept for the king's plane.
    #[inline(always)]
    unsafe fn refresh<S: Simd>(
        &mut self,
        network: &Network,
        position: &Position,
        side: Color,
        plane: KingPlane,
    ) {
        let ply = position.moves_made();
        let to = self.start(ply, side);
        self.keys[ply % SLOTS][side.index()] = Some(position.key());
        let width = self.width;
        let transformer = &network.transformer;
        let kept_at =
            (plane.plane as usize * 2 + usize::from(plane.is_mirrored)) * Color::NUM + side.index();
        let from = kept_at * width;
        let kept = &mut self.kept[kept_at];
        let kept_sums = &mut self.kept_sums[from..from + width];
        if kept.is_new {
            kept_sums.copy_from_slice(&transformer.biases);
            kept.is_new = false;
        }
        let inputs = network.shape.inputs;
        // Filled in place: it is long.
        let mut difference = AnyDifference::default();
        if inputs.counts_attacks() {
            // Any move may change what any piece is attacked by, and so its input.
            let attacks = match &self.attacks {
                Some((key, attacks)) if *key == position.key() => attacks,
                _ => {
                    &self
                        .attacks
                        .insert((position.key(), Attacks::of(position)))
                        .1
                }
            };
            let mut now = active_with_attacks(inputs, position, side, plane, attacks);
            now.sort_unstable();
            let before = std::mem::replace(&mut self.kept_inputs[kept_at], now);
            difference.add_changes(&before, &self.kept_inputs[kept_at]);
        } else {
            kept.catch_up(self.table.seen_by(side, plane), position, &mut difference);
        }
        // SAFETY: the caller's promise; the sums are `width` long.
        unsafe {
            let sums = kept_sums.as_mut_ptr();
            apply::<S, _>(transformer, width, sums, sums, &difference);
        }
        self.sums[to..to + width].copy_from_slice(kept_sums);
    }
}

/// Whether the king of `side` came with this move from another plane.
#[inline(always)]
fn leaves_plane(inputs: Inputs, plane: KingPlane, side: Color, mv: Option<Move>) -> bool {
    mv.is_some_and(|mv| {
        mv.piece() == Piece::new(side, PieceType::King)
            && mv
                .from()
                .is_some_and(|from| king_plane(inputs, from, side) != plane)
    })
}

impl AnyDifference {
    /// Adds what changed from some inputs in order to others.
    fn add_changes(&mut self, before: &[u32], now: &[u32]) {
        let (mut before, mut now) = (before.iter().peekable(), now.iter().peekable());
        loop {
            match (before.peek(), now.peek()) {
                (None, None) => return,
                (Some(one), Some(other)) if one == other => {
                    before.next();
                    now.next();
                }
                (Some(one), other) if other.is_none_or(|other| one < other) => {
                    self.removed.extend(before.next().copied());
                }
                _ => self.added.extend(now.next().copied()),
            }
        }
    }
}

impl MoveDifference {
    /// What a move changed for a side whose king stayed on its plane.
    #[inline(always)]
    fn of_move(view: View<'_>, past: PastMove) -> Self {
        let mut difference = Self::default();
        let Some(mv) = past.mv else {
            return difference;
        };
        let (piece, to) = (mv.piece(), mv.to());
        let mover = piece.color();
        let Self { added, removed } = &mut difference;
        view.board(piece, to, added);
        if let Some(from) = mv.from() {
            view.board(mv.piece_before(), from, removed);
        } else {
            view.hand(mover, piece.kind(), past.hand.count(piece.kind()), removed);
        }
        if let Some(captured) = past.captured {
            let kind = captured.kind().unpromoted();
            view.board(captured, to, removed);
            view.hand(mover, kind, past.hand.count(kind) + 1, added);
        }
        difference
    }
}

impl Kept {
    /// Adds to `difference` what changed from the position that was seen last to this one, which is remembered instead.
    fn catch_up(&mut self, view: View<'_>, position: &Position, difference: &mut AnyDifference) {
        let AnyDifference { added, removed } = difference;
        let board = position.board();
        // Mostly few squares have changed, and most ranges of squares are the same.
        for (start, before) in self.squares.chunks_mut(SQUARES_AT_ONCE).enumerate() {
            let start = start * SQUARES_AT_ONCE;
            let now = &board.squares()[start..start + before.len()];
            if *before == *now {
                continue;
            }
            for (offset, (before, &now)) in before.iter_mut().zip(now).enumerate() {
                if *before == now {
                    continue;
                }
                let square = Square::ALL[start + offset];
                if let Some(piece) = *before {
                    view.board(piece, square, removed);
                }
                if let Some(piece) = now {
                    view.board(piece, square, added);
                }
                *before = now;
            }
        }
        let mut pieces = (board.occupied() - board.kind(PieceType::King)).count() as u32;
        for owner in Color::ALL {
            let now = position.hand(owner);
            let before = std::mem::replace(&mut self.hands[owner.index()], now);
            for kind in PieceType::HAND {
                let (before, now) = (before.count(kind), now.count(kind));
                pieces += now;
                for count in now + 1..=before {
                    view.hand(owner, kind, count, removed);
                }
                for count in before + 1..=now {
                    view.hand(owner, kind, count, added);
                }
            }
        }
        let not_in_game = PIECES_IN_SET.saturating_sub(pieces as usize);
        let before = std::mem::replace(&mut self.not_in_game, not_in_game);
        for _ in not_in_game..before {
            view.not_in_game(removed);
        }
        for _ in before..not_in_game {
            view.not_in_game(added);
        }
    }
}
