//! What a network says of a position, for people: what each piece contributes, and what the buckets make of the whole.

use std::fmt::{self, Write};

use super::network::Network;
use super::scalar;
use crate::position::Position;
use crate::types::value::PAWN_VALUE;
use crate::types::{Color, File, PieceType, Rank, Square, Value};

/// The most buckets that are listed; the values of more would only fill the screen.
const MOST_BUCKETS: usize = 9;

/// Letters of a cell of the board.
const CELL: usize = 7;

/// The evaluation in words: the board with what each piece contributes in pawns, the hands likewise, the value by each
/// bucket where there are few, the total, and last the line `static eval <n>` from the side to move in the internal unit,
/// in which a pawn is 90. A piece contributes the evaluation with it less the evaluation without it; positive is good for
/// black. (The drawing is that of Stockfish's `eval`.)
///
/// Without both kings there is no evaluation: the text says which is missing, and the last line is not there.
///
/// # Panics
/// Never: strings can be written to.
pub fn explain(network: &Network, position: &Position) -> String {
    let mut text = String::new();
    write_all(&mut text, network, position).expect("writing to a string cannot fail");
    text
}

fn write_all(text: &mut String, network: &Network, position: &Position) -> fmt::Result {
    writeln!(text, "{}", network.shape())?;
    let Some(value) = scalar::evaluate(network, position) else {
        let mut sides = Color::ALL.into_iter();
        let without_king = sides.find(|&side| position.king(side).is_none());
        let side = without_king.map_or("one side", name);
        return write!(
            text,
            "{side} has no king, without which this network cannot evaluate"
        );
    };
    writeln!(
        text,
        "contributions in pawns, + is good for black: the evaluation less the one without the piece"
    )?;
    let explanation = Explanation {
        network,
        position,
        for_black: for_black(position, value),
    };
    explanation.write_hand(text, Color::White)?;
    explanation.write_board(text)?;
    explanation.write_hand(text, Color::Black)?;
    write_buckets(text, network, position)?;
    let mover = name(position.side_to_move());
    writeln!(text, "for {mover}, who is to move: {}", amount(value))?;
    writeln!(text, "for black: {}", amount(explanation.for_black))?;
    write!(text, "static eval {value}")
}

/// What is explained.
struct Explanation<'a> {
    network: &'a Network,
    position: &'a Position,
    /// The value of the whole.
    for_black: Value,
}

impl Explanation<'_> {
    /// What is lost for black where the position becomes another, in pawns; empty where it does not.
    fn contribution(&self, without: Option<&Position>) -> String {
        let value = |without| {
            let value = scalar::evaluate(self.network, without)?;
            Some(in_pawns(self.for_black - for_black(without, value)))
        };
        without.and_then(value).unwrap_or_default()
    }

    fn write_board(&self, text: &mut String) -> fmt::Result {
        let border = format!("{}+", format!("+{:-^CELL$}", "").repeat(File::NUM));
        for file in File::ALL.into_iter().rev() {
            write!(text, " {:^CELL$}", file.to_char())?;
        }
        writeln!(text)?;
        for rank in Rank::ALL {
            writeln!(text, "{border}")?;
            let squares = || {
                File::ALL
                    .into_iter()
                    .rev()
                    .map(|file| Square::new(file, rank))
            };
            for square in squares() {
                let piece = self.position.piece_on(square);
                let letters = piece.map(|piece| piece.to_string()).unwrap_or_default();
                write!(text, "|{letters:^CELL$}")?;
            }
            writeln!(text, "| {}", rank.to_char())?;
            for square in squares() {
                let without = self.position.without_piece(square);
                write!(text, "|{:^CELL$}", self.contribution(without.as_ref()))?;
            }
            writeln!(text, "|")?;
        }
        writeln!(text, "{border}")
    }

    fn write_hand(&self, text: &mut String, owner: Color) -> fmt::Result {
        let hand = self.position.hand(owner);
        write!(text, "{} in hand:", name(owner))?;
        if hand.is_empty() {
            write!(text, " -")?;
        }
        for kind in PieceType::HAND.into_iter().filter(|&kind| hand.has(kind)) {
            let without = self.position.without_piece_in_hand(owner, kind);
            let contribution = self.contribution(without.as_ref());
            match hand.count(kind) {
                1 => write!(text, "  {} {contribution}", kind.letter())?,
                count => write!(text, "  one of {count} {} {contribution}", kind.letter())?,
            }
        }
        writeln!(text)
    }
}

/// The value by each bucket, and which one is the position's.
fn write_buckets(text: &mut String, network: &Network, position: &Position) -> fmt::Result {
    let count = network.shape().buckets();
    let (sums, used) = (
        scalar::sums(network, position),
        scalar::bucket(network, position),
    );
    let (Some(sums), Some(used)) = (sums, used) else {
        return Ok(());
    };
    if count > MOST_BUCKETS {
        return writeln!(text, "bucket {used} of {count}");
    }
    if count == 1 {
        return Ok(());
    }
    writeln!(text, "by each bucket, for the side to move:")?;
    for bucket in 0..count {
        let value = amount(scalar::value_in(network, &sums, bucket));
        let mark = if bucket == used {
            "  <- this position's"
        } else {
            ""
        };
        writeln!(text, "{bucket:>3}  {value}{mark}")?;
    }
    Ok(())
}

fn for_black(position: &Position, value: Value) -> Value {
    match position.side_to_move() {
        Color::Black => value,
        Color::White => -value,
    }
}

fn name(side: Color) -> &'static str {
    match side {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// Both ways to write a value.
fn amount(value: Value) -> String {
    let centipawns = i64::from(value) * 100 / i64::from(PAWN_VALUE);
    format!("{centipawns:+} centipawns ({value:+} units)")
}

fn in_pawns(value: Value) -> String {
    let pawns = f64::from(value) / f64::from(PAWN_VALUE);
    // What is out of all proportion must still fit into its cell.
    if pawns.abs() < 99.0 {
        format!("{pawns:+.2}")
    } else {
        format!("{pawns:+.0}")
    }
}

#[cfg(test)]
mod tests;
