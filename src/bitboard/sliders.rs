//! Attacks of bishops, rooks and lances.
//!
//! Ranks and diagonals have at most one square per byte of the bitboard, so reversing the bytes
//! reverses the line, and the attacks in both directions are two subtractions: `o ^ (o - 2r)`
//! upwards, the same on the reversed board downwards (hyperbola quintessence: Gerd Isenberg and
//! Aleks Peshkov, chessprogramming.org; first used on shogi's 81 squares by Qugiy). A file is nine
//! adjacent bits of one word: its attacks come from a table of 2.3 KB, indexed by rank and the
//! seven inner squares.

use super::lines::{AXES, DOWN, RAYS, UP};
use super::set::{Bitboard, RANKS};
use super::squares::UPPER_START;
use crate::types::{Color, Square};

const RANK_AXIS: usize = 1;
const DIAGONAL: usize = 2;
const ANTI_DIAGONAL: usize = 3;

/// Occupations of the inner seven squares of a file.
const INNER: usize = 1 << (RANKS - 2);

/// `[rank][inner occupation]`: attacked ranks of the file as nine bits.
static FILE_ATTACKS: [[u16; INNER]; RANKS] = {
    let mut table = [[0; INNER]; RANKS];
    let mut rank = 0;
    while rank < RANKS {
        let mut inner = 0;
        while inner < INNER {
            table[rank][inner] = file_attacks_slow(rank as i32, (inner as i32) << 1);
            inner += 1;
        }
        rank += 1;
    }
    table
};

const fn file_attacks_slow(rank: i32, occupied: i32) -> u16 {
    let mut attacks = 0;
    let mut step = -1;
    while step <= 1 {
        let mut to = rank + step;
        while 0 <= to && to < RANKS as i32 {
            attacks |= 1 << to;
            if occupied & 1 << to != 0 {
                break;
            }
            to += step;
        }
        step += 2;
    }
    attacks
}

/// By square: rank and the shift that brings its file to bit 0 of its word.
static FILE_PLACE: [(u8, u8); Square::NUM] = {
    let mut table = [(0, 0); Square::NUM];
    let mut i = 0;
    while i < Square::NUM {
        let first = i / RANKS * RANKS;
        let shift = if i >= UPPER_START {
            first - UPPER_START
        } else {
            first
        };
        table[i] = ((i % RANKS) as u8, shift as u8);
        i += 1;
    }
    table
};

/// Attacks along the file of `square`.
#[inline]
fn file_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    let (rank, shift) = FILE_PLACE[square.index()];
    // Both are in range by construction; this tells the compiler.
    let (rank, shift) = ((rank as usize).min(RANKS - 1), shift & 63);
    let is_upper = square.index() >= UPPER_START;
    let word = if is_upper {
        occupied.upper()
    } else {
        occupied.lower()
    };
    let inner = (word >> shift >> 1) as usize % INNER;
    let attacks = (FILE_ATTACKS[rank][inner] as u64) << shift;
    if is_upper {
        Bitboard::from_words(0, attacks)
    } else {
        Bitboard::from_words(attacks, 0)
    }
}

/// Attacks in both directions along a line that has at most one square per byte.
#[inline]
fn line_attacks(axis: usize, square: Square, occupied: Bitboard) -> Bitboard {
    let line = AXES[axis][square.index()].bits();
    let slider = Bitboard::of(square).bits();
    let blockers = occupied.bits() & line;
    let upwards = blockers.wrapping_sub(slider << 1);
    let downwards = blockers
        .swap_bytes()
        .wrapping_sub(slider.swap_bytes() << 1)
        .swap_bytes();
    Bitboard::from_bits((upwards ^ downwards) & line)
}

/// Where a lance of `color` on `square` attacks.
#[inline]
pub fn lance_attacks(color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    file_attacks(square, occupied) & lance_line(color, square)
}

/// Where a bishop on `square` attacks.
#[inline]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    line_attacks(DIAGONAL, square, occupied) | line_attacks(ANTI_DIAGONAL, square, occupied)
}

/// Where a rook on `square` attacks.
#[inline]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    file_attacks(square, occupied) | line_attacks(RANK_AXIS, square, occupied)
}

/// Where a lance of `color` on `square` attacks on the empty board.
#[inline]
pub fn lance_line(color: Color, square: Square) -> Bitboard {
    match color {
        Color::Black => RAYS[UP][square.index()],
        Color::White => RAYS[DOWN][square.index()],
    }
}

/// Where a bishop on `square` attacks on the empty board.
#[inline]
pub fn bishop_lines(square: Square) -> Bitboard {
    AXES[DIAGONAL][square.index()] | AXES[ANTI_DIAGONAL][square.index()]
}

/// Where a rook on `square` attacks on the empty board.
#[inline]
pub fn rook_lines(square: Square) -> Bitboard {
    AXES[0][square.index()] | AXES[RANK_AXIS][square.index()]
}
