//! Reads books of every format, position by position.

use std::fmt;
use std::path::Path;

use super::apery::AperyReader;
use super::db::DbReader;
use super::entry::BookEntry;
use super::fault::{BookError, BookFault, EntryPlace, Place, Reason};
use super::format::BookFormat;
use super::losses::Extras;
use super::sbk::SbkReader;
use super::ybb::YbbReader;

/// The positions of a book in the order of the file, and the faults between them.
///
/// `.db` and `.ybb` are streamed. `.bin` and `.sbk` are read into memory: their positions follow
/// from one another.
pub struct BookReader {
    format: BookFormat,
    inner: Inner,
}

enum Inner {
    Db(DbReader),
    Ybb(YbbReader),
    Bin(Box<AperyReader>),
    Sbk(Box<SbkReader>),
}

impl BookReader {
    /// Opens a book of any format, which its content tells.
    ///
    /// # Errors
    /// The file cannot be read, or is no book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Self::open_any(path, false).map_err(|reason| BookError::new(path, reason))
    }

    /// The same with a fault for each position of a `.db` or `.bin` that other programs would not
    /// find.
    ///
    /// # Errors
    /// The file cannot be read, or is no book.
    pub fn open_strictly(path: &Path) -> Result<Self, BookError> {
        Self::open_any(path, true).map_err(|reason| BookError::new(path, reason))
    }

    fn open_any(path: &Path, is_strict: bool) -> Result<Self, Reason> {
        let format = BookFormat::of_file(path)?;
        let inner = match format {
            BookFormat::Db => Inner::Db(DbReader::open(path, is_strict)?),
            BookFormat::Ybb => Inner::Ybb(YbbReader::open(path)?),
            BookFormat::Bin => Inner::Bin(Box::new(AperyReader::open(path, is_strict)?)),
            BookFormat::Sbk => Inner::Sbk(Box::new(SbkReader::open(path)?)),
        };
        Ok(Self { format, inner })
    }

    /// The format of the file.
    pub const fn format(&self) -> BookFormat {
        self.format
    }

    /// Where the last entry stands in the file; with the lines of its moves if the book was opened
    /// strictly.
    pub fn place(&self) -> EntryPlace<'_> {
        let (entry, move_lines): (_, &[u64]) = match &self.inner {
            Inner::Db(reader) => (Place::Line(reader.line()), reader.move_lines()),
            Inner::Ybb(reader) => (Place::Index(reader.number()), &[]),
            Inner::Bin(reader) => (Place::Key(reader.key()), &[]),
            Inner::Sbk(reader) => (Place::State(reader.state()), &[]),
        };
        EntryPlace { entry, move_lines }
    }

    /// What the file has and entries have no place for.
    pub fn extras(&self) -> Extras {
        match &self.inner {
            Inner::Sbk(reader) => reader.extras(),
            _ => Extras::default(),
        }
    }

    /// Number of positions, where the file gives it.
    pub const fn positions(&self) -> Option<u64> {
        match &self.inner {
            Inner::Ybb(reader) => Some(reader.positions()),
            _ => None,
        }
    }
}

/// A fault stands for what it names: the rest is read, unless [`BookFault::is_end`] says otherwise.
impl Iterator for BookReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.inner {
            Inner::Db(reader) => reader.next(),
            Inner::Ybb(reader) => reader.next(),
            Inner::Bin(reader) => reader.next(),
            Inner::Sbk(reader) => reader.next(),
        }
    }
}

impl fmt::Debug for BookReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BookReader({})", self.format)
    }
}
