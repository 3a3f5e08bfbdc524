//! What can be wrong with a book: errors that leave no book, faults that are skipped, and the check
//! of entries that parse: illegal and repeated moves, order, second entries.

use std::path::{Path, PathBuf};
use std::{borrow::Cow, cmp::Ordering, fmt, io};

use thiserror::Error;

use super::{BookEntry, BookFormat, order_key};
use crate::position::{InvalidPosition, Position, SfenError};
use crate::{records::packed::PackedError, types::Move16};

/// Why a file is no book.
#[derive(Debug, Error)]
#[error("book \"{}\": {source}", path.display())]
pub struct BookError {
    /// The file that could not be read.
    pub path: PathBuf,
    /// What is wrong with it, or an error of the system.
    pub source: io::Error,
}

impl BookError {
    pub(super) fn new(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self { path, source }
    }
}

/// What makes the content of a file no book.
pub(super) fn no_book(reason: impl fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_string())
}

/// A part of a book that is left out; the rest is used.
#[derive(Debug)]
pub struct BookFault {
    /// Where in the book it stands.
    pub place: BookPlace,
    /// What is wrong there.
    pub problem: Problem,
}

impl fmt::Display for BookFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            BookPlace::File => write!(f, "{}", self.problem),
            place => write!(f, "{place}: {}", self.problem),
        }
    }
}

impl BookFault {
    /// A fault at a place.
    pub const fn new(place: BookPlace, problem: Problem) -> Self {
        Self { place, problem }
    }

    /// The fault with its line counted from the line `lines` on.
    #[must_use]
    pub(crate) fn after_lines(mut self, lines: u64) -> Self {
        if let BookPlace::Line(number) = &mut self.place {
            *number += lines;
        }
        self
    }

    /// Whether nothing of the book can be read from here on.
    pub const fn is_end(&self) -> bool {
        matches!(self.problem, Problem::Io(_))
    }
}

/// Where a fault is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BookPlace {
    /// A line of a text, from 1.
    Line(u64),
    /// A byte of the file, from 0.
    Byte(u64),
    /// A position of the index of a `.ybb` file, from 0.
    Index(u64),
    /// A state of a `.sbk` file, from 0.
    State(u64),
    /// A key of Apery's books.
    Key(u64),
    /// The whole file.
    File,
}

/// Where an entry is, and its moves where they have places of their own.
#[derive(Clone, Copy, Debug)]
pub struct EntryPlace<'a> {
    /// Where the entry begins.
    pub entry: BookPlace,
    /// Lines of its moves in their order; empty where they are not known.
    pub move_lines: &'a [u64],
}

impl EntryPlace<'_> {
    /// Where a move of the entry is.
    fn of_move(&self, index: usize) -> BookPlace {
        let line = self.move_lines.get(index);
        line.map_or(self.entry, |&line| BookPlace::Line(line))
    }
}

impl fmt::Display for BookPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Index(number) => write!(f, "position {number} of the index"),
            Self::State(number) => write!(f, "state {number}"),
            Self::Key(key) => write!(f, "key {key:016x}"),
            Self::File => f.write_str("the file"),
        }
    }
}

