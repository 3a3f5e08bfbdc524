//! Positions as text: SFEN, and a diagram for people.
//!
//! Reading is lenient where GUIs are sloppy (the ply may be missing or 0, characters in hand may
//! repeat and come in any order) and strict elsewhere; output is canonical.

use std::fmt::{self, Write as _};
use std::{borrow::Cow, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use super::{Board, InvalidPosition, Position};
use crate::types::{Color, File, Piece, PieceType, Rank, Square, deserialize_text};
use crate::util::{counted, shorten};

/// The start position of an even game.
pub const START_SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Errors in an SFEN: what is wrong, where, and what was expected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SfenError {
    #[error(
        "'{text}' has {}, expected 3 or 4: board, side to move, hands, ply",
        counted(*found, "field")
    )]
    Fields { text: String, found: usize },
    #[error("{0}")]
    Syntax(String),
    #[error("impossible position: {0}")]
    Impossible(#[from] InvalidPosition),
}

impl Position {
    /// 平手: the start position of an even game.
    ///
    /// # Panics
    /// Never: the start position is valid.
    pub fn startpos() -> Self {
        Self::from_sfen(START_SFEN).expect("the start position is valid")
    }

    /// Reads an SFEN of 3 or 4 fields, without the word `sfen` in front.
    ///
    /// # Errors
    /// Reports which field is wrong, where, and what was expected; or why the position is
    /// impossible.
    pub fn from_sfen(text: &str) -> Result<Self, SfenError> {
        let (board, ply) = Board::from_sfen(text)?;
        Ok(Self::from_board(board, ply.unwrap_or(1).max(1))?)
    }

    /// The canonical SFEN of 4 fields.
    pub fn to_sfen(&self) -> String {
        format!("{} {}", self.board.to_sfen(), self.game_ply())
    }
}

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
        let side = self.side_to_move().name();
        write!(formatter, "{side} to move, ply {}", self.game_ply())?;
        if self.in_check() {
            let checkers = self.checkers().into_iter().map(|square| square.to_string());
            write!(formatter, ", in check from {}", checkers.collect::<Vec<_>>().join(" "))?;
        }
        writeln!(formatter)?;
        writeln!(formatter, "sfen {}", self.to_sfen())?;
        write!(formatter, "key {}", self.key())
    }
}

/// The SFEN of the position, or `startpos`.
impl FromStr for Position {
    type Err = SfenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "startpos" { Ok(Self::startpos()) } else { Self::from_sfen(text) }
    }
}

/// The SFEN of the position.
impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_sfen())
    }
}

deserialize_text!(Position);

impl fmt::Debug for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Position({})", self.to_sfen())
    }
}

impl Board {
    /// Reads an SFEN of 3 or 4 fields and returns its ply, if it has one. The position may be
    /// impossible: see [`Board::validate`].
    ///
    /// # Errors
    /// Reports which field is wrong, where, and what was expected.
    pub(crate) fn from_sfen(text: &str) -> Result<(Self, Option<u32>), SfenError> {
        let mut fields = text.split_whitespace();
        let mut next = || fields.next();
        let (Some(board_text), Some(side), Some(hands), ply, None) =
            (next(), next(), next(), next(), next())
        else {
            let fields: Vec<&str> = text.split_whitespace().collect();
            return Err(SfenError::Fields {
                text: shorten(&fields.join(" ")),
                found: fields.len(),
            });
        };
        let mut board = Self::EMPTY;
        read_board(&mut board, board_text)?;
        board.set_side_to_move(match side {
            "b" => Color::Black,
            "w" => Color::White,
            _ => {
                let side = shorten(side);
                return Err(syntax(format!("side to move '{side}', expected 'b' or 'w'")));
            }
        });
        read_hands(&mut board, hands)?;
        let ply = ply.map(|ply| {
            let expected = "expected a number from 0 to 4294967295";
            let error = |_| syntax(format!("ply '{}', {expected}", shorten(ply)));
            ply.parse().map_err(error)
        });
        Ok((board, ply.transpose()?))
    }

    /// The canonical SFEN of 3 fields: without the ply.
    pub(crate) fn to_sfen(&self) -> String {
        let mut text = String::with_capacity(100);
        for rank in Rank::ALL {
            if rank != Rank::Rank1 {
                text.push('/');
            }
            let mut empty = 0;
            for file in File::ALL.into_iter().rev() {
                match self.piece_on(Square::new(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        push_count(&mut text, &mut empty);
                        // Writing to a string cannot fail.
                        let _ = write!(text, "{piece}");
                    }
                }
            }
            push_count(&mut text, &mut empty);
        }
        let hands: String = Color::ALL.map(|color| self.hand(color).to_sfen(color)).concat();
        let hands = if hands.is_empty() { "-" } else { &hands };
        let _ = write!(text, " {} {hands}", self.side_to_move());
        text
    }
}

