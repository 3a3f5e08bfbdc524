//! Explanation of an evaluation as text: the contribution of each piece and the value by each
//! output bucket.

use std::fmt::{self, Write};

use super::{Network, scalar};
use crate::position::Position;
use crate::types::value::{PAWN_VALUE, centipawns};
use crate::types::{Color, File, PieceType, Rank, Square, Value};

/// Most output buckets whose values are listed.
const MAX_BUCKETS: usize = 9;

/// Width of a cell of the board in characters.
const CELL: usize = 7;

/// Explains an evaluation: the contribution of each piece on the board and in hand, in pawns; the
/// value by each output bucket where there are few; the total; and as the last line
/// `static eval <n>`, from the side to move in units of 1/90 pawn. The contribution of a piece is
/// the evaluation with it minus the evaluation without it; positive values are good for black. The
/// layout is that of Stockfish's `eval`.
///
/// Where a king is missing there is no evaluation; the text names the side, and the last line is
/// omitted.
///
/// # Panics
/// Does not panic: writing to a string cannot fail.
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
        let side = without_king.map_or("one side", Color::name);
        return write!(text, "{side} has no king, without which this network cannot evaluate");
    };
    writeln!(
        text,
        "contributions in pawns, + is good for black: the evaluation less the one without the piece"
    )?;
    let explanation = Explanation { network, position, for_black: for_black(position, value) };
    explanation.write_hand(text, Color::White)?;
    explanation.write_board(text)?;
    explanation.write_hand(text, Color::Black)?;
    write_buckets(text, network, position)?;
    let mover = position.side_to_move().name();
    writeln!(text, "for {mover}, who is to move: {}", amount(value))?;
    writeln!(text, "for black: {}", amount(explanation.for_black))?;
    write!(text, "static eval {value}")
}

/// The network and the position to explain.
struct Explanation<'a> {
    network: &'a Network,
    position: &'a Position,
    /// The evaluation of the position from black.
    for_black: Value,
}

impl Explanation<'_> {
    /// The contribution of a piece in pawns, from the position without it; empty where there is no
    /// such position or evaluation.
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
                let files = File::ALL.into_iter().rev();
                files.map(|file| Square::new(file, rank))
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
        write!(text, "{} in hand:", owner.name())?;
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

/// Writes the value by each output bucket and marks the one of the position.
fn write_buckets(text: &mut String, network: &Network, position: &Position) -> fmt::Result {
    let count = network.shape().buckets();
    let (sums, used) = (scalar::sums(network, position), scalar::bucket(network, position));
    let (Some(sums), Some(used)) = (sums, used) else {
        return Ok(());
    };
    if count > MAX_BUCKETS {
        return writeln!(text, "bucket {used} of {count}");
    }
    if count == 1 {
        return Ok(());
    }
    writeln!(text, "by each bucket, for the side to move:")?;
    for bucket in 0..count {
        let value = amount(scalar::value_in(network, &sums, bucket));
        let mark = if bucket == used { "  <- this position's" } else { "" };
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

/// A value in centipawns and in units of 1/90 pawn.
fn amount(value: Value) -> String {
    format!("{:+} centipawns ({value:+} units)", centipawns(value))
}

fn in_pawns(value: Value) -> String {
    let pawns = f64::from(value) / f64::from(PAWN_VALUE);
    // Fewer digits, so that the largest values fit into a cell.
    if pawns.abs() < 99.0 { format!("{pawns:+.2}") } else { format!("{pawns:+.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::{material_network, random};

    const MIDDLE_GAME: &str =
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).expect("the test gives a good position")
    }

    #[test]
    fn material_is_explained_by_its_values() {
        let network = material_network();
        let text = explain(&network, &position("4k4/9/9/9/4+r4/9/4P4/9/4K4 w 2Pb 1"));
        let cells = |line: &str| {
            let cells = line.split('|').map(|cell| cell.trim().to_owned());
            cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
        };
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "raicho_64x2-8");
        assert_eq!(lines[2], "white in hand:  B -9.50");
        let after = |piece: &str| {
            let is_of_piece = |line: &&str| cells(line).first().is_some_and(|cell| cell == piece);
            let line = lines.iter().position(is_of_piece);
            cells(lines[line.expect("the piece is drawn") + 1])
        };
        assert_eq!(after("+r"), ["-15.50"]);
        assert_eq!(after("P"), ["+1.00"]);
        assert!(after("K").is_empty() && after("k").is_empty());
        assert!(lines.contains(&"black in hand:  one of 2 P +1.00"), "{text}");
        let marked: Vec<_> = lines.iter().filter(|line| line.contains("<-")).collect();
        assert_eq!(marked.len(), 1);
        assert!(marked[0].trim_start().starts_with('2'), "{text}");
        let value = 1395 + 855 - 270;
        let part = "for black: -2200 centipawns (-1980 units)";
        assert!(text.contains(part), "{text}");
        let expected = format!("static eval {value}");
        assert_eq!(*lines.last().expect("lines"), expected);
    }

    #[test]
    fn every_kind_of_network_ends_with_its_value() {
        for (name, buckets) in [
            ("kp_64x2-8-32", ""),
            ("SFNN_kp_64_7_32_k3k3", "  0  "),
            ("SFNN_ka2_64_7_32_hand16", "bucket "),
            ("raicho_128x2-8", "  7  "),
        ] {
            let shape = name.parse().expect("a good name");
            let (network, _) = Network::read(&random::file(&shape, 3)).expect("a good file");
            let position = position(MIDDLE_GAME);
            let value = scalar::evaluate(&network, &position).expect("two kings");
            let text = explain(&network, &position);
            assert_eq!(text.lines().last(), Some(&*format!("static eval {value}")));
            assert!(text.lines().any(|line| line.starts_with(buckets)), "{text}");
        }
    }

    #[test]
    fn without_a_king_there_is_no_value() {
        let position = position("9/9/9/9/9/9/ppp5K/3r5/2S6 w BGrb3g3s4n4l15p 1");
        let text = explain(&material_network(), &position);
        assert!(text.ends_with("white has no king, without which this network cannot evaluate"));
    }
}