/// What is wrong with a part of a book.
#[derive(Debug, Error)]
pub enum Problem {
    /// The file cannot be read any further.
    #[error("{0}, the rest is not read")]
    Io(#[from] io::Error),
    /// A `sfen` line without a position.
    #[error("{0}, the position is skipped")]
    Sfen(#[from] SfenError),
    /// Bytes without a position.
    #[error("{0}, the position is skipped")]
    Packed(#[from] PackedError),
    /// A position that cannot occur.
    #[error("impossible position: {0}, it is skipped")]
    Impossible(#[from] InvalidPosition),
    /// A move that cannot be made in its position.
    #[error("illegal move {mv} in {sfen}, it is skipped")]
    Illegal {
        /// The move that was skipped.
        mv: Move16,
        /// The position in which it stands.
        sfen: String,
    },
    /// A sentence of a reader, about a line that it skips.
    #[error("{0}")]
    Other(Cow<'static, str>),
}

impl Problem {
    /// A position that belongs elsewhere.
    pub(super) const ORDER: Self = Self::Other(Cow::Borrowed(
        "it belongs before the entry before it: programs that bisect do not find it",
    ));
    /// Moves that lie outside of the file.
    pub(super) const MOVES_OUTSIDE: Self =
        Self::Other(Cow::Borrowed("the moves lie outside of the file, the position is skipped"));

    pub(super) fn other(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Other(text.into())
    }

    /// Bits that should be a move.
    pub(super) fn not_a_move(bits: u32) -> Self {
        Self::other(format!("{bits:#06x} is no move, it is skipped"))
    }
}

/// The first faults of a book, and how many there are.
#[derive(Default, Debug)]
pub struct FaultLog {
    first: Vec<BookFault>,
    count: u64,
}

impl FaultLog {
    /// How many faults are kept.
    const KEPT: usize = 10;

    /// The first faults, in the order in which they were found.
    pub fn first(&self) -> &[BookFault] {
        &self.first
    }

    /// Number of all faults.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Adds the faults of another log.
    pub(crate) fn append(&mut self, log: Self) {
        let more = log.count - log.first.len() as u64;
        log.first.into_iter().for_each(|fault| self.add(fault));
        self.count += more;
    }

    pub(crate) fn add(&mut self, fault: BookFault) {
        self.count += 1;
        if self.first.len() < Self::KEPT {
            self.first.push(fault);
        }
    }
}

/// Checks the entries of a book one after another.
#[derive(Debug)]
pub struct Checker {
    format: BookFormat,
    /// Key of the last entry, if the format has an order.
    last_key: Option<Vec<u8>>,
    /// Where moves are tried; keeps its allocations.
    position: Position,
}

impl Checker {
    /// A checker for the entries of a file of this format.
    pub fn new(format: BookFormat) -> Self {
        Self { format, last_key: None, position: Position::startpos() }
    }

    /// Appends the faults of an entry and removes its bad moves. Returns whether the entry is worth
    /// keeping: it is no second one, and has a good move.
    pub fn check(
        &mut self,
        entry: &mut BookEntry,
        place: EntryPlace<'_>,
        faults: &mut Vec<BookFault>,
    ) -> bool {
        let mut add_at = |place, problem| faults.push(BookFault::new(place, problem));
        let mut add = |problem| add_at(place.entry, problem);
        let order = self.order_of(entry);
        match order {
            Some(Ordering::Greater) => add(Problem::ORDER),
            Some(Ordering::Equal) => {
                add(Problem::other("a second entry for this position and ply"));
            }
            Some(Ordering::Less) | None => {}
        }
        let Ok(board) = entry.position.unpack_board() else {
            return false;
        };
        self.position.set_up(board, entry.ply.max(1));
        if entry.moves.is_empty() {
            add(Problem::other("a position without moves"));
        }
        let mut kept = Vec::with_capacity(entry.moves.len());
        let mut places = (0..).map(|index| place.of_move(index));
        entry.moves.retain(|known| {
            let place = places.next().unwrap_or(place.entry);
            if self.position.legal_move(known.mv).is_none() {
                let sfen = self.position.to_sfen();
                add_at(place, Problem::Illegal { mv: known.mv, sfen });
                return false;
            }
            if kept.contains(&known.mv) {
                let text = format!("the move {} stands there twice", known.mv);
                add_at(place, Problem::other(text));
                return false;
            }
            kept.push(known.mv);
            true
        });
        order != Some(Ordering::Equal) && !entry.moves.is_empty()
    }

    /// How the entry before this one compares with it, if the format has an order.
    fn order_of(&mut self, entry: &BookEntry) -> Option<Ordering> {
        let key = match self.format {
            BookFormat::Db => order_key(self.format, entry),
            // One entry for each position, whatever its ply.
            BookFormat::Ybb => entry.position.to_bytes().to_vec(),
            // The positions are not in the order of the file.
            BookFormat::Bin | BookFormat::Sbk => return None,
        };
        let last = self.last_key.replace(key.clone())?;
        Some(last.cmp(&key))
    }
}
