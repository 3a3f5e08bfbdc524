//! Proof hands and disproof hands: the smallest hand of the attacker known to mate, and the largest
//! known not to mate (Seo, Nagai).
//!
//! With the same board the pieces of both hands together are the same, so what the attacker lacks
//! the defender has. A proof hand is never larger than the attacker's hand, a disproof hand never
//! smaller.

use crate::bitboard::{Bitboard, between};
use crate::movegen::CheckSquares;
use crate::position::{Board, Position};
use crate::types::{Color, Hand, Move, PieceType};

/// The pieces of both hands together.
pub(super) fn all_hands(board: &Board) -> Hand {
    board.hand(Color::Black).together_with(board.hand(Color::White))
}

/// The attacker's hand after one of his moves.
pub(super) fn after_attack(board: &Board, mv: Move) -> Hand {
    let mut hand = board.hand(board.side_to_move());
    if mv.is_drop() {
        hand.remove(mv.piece().kind());
    } else if let Some(captured) = board.piece_on(mv.to()) {
        hand.add(captured.kind().unpromoted());
    }
    hand
}

/// The proof or disproof hand before a move of the attacker, from the one after it.
pub(super) fn before_attack(board: &Board, mv: Move, mut hand: Hand) -> Hand {
    if mv.is_drop() {
        hand.add(mv.piece().kind());
    } else if let Some(captured) = board.piece_on(mv.to()) {
        let kind = captured.kind().unpromoted();
        if hand.has(kind) {
            hand.remove(kind);
        }
    }
    hand
}

/// The proof hand of an AND node from that of its children: adds the kinds of which the defender
/// has none, because with one of them he could interpose more. Unchanged where no interposition is
/// possible.
pub(super) fn proof_against_interposing(position: &Position, mut hand: Hand) -> Hand {
    let board = position.board();
    let defender = board.side_to_move();
    if !can_interpose(position) {
        return hand;
    }
    let (held, attackers) = (board.hand(defender), board.hand(!defender));
    for kind in PieceType::HAND {
        if !held.has(kind) {
            hand = hand.with_count_of(kind, attackers);
        }
    }
    hand
}

/// Whether a piece can be dropped or moved between the king of the side to move and its checker.
pub(super) fn can_interpose(position: &Position) -> bool {
    let checkers = position.checkers();
    match (position.king(position.side_to_move()), checkers.first()) {
        (Some(king), Some(checker)) => !checkers.has_several() && between(king, checker).is_any(),
        _ => false,
    }
}

/// The disproof hand of an OR node from that of its children: removes the kinds that the attacker
/// has none of and that would give him checks by drops.
pub(super) fn disproof_without_new_drops(position: &Position, mut hand: Hand) -> Hand {
    let board = position.board();
    let attacker = board.side_to_move();
    let held = board.hand(attacker);
    let Some(king) = board.king(!attacker) else {
        return hand;
    };
    let mut squares = None;
    for kind in PieceType::HAND {
        if !held.has(kind) && hand.has(kind) {
            let squares = squares.get_or_insert_with(|| CheckSquares::new(board, king));
            let from_here = squares.of(kind) - board.occupied() - dead_ends(board, attacker, kind);
            if from_here.is_any() {
                hand = hand.with_count_of(kind, Hand::EMPTY);
            }
        }
    }
    hand
}

/// Squares where the attacker may not drop a piece of this kind: dead ends and double pawns.
fn dead_ends(board: &Board, attacker: Color, kind: PieceType) -> Bitboard {
    let edge = Bitboard::far_ranks(attacker, kind.dead_end_ranks());
    if kind == PieceType::Pawn {
        edge | board.pieces(attacker, PieceType::Pawn).fill_files()
    } else {
        edge
    }
}
