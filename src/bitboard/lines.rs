//! Rays, lines and the squares between two squares.
//!
//! Instead of two tables of 81 · 81 sets (105 KB each) there is one of 81 · 81 bytes with the
//! direction from one square to another, and the rays by direction (13 KB), which stay in the
//! first-level cache.

use super::set::Bitboard;
use crate::types::Square;

/// Steps (files to the left, ranks down) of the eight directions; a direction and its opposite
/// differ in bit 0, and direction / 2 is the axis: file, rank, and the two diagonals.
pub(super) const DIRECTIONS: [(i32, i32); 8] = [
    (0, -1),
    (0, 1),
    (-1, 0),
    (1, 0),
    (-1, -1),
    (1, 1),
    (1, -1),
    (-1, 1),
];

/// Direction of squares that are not on one line: selects an empty row of the tables, also with bit
/// 0 flipped.
const NO_DIRECTION: u8 = 8;

/// Number of the direction straight up the board (black's pawns).
pub(super) const UP: usize = 0;
/// Number of the direction straight down the board (white's pawns).
pub(super) const DOWN: usize = 1;

/// By direction and square: the squares in that direction up to the edge, without the square
/// itself.
pub(super) static RAYS: [[Bitboard; Square::NUM]; 10] = RAY_TABLE;

/// By axis and square: the whole line through the square, without the square itself.
pub(super) static AXES: [[Bitboard; Square::NUM]; 5] = {
    let mut axes = [[Bitboard::EMPTY; Square::NUM]; 5];
    let mut i = 0;
    while i < 4 * Square::NUM {
        let (axis, square) = (i / Square::NUM, i % Square::NUM);
        axes[axis][square] = RAY_TABLE[2 * axis][square].union(RAY_TABLE[2 * axis + 1][square]);
        i += 1;
    }
    axes
};

pub(super) const RAY_TABLE: [[Bitboard; Square::NUM]; 10] = {
    let mut rays = [[Bitboard::EMPTY; Square::NUM]; 10];
    let mut i = 0;
    while i < 8 * Square::NUM {
        let (direction, square) = (i / Square::NUM, i % Square::NUM);
        let (files, ranks) = DIRECTIONS[direction];
        let mut next = Square::ALL[square].offset(files, ranks);
        while let Some(to) = next {
            rays[direction][square] = rays[direction][square].union(Bitboard::of(to));
            next = to.offset(files, ranks);
        }
        i += 1;
    }
    rays
};

/// `[from][to]`: the direction of `to` as seen from `from`.
static DIRECTION: [[u8; Square::NUM]; Square::NUM] = {
    let mut table = [[NO_DIRECTION; Square::NUM]; Square::NUM];
    let mut i = 0;
    while i < 8 * Square::NUM {
        let (direction, from) = (i / Square::NUM, i % Square::NUM);
        let (files, ranks) = DIRECTIONS[direction];
        let mut next = Square::ALL[from].offset(files, ranks);
        while let Some(to) = next {
            table[from][to.index()] = direction as u8;
            next = to.offset(files, ranks);
        }
        i += 1;
    }
    table
};

#[inline]
fn direction(from: Square, to: Square) -> usize {
    // Tells the compiler that the number fits the tables: 8 is the largest.
    (DIRECTION[from.index()][to.index()] & 0xf).min(NO_DIRECTION) as usize
}

/// The squares strictly between two squares on one line; empty if they are not on one.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    let direction = direction(a, b);
    RAYS[direction][a.index()] & RAYS[direction ^ 1][b.index()]
}

/// The line through two squares from edge to edge, without `a`; empty if they are not on one.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    AXES[direction(a, b) / 2][a.index()]
}

/// Whether `c` lies on the line through `a` and `b`, all three different.
#[inline]
pub fn is_aligned(a: Square, b: Square, c: Square) -> bool {
    line(a, b).contains(c)
}
