//! Files of every format, entry by entry: reading, writing, and what is lost between formats.

use std::{io, path::Path};

use super::apery::{AperyReader, AperyWriter};
use super::db::{DbReader, DbWriter};
use super::fault::{BookError, BookFault, BookPlace, EntryPlace};
use super::sbk::{SbkReader, SbkWriter};
use super::ybb::{YbbReader, YbbWriter};
use super::{BookEntry, BookFormat};
use crate::runs::OutputError;

/// The positions of a book in the order of the file, and the faults between them.
///
/// `.db` and `.ybb` are streamed. `.bin` and `.sbk` are read into memory: their positions follow
/// from one another.
pub struct BookReader {
    format: BookFormat,
    inner: FormatReader,
}

enum FormatReader {
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
        Self::open_any(path, false).map_err(|source| BookError::new(path, source))
    }

    /// The same with a fault for each position of a `.db` or `.bin` that other programs would not
    /// find.
    ///
    /// # Errors
    /// The file cannot be read, or is no book.
    pub fn open_strictly(path: &Path) -> Result<Self, BookError> {
        Self::open_any(path, true).map_err(|source| BookError::new(path, source))
    }

    fn open_any(path: &Path, is_strict: bool) -> io::Result<Self> {
        let format = BookFormat::of_file(path)?;
        let inner = match format {
            BookFormat::Db => FormatReader::Db(DbReader::open(path, is_strict)?),
            BookFormat::Ybb => FormatReader::Ybb(YbbReader::open(path)?),
            BookFormat::Bin => FormatReader::Bin(Box::new(AperyReader::open(path, is_strict)?)),
            BookFormat::Sbk => FormatReader::Sbk(Box::new(SbkReader::open(path)?)),
        };
        Ok(Self { format, inner })
    }

    /// The format of the file.
    pub const fn format(&self) -> BookFormat {
        self.format
    }

    /// Where the last entry stands in the file.
    pub fn place(&self) -> EntryPlace<'_> {
        let (entry, move_lines): (_, &[u64]) = match &self.inner {
            FormatReader::Db(reader) => (BookPlace::Line(reader.line), &reader.move_lines),
            FormatReader::Ybb(reader) => (BookPlace::Index(reader.number()), &[]),
            FormatReader::Bin(reader) => (BookPlace::Key(reader.key), &[]),
            FormatReader::Sbk(reader) => (BookPlace::State(reader.state as u64), &[]),
        };
        EntryPlace { entry, move_lines }
    }

    /// What the file has and entries have no place for.
    pub fn extras(&self) -> Extras {
        match &self.inner {
            FormatReader::Sbk(reader) => reader.extras,
            _ => Extras::default(),
        }
    }

    /// Number of positions, where the file gives it.
    pub const fn positions(&self) -> Option<u64> {
        match &self.inner {
            FormatReader::Ybb(reader) => Some(reader.positions()),
            _ => None,
        }
    }
}

/// A fault stands for what it names: the rest is read, unless [`BookFault::is_end`] says otherwise.
impl Iterator for BookReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.inner {
            FormatReader::Db(reader) => reader.next(),
            FormatReader::Ybb(reader) => reader.next(),
            FormatReader::Bin(reader) => reader.next(),
            FormatReader::Sbk(reader) => reader.next(),
        }
    }
}

/// A book that is being written. The file gets its name in [`BookWriter::finish`].
///
/// `.ybb` and `.bin` take entries in the order of [`order_key`](super::order_key) only; of several
/// entries for one position the first is written. `.db` takes any order, but only a sorted file can
/// be searched [on the fly](super::BookOptions::on_the_fly). `.sbk` is kept in memory until it is
/// finished.
pub struct BookWriter(FormatWriter);

enum FormatWriter {
    Db(DbWriter),
    Ybb(YbbWriter),
    Bin(AperyWriter),
    Sbk(Box<SbkWriter>),
}

impl BookWriter {
    /// Creates the file.
    ///
    /// # Errors
    /// The system refuses, or another process writes it.
    pub fn create(path: &Path, format: BookFormat) -> Result<Self, OutputError> {
        Ok(Self(match format {
            BookFormat::Db => FormatWriter::Db(DbWriter::create(path)?),
            BookFormat::Ybb => FormatWriter::Ybb(YbbWriter::create(path)?),
            BookFormat::Bin => FormatWriter::Bin(AperyWriter::create(path)?),
            BookFormat::Sbk => FormatWriter::Sbk(Box::new(SbkWriter::create(path)?)),
        }))
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// The system refuses, or the entry is out of order.
    pub fn write(&mut self, entry: &BookEntry) -> io::Result<()> {
        match &mut self.0 {
            FormatWriter::Db(writer) => writer.write(entry),
            FormatWriter::Ybb(writer) => writer.write(entry),
            FormatWriter::Bin(writer) => writer.write(entry),
            FormatWriter::Sbk(writer) => {
                writer.add(entry);
                Ok(())
            }
        }
    }

    /// Completes the file and returns what it could not hold.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish(self) -> io::Result<Losses> {
        match self.0 {
            FormatWriter::Db(writer) => writer.finish(),
            FormatWriter::Ybb(writer) => writer.finish(),
            FormatWriter::Bin(writer) => writer.finish(),
            FormatWriter::Sbk(writer) => writer.finish(),
        }
    }
}

/// The error of an entry that belongs before the last one. `number` counts from 1.
pub(super) fn out_of_order(number: u64) -> io::Error {
    io::Error::other(format!(
        "entry {number} belongs before the one before it: `raicho book sort` first"
    ))
}

/// Counts of what was changed or left out. All 0 for `.db`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// Further entries of a position, left out.
    pub entries: u64,
    /// Positions without moves, left out.
    pub empty: u64,
    /// Positions whose ply was left out or limited to 65535.
    pub plies: u64,
    /// Expected answers, left out.
    pub ponder_moves: u64,
    /// Values that were left out, or limited to 16 bits.
    pub values: u64,
    /// Depths that were left out, or limited to 16 bits.
    pub depths: u64,
    /// Counts that were left out, or limited to 16 or 32 bits.
    pub counts: u64,
    /// Illegal moves, left out where the format leads from position to position.
    pub illegal_moves: u64,
}

/// What a `.sbk` book has and entries have no place for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// Comments on positions.
    pub comments: u64,
    /// Positions with numbers of games and wins.
    pub results: u64,
    /// Evaluations of positions by engines.
    pub evaluations: u64,
    /// Moves that are marked as good, dubious and the like.
    pub marks: u64,
}
