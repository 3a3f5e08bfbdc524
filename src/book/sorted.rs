//! Writes entries in the order of their format, whatever order they come in.

use std::path::Path;

use thiserror::Error;

use super::entry::BookEntry;
use super::format::BookFormat;
use super::losses::Losses;
use super::order::order_key;
use super::writer::BookWriter;
use super::writer_error::WriteError;
use crate::runs::OutputError;

/// Why a book cannot be written.
#[derive(Debug, Error)]
pub enum SortedError {
    /// The file cannot be created.
    #[error(transparent)]
    Create(#[from] OutputError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file cannot be completed.
    #[error(transparent)]
    Finish(#[from] std::io::Error),
}

/// Collects entries in memory, about 100 bytes and 24 for each move, and writes them sorted.
#[derive(Debug)]
pub struct SortedWriter {
    format: BookFormat,
    entries: Vec<(Vec<u8>, BookEntry)>,
}

impl SortedWriter {
    /// A writer for a format.
    pub const fn new(format: BookFormat) -> Self {
        Self {
            format,
            entries: Vec::new(),
        }
    }

    /// Takes an entry.
    pub fn add(&mut self, entry: BookEntry) {
        let key = order_key(self.format, &entry);
        self.entries.push((key, entry));
    }

    /// Writes the file and returns the number of positions and what the format could not hold. The
    /// moves of entries for the same position and ply are put together.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(mut self, path: &Path) -> Result<(u64, Losses), SortedError> {
        self.entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut writer = BookWriter::create(path, self.format)?;
        let mut entries = self.entries.into_iter().map(|(_, entry)| entry).peekable();
        let mut count = 0;
        while let Some(mut entry) = entries.next() {
            let (position, ply) = (entry.position, entry.ply);
            let is_same = |next: &BookEntry| (next.position, next.ply) == (position, ply);
            while let Some(next) = entries.next_if(is_same) {
                entry.merge(&next);
            }
            writer.write(&entry)?;
            count += 1;
        }
        let losses = writer.finish()?;
        Ok((count - losses.entries, losses))
    }
}