fn syntax(message: String) -> SfenError {
    SfenError::Syntax(message)
}

fn push_count(text: &mut String, empty: &mut u32) {
    if *empty > 0 {
        *text += &empty.to_string();
        *empty = 0;
    }
}

fn read_board(board: &mut Board, text: &str) -> Result<(), SfenError> {
    let found = text.split('/').count();
    if found != Rank::NUM {
        let found = counted(found, "rank");
        return Err(syntax(format!("board has {found}, expected 9 separated by '/'")));
    }
    for (rank, text) in Rank::ALL.into_iter().zip(text.split('/')) {
        read_rank(board, rank, text)?;
    }
    Ok(())
}

fn read_rank(board: &mut Board, rank: Rank, text: &str) -> Result<(), SfenError> {
    let number = rank.index() + 1;
    // Squares passed so far, from file 9.
    let mut passed = 0;
    let mut letters = text.chars().enumerate();
    while let Some((place, letter)) = letters.next() {
        let place = place + 1;
        if let Some(empty @ 1..) = letter.to_digit(10) {
            passed += empty as usize;
            continue;
        }
        let piece = if letter == '+' {
            let next = letters.next().map(|(_, letter)| letter);
            let promoted = next.and_then(Piece::from_letter).and_then(Piece::promoted);
            promoted.ok_or_else(|| {
                let found = next.map_or_else(|| "end of rank".to_owned(), String::from);
                syntax(format!(
                    "'+' at place {place} of rank {number} of the board is followed by \
                     '{found}', expected a piece that promotes"
                ))
            })?
        } else {
            Piece::from_letter(letter).ok_or_else(|| {
                syntax(format!(
                    "'{letter}' at place {place} of rank {number} of the board is no piece, \
                     expected one of PLNSGBRK in either case, '+' before it, or a digit 1 to 9"
                ))
            })?
        };
        if let Some(file) = (File::NUM - 1).checked_sub(passed).and_then(File::from_index) {
            board.put(piece, Square::new(file, rank));
        }
        passed += 1;
    }
    if passed == File::NUM {
        Ok(())
    } else {
        let (text, found) = (shorten(text), counted(passed, "square"));
        Err(syntax(format!("rank {number} of the board ('{text}') has {found}, expected 9")))
    }
}

fn read_hands(board: &mut Board, text: &str) -> Result<(), SfenError> {
    if text == "-" {
        return Ok(());
    }
    let mut counts = [[0u32; 8]; Color::NUM];
    let mut number: Option<u32> = None;
    for (place, letter) in text.chars().enumerate() {
        if let Some(digit) = letter.to_digit(10) {
            let value = number.unwrap_or(0).saturating_mul(10).saturating_add(digit);
            number = Some(value);
            continue;
        }
        let piece = Piece::from_letter(letter).filter(|piece| piece.kind() != PieceType::King);
        let Some(piece) = piece else {
            let (place, text) = (place + 1, shorten(text));
            return Err(syntax(format!(
                "'{letter}' at place {place} of the hands ('{text}'), expected one of PLNSGBR in \
                 either case after an optional count, or '-' alone"
            )));
        };
        let count = &mut counts[piece.color().index()][piece.kind().index()];
        *count = count.saturating_add(number.take().unwrap_or(1));
    }
    if number.is_some() {
        let text = shorten(text);
        return Err(syntax(format!("hands '{text}' end in a count, expected a piece after it")));
    }
    for color in Color::ALL {
        for kind in PieceType::HAND {
            let found = counts[color.index()][kind.index()];
            board.give(color, kind, found).map_err(|_| {
                syntax(format!(
                    "hands '{}' hold {found} {}s, expected at most {}",
                    shorten(text),
                    kind.name(),
                    kind.count_in_set()
                ))
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_by_parse_and_by_serde() {
        let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 5";
        let position: Position = sfen.parse().expect("an SFEN");
        let json = serde_json::to_string(&position).expect("it is written");
        assert_eq!(json, format!("\"{sfen}\""));
        let read: Position = serde_json::from_str(&json).expect("it is read");
        assert_eq!((read.to_sfen(), read.key()), (sfen.to_owned(), position.key()));
        let start: Position = "startpos".parse().expect("the start");
        assert_eq!(start.to_sfen(), START_SFEN);
        assert!("start".parse::<Position>().is_err());
        assert!(serde_json::from_str::<Position>("\"9/9 b - 1\"").is_err(), "two ranks");
    }
}
