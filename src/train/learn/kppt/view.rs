//! Positions of a batch, prepared for the tables: what each side sees.

use arrayvec::ArrayVec;
use rayon::prelude::*;

use super::index::{
    GROUPS, KINGS, KingPair, TABLE, canonical_king, group_of, is_central, relative, rotated,
};
use crate::eval::kppt::PIECES_IN_SET;
use crate::train::learn::loss::Target;
use crate::train::learn::sample::{CODES, MAX_ACTIVE, Sample};
use crate::types::value::piece_value;
use crate::types::{Color, Piece, PieceType};

/// Most pieces of a view.
pub(super) const PIECES: usize = PIECES_IN_SET;

/// Indices of the weights of the pairs of one piece with all pieces before it.
pub(super) type Row = [u32; PIECES];

/// The pieces as the side of one king sees them, mirrored where the king is on files 6 to 9.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Square of the king on files 1 to 5.
    pub(super) king: u8,
    /// The pieces in the order of their groups.
    pub(super) count: u8,
    /// The first piece of each group, and the end of the last one.
    pub(super) starts: [u8; GROUPS + 1],
    pub(super) numbers: [u16; PIECES],
    /// The same pieces in a mirror.
    pub(super) mirrored: [u16; PIECES],
    /// Numbers relative to the king.
    pub(super) relative: [u16; PIECES],
    /// The same in a mirror.
    pub(super) relative_mirrored: [u16; PIECES],
}

impl View {
    const EMPTY: Self = Self {
        king: 0,
        count: 0,
        starts: [0; GROUPS + 1],
        numbers: [0; PIECES],
        mirrored: [0; PIECES],
        relative: [0; PIECES],
        relative_mirrored: [0; PIECES],
    };

    /// From the square of the king and the piece numbers, as its side sees them.
    fn new(king: usize, numbers: &[u16]) -> Self {
        let (king, is_mirrored) = canonical_king(king);
        let mut view = Self {
            king: king as u8,
            count: numbers.len() as u8,
            ..Self::EMPTY
        };
        for &number in numbers {
            view.starts[group_of(number.into()) + 1] += 1;
        }
        for group in 0..GROUPS {
            view.starts[group + 1] += view.starts[group];
        }
        let mut next = view.starts;
        for &number in numbers {
            let slot = &mut next[group_of(number.into())];
            let at = usize::from(*slot);
            *slot += 1;
            let mirrored = TABLE.mirrored[usize::from(number)];
            let (number, mirrored) = if is_mirrored {
                (mirrored, number)
            } else {
                (number, mirrored)
            };
            (view.numbers[at], view.mirrored[at]) = (number, mirrored);
            [view.relative[at], view.relative_mirrored[at]] = relative(number.into(), king);
        }
        view
    }

    /// Whether the king stands on the file that is its own mirror image.
    pub(super) fn is_central(&self) -> bool {
        is_central(self.king.into())
    }
}

/// A position of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Info {
    pub(super) target: Target,
    /// Material of the side to move, a pawn being 90.
    pub(super) material: i16,
    /// Index of both kings.
    pub(super) kings: u16,
    /// The sign of the board part of both kings.
    pub(super) sign: f32,
    /// Index of both kings with each piece.
    pub(super) with_piece: [u32; PIECES],
    /// The signs of their board parts, a bit each, set where it is negative.
    pub(super) negative: u64,
}

/// The positions of one step.
#[derive(Debug)]
pub struct Batch {
    pub(super) positions: Vec<Info>,
    /// The view of the side to move and that of the other side, for each position.
    pub(super) views: Vec<[View; 2]>,
    /// The views of each king: twice the position, plus 1 for the other side.
    pub(super) by_king: Vec<Vec<u32>>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            positions: Vec::new(),
            views: Vec::new(),
            by_king: vec![Vec::new(); KINGS],
        }
    }

    /// Replaces the content by these positions with their targets.
    pub(super) fn fill(&mut self, samples: &[&Sample], target: impl Fn(&Sample) -> Target + Sync) {
        let prepare = |sample: &&Sample| prepared(sample, target(sample));
        let pairs = samples.par_iter().map(prepare);
        pairs.unzip_into_vecs(&mut self.positions, &mut self.views);
        for views in &mut self.by_king {
            views.clear();
        }
        for (position, views) in self.views.iter().enumerate() {
            for (side, view) in views.iter().enumerate() {
                self.by_king[usize::from(view.king)].push((2 * position + side) as u32);
            }
        }
    }
}

/// Signed piece values by piece code.
const MATERIAL: [i16; CODES] = {
    let mut values = [0; CODES];
    let mut index = 0;
    while index < Piece::ALL.len() {
        let piece = Piece::ALL[index];
        let value = piece_value(piece.kind()) as i16;
        values[piece.index()] = match piece.color() {
            Color::Black => value,
            Color::White => -value,
        };
        index += 1;
    }
    values
};

fn prepared(sample: &Sample, target: Target) -> (Info, [View; 2]) {
    let table = &*TABLE;
    let mut pieces = [(0, 0); MAX_ACTIVE];
    let (count, kings) = sample.on_board(&mut pieces);
    let mut numbers = [(); 2].map(|()| ArrayVec::<u16, MAX_ACTIVE>::new());
    let us = sample.side_to_move();
    let sides = [us, !us];
    let mut material = 0;
    for &(code, square) in &pieces[..count] {
        material += MATERIAL[code];
        for (numbers, side) in numbers.iter_mut().zip(sides) {
            let number = table.on_board[side.index()][code][square];
            if number != 0 {
                numbers.push(number);
            }
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            let count = sample.in_hand(owner, kind);
            let value = piece_value(kind) as i16 * count as i16;
            material += if owner == Color::Black { value } else { -value };
            for (numbers, side) in numbers.iter_mut().zip(sides) {
                let first = table.in_hand[side.index()][owner.index()][kind.index()];
                numbers.extend((0..count as u16).map(|number| first + number));
            }
        }
    }
    let seen = |king: usize| match us {
        Color::Black => king,
        Color::White => rotated(king),
    };
    let own = seen(kings[us.index()]);
    let enemy = seen(kings[(!us).index()]);
    let pair = KingPair::new(own, enemy);
    let mut info = Info {
        target,
        material: if us == Color::Black {
            material
        } else {
            -material
        },
        kings: pair.index as u16,
        sign: pair.sign(),
        with_piece: [0; PIECES],
        negative: 0,
    };
    for (at, &number) in numbers[0].iter().enumerate() {
        let (index, sign) = pair.with_piece(number.into());
        info.with_piece[at] = index as u32;
        info.negative |= u64::from(sign < 0.0) << at;
    }
    let views = [(own, &numbers[0]), (rotated(enemy), &numbers[1])];
    (info, views.map(|(king, numbers)| View::new(king, numbers)))
}
