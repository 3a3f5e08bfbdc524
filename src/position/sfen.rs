//! Positions as text: SFEN, and a diagram for people.
//!
//! Reading is lenient where GUIs are sloppy (the ply may be missing or 0, characters in hand may
//! repeat and come in any order) and strict elsewhere; output is canonical.

use std::fmt::{self, Write as _};

use thiserror::Error;

use super::{Board, InvalidPosition, Position};
use crate::types::{Color, File, Hand, Piece, PieceType, Rank, Square};
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
    #[error("board has {}, expected 9 separated by '/'", counted(*found, "rank"))]
    Ranks { found: usize },
    #[error(
        "rank {rank} of the board ('{text}') has {}, expected 9",
        counted(*found, "square")
    )]
    Squares {
        rank: usize,
        text: String,
        found: usize,
    },
    #[error(
        "'{letter}' at place {place} of rank {rank} of the board is no piece, expected one of \
         PLNSGBRK in either case, '+' before it, or a digit 1 to 9"
    )]
    Piece {
        letter: char,
        place: usize,
        rank: usize,
    },
    #[error(
        "'+' at place {place} of rank {rank} of the board is followed by '{found}', expected a \
         piece that promotes"
    )]
    Promotion {
        found: String,
        place: usize,
        rank: usize,
    },
    #[error("side to move '{0}', expected 'b' or 'w'")]
    Side(String),
    #[error(
        "'{letter}' at place {place} of the hands ('{text}'), expected one of PLNSGBR in either \
         case after an optional count, or '-' alone"
    )]
    Hand {
        letter: char,
        place: usize,
        text: String,
    },
    #[error("hands '{text}' hold {found} {}s, expected at most \
        {}", kind.name(), kind.count_in_set())]
    HandCount {
        text: String,
        kind: PieceType,
        found: u32,
    },
    #[error("hands '{0}' end in a count, expected a piece after it")]
    DanglingCount(String),
    #[error("ply '{0}', expected a number from 0 to 4294967295")]
    Ply(String),
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
            _ => return Err(SfenError::Side(shorten(side))),
        });
        read_hands(&mut board, hands)?;
        let ply = ply.map(|ply| ply.parse().map_err(|_| SfenError::Ply(shorten(ply))));
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
        let hands: String = Color::ALL
            .map(|color| self.hand(color).to_sfen(color))
            .concat();
        let hands = if hands.is_empty() { "-" } else { &hands };
        let _ = write!(text, " {} {hands}", self.side_to_move());
        text
    }
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
        return Err(SfenError::Ranks { found });
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
                SfenError::Promotion {
                    found,
                    place,
                    rank: number,
                }
            })?
        } else {
            Piece::from_letter(letter).ok_or(SfenError::Piece {
                letter,
                place,
                rank: number,
            })?
        };
        if let Some(file) = (File::NUM - 1)
            .checked_sub(passed)
            .and_then(File::from_index)
        {
            board.put(piece, Square::new(file, rank));
        }
        passed += 1;
    }
    if passed == File::NUM {
        Ok(())
    } else {
        Err(SfenError::Squares {
            rank: number,
            text: shorten(text),
            found: passed,
        })
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
            return Err(SfenError::Hand {
                letter,
                place: place + 1,
                text: shorten(text),
            });
        };
        let count = &mut counts[piece.color().index()][piece.kind().index()];
        *count = count.saturating_add(number.take().unwrap_or(1));
    }
    if number.is_some() {
        return Err(SfenError::DanglingCount(shorten(text)));
    }
    for color in Color::ALL {
        for kind in PieceType::HAND {
            let found = counts[color.index()][kind.index()];
            // Checked here because the packed hand could overflow; the total with the board is
            // checked later.
            if found > kind.count_in_set() {
                return Err(SfenError::HandCount {
                    text: shorten(text),
                    kind,
                    found,
                });
            }
            let hand: &mut Hand = board.hand_mut(color);
            (0..found).for_each(|_| hand.add(kind));
        }
    }
    Ok(())
}
