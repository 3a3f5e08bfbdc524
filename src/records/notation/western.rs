//! Western notation: `P-7f`, `Rx2d+`, `G6h-7h`, `B*5e`, `+Rx5b`.
//!
//! `-` is a move, `x` a capture, `*` a drop, `+` a promotion and `=` one that was refused; the
//! square that a piece comes from is written where another of its kind could go there too.

use super::japanese::{Promotion, promotion};
use crate::position::Position;
use crate::types::{Move, PieceType};

/// A legal move of `position`.
pub fn text(position: &Position, mv: Move) -> String {
    let piece = mv.piece_before();
    let name = piece_name(piece.kind());
    let to = mv.to();
    let Some(from) = mv.from() else {
        return format!("{name}*{to}");
    };
    let board = position.board();
    let attackers = board.attackers_by(piece.color(), to, board.occupied());
    let rivals = attackers & board.pieces(piece.color(), piece.kind());
    let origin = if rivals.into_iter().count() > 1 {
        from.to_string()
    } else {
        String::new()
    };
    let sign = if position.piece_on(to).is_some() {
        'x'
    } else {
        '-'
    };
    let promotion = match promotion(mv) {
        Promotion::Impossible => "",
        Promotion::Made => "+",
        Promotion::Refused => "=",
    };
    format!("{name}{origin}{sign}{to}{promotion}")
}

/// The moves of a line, from `position` on.
pub fn line(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let step = |&mv: &Move| {
        let text = text(&position, mv);
        position.do_move(mv);
        text
    };
    moves.iter().map(step).collect()
}

/// The letters of a piece type: `P`, `+P`, `K`.
fn piece_name(kind: PieceType) -> String {
    let sign = if kind.is_promoted() { "+" } else { "" };
    format!("{sign}{}", kind.unpromoted().letter())
}
