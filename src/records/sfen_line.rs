//! Games in one line, as the USI command `position` has them: `startpos moves 7g7f …`,
//! `sfen … moves …`.
//!
//! The words `position` and `sfen` and a result at the end are optional. Every move must be legal
//! in its position.

use std::{fmt, str::FromStr};

use super::{RecordError, quoted};
use crate::position::{Position, START_SFEN};
use crate::types::{Move, Move16};

/// The words that may end a line: how the game did.
#[rustfmt::skip]
const RESULTS: [&str; 7] = ["resign", "win", "draw", "rep_draw", "timeout", "break", "chudan"];

/// A start position and the moves made from it.
///
/// ```
/// use raicho::records::sfen_line::SfenLine;
///
/// let line: SfenLine = "startpos moves 7g7f 3c3d 8h2b+".parse()?;
/// assert_eq!((line.moves.len(), line.position().game_ply()), (3, 4));
/// let error = "startpos moves 7g7e".parse::<SfenLine>().expect_err("a pawn goes one square");
/// assert!(error.to_string().contains("7g7e"));
/// # Ok::<(), raicho::records::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SfenLine {
    /// The position before the first move.
    pub start: Position,
    /// The moves, each legal in its position.
    pub moves: Vec<Move>,
}

impl SfenLine {
    /// The position after the moves.
    pub fn position(&self) -> Position {
        let mut position = self.start.clone();
        for &mv in &self.moves {
            position.do_move(mv);
        }
        position
    }
}

impl FromStr for SfenLine {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.last().is_some_and(|last| RESULTS.contains(last)) {
            words.pop();
        }
        let mut place = usize::from(words.first() == Some(&"position"));
        let start = match words.get(place) {
            None => {
                return Err(RecordError::new(
                    "empty, expected 'startpos' or an SFEN, and perhaps 'moves' and moves after it",
                ));
            }
            Some(&"startpos") => {
                place += 1;
                Position::startpos()
            }
            Some(&word) => {
                place += usize::from(word == "sfen");
                let rest = words[place..].iter().copied();
                let fields: Vec<&str> = rest.take_while(|&word| word != "moves").collect();
                let start = Position::from_sfen(&fields.join(" ")).map_err(|error| {
                    let first = place + 1;
                    RecordError::new(error).at(format_args!("the position from word {first} on"))
                })?;
                place += fields.len();
                start
            }
        };
        if let Some(&found) = words.get(place).filter(|&&found| found != "moves") {
            return Err(RecordError::new(format_args!(
                "{}, word {}, expected 'moves' or the end of the line",
                quoted(found),
                place + 1
            )));
        }
        let moves = read_moves(&start, &words, place + 1)?;
        Ok(Self { start, moves })
    }
}

/// Reads the moves in `words` from the index `first` on.
fn read_moves(start: &Position, words: &[&str], first: usize) -> Result<Vec<Move>, RecordError> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(words.len().saturating_sub(first));
    for (index, &word) in words.iter().enumerate().skip(first) {
        let found = || {
            let (place, number) = (index + 1, index + 1 - first);
            format!("{}, word {place} (move {number}),", quoted(word))
        };
        let stored: Move16 = word.parse().map_err(|_| {
            RecordError::new(format_args!(
                "{} is not a move, expected for example 7g7f, 8h2b+ or P*5e",
                found()
            ))
        })?;
        let Some(mv) = position.legal_move(stored) else {
            return Err(RecordError::illegal(found(), &position));
        };
        position.do_move(mv);
        moves.push(mv);
    }
    Ok(moves)
}

/// The canonical text, the arguments of the USI command `position`: `startpos[ moves …]` or
/// `sfen …[ moves …]`.
impl fmt::Display for SfenLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sfen = self.start.to_sfen();
        if sfen == START_SFEN {
            formatter.write_str("startpos")?;
        } else {
            write!(formatter, "sfen {sfen}")?;
        }
        if !self.moves.is_empty() {
            formatter.write_str(" moves")?;
        }
        for mv in &self.moves {
            write!(formatter, " {mv}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<SfenLine>().map_or_else(|error| error.to_string(), |line| line.to_string())
    }

    #[test]
    fn every_spelling_becomes_the_canonical_one() {
        let ending = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
        for (text, expected) in cases! {
            "startpos" => "startpos".to_owned();
            START_SFEN => "startpos".to_owned();
            "position startpos moves" => "startpos".to_owned();
            " startpos  moves 7g7f 3c3d 8h2b+ resign\r\n" =>
                "startpos moves 7g7f 3c3d 8h2b+".to_owned();
            "startpos moves 7g7f win" => "startpos moves 7g7f".to_owned();
            "startpos moves 7g7f draw" => "startpos moves 7g7f".to_owned();
            "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1" => format!("sfen {ending}");
            "4k4/9/4P4/9/9/9/9/9/4K4 b G moves G*5b" => format!("sfen {ending} moves G*5b");
        } {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    #[test]
    fn the_position_is_the_one_after_the_moves() {
        let line: SfenLine = "startpos moves 7g7f 3c3d 8h2b+".parse().expect("a line");
        let expected = "lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4";
        assert_eq!(line.position().to_sfen(), expected);
        assert_eq!(line.start.to_sfen(), START_SFEN);
    }

    #[test]
    fn errors_name_the_word_and_its_place() {
        for (text, expected) in cases! {
            "" => "empty, expected 'startpos'";
            "position" => "empty, expected 'startpos'";
            "startpos move 7g7f" => "'move', word 2, expected 'moves'";
            "startpos 7g7f" => "'7g7f', word 2, expected 'moves'";
            "startpos moves 7g7f 3c3x" => "'3c3x', word 4 (move 2), is not a move";
            "position startpos moves 7g7f 7g7f" => "'7g7f', word 5 (move 2), is illegal in \
                 lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
            "hello" => "the position from word 1 on: 'hello' has 1 field";
            "sfen 9/9 b - 1 moves 7g7f" => "the position from word 2 on: board has 2 ranks";
        } {
            assert!(canonical(text).starts_with(expected), "{}", canonical(text));
        }
    }
}
