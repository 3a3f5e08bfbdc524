//! Attacks by lesser pieces against a walk over the board.

use raicho::bitboard::Bitboard;
use raicho::position::Board;
use raicho::types::{Color, PieceType, Square};

use super::walk;
use crate::common::{every_start, playouts};

/// Pawns, lances and knights, generals, bishops and rooks; kings fear everything and are no part of
/// this.
fn class(kind: PieceType) -> u32 {
    match kind {
        PieceType::Pawn => 0,
        PieceType::Lance | PieceType::Knight => 1,
        PieceType::Bishop | PieceType::Rook | PieceType::Horse | PieceType::Dragon => 3,
        PieceType::King => 4,
        _ => 2,
    }
}

/// The squares that pieces of `by` in classes below `limit` attack.
fn attacked_below(board: &Board, by: Color, limit: u32) -> Bitboard {
    let stands = |at: Square| board.piece_on(at).is_some();
    let is_lesser = |&from: &Square| {
        let piece = board.piece_on(from);
        piece.is_some_and(|piece| piece.color() == by && class(piece.kind()) < limit)
    };
    let attackers: Vec<Square> = Square::ALL.into_iter().filter(is_lesser).collect();
    let is_attacked = |to: &Square| {
        let attacks = |&from: &Square| walk::attacks(board, from, *to, stands);
        attackers.iter().any(attacks)
    };
    Square::ALL.into_iter().filter(is_attacked).collect()
}

#[test]
fn lesser_attacks_are_those_of_a_walk_over_the_board() {
    let (mut threatened, mut quiet) = (0, 0);
    playouts(every_start(), 2, 80, |position, _, _| {
        let board = position.board();
        for by in Color::ALL {
            let lesser = board.lesser_attacks(by);
            for kind in PieceType::ALL {
                let expected = match class(kind) {
                    4 => Bitboard::EMPTY,
                    class => attacked_below(board, by, class),
                };
                let attacked = lesser.on(kind);
                assert_eq!(attacked, expected, "on {kind:?} by {by:?}: {position:?}");
            }
            let all = attacked_below(board, by, 5);
            assert_eq!(board.attacked(by, &lesser), all, "by {by:?}: {position:?}");
            let is_threatened = |at: &Square| {
                let piece = board.piece_on(*at);
                piece.is_some_and(|piece| lesser.on(piece.kind()).contains(*at))
            };
            let expected: Bitboard = board.color(!by).into_iter().filter(is_threatened).collect();
            assert_eq!(board.threatened(!by, &lesser), expected, "{position:?}");
            threatened += usize::from(expected.is_any());
            quiet += usize::from(expected.is_empty());
        }
    });
    println!("{threatened} sides are threatened, {quiet} are not");
    assert!(threatened > 500 && quiet > 500);
}
