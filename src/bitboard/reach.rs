//! Squares from which pieces can reach a square or its neighbours: filters before the attacks
//! around a king are computed.

use super::lines::{DIRECTIONS, DOWN, RAY_TABLE, UP};
use super::set::Bitboard;
use crate::types::{Color, Square};

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
                add(reach, neighbour.index());
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

const fn add(reach: &mut Reach, neighbour: usize) {
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
