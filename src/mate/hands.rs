//! Proof hands and disproof hands: how much less the attacker could hold and still mate, how much more and still not.
//!
//! On one board the pieces of both hands together are always the same, so what the attacker lacks the defender has. A proof
//! hand is never larger than the hand that is held, and a disproof hand never smaller.

use crate::bitboard::{Bitboard, between};
use crate::movegen::CheckSquares;
use crate::position::{Board, Position};
use crate::types::{Color, Hand, Move, PieceType};

/// The pieces of both hands.
pub(super) fn all_hands(board: &Board) -> Hand {
    board
        .hand(Color::Black)
        .together_with(board.hand(Color::White))
}

/// What the attacker holds after a move of his.
pub(super) fn after_attack(board: &Board, mv: Move) -> Hand {
    let mut hand = board.hand(board.side_to_move());
    if mv.is_drop() {
        hand.remove(mv.piece().kind());
    } else if let Some(captured) = board.piece_on(mv.to()) {
        hand.add(captured.kind().unpromoted());
    }
    hand
}

/// The proof hand before a move of the attacker, from the one after it.
pub(super) fn proof_before_attack(board: &Board, mv: Move, mut hand: Hand) -> Hand {
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

/// The disproof hand before a move of the attacker, from the one after it.
pub(super) fn disproof_before_attack(board: &Board, mv: Move, hand: Hand) -> Hand {
    proof_before_attack(board, mv, hand)
}

/// A proof hand of a defender's node, as far as its moves need it, with what keeps the defender from more interpositions:
/// the attacker holds all that the defender has none of.
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

pub(super) fn can_interpose(position: &Position) -> bool {
    let checkers = position.checkers();
    match (position.king(position.side_to_move()), checkers.first()) {
        (Some(king), Some(checker)) => !checkers.has_several() && between(king, checker).is_any(),
        _ => false,
    }
}

/// A disproof hand of an attacker's node, as far as its moves allow, without the kinds that he has none of and that would
/// give him more checks.
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

/// Where a piece may not be dropped.
fn dead_ends(board: &Board, attacker: Color, kind: PieceType) -> Bitboard {
    let edge = Bitboard::far_ranks(attacker, kind.dead_end_ranks());
    if kind == PieceType::Pawn {
        edge | board.pieces(attacker, PieceType::Pawn).fill_files()
    } else {
        edge
    }
}
