//! Move generation by kind of move.
//!
//! One generator walks over pieces and hands and passes sets of targets to a [`Sink`], which
//! appends moves to a list, counts them (perft) or keeps only checks. Captures, quiets, evasions
//! and checks are pseudo-legal, as [`Position::pseudo_legal`] defines it. [`legal`] is strictly
//! legal at little more cost, because pinned pieces and the squares that a king cannot enter are
//! sets as well. Nothing allocates.
//!
//! `ALL` adds the senseless non-promotions: of pawn, bishop and rook everywhere, of the lance on
//! its second-last rank.

mod checks;
mod generator;
pub mod perft;
mod sink;

#[cfg(test)]
mod tests;

use crate::bitboard::{Bitboard, between, king_attacks, pawn_attacks};
use crate::position::{Board, KingThreats, Position};
use crate::types::{Color, MoveList, Square, for_side};

pub use checks::CheckSquares;
use checks::ChecksOnly;
use generator::Generator;
pub use sink::{Sink, behind};

/// All legal moves, senseless non-promotions included.
pub fn legal_moves(position: &Position) -> MoveList {
    let mut moves = MoveList::new();
    legal::<true>(position, &mut moves);
    moves
}

/// Appends the legal moves.
pub fn legal<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let threats = position.king_threats(position.side_to_move());
    generate_legal::<_, ALL>(position.board(), threats, moves);
}

/// Appends the legal moves on a board without a history.
pub fn legal_on_board<const ALL: bool>(board: &Board, moves: &mut MoveList) {
    let threats = board.king_threats(board.side_to_move());
    generate_legal::<_, ALL>(board, &threats, moves);
}

/// Appends the pseudo-legal captures. Not for positions in check: use [`evasions`].
pub fn captures<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let board = position.board();
    for_side!(board.side_to_move(), |us| {
        Generator::<_, ALL>::pseudo_legal(board, us, moves).captures(board.color(!us));
    });
}

/// Appends the pseudo-legal moves that do not capture, and the drops. Not for positions in check:
/// use [`evasions`].
pub fn quiets<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    quiets_into::<_, ALL>(position, moves);
}

/// Passes the moves of [`quiets`] to any sink.
#[inline(always)]
pub fn quiets_into<S: Sink, const ALL: bool>(position: &Position, sink: &mut S) {
    let board = position.board();
    for_side!(board.side_to_move(), |us| {
        Generator::<_, ALL>::pseudo_legal(board, us, sink).quiets(!board.occupied());
    });
}

/// Appends the pseudo-legal answers to a check: captures of the checker, interpositions, and king
/// moves, which are legal.
pub fn evasions<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let board = position.board();
    for_side!(board.side_to_move(), |us| {
        let generator = Generator::<_, ALL>::pseudo_legal(board, us, moves);
        evade(generator, board, position.checkers());
    });
}

/// Appends the pseudo-legal moves that give check, in and out of check.
pub fn checks<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let board = position.board();
    let us = board.side_to_move();
    let Some(enemy_king) = board.king(!us) else {
        return;
    };
    let threats = position.king_threats(!us);
    let mut sink = ChecksOnly::new(board, enemy_king, threats.blockers, moves);
    let mut generator = Generator::<_, ALL>::pseudo_legal(board, us, &mut sink);
    if position.in_check() {
        evade(generator, board, position.checkers());
    } else {
        generator.captures(board.color(!us));
        generator.quiets(!board.occupied());
    }
}

#[inline(always)]
fn evade<S: Sink, const ALL: bool>(
    mut generator: Generator<'_, S, ALL>,
    board: &Board,
    checkers: Bitboard,
) {
    let us = generator.us;
    let Some(king) = board.king(us) else { return };
    generator.king(king, legal_king_targets(board, us, king));
    if let Some(targets) = single_check_targets(king, checkers) {
        generator.pieces::<true>(targets | checkers);
        generator.drops(targets, targets);
    }
}

/// The squares between king and checker; `None` for a double check.
fn single_check_targets(king: Square, checkers: Bitboard) -> Option<Bitboard> {
    let checker = checkers.first()?;
    (!checkers.has_several()).then(|| between(king, checker))
}

/// Generates the legal moves. `threats` are those to the king of the side to move.
#[inline(always)]
fn generate_legal<S: Sink, const ALL: bool>(board: &Board, threats: &KingThreats, sink: &mut S) {
    for_side!(board.side_to_move(), |us| generate_legal_for::<_, ALL>(
        board, us, threats, sink
    ));
}

#[inline(always)]
fn generate_legal_for<S: Sink, const ALL: bool>(
    board: &Board,
    us: Color,
    threats: &KingThreats,
    sink: &mut S,
) {
    let own = board.color(us);
    let mut generator = Generator::<_, ALL> {
        board,
        us,
        pinned: threats.blockers & own,
        sink: &mut *sink,
    };
    let occupied = board.occupied();
    let mut targets = (!own, !occupied);
    if let Some(king) = board.king(us)
        && threats.checkers.is_any()
    {
        targets = match single_check_targets(king, threats.checkers) {
            Some(blocking) => (blocking | threats.checkers, blocking),
            None => (Bitboard::EMPTY, Bitboard::EMPTY),
        };
    }
    generator.pieces::<false>(targets.0);
    if let Some(king) = board.king(us) {
        generator.king(king, legal_king_targets(board, us, king));
    }
    if !board.hand(us).is_empty() {
        generator.drops(
            targets.1,
            targets.1 - mating_pawn_drop(board, us, targets.1),
        );
    }
}

#[inline(always)]
fn legal_king_targets(board: &Board, us: Color, king: Square) -> Bitboard {
    let targets = king_attacks(king) - board.color(us);
    if targets.is_empty() {
        return targets;
    }
    targets - board.attacked_around(!us, king, board.occupied() - Bitboard::of(king))
}

/// The square where a pawn drop would mate, if it is among `targets`.
#[inline(always)]
fn mating_pawn_drop(board: &Board, us: Color, targets: Bitboard) -> Bitboard {
    let Some(enemy_king) = board.king(!us) else {
        return Bitboard::EMPTY;
    };
    // A pawn of ours checks from the square that a pawn of theirs on the king's square attacks.
    let checking = pawn_attacks(!us, enemy_king) & targets;
    if checking.is_empty() || !generator::can_drop_pawn(board, us, checking) {
        return Bitboard::EMPTY;
    }
    mating_pawn_drop_slow(board, us, checking)
}

#[cold]
fn mating_pawn_drop_slow(board: &Board, us: Color, checking: Bitboard) -> Bitboard {
    let threats = board.king_threats(!us);
    match checking.first() {
        Some(to) if board.is_pawn_drop_mate(us, to, &threats) => checking,
        _ => Bitboard::EMPTY,
    }
}
