//! Where the weight of a king, of a piece or of a pair lies in the tables of each factor.
//!
//! Pieces have the numbers of [`crate::eval::kppt`], 1 to 1547, as the side of the king sees them;
//! relative to the king a piece on the board has a number by its kind and its distance in files and
//! ranks. A pair of numbers lies in a triangle: the larger one gives the row.
//!
//! Mirrored positions share their weights. A king on files 6 to 9 is mirrored to files 1 to 4;
//! where that decides nothing, the smaller of both indices counts.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use rayon::prelude::*;

use crate::eval::kppt::{HAND_END, PIECES_END, PIECES_IN_SET, number_in_hand, number_on_board};
use crate::train::learn::loss::Target;
use crate::train::learn::sample::{CODES, MAX_ACTIVE, Sample};
use crate::types::value::piece_value;
use crate::types::{Color, Piece, PieceType, Rank, Square};

/// Number of piece numbers.
pub(super) const NUMBERS: usize = PIECES_END as usize;

/// Numbers of pieces in hand, the unused number 0 included.
const HAND: usize = HAND_END as usize;

/// Groups of piece numbers: those in hand, then each kind on the board, own and enemy.
pub(super) const GROUPS: usize = 1 + (NUMBERS - HAND) / Square::NUM;

/// Squares of a king, mirrored ones counted once.
pub(super) const KINGS: usize = (CENTER + 1) * Rank::NUM;

/// The file that is its own mirror image.
const CENTER: usize = 4;

/// Distances in files or ranks, -8 to 8.
const SPAN: usize = 17;

/// Numbers relative to a king.
pub(super) const RELATIVE: usize = HAND + (GROUPS - 1) * SPAN * SPAN;

/// Entries of relative pairs whose higher piece is of one kind.
pub(super) const RELATIVE_PAIRS: usize = GROUPS * (CENTER * 2 + 1) * SPAN + HAND;

/// Number of pairs of different numbers below `number`: where the row of `number` starts.
pub(super) const fn triangle(number: usize) -> usize {
    number * number.saturating_sub(1) / 2
}

/// Index of a pair of different numbers.
#[inline(always)]
pub(super) fn pair(one: u32, other: u32) -> u32 {
    let (high, low) = (one.max(other), one.min(other));
    // Number 0 does not occur, so nothing wraps.
    high * high.wrapping_sub(1) / 2 + low
}

/// The first number of a group, and for [`GROUPS`] the end of the last one. `squares` is the number
/// of numbers that a kind has on the board.
const fn group_start(group: usize, squares: usize) -> usize {
    if group == 0 {
        0
    } else {
        HAND + (group - 1) * squares
    }
}

/// Where the rows of a group start in the triangle of piece numbers.
pub(super) const fn rows_of(group: usize) -> usize {
    triangle(group_start(group, Square::NUM))
}

/// Where the rows of a group start in the triangle of relative numbers.
pub(super) const fn relative_rows_of(group: usize) -> usize {
    triangle(group_start(group, SPAN * SPAN))
}

/// The group of a piece number.
pub(super) const fn group_of(number: usize) -> usize {
    if number < HAND {
        0
    } else {
        1 + (number - HAND) / Square::NUM
    }
}

/// A square seen in a mirror.
const fn mirrored(square: usize) -> usize {
    (2 * CENTER - square / Rank::NUM) * Rank::NUM + square % Rank::NUM
}

/// A king's square on files 1 to 5, and whether it was mirrored to get there.
pub(super) const fn canonical_king(square: usize) -> (usize, bool) {
    if square / Rank::NUM > CENTER {
        (mirrored(square), true)
    } else {
        (square, false)
    }
}

/// Whether a king on files 1 to 5 stands on the file that is its own mirror image.
pub(super) const fn is_central(king: usize) -> bool {
    king / Rank::NUM == CENTER
}

/// The number of a piece relative to a king on files 1 to 5, and that of its mirror image.
pub(super) fn relative(number: usize, king: usize) -> [u16; 2] {
    if number < HAND {
        return [number as u16; 2];
    }
    let (group, on) = ((number - HAND) / Square::NUM, (number - HAND) % Square::NUM);
    let files = on / Rank::NUM + CENTER * 2 - king / Rank::NUM;
    let ranks = on % Rank::NUM + CENTER * 2 - king % Rank::NUM;
    let number = |files: usize| (HAND + (group * SPAN + files) * SPAN + ranks) as u16;
    [number(files), number(SPAN - 1 - files)]
}

/// Index of the relative pair of two pieces, of which the first one has the higher group, within
/// the entries of that group; `None` for two pieces in hand.
#[inline(always)]
pub(super) fn relative_pair(high: usize, low: usize) -> Option<usize> {
    if high < HAND {
        return None;
    }
    if low < HAND {
        return Some(GROUPS * (CENTER * 2 + 1) * SPAN + low);
    }
    let (group, of_high) = ((low - HAND) / Square::NUM, (high - HAND) % Square::NUM);
    let of_low = (low - HAND) % Square::NUM;
    let files = (of_high / Rank::NUM).abs_diff(of_low / Rank::NUM);
    let mut ranks = of_high % Rank::NUM + CENTER * 2 - of_low % Rank::NUM;
    if (high - HAND) / Square::NUM == group {
        // Two of one kind: neither comes first.
        ranks = ranks.max(SPAN - 1 - ranks);
    }
    Some(((group + 1) * (CENTER * 2 + 1) + files) * SPAN + ranks)
}

