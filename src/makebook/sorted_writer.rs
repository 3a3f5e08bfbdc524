//! Writes entries in the order of their format, whatever order they come in.

use std::path::{Path, PathBuf};

use super::error::MakeError;
use super::packing::{pack, unpack};
use super::sorter::Sorter;
use crate::book::{BookEntry, BookFormat, BookWriter, Losses, order_key};

/// Sorts entries within bounded memory and writes them. Nothing but equal entries is combined, see
/// [`merge`](super::merge()) for that.
///
/// `.sbk` is a graph that its writer keeps in memory as a whole.
pub struct SortedWriter {
    path: PathBuf,
    format: BookFormat,
    sorter: Sorter,
}

impl SortedWriter {
    /// A writer for the file `path` that keeps about `memory` bytes in memory, and more in files
    /// beside `path`.
    pub fn new(path: &Path, format: BookFormat, memory: u64) -> Self {
        Self {
            path: path.to_owned(),
            format,
            // Half for the records, half for what sorts, reads and writes them.
            sorter: Sorter::new(path, memory / 2),
        }
    }

    /// Takes an entry.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add(&mut self, entry: &BookEntry) -> Result<(), MakeError> {
        let key = order_key(self.format, entry);
        self.sorter.push(&key, &pack(entry))
    }

    /// Writes the file and returns the number of positions and what the format could not hold. The
    /// moves of entries for the same position and ply are put together.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write(self) -> Result<(u64, Losses), MakeError> {
        let path = &self.path;
        let mut sorted = self.sorter.finish()?;
        let mut out = BookWriter::create(path, self.format).map_err(MakeError::output(path))?;
        let mut count = 0;
        let mut last: Option<BookEntry> = None;
        while let Some((_, record)) = sorted.next()? {
            let Some(entry) = unpack(&record) else {
                continue;
            };
            match &mut last {
                Some(last) if (last.position, last.ply) == (entry.position, entry.ply) => {
                    last.merge(&entry);
                }
                _ => {
                    if let Some(last) = last.replace(entry) {
                        out.write(&last).map_err(MakeError::write(path))?;
                        count += 1;
                    }
                }
            }
        }
        if let Some(last) = last {
            out.write(&last).map_err(MakeError::write(path))?;
            count += 1;
        }
        let losses = out.finish().map_err(MakeError::io(path))?;
        Ok((count - losses.entries - losses.empty, losses))
    }
}
