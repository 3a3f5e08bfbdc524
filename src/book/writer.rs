//! Writes books of every format, and says what a format could not hold.

use std::fmt;
use std::io;
use std::path::Path;

use super::apery::AperyWriter;
use super::db::DbWriter;
use super::entry::BookEntry;
use super::format::BookFormat;
use super::losses::Losses;
use super::sbk::SbkWriter;
use super::writer_error::WriteError;
use super::ybb::YbbWriter;
use crate::runs::OutputError;

/// A book that is being written. The file gets its name in [`BookWriter::finish`].
///
/// `.ybb` and `.bin` take entries in the order of [`order_key`](super::order_key) only; of several
/// entries for one position the first is written. `.db` takes any order, but only a sorted file can
/// be searched [on the fly](super::BookOptions::on_the_fly). `.sbk` is kept in memory until it is
/// finished.
pub struct BookWriter(Inner);

enum Inner {
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
            BookFormat::Db => Inner::Db(DbWriter::create(path)?),
            BookFormat::Ybb => Inner::Ybb(YbbWriter::create(path)?),
            BookFormat::Bin => Inner::Bin(AperyWriter::create(path)?),
            BookFormat::Sbk => Inner::Sbk(Box::new(SbkWriter::create(path)?)),
        }))
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// The system refuses, or the entry is out of order.
    pub fn write(&mut self, entry: &BookEntry) -> Result<(), WriteError> {
        match &mut self.0 {
            Inner::Db(writer) => Ok(writer.write(entry)?),
            Inner::Ybb(writer) => writer.write(entry),
            Inner::Bin(writer) => writer.write(entry),
            Inner::Sbk(writer) => {
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
            Inner::Db(writer) => writer.finish(),
            Inner::Ybb(writer) => writer.finish(),
            Inner::Bin(writer) => writer.finish(),
            Inner::Sbk(writer) => writer.finish(),
        }
    }
}

impl fmt::Debug for BookWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BookWriter")
    }
}
