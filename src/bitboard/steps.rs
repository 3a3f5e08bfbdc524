//! Attacks of the pieces that do not slide, by table.

use super::set::Bitboard;
use crate::types::{Color, Square};

/// Steps (files to the left, ranks down) of black's pieces.
const PAWN: &[(i32, i32)] = &[(0, -1)];
const KNIGHT: &[(i32, i32)] = &[(-1, -2), (1, -2)];
const SILVER: &[(i32, i32)] = &[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)];
const GOLD: &[(i32, i32)] = &[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
const KING: &[(i32, i32)] = &[
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

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
static KING_ATTACKS: Table = tables(KING)[0];

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
