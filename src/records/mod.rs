//! Game records and teacher data: readers and writers of the formats of the shogi world.
//!
//! Numbers are little endian in all formats, as on all machines that this crate is built for.
//! Parsers return errors that name what was found and what was expected. None panics on bad input.

pub mod csa;
pub mod encoding;
pub mod formations;
pub mod game;
pub mod hcpe3;
pub mod jkf;
pub mod kif;
pub mod notation;
pub mod pack;
pub mod packed;
pub mod sample;
pub mod score;
pub mod sfen_line;
pub mod teacher;
pub mod text;

use std::fmt::Display;

use game::{Builder, EndingWords, Forks, Line, TITLE, Walk, parse_seconds, possible};
use thiserror::Error;

use crate::position::{Board, InvalidPosition, Position};
use crate::types::{Color, Piece, PieceType, Square};
use crate::util::shorten;

pub use game::{
    Closing, Ending, GameRecord, GameResult, RecordedMove, Thought, Variation, black_score,
};
pub use pack::{PackGame, PackReason, PackWriter};
pub use packed::{HuffmanCodedPos, PackedError, PackedSfen};
pub use sfen_line::SfenLine;
pub use text::{TextEncoding, TextFormat};

const _: () = assert!(cfg!(target_endian = "little"), "records are read as they lie");

// --- Errors of CSA, KIF, KI2, JKF and lines of USI ---

/// What is wrong with a record, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}{reason}")]
pub struct RecordError {
    /// What the message begins with, such as `line 3: `.
    place: String,
    reason: String,
    kind: Kind,
}

/// The faults that readers treat in a way of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    IllegalMove,
    AfterTheEnd,
    Other,
}

impl RecordError {
    /// An error that says what was found and what was expected.
    pub(super) fn new(reason: impl Display) -> Self {
        Self::of_kind(Kind::Other, reason)
    }

    /// A move, given with its place, that is illegal in the position.
    pub(super) fn illegal(mv: impl Display, position: &Position) -> Self {
        let sfen = position.to_sfen();
        let reason = format!("{mv} is illegal in {sfen}, expected a legal move");
        Self::of_kind(Kind::IllegalMove, reason)
    }

    /// Something that follows the ending.
    pub(super) fn after_the_end(found: impl Display) -> Self {
        let reason = format!("{found} after the end of the game");
        Self::of_kind(Kind::AfterTheEnd, reason)
    }

    fn of_kind(kind: Kind, reason: impl Display) -> Self {
        Self { place: String::new(), reason: reason.to_string(), kind }
    }

    /// The error with its place.
    pub(super) fn at(self, place: impl Display) -> Self {
        let place = format!("{place}: {}", self.place);
        Self { place, ..self }
    }

    /// The error with the number of its line, from 1.
    pub(super) fn at_line(self, line: usize) -> Self {
        self.at(format_args!("line {line}"))
    }

    /// Whether a move is illegal in its position.
    pub fn is_illegal_move(&self) -> bool {
        self.kind == Kind::IllegalMove
    }

    /// Whether something follows the ending.
    pub(super) fn is_after_the_end(&self) -> bool {
        self.kind == Kind::AfterTheEnd
    }
}

/// A text of a record in quotes, cut if it is long.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", shorten(text))
}

// --- Start positions as records draw them: pieces on squares and in hand ---

/// The pieces that the lines so far describe.
struct Setup {
    squares: [Option<Piece>; Square::NUM],
    /// By [`Color::index`] and [`PieceType::index`].
    hands: [[u32; PieceType::NUM]; Color::NUM],
    /// The side that holds all pieces that are nowhere else (`00AL`, 残り全部).
    rest: Option<Color>,
}

impl Default for Setup {
    fn default() -> Self {
        Self { squares: [None; Square::NUM], hands: [[0; PieceType::NUM]; Color::NUM], rest: None }
    }
}

impl Setup {
    /// The board with this side to move. It may be impossible.
    fn board(&self, side: Color) -> Result<Board, RecordError> {
        let mut board = Board::EMPTY;
        board.set_side_to_move(side);
        for (place, piece) in Square::ALL.into_iter().zip(self.squares) {
            if let Some(piece) = piece {
                board.put(piece, place);
            }
        }
        for kind in PieceType::HAND {
            let mut held = self.hands.map(|hand| hand[kind.index()]);
            if let Some(color) = self.rest {
                let is_same = |piece: &&Piece| piece.kind().unpromoted() == kind;
                let placed = self.squares.iter().flatten().filter(is_same).count() as u32;
                let elsewhere = placed + held.iter().sum::<u32>();
                held[color.index()] += kind.count_in_set().saturating_sub(elsewhere);
            }
            for color in Color::ALL {
                let given = board.give(color, kind, held[color.index()]);
                given.map_err(impossible)?;
            }
        }
        Ok(board)
    }
}

/// The error of a position that cannot occur.
fn impossible(invalid: InvalidPosition) -> RecordError {
    RecordError::new(format_args!("impossible position: {invalid}"))
}
