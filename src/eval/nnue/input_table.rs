//! Which inputs each piece sets, looked up: what the functions of [`super::features`] say, for the fast path.

use arrayvec::ArrayVec;

use super::features::{KingPlane, inputs_in_hand, inputs_not_in_game, inputs_on_board};
use super::inputs::Inputs;
use crate::types::{Color, Piece, PieceType, Square};

/// The most of one kind in one hand, and one more.
const COUNTS: usize = 19;

/// The inputs that one piece sets, within a plane. No network has so many that the last number would be one of them.
type Entry = [u16; 2];
const NO_INPUT: u16 = u16::MAX;

/// The inputs of every piece everywhere: what the functions of `features` say, looked up.
#[derive(Debug)]
pub(super) struct InputTable {
    /// `[mirrored][side][piece and square]`
    on_board: [[Vec<Entry>; Color::NUM]; 2],
    /// `[side][owner][kind and count]`
    in_hand: [[Vec<Entry>; Color::NUM]; Color::NUM],
    not_in_game: Entry,
    plane_size: u32,
}

impl InputTable {
    pub(super) fn new(inputs: Inputs) -> Self {
        let plane = |is_mirrored| KingPlane {
            plane: 0,
            is_mirrored,
        };
        let entry = |found: ArrayVec<u32, 2>| {
            let mut entry = [NO_INPUT; 2];
            for (entry, input) in entry.iter_mut().zip(found) {
                *entry = input as u16;
            }
            entry
        };
        let on_board =
            |is_mirrored, side| {
                let mut entries = vec![[NO_INPUT; 2]; Piece::NUM * Square::NUM];
                for piece in Piece::ALL {
                    for square in Square::ALL {
                        entries[piece.index() * Square::NUM + square.index()] = entry(
                            inputs_on_board(inputs, plane(is_mirrored), side, piece, square),
                        );
                    }
                }
                entries
            };
        let in_hand = |side, owner| {
            let mut entries = vec![[NO_INPUT; 2]; (PieceType::HAND.len() + 1) * COUNTS];
            for kind in PieceType::HAND {
                for count in 1..=kind.count_in_set() {
                    let found = inputs_in_hand(inputs, plane(false), side, kind, count, owner);
                    entries[kind.index() * COUNTS + count as usize] = entry(found);
                }
            }
            entries
        };
        Self {
            on_board: [false, true]
                .map(|is_mirrored| Color::ALL.map(|side| on_board(is_mirrored, side))),
            in_hand: Color::ALL.map(|side| Color::ALL.map(|owner| in_hand(side, owner))),
            not_in_game: entry(inputs_not_in_game(inputs, plane(false))),
            plane_size: inputs.pieces_per_plane(),
        }
    }

    /// What one side sees with its king on a plane.
    #[inline(always)]
    pub(super) fn seen_by(&self, side: Color, king: KingPlane) -> View<'_> {
        View {
            on_board: &self.on_board[usize::from(king.is_mirrored)][side.index()],
            in_hand: &self.in_hand[side.index()],
            not_in_game: self.not_in_game,
            start: king.plane * self.plane_size,
        }
    }
}

/// The table for one side and the plane of its king.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    on_board: &'a [Entry],
    in_hand: &'a [Vec<Entry>; Color::NUM],
    not_in_game: Entry,
    start: u32,
}

impl View<'_> {
    #[inline(always)]
    pub(super) fn board<const MOST: usize>(
        &self,
        piece: Piece,
        square: Square,
        to: &mut ArrayVec<u32, MOST>,
    ) {
        self.push(
            self.on_board[piece.index() * Square::NUM + square.index()],
            to,
        );
    }

    #[inline(always)]
    pub(super) fn hand<const MOST: usize>(
        &self,
        owner: Color,
        kind: PieceType,
        count: u32,
        to: &mut ArrayVec<u32, MOST>,
    ) {
        let entry = self.in_hand[owner.index()][kind.index() * COUNTS + count as usize];
        self.push(entry, to);
    }

    #[inline(always)]
    pub(super) fn not_in_game<const MOST: usize>(&self, to: &mut ArrayVec<u32, MOST>) {
        self.push(self.not_in_game, to);
    }

    #[inline(always)]
    fn push<const MOST: usize>(&self, entry: Entry, to: &mut ArrayVec<u32, MOST>) {
        for input in entry {
            if input != NO_INPUT {
                to.push(self.start + u32::from(input));
            }
        }
    }
}