/// What is looked up for piece numbers.
pub(super) struct Numbers {
    /// The piece seen in a mirror.
    pub(super) mirrored: [u16; NUMBERS],
    /// The piece as the other side sees it.
    pub(super) inverse: [u16; NUMBERS],
    /// `[side][piece code][square]`: the piece as a side sees it.
    pub(super) on_board: [Vec<[u16; Square::NUM]>; Color::NUM],
    /// `[side][owner][piece type]`: the first piece in hand; the others follow.
    pub(super) in_hand: [[[u16; PieceType::NUM]; Color::NUM]; Color::NUM],
}

pub(super) static TABLE: LazyLock<Numbers> = LazyLock::new(Numbers::new);

impl Numbers {
    fn new() -> Self {
        let itself = || std::array::from_fn(|number| number as u16);
        let mut numbers = Self {
            mirrored: itself(),
            inverse: itself(),
            on_board: Color::ALL.map(|_| vec![[0; Square::NUM]; CODES]),
            in_hand: [[[0; PieceType::NUM]; Color::NUM]; Color::NUM],
        };
        for piece in Piece::ALL {
            if piece.kind() == PieceType::King {
                continue;
            }
            for square in Square::ALL {
                let seen = Color::ALL.map(|side| number_on_board(piece, square, side) as usize);
                for (side, number) in Color::ALL.into_iter().zip(seen) {
                    let table = &mut numbers.on_board[side.index()];
                    table[piece.index()][square.index()] = number as u16;
                }
                let mirror = Square::ALL[mirrored(square.index())];
                let mirror = number_on_board(piece, mirror, Color::Black);
                numbers.mirrored[seen[0]] = mirror as u16;
                numbers.inverse[seen[0]] = seen[1] as u16;
            }
        }
        for owner in Color::ALL {
            for kind in PieceType::HAND {
                let first = Color::ALL.map(|side| number_in_hand(kind, 1, owner, side) as u16);
                for side in Color::ALL {
                    let table = &mut numbers.in_hand[side.index()][owner.index()];
                    table[kind.index()] = first[side.index()];
                }
                for count in 0..kind.count_in_set() as u16 {
                    let [black, white] = first.map(|first| first + count);
                    numbers.inverse[usize::from(black)] = white;
                }
            }
        }
        numbers
    }
}

/// The square of white's king for each square as white sees it, and back.
pub(super) const fn rotated(square: usize) -> usize {
    Square::NUM - 1 - square
}

/// Both kings in the one of four equivalent arrangements that has the smallest index: as they
/// stand, mirrored, with the sides exchanged, and both.
#[derive(Clone, Copy, Debug)]
pub(super) struct KingPair {
    /// Index of the kings.
    pub(super) index: usize,
    /// Which arrangements have that index: mirrored in bit 0, sides exchanged in bit 1.
    arrangements: u8,
}

impl KingPair {
    /// From the squares of the own king and of the enemy king, both as one side sees them.
    pub(super) fn new(own: usize, enemy: usize) -> Self {
        let mut found = Self {
            index: usize::MAX,
            arrangements: 0,
        };
        for arrangement in 0..4 {
            let (mut own, mut enemy) = (own, enemy);
            if arrangement & 2 != 0 {
                (own, enemy) = (rotated(enemy), rotated(own));
            }
            if arrangement & 1 != 0 {
                (own, enemy) = (mirrored(own), mirrored(enemy));
            }
            let index = own * Square::NUM + enemy;
            if index < found.index {
                found = Self {
                    index,
                    arrangements: 0,
                };
            }
            if index == found.index {
                found.arrangements |= 1 << arrangement;
            }
        }
        found
    }

    /// The squares of both kings in that arrangement.
    pub(super) fn kings(&self) -> (usize, usize) {
        (self.index / Square::NUM, self.index % Square::NUM)
    }

    /// Index of these kings with a piece, and the sign of its board part.
    #[inline]
    pub(super) fn with_piece(&self, number: usize) -> (usize, f32) {
        let table = &*TABLE;
        let mut found = (usize::MAX, 1.0);
        for arrangement in 0..4 {
            if self.arrangements & 1 << arrangement == 0 {
                continue;
            }
            let (mut number, mut sign) = (number, 1.0);
            if arrangement & 2 != 0 {
                (number, sign) = (usize::from(table.inverse[number]), -1.0);
            }
            if arrangement & 1 != 0 {
                number = usize::from(table.mirrored[number]);
            }
            if number < found.0 {
                found = (number, sign);
            }
        }
        (self.index * NUMBERS + found.0, found.1)
    }

    /// The sign of the board part of these kings: 0 where both sides see the same.
    pub(super) fn sign(&self) -> f32 {
        match (self.arrangements & 0b0011, self.arrangements & 0b1100) {
            (_, 0) => 1.0,
            (0, _) => -1.0,
            _ => 0.0,
        }
    }
}

/// The index that both arrangements of a mirror share.
#[inline(always)]
pub(super) fn smaller<T: Ord + Copy>([one, other]: [T; 2]) -> T {
    one.min(other)
}

// --- Positions of a batch ---

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
