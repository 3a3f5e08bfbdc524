//! A `.ybb` file that is searched where it lies (`BookOnTheFly`).

use std::io;
use std::path::Path;

use super::layout::{HEADER, Header, INDEX_ENTRY, IndexEntry, read_moves};
use crate::book::entry::BookMove;
use crate::book::fault::Reason;
use crate::book::memory::fits;
use crate::book::query::Query;
use crate::book::shared_file::SharedFile;
use crate::records::packed::PackedSfen;

/// Entries of the index that are read when the file is opened, and kept: a search begins between
/// two of them.
const SAMPLES: u64 = 64;
/// Entries that are read at once when no more are left, 16 KB. Each read may be one from the disk.
const BLOCK: u64 = (1 << 14) / INDEX_ENTRY as u64;

/// A file with an index in order.
#[derive(Debug)]
pub(in crate::book) struct YbbOnDisk {
    file: SharedFile,
    header: Header,
    /// Numbers and positions of the sampled entries.
    samples: Vec<(u64, PackedSfen)>,
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
            samples: Vec::new(),
            says_ply_one_only: false,
            is_sorted: true,
        };
        let samples = SAMPLES.min(header.positions);
        let mut all_say_one = true;
        for sample in 0..samples {
            let number = header.positions / samples * sample;
            let entry = book.entry(number)?;
            book.samples.push((number, entry.position));
            all_say_one &= entry.ply == 1;
        }
        book.is_sorted = book.samples.is_sorted_by_key(|(_, position)| position);
        book.says_ply_one_only = samples > 1 && all_say_one;
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
        let Some(entry) = self.first_from(&query.packed)? else {
            return Ok(Vec::new());
        };
        if entry.position != query.packed || !fits(entry.ply.into(), query.ply) {
            return Ok(Vec::new());
        }
        self.moves(&entry)
    }

    /// The first entry that is not before the position.
    fn first_from(&self, position: &PackedSfen) -> io::Result<Option<IndexEntry>> {
        let sample = self.samples.partition_point(|(_, known)| known < position);
        let number = |sample: usize| self.samples.get(sample).map(|(number, _)| *number);
        let mut start = sample
            .checked_sub(1)
            .and_then(number)
            .map_or(0, |before| before + 1);
        let mut end = number(sample).unwrap_or(self.header.positions);
        while end - start >= BLOCK {
            let middle = start.midpoint(end);
            if self.entry(middle)?.position < *position {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        // Up to the entry at `end`, which is not before the position.
        let count = (end + 1).min(self.header.positions) - start;
        let mut bytes = vec![0; count as usize * INDEX_ENTRY];
        self.read(offset_of(start), &mut bytes)?;
        let (entries, _) = bytes.as_chunks();
        let index = entries.partition_point(|entry| IndexEntry::read(entry).position < *position);
        Ok(entries.get(index).map(IndexEntry::read))
    }

    fn entry(&self, number: u64) -> io::Result<IndexEntry> {
        let mut bytes = [0; INDEX_ENTRY];
        self.read(offset_of(number), &mut bytes)?;
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

/// Where an entry of the index begins.
const fn offset_of(number: u64) -> u64 {
    HEADER as u64 + number * INDEX_ENTRY as u64
}
