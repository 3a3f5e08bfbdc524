//! Material evaluation with the piece values of `YaneuraOu`'s level 1; pieces in hand count as on
//! the board.

use std::fmt::Write;

use crate::position::Position;
use crate::types::value::{centipawns, piece_value};
use crate::types::{Color, PieceType, Value};

/// The material balance for the side to move, in units of 1/90 pawn.
#[inline(always)]
pub(super) fn evaluate(position: &Position) -> Value {
    position.material()
}

/// Explains the evaluation: the counts and values of each piece type, the total, and as the last
/// line `static eval <n>`, for the side to move in units of 1/90 pawn.
pub(super) fn explain(position: &Position) -> String {
    let mut text = String::from("material     value  black board hand  white board hand     sum\n");
    let board = position.board();
    let mut total = 0;
    for kind in PieceType::ALL {
        if kind == PieceType::King {
            continue;
        }
        let count = |color| {
            let on_board = board.pieces(color, kind).count() as Value;
            (on_board, board.hand(color).count(kind) as Value)
        };
        let (black, white) = (count(Color::Black), count(Color::White));
        let sum = piece_value(kind) * (black.0 + black.1 - white.0 - white.1);
        total += sum;
        let (name, value) = (kind.name(), piece_value(kind));
        writeln!(
            text,
            "{name:<15}{value:>4}{:>13}{:>5}{:>13}{:>5}{sum:>8}",
            black.0, black.1, white.0, white.1
        )
        .expect("writing to a string cannot fail");
    }
    let centipawns = centipawns(total);
    let mover = position.side_to_move();
    let own = match mover {
        Color::Black => total,
        Color::White => -total,
    };
    let mover = mover.name();
    write!(
        text,
        "total for black {total} ({centipawns} centipawns), {mover} to move\nstatic eval {own}"
    )
    .expect("writing to a string cannot fail");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).expect("the test gives a good position")
    }

    #[test]
    fn even_positions_are_even() {
        assert_eq!(evaluate(&Position::startpos()), 0);
    }

    #[test]
    fn every_kind_counts_for_its_side() {
        for (sfen, expected) in cases! {
            "4k4/9/9/9/9/9/9/9/4K4 b R2GP 1" => 990 + 2 * 540 + 90;
            "4k4/9/9/9/9/9/9/9/4K4 w R2GP 1" => -990 - 2 * 540 - 90;
            "4k4/9/9/4+P4/9/9/9/9/4K4 b p 1" => 540 - 90;
            "8k/9/9/3+B+R+s3/9/9/9/9/4K4 b - 1" => 945 + 1395 - 540;
            "4k4/9/9/3+l+nsl2/9/9/9/9/4K4 w b 1" => 540 + 540 + 495 + 315 + 855;
        } {
            assert_eq!(evaluate(&position(sfen)), expected, "{sfen}");
            let text = explain(&position(sfen));
            let part = format!("\nstatic eval {expected}");
            assert!(text.ends_with(&part), "{text}");
        }
    }
}
