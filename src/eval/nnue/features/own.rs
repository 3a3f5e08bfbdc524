//! Our own inputs, 2344 for each side: every kind of piece on every square, kings and promoted small pieces among them, and
//! every count in hand, for both owners.
//!
//! ```text
//! 0     own pieces on the board, 14 kinds of 81 squares
//! 1134  own pieces in hand: 18 pawns, 4 lances, 4 knights, 4 silvers, 2 bishops, 2 rooks, 4 golds
//! 1172  the enemy's, likewise
//! ```
//!
//! The board is turned so that it is seen from the own side, and mirrored where the own king is on files 6 to 9. Apart
//! from that the king's square chooses nothing: a small network learns from few positions (the shape of bullet's first
//! networks, by Jamie Whiting, carried over to shogi).

use super::{ActiveInputs, KingPlane, SQUARES, mirrored, seen_by};
use crate::position::Position;
use crate::types::{Color, Piece, PieceType, Square};

/// All inputs lie below.
pub(in crate::eval::nnue) const OWN_END: u32 = 2 * ENEMY;

/// Where the enemy's inputs begin.
const ENEMY: u32 = HAND + 38;

/// Where pieces in hand begin.
const HAND: u32 = PieceType::ALL.len() as u32 * SQUARES;

/// The first piece of each kind in hand, by code of the kind.
const IN_HAND: [u32; 8] = {
    let mut first = [0; 8];
    let mut next = HAND;
    let mut code = 1;
    while let Some(kind) = PieceType::hand_from_index(code) {
        first[code] = next;
        next += kind.count_in_set();
        code += 1;
    }
    assert!(next == ENEMY);
    first
};

/// The input of a piece on the board.
#[inline(always)]
pub(super) fn on_board(plane: KingPlane, perspective: Color, piece: Piece, square: Square) -> u32 {
    let square = seen_by(square, perspective).index() as u32;
    let square = if plane.is_mirrored {
        mirrored(square)
    } else {
        square
    };
    // Codes of kinds begin with 1.
    let kind = piece.kind_index() as u32 - 1;
    owner(piece.color(), perspective) + kind * SQUARES + square
}

/// The input of the piece that makes it `count` (at least 1) of that kind in the hand of `holder`.
#[inline(always)]
pub(super) fn in_hand(kind: PieceType, count: u32, holder: Color, perspective: Color) -> u32 {
    debug_assert!(count >= 1);
    owner(holder, perspective) + IN_HAND[kind.index()] + count - 1
}

#[inline(always)]
fn owner(color: Color, perspective: Color) -> u32 {
    u32::from(color != perspective) * ENEMY
}

/// All inputs that are one.
pub(super) fn active(plane: KingPlane, position: &Position, perspective: Color) -> ActiveInputs {
    let mut active = ActiveInputs::new();
    for square in position.board().occupied() {
        if let Some(piece) = position.piece_on(square) {
            active.push(on_board(plane, perspective, piece, square));
        }
    }
    for holder in Color::ALL {
        for kind in PieceType::HAND {
            let counts = 1..=position.hand(holder).count(kind);
            active.extend(counts.map(|count| in_hand(kind, count, holder, perspective)));
        }
    }
    active
}
