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
mod setup;
pub mod sfen_line;
pub mod teacher;
pub mod text;

use std::fmt::Display;

use thiserror::Error;

use crate::{position::Position, util::shorten};
use game::{Builder, EndingWords, Forks, Line, TITLE, Walk, parse_seconds, possible};

pub use game::{
    Closing, Ending, GameRecord, GameResult, RecordedMove, Thought, Variation, black_score,
};
pub use pack::{PackGame, PackReason, PackWriter};
pub use packed::{HuffmanCodedPos, PackedError, PackedSfen};
pub use sfen_line::SfenLine;
pub use text::{TextEncoding, TextFormat};

// Places of before, for the rooms that still take the records of samples from there.
pub use sample as psum;
pub use sample as psv;
pub use sample as tree;

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
