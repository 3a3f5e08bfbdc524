//! Explanation of a three-piece evaluation as text.

use std::fmt::{self, Write};

use super::model::Model;
use super::scalar::{SCALE, Sums};
use crate::position::Position;
use crate::types::Color;
use crate::types::value::PAWN_VALUE;

/// Explains an evaluation: the sums of each table in 1/32 of a unit in which a pawn is 90, the
/// total in pawns, and as the last line `static eval <n>`, from the side to move in units of 1/90
/// pawn.
/// Where a king is missing there is no evaluation, and the last line is omitted.
///
/// # Panics
/// Does not panic: writing to a string cannot fail.
pub fn explain(model: &Model, position: &Position) -> String {
    let mut text = String::new();
    write_all(&mut text, model, position).expect("writing to a string cannot fail");
    text
}

fn write_all(text: &mut String, model: &Model, position: &Position) -> fmt::Result {
    writeln!(text, "{}", model.tables().kind())?;
    let Some(sums) = Sums::of(model.tables(), position) else {
        return write!(
            text,
            "a king is missing, without which this evaluation has no value"
        );
    };
    let mover = position.side_to_move();
    let [black, white] = sums.pairs;
    let material = match mover {
        Color::Black => SCALE * position.material(),
        Color::White => -SCALE * position.material(),
    };
    writeln!(
        text,
        "table                    board      turn   (board: + is good for black)"
    )?;
    let rows = [
        ("material", [material, 0]),
        ("KK and KKP", sums.kings),
        ("KPP of the black king", black),
        ("KPP of the white king", [-white[0], white[1]]),
    ];
    for (name, [board, turn]) in rows {
        writeln!(text, "{name:<22}{board:>8}{turn:>10}")?;
    }
    let value = sums.value(position);
    let name = match mover {
        Color::Black => "black",
        Color::White => "white",
    };
    let pawns = f64::from(value) / f64::from(PAWN_VALUE);
    writeln!(text, "for {name}, who is to move: {pawns:+.2}")?;
    write!(text, "static eval {value}")
}
