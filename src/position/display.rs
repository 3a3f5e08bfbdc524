//! Positions as text for people.

use std::fmt;

use super::base::Position;
use crate::types::{Color, File, Rank, Square};

/// A board diagram with black at the bottom, hands, side to move, SFEN, key and checkers.
impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "white in hand: {}", self.hand(Color::White))?;
        writeln!(formatter, "  9   8   7   6   5   4   3   2   1")?;
        let border = format!("{}+", "+---".repeat(File::NUM));
        for rank in Rank::ALL {
            writeln!(formatter, "{border}")?;
            for file in File::ALL.into_iter().rev() {
                let piece = self.piece_on(Square::new(file, rank));
                let text = piece.map_or_else(String::new, |piece| piece.to_string());
                write!(formatter, "|{text:>2} ")?;
            }
            writeln!(formatter, "| {}", rank.to_char())?;
        }
        writeln!(formatter, "{border}")?;
        writeln!(formatter, "black in hand: {}", self.hand(Color::Black))?;
        let side = if self.side_to_move() == Color::Black {
            "black"
        } else {
            "white"
        };
        write!(formatter, "{side} to move, ply {}", self.game_ply())?;
        if self.in_check() {
            let checkers = self.checkers().into_iter().map(|square| square.to_string());
            write!(
                formatter,
                ", in check from {}",
                checkers.collect::<Vec<_>>().join(" ")
            )?;
        }
        writeln!(formatter)?;
        writeln!(formatter, "sfen {}", self.to_sfen())?;
        write!(formatter, "key {}", self.key())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Position({})", self.to_sfen())
    }
}
