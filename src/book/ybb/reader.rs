//! Reads a `.ybb` file position by position.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::layout::{HEADER, Header, INDEX_ENTRY, IndexEntry, read_moves};
use crate::book::entry::BookEntry;
use crate::book::fault::{BookFault, Place, Problem, Reason};
use crate::util::read_up_to;

/// Size of the buffer for index and moves in bytes each.
const BUFFER: usize = 1 << 18;

/// The positions of a file in the order of its index.
pub(in crate::book) struct YbbReader {
    header: Header,
    index: BufReader<File>,
    moves: BufReader<File>,
    /// Offset of the next byte that `moves` reads.
    moves_at: u64,
    size: u64,
    next: u64,
}

impl YbbReader {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be read, or its header or index is wrong.
    pub(in crate::book) fn open(path: &Path) -> Result<Self, Reason> {
        let mut index = BufReader::with_capacity(BUFFER, File::open(path)?);
        let size = index.get_ref().metadata()?.len();
        let mut bytes = [0; HEADER];
        let length = read_up_to(&mut index, &mut bytes)?;
        let header = Header::read(&bytes[..length], size)?;
        Ok(Self {
            header,
            index,
            moves: BufReader::with_capacity(BUFFER, File::open(path)?),
            moves_at: 0,
            size,
            next: 0,
        })
    }

    /// Number of positions.
    pub(in crate::book) const fn positions(&self) -> u64 {
        self.header.positions
    }

    /// Number of the last entry in the index, from 0.
    pub(in crate::book) const fn number(&self) -> u64 {
        self.next.saturating_sub(1)
    }

    fn read(&mut self) -> Result<BookEntry, Problem> {
        let mut bytes = [0; INDEX_ENTRY];
        self.index.read_exact(&mut bytes)?;
        let entry = IndexEntry::read(&bytes);
        entry.position.unpack_board()?;
        let start = self.header.moves_offset().unwrap_or(u64::MAX);
        let offset = start.saturating_add(entry.offset);
        let length = usize::from(entry.move_count) * self.header.move_bytes();
        if offset.saturating_add(length as u64) > self.size {
            return Err(Problem::MovesOutside);
        }
        if offset != self.moves_at {
            let distance = offset as i64 - self.moves_at as i64;
            match self.moves_at {
                0 => self.moves.seek(SeekFrom::Start(offset)).map(|_| ())?,
                _ => self.moves.seek_relative(distance)?,
            }
        }
        let mut bytes = vec![0; length];
        self.moves.read_exact(&mut bytes)?;
        self.moves_at = offset + length as u64;
        Ok(BookEntry {
            position: entry.position,
            ply: entry.ply.into(),
            moves: read_moves(&bytes, &self.header).collect(),
        })
    }
}

impl Iterator for YbbReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.header.positions {
            return None;
        }
        let place = Place::Index(self.next);
        self.next += 1;
        let read = self.read();
        if matches!(read, Err(Problem::Io(_))) {
            self.next = self.header.positions;
        }
        Some(read.map_err(|problem| BookFault::new(place, problem)))
    }
}
