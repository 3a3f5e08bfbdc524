//! Attacks of all pieces, lines between squares, and the squares from which a king can be reached.
//!
//! Pawns, knights, silvers, golds and kings attack by table, sliders by arithmetic and small
//! tables; their functions take the occupied squares.

use super::{Bitboard, RANKS, UPPER_START};
use crate::types::{Color, Square};

// --- Rays and lines ---
//
// Instead of two tables of 81 · 81 sets (105 KB each) there is one of 81 · 81 bytes with the
// direction from one square to another, and the rays by direction (13 KB), which stay in the
// first-level cache.

/// Steps (files to the left, ranks down) of the eight directions; a direction and its opposite
/// differ in bit 0, and direction / 2 is the axis: file, rank, and the two diagonals.
const DIRECTIONS: [(i32, i32); 8] =
    [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (1, -1), (-1, 1)];

/// Direction of squares that are not on one line: selects an empty row of the tables, also with bit
/// 0 flipped.
const NO_DIRECTION: u8 = 8;

/// Number of the direction straight up the board (black's pawns).
const UP: usize = 0;
/// Number of the direction straight down the board (white's pawns).
const DOWN: usize = 1;

/// By direction and square: the squares in that direction up to the edge, without the square
/// itself.
static RAYS: [[Bitboard; Square::NUM]; 10] = RAY_TABLE;

/// By axis and square: the whole line through the square, without the square itself.
static AXES: [[Bitboard; Square::NUM]; 5] = {
    let mut axes = [[Bitboard::EMPTY; Square::NUM]; 5];
    let mut i = 0;
    while i < 4 * Square::NUM {
        let (axis, square) = (i / Square::NUM, i % Square::NUM);
        axes[axis][square] = RAY_TABLE[2 * axis][square].union(RAY_TABLE[2 * axis + 1][square]);
        i += 1;
    }
    axes
};

const RAY_TABLE: [[Bitboard; Square::NUM]; 10] = {
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

// --- Steps ---

/// Steps (files to the left, ranks down) of black's pieces.
const PAWN: &[(i32, i32)] = &[(0, -1)];
const KNIGHT: &[(i32, i32)] = &[(-1, -2), (1, -2)];
const SILVER: &[(i32, i32)] = &[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)];
const GOLD: &[(i32, i32)] = &[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];

type Table = [Bitboard; Square::NUM];

/// Attack tables of black's and white's piece with these steps.
const fn tables(steps: &[(i32, i32)]) -> [Table; Color::NUM] {
    let mut tables = [[Bitboard::EMPTY; Square::NUM]; Color::NUM];
    let mut i = 0;
    while i < Square::NUM {
        let mut step = 0;
        while step < steps.len() {
            let (files, ranks) = steps[step];
            if let Some(to) = Square::ALL[i].offset(files, ranks) {
                tables[0][i] = tables[0][i].union(Bitboard::of(to));
            }
            if let Some(to) = Square::ALL[i].offset(-files, -ranks) {
                tables[1][i] = tables[1][i].union(Bitboard::of(to));
            }
            step += 1;
        }
        i += 1;
    }
    tables
}

static PAWN_ATTACKS: [Table; Color::NUM] = tables(PAWN);
static KNIGHT_ATTACKS: [Table; Color::NUM] = tables(KNIGHT);
static SILVER_ATTACKS: [Table; Color::NUM] = tables(SILVER);
static GOLD_ATTACKS: [Table; Color::NUM] = tables(GOLD);
static KING_ATTACKS: Table = tables(&DIRECTIONS)[0];

/// Where a pawn of `color` on `square` attacks.
#[inline]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN_ATTACKS[color.index()][square.index()]
}

/// Where a knight of `color` on `square` attacks.
#[inline]
pub fn knight_attacks(color: Color, square: Square) -> Bitboard {
    KNIGHT_ATTACKS[color.index()][square.index()]
}

/// Where a silver of `color` on `square` attacks.
#[inline]
pub fn silver_attacks(color: Color, square: Square) -> Bitboard {
    SILVER_ATTACKS[color.index()][square.index()]
}

/// Where a gold of `color` on `square` attacks.
#[inline]
pub fn gold_attacks(color: Color, square: Square) -> Bitboard {
    GOLD_ATTACKS[color.index()][square.index()]
}

/// Where a king on `square` attacks.
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING_ATTACKS[square.index()]
}

