//! Piece numbers as `YaneuraOu` and Apery define them (`BonaPiece`, after Bonanza).
//!
//! A piece number states which piece stands where, as one side sees it: 0 for a piece that is not
//! in the game (handicap), 1 to 89 for pieces in hand, then 81 squares per piece type and owner
//! from 90 on. Gold and all promoted small pieces share one type. The two kings come last.
//! White sees the board rotated.

use arrayvec::ArrayVec;

use crate::position::Position;
use crate::types::{Color, Piece, PieceType, Square};

/// Squares of the board, as an offset between blocks of numbers.
pub(super) const SQUARES: u32 = Square::NUM as u32;

/// First piece number on the board; those below are in hand or not in the game.
pub const HAND_END: u32 = 90;

/// First number of the own king; all other pieces lie below. So it is also the number of piece
/// numbers of a three-piece evaluation.
pub const PIECES_END: u32 = 1548;

/// First number of the enemy king.
pub(super) const ENEMY_KING: u32 = PIECES_END + SQUARES;

/// One more than the largest piece number.
pub(super) const ALL_END: u32 = ENEMY_KING + SQUARES;

/// Pieces of a full set without the kings.
pub const PIECES_IN_SET: usize = 38;

/// The number of a piece of the set that is not in the game.
pub(super) const NOT_IN_GAME: u32 = 0;

/// First piece number in hand, `[piece type][own, enemy]`.
const IN_HAND: [[u32; 2]; 8] =
    [[0, 0], [1, 20], [39, 44], [49, 54], [59, 64], [79, 82], [85, 88], [69, 74]];

/// First own piece number on the board, by piece type; those of the enemy follow 81 later.
const ON_BOARD: [u32; PieceType::NUM] =
    [0, 90, 252, 414, 576, 900, 1224, 738, 1548, 738, 738, 738, 738, 1062, 1386];

/// The number of a piece on the board, kings included, as `perspective` sees it.
pub fn number_on_board(piece: Piece, square: Square, perspective: Color) -> u32 {
    let is_enemy = u32::from(piece.color() != perspective);
    ON_BOARD[piece.kind_index()] + is_enemy * SQUARES + seen_by(square, perspective).index() as u32
}

/// The number of the `count`-th (from 1) piece of a type in the hand of `owner`. A hand with three
/// pawns has the numbers of the first, the second and the third pawn.
pub fn number_in_hand(kind: PieceType, count: u32, owner: Color, perspective: Color) -> u32 {
    debug_assert!(count >= 1);
    IN_HAND[kind.index()][usize::from(owner != perspective)] + count - 1
}

/// The piece numbers of a position as one side sees it: 38 pieces, including those not in the game,
/// then the kings that are on the board.
pub(super) fn piece_numbers(position: &Position, perspective: Color) -> ArrayVec<u32, 40> {
    let mut numbers = ArrayVec::new();
    let board = position.board();
    for square in board.occupied() - board.kind(PieceType::King) {
        if let Some(piece) = position.piece_on(square) {
            numbers.push(number_on_board(piece, square, perspective));
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            for count in 1..=position.hand(owner).count(kind) {
                numbers.push(number_in_hand(kind, count, owner, perspective));
            }
        }
    }
    // YaneuraOu's piece list always has 38 entries; unused ones hold the piece number 0.
    while numbers.len() < PIECES_IN_SET {
        numbers.push(NOT_IN_GAME);
    }
    for owner in Color::ALL {
        if let Some(king) = position.king(owner) {
            let piece = Piece::new(owner, PieceType::King);
            numbers.push(number_on_board(piece, king, perspective));
        }
    }
    numbers
}

/// The square as `perspective` sees it: rotated by 180 degrees for white.
pub(super) fn seen_by(square: Square, perspective: Color) -> Square {
    match perspective {
        Color::Black => square,
        Color::White => square.rotated(),
    }
}
