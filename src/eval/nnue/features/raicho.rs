//! The feature set of our own networks, 2344 features per side: piece-square features of all 14
//! piece types, kings and promoted pieces included, and one feature per piece in hand.
//!
//! ```text
//! 0     own pieces on the board: 14 types of 81 squares
//! 1134  own pieces in hand: 18 pawns, 4 lances, 4 knights, 4 silvers, 2 bishops, 2 rooks, 4 golds
//! 1172  enemy pieces on the board, then in hand, in the same order
//! ```
//!
//! The board is rotated to the own side and mirrored where the own king is on files 6 to 9. The
//! design is that of bullet's first example networks, by Jamie Whiting.
//!
//! Networks that are trained from few positions have one block of these features. Others have one
//! for each zone of the own king, of four or of twelve:
//!
//! | of 4 | of 12 | own king |
//! |---|---|---|
//! | 0 | 0, 1, 5, 6 | on ranks 9 and 8, files 1 and 2 |
//! | 1 | 2, 3, 7, 8 | on ranks 9 and 8, files 3 and 4 |
//! | 2 | 4, 9 | on ranks 9 and 8, file 5 |
//! | 3 | 10, 11 | on rank 7; on ranks 1 to 6 |

use super::{ActiveFeatures, KingBucket, mirrored};
use crate::eval::bona_piece::{SQUARES, seen_by};
use crate::position::Position;
use crate::types::{Color, File, Piece, PieceType, Square};

/// Number of features of one side in a block.
pub(super) const FEATURES: u32 = 2 * ENEMY;

/// The zone of four that each zone of twelve is a part of.
pub(crate) const COARSE_ZONES: [u32; 12] = [0, 0, 1, 1, 2, 0, 0, 1, 1, 2, 3, 3];

/// First feature of the enemy's pieces.
const ENEMY: u32 = HAND + 38;

/// First feature of the pieces in hand.
const HAND: u32 = PieceType::ALL.len() as u32 * SQUARES;

/// First feature in hand, by piece type.
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

/// The zone of a king, as its side sees it, on files 1 to 5: of twelve zones, or of four.
pub(super) fn zone(king: u32, zones: u32) -> u32 {
    let (file, rank) = (king / 9, king % 9);
    debug_assert!(file <= File::File5 as u32);
    // Ranks are counted from 0: 8 is rank 9.
    let zone = match rank {
        8 => file,
        7 => 5 + file,
        6 => 10,
        _ => 11,
    };
    if zones == COARSE_ZONES.len() as u32 { zone } else { COARSE_ZONES[zone as usize] }
}

/// The feature of a piece on the board, within its block.
#[inline(always)]
pub(super) fn on_board(
    bucket: KingBucket,
    perspective: Color,
    piece: Piece,
    square: Square,
) -> u32 {
    let square = seen_by(square, perspective).index() as u32;
    let square = if bucket.is_mirrored { mirrored(square) } else { square };
    // Piece type codes start at 1.
    let kind = piece.kind_index() as u32 - 1;
    owner(piece.color(), perspective) + kind * SQUARES + square
}

/// The feature of the `count`-th (from 1) piece of a type in the hand of `holder`, within its
/// block.
#[inline(always)]
pub(super) fn in_hand(kind: PieceType, count: u32, holder: Color, perspective: Color) -> u32 {
    debug_assert!(count >= 1);
    owner(holder, perspective) + IN_HAND[kind.index()] + count - 1
}

/// Offset of the features of pieces of that color.
#[inline(always)]
fn owner(color: Color, perspective: Color) -> u32 {
    u32::from(color != perspective) * ENEMY
}

/// All active features of a position, within their block.
pub(super) fn active(
    bucket: KingBucket,
    position: &Position,
    perspective: Color,
) -> ActiveFeatures {
    let mut active = ActiveFeatures::new();
    for square in position.board().occupied() {
        if let Some(piece) = position.piece_on(square) {
            active.push(on_board(bucket, perspective, piece, square));
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
