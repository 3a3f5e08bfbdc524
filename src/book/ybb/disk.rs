//! A `.ybb` file that is searched where it lies (`BookOnTheFly`).

use std::io;
use std::path::Path;

use super::layout::{HEADER, Header, INDEX_ENTRY, IndexEntry, read_moves};
use crate::book::entry::BookMove;
use crate::book::fault::Reason;
use crate::book::memory::fits;
use crate::book::query::Query;
use crate::book::shared_file::SharedFile;

/// Entries of the index that are looked at when the file is opened.
const SAMPLES: u64 = 64;

/// A file with an index in order.
#[derive(Debug)]
pub(in crate::book) struct YbbOnDisk {
    file: SharedFile,
    header: Header,
    says_ply_one_only: bool,
    /// Whether the sampled positions are in order.
    is_sorted: bool,
}

impl YbbOnDisk {
    /// Opens a file and looks at some of its positions.
    ///
    /// # Errors
    /// The file cannot be read, or its header or index is wrong.
    pub(in crate::book) fn open(path: &Path) -> Result<Self, Reason> {
        let file = SharedFile::open(path)?;
        let mut bytes = [0; HEADER];
        let length = file.read_at(0, &mut bytes)?;
        let header = Header::read(&bytes[..length], file.size())?;
        let mut book = Self {
            file,
            header,
            says_ply_one_only: false,
            is_sorted: true,
        };
        let samples = SAMPLES.min(header.positions);
        let numbers = (0..samples).map(|sample| header.positions / samples * sample);
        let entries: Vec<IndexEntry> = numbers
            .map(|number| book.entry(number))
            .collect::<io::Result<_>>()?;
        book.is_sorted = entries.is_sorted_by_key(|entry| entry.position);
        book.says_ply_one_only = samples > 1 && entries.iter().all(|entry| entry.ply == 1);
        Ok(book)
    }

    /// Whether the sampled positions are in order.
    pub(in crate::book) const fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    /// Whether all sampled positions say that they are the first of a game.
    pub(in crate::book) const fn says_ply_one_only(&self) -> bool {
        self.says_ply_one_only
    }

    /// Number of positions.
    pub(in crate::book) const fn positions(&self) -> u64 {
        self.header.positions
    }

    /// The moves of a position; none if it is not there.
    pub(in crate::book) fn find(&self, query: &Query) -> io::Result<Vec<BookMove>> {
        let (mut start, mut end) = (0, self.header.positions);
        while start < end {
            let middle = start.midpoint(end);
            let entry = self.entry(middle)?;
            if entry.position < query.packed {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        if start == self.header.positions {
            return Ok(Vec::new());
        }
        let entry = self.entry(start)?;
        if entry.position != query.packed || !fits(entry.ply.into(), query.ply) {
            return Ok(Vec::new());
        }
        self.moves(&entry)
    }

    fn entry(&self, number: u64) -> io::Result<IndexEntry> {
        let mut bytes = [0; INDEX_ENTRY];
        let offset = HEADER as u64 + number * INDEX_ENTRY as u64;
        self.read(offset, &mut bytes)?;
        Ok(IndexEntry::read(&bytes))
    }

    fn moves(&self, entry: &IndexEntry) -> io::Result<Vec<BookMove>> {
        let mut bytes = vec![0; usize::from(entry.move_count) * self.header.move_bytes()];
        let start = self.header.moves_offset().unwrap_or(u64::MAX);
        self.read(start.saturating_add(entry.offset), &mut bytes)?;
        Ok(read_moves(&bytes, &self.header).collect())
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        if self.file.read_at(offset, bytes)? == bytes.len() {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}