// --- Sliders ---
//
// Ranks and diagonals have at most one square per byte of the bitboard, so reversing the bytes
// reverses the line, and the attacks in both directions are two subtractions: `o ^ (o - 2r)`
// upwards, the same on the reversed board downwards (hyperbola quintessence: Gerd Isenberg and
// Aleks Peshkov, chessprogramming.org; first used on shogi's 81 squares by Qugiy). A file is nine
// adjacent bits of one word: its attacks come from a table of 2.3 KB, indexed by rank and the
// seven inner squares.

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
        let shift = if i >= UPPER_START { first - UPPER_START } else { first };
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
    let word = if is_upper { occupied.upper() } else { occupied.lower() };
    let inner = (word >> shift >> 1) as usize % INNER;
    let attacks = (FILE_ATTACKS[rank][inner] as u64) << shift;
    if is_upper { Bitboard::from_words(0, attacks) } else { Bitboard::from_words(attacks, 0) }
}

/// Attacks in both directions along a line that has at most one square per byte.
#[inline]
fn line_attacks(axis: usize, square: Square, occupied: Bitboard) -> Bitboard {
    let line = AXES[axis][square.index()].bits();
    let slider = Bitboard::of(square).bits();
    let blockers = occupied.bits() & line;
    let upwards = blockers.wrapping_sub(slider << 1);
    let downwards = blockers.swap_bytes().wrapping_sub(slider.swap_bytes() << 1).swap_bytes();
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

// --- Reach ---
//
// Filters before the attacks around a king are computed.

/// For one square: the squares from which a slider on the empty board attacks at least one of its
/// neighbours, and those from which a step attacks the square itself or a neighbour.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// For steps of either colour onto the square itself.
    pub step: Bitboard,
    /// For steps of either colour onto a neighbour.
    pub step_beside: Bitboard,
    /// For bishops and horses.
    pub bishop: Bitboard,
    /// For rooks and dragons.
    pub rook: Bitboard,
    /// For lances, by their colour.
    pub lance: [Bitboard; Color::NUM],
}

/// Steps (files to the left, ranks down) of knights of both colours.
const KNIGHT_JUMPS: [(i32, i32); 4] = [(-1, -2), (1, -2), (-1, 2), (1, 2)];

static REACH: [Reach; Square::NUM] = {
    let empty = Reach {
        step: Bitboard::EMPTY,
        step_beside: Bitboard::EMPTY,
        bishop: Bitboard::EMPTY,
        rook: Bitboard::EMPTY,
        lance: [Bitboard::EMPTY; Color::NUM],
    };
    let mut table = [empty; Square::NUM];
    let mut square = 0;
    while square < Square::NUM {
        let reach = &mut table[square];
        reach.step = steps_onto(Square::ALL[square]);
        let mut step = 0;
        while step < DIRECTIONS.len() {
            let (files, ranks) = DIRECTIONS[step];
            if let Some(neighbour) = Square::ALL[square].offset(files, ranks) {
                add_sliders(reach, neighbour.index());
                reach.step_beside = reach.step_beside.union(steps_onto(neighbour));
            }
            step += 1;
        }
        square += 1;
    }
    table
};

/// The squares from which a step of either colour attacks `square`.
const fn steps_onto(square: Square) -> Bitboard {
    let mut origins = Bitboard::EMPTY;
    let mut step = 0;
    while step < DIRECTIONS.len() {
        let (files, ranks) = DIRECTIONS[step];
        if let Some(from) = square.offset(files, ranks) {
            origins = origins.union(Bitboard::of(from));
        }
        step += 1;
    }
    let mut jump = 0;
    while jump < KNIGHT_JUMPS.len() {
        let (files, ranks) = KNIGHT_JUMPS[jump];
        if let Some(from) = square.offset(files, ranks) {
            origins = origins.union(Bitboard::of(from));
        }
        jump += 1;
    }
    origins
}

/// Adds the squares from which sliders attack `neighbour`.
const fn add_sliders(reach: &mut Reach, neighbour: usize) {
    let mut direction = 0;
    while direction < DIRECTIONS.len() {
        let ray = RAY_TABLE[direction][neighbour];
        // The first four directions are those of the rook.
        if direction < 4 {
            reach.rook = reach.rook.union(ray);
        } else {
            reach.bishop = reach.bishop.union(ray);
        }
        direction += 1;
    }
    // Black's lances come from below, white's from above.
    reach.lance[0] = reach.lance[0].union(RAY_TABLE[DOWN][neighbour]);
    reach.lance[1] = reach.lance[1].union(RAY_TABLE[UP][neighbour]);
}

/// The squares from which pieces reach `square` or its neighbours.
#[inline]
pub fn reach_around(square: Square) -> &'static Reach {
    &REACH[square.index()]
}
