//! `YANE-BINBOOK-V1`, the binary format `.ybb` of `YaneuraOu`: a header, an index of packed
//! positions in order, and the moves. All numbers are little endian.

use std::io::{self, BufReader, Read as _, Write as _};
use std::path::Path;

use bytemuck::{Pod, Zeroable, bytes_of, bytes_of_mut, pod_read_unaligned};

use super::fault::{BookFault, BookPlace, FaultLog, Problem, no_book};
use super::opened::{MemoryBook, Node, Query, SharedFile, fits};
use super::{BookEntry, BookMove, FormatWriter, Losses};
use crate::runs::{OutputError, OutputFile, beside};
use crate::util::{counted, read_up_to, system::File};
use crate::{records::packed::PackedSfen, types::Move16};

/// Size of the buffer for index and moves in bytes each.
const BUFFER: usize = 1 << 18;

/// The positions of a file in the order of its index.
pub(super) struct YbbReader {
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
    pub(super) fn open(path: &Path) -> io::Result<Self> {
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

    pub(super) const fn positions(&self) -> u64 {
        self.header.positions
    }

    /// Number of the last entry in the index, from 0.
    pub(super) const fn number(&self) -> u64 {
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
            return Err(Problem::MOVES_OUTSIDE);
        }
        let distance = offset as i64 - self.moves_at as i64;
        self.moves.seek_relative(distance)?;
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
        let place = BookPlace::Index(self.next);
        self.next += 1;
        let read = self.read();
        if matches!(read, Err(Problem::Io(_))) {
            self.next = self.header.positions;
        }
        Some(read.map_err(|problem| BookFault::new(place, problem)))
    }
}

/// Puts a file into memory, given its bytes.
///
/// # Errors
/// Its header or index is wrong.
pub(super) fn read(bytes: &[u8], faults: &mut FaultLog) -> io::Result<MemoryBook> {
    let size = bytes.len() as u64;
    let header = Header::read(bytes, size)?;
    let start = header.moves_offset().unwrap_or(size) as usize;
    let (index, area) = (&bytes[HEADER..start], &bytes[start..]);
    let (mut nodes, mut moves) = (Vec::new(), Vec::new());
    let mut last = None;
    for (number, entry) in index.as_chunks::<INDEX_ENTRY>().0.iter().enumerate() {
        let entry = IndexEntry::read(entry);
        let length = usize::from(entry.move_count) * header.move_bytes();
        let end = entry.offset.saturating_add(length as u64);
        let problem = if end > area.len() as u64 {
            Some(Problem::MOVES_OUTSIDE)
        } else if last.replace(entry.position) == Some(entry.position) {
            let text = "the position stands there before, this entry is skipped";
            Some(Problem::other(text))
        } else {
            None
        };
        if let Some(problem) = problem {
            faults.add(BookFault::new(BookPlace::Index(number as u64), problem));
            continue;
        }
        let first_move = moves.len();
        moves.extend(read_moves(&area[entry.offset as usize..end as usize], &header));
        nodes.push(Node {
            position: entry.position,
            ply: entry.ply.into(),
            first_move,
            move_count: (moves.len() - first_move) as u32,
        });
    }
    Ok(MemoryBook::new(nodes, moves))
}

/// Entries of the index that are read when the file is opened, and kept: a search begins between
/// two of them.
const SAMPLES: u64 = 64;
/// Entries that are read at once when no more are left, 16 KB. Each read may be one from the disk.
const BLOCK: u64 = (1 << 14) / INDEX_ENTRY as u64;

/// A file that is searched where it lies (`BookOnTheFly`).
#[derive(Debug)]
pub(super) struct YbbOnDisk {
    file: SharedFile,
    header: Header,
    /// Numbers and positions of the sampled entries.
    samples: Vec<(u64, PackedSfen)>,
    /// Whether all sampled positions say that they are the first of a game.
    pub(super) says_ply_one_only: bool,
    /// Whether the sampled positions are in order.
    pub(super) is_sorted: bool,
}

impl YbbOnDisk {
    /// Opens a file and looks at some of its positions.
    ///
    /// # Errors
    /// The file cannot be read, or its header or index is wrong.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = SharedFile::open(path)?;
        let mut bytes = [0; HEADER];
        let length = file.read_at(0, &mut bytes)?;
        let header = Header::read(&bytes[..length], file.size())?;
        let mut book =
            Self { file, header, samples: Vec::new(), says_ply_one_only: false, is_sorted: true };
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

    pub(super) const fn positions(&self) -> u64 {
        self.header.positions
    }

    /// The moves of a position; none if it is not there.
    pub(super) fn find(&self, query: &Query) -> io::Result<Vec<BookMove>> {
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
        let before = sample.checked_sub(1).and_then(number);
        let mut start = before.map_or(0, |before| before + 1);
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

/// A file that is being written. The index and the moves grow at the same time: the moves are kept
/// in a second file and appended at the end.
pub(super) struct YbbWriter {
    index: OutputFile,
    /// Never finished, and so removed when it is dropped.
    moves: OutputFile,
    header: Header,
}

impl YbbWriter {
    pub(super) fn create(path: &Path) -> Result<Self, OutputError> {
        let mut index = OutputFile::create(path)?;
        let header = Header { positions: 0, has_depth: true };
        index.write_all(&header.to_bytes())?;
        Ok(Self { index, moves: OutputFile::create(&beside(path, ".moves"))?, header })
    }
}

impl FormatWriter for YbbWriter {
    fn write(&mut self, entry: &BookEntry, losses: &mut Losses) -> io::Result<()> {
        self.header.positions += 1;
        let ply = entry.ply.min(u16::MAX.into()) as u16;
        losses.plies += u64::from(u32::from(ply) != entry.ply);
        let most = usize::from(u16::MAX);
        let index = IndexEntry {
            position: entry.position,
            offset: self.moves.length(),
            ply,
            move_count: entry.moves.len().min(most) as u16,
        };
        self.index.write_all(bytes_of(&index))?;
        for known in entry.moves.iter().take(most) {
            let stored = StoredMove::of(known, losses);
            self.moves.write_all(bytes_of(&stored))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: &mut Losses) -> io::Result<()> {
        self.moves.rewind()?;
        io::copy(&mut self.moves, &mut self.index)?;
        self.index.overwrite(0, &self.header.to_bytes())?;
        self.index.finish()
    }
}

/// What a file begins with.
const MAGIC: &[u8; 16] = b"YANE-BINBOOK-V1\0";
/// What the files of all versions begin with.
const NAME: &[u8] = b"YANE-BINBOOK";
/// Bytes of the header: magic, number of positions, flags.
const HEADER: usize = 32;
/// Bytes of an entry of the index.
const INDEX_ENTRY: usize = size_of::<IndexEntry>();
/// The flag of moves with a depth.
const WITH_DEPTH: u64 = 1;

/// Whether the first bytes of a file are those of this format, in any version.
pub(super) fn is_named_so(head: &[u8]) -> bool {
    head.starts_with(NAME)
}

/// The header of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Header {
    positions: u64,
    has_depth: bool,
}

impl Header {
    /// Reads the header of a file of `size` bytes.
    ///
    /// # Errors
    /// It is no header, or its index does not fit into the file.
    fn read(bytes: &[u8], size: u64) -> io::Result<Self> {
        let Some((magic, numbers)) = bytes.get(..HEADER).and_then(<[u8]>::split_first_chunk) else {
            let found = counted(size, "byte");
            return Err(no_book(format_args!("{found}, expected a header of {HEADER}")));
        };
        if magic != MAGIC {
            let text = String::from_utf8_lossy(magic);
            return Err(no_book(format_args!(
                "magic \"{}\", expected \"YANE-BINBOOK-V1\"",
                text.trim_end_matches('\0')
            )));
        }
        let [positions, flags]: [u64; 2] = pod_read_unaligned(numbers);
        if flags & !WITH_DEPTH != 0 {
            return Err(no_book(format_args!(
                "flags {flags:#x}, known is only bit 0 (moves with depth)"
            )));
        }
        let header = Self { positions, has_depth: flags & WITH_DEPTH != 0 };
        match header.moves_offset() {
            Some(offset) if offset <= size => Ok(header),
            _ => Err(no_book(format_args!(
                "an index of {positions} positions does not fit into {size} bytes"
            ))),
        }
    }

    fn to_bytes(self) -> [u8; HEADER] {
        let flags = if self.has_depth { WITH_DEPTH } else { 0 };
        let mut bytes = [0; HEADER];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[16..].copy_from_slice(bytes_of(&[self.positions, flags]));
        bytes
    }

    /// Where the moves begin, `None` beyond 64 bits.
    fn moves_offset(&self) -> Option<u64> {
        let index = self.positions.checked_mul(INDEX_ENTRY as u64)?;
        index.checked_add(HEADER as u64)
    }

    /// Bytes of a move.
    const fn move_bytes(&self) -> usize {
        if self.has_depth { 6 } else { 4 }
    }
}

/// An entry of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, packed)]
struct IndexEntry {
    position: PackedSfen,
    /// Offset of its moves from the first move of the file, in bytes.
    offset: u64,
    ply: u16,
    move_count: u16,
}

impl IndexEntry {
    fn read(bytes: &[u8; INDEX_ENTRY]) -> Self {
        pod_read_unaligned(bytes)
    }
}

/// A move of a file with depths. In others it ends after the value.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct StoredMove {
    mv: u16,
    value: i16,
    depth: u16,
}

impl StoredMove {
    fn of(known: &BookMove, losses: &mut Losses) -> Self {
        let value = known.value.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        let depth = known.depth.clamp(0, u16::MAX.into()) as u16;
        losses.values += u64::from(i32::from(value) != known.value);
        losses.depths += u64::from(i32::from(depth) != known.depth);
        losses.ponder_moves += u64::from(known.ponder.is_some());
        losses.counts += u64::from(known.count > 0);
        Self { mv: known.mv.to_bits(), value, depth }
    }
}

/// Reads moves of 4 or 6 bytes each. Those without a move are left out.
fn read_moves(bytes: &[u8], header: &Header) -> impl Iterator<Item = BookMove> {
    bytes.chunks_exact(header.move_bytes()).filter_map(|bytes| {
        let mut stored = StoredMove::zeroed();
        bytes_of_mut(&mut stored)[..bytes.len()].copy_from_slice(bytes);
        Some(BookMove {
            mv: Move16::from_bits(stored.mv)?,
            ponder: None,
            value: stored.value.into(),
            depth: stored.depth.into(),
            count: 0,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_is_checked() {
        let header = Header { positions: 2, has_depth: true };
        let bytes = header.to_bytes();
        assert_eq!(Header::read(&bytes, 200).expect("a header"), header);
        let reason = |bytes: &[u8], size| match Header::read(bytes, size) {
            Ok(header) => format!("{header:?}"),
            Err(reason) => reason.to_string(),
        };
        assert!(reason(&bytes, 100).contains("index of 2 positions"));
        assert!(reason(&bytes[..20], 20).contains("20 bytes"));
        let mut other = bytes;
        other[14] = b'2';
        assert!(reason(&other, 200).contains("YANE-BINBOOK-V2\""));
        let mut flags = bytes;
        flags[24] = 3;
        assert!(reason(&flags, 200).contains("flags 0x3"));
        let mut huge = bytes;
        huge[23] = 0x80;
        assert!(reason(&huge, 200).contains("does not fit"));
    }

    #[test]
    fn an_entry_of_the_index_comes_back() {
        let entry = IndexEntry {
            position: PackedSfen::from_bytes([7; 32]),
            offset: 1 << 40,
            ply: 300,
            move_count: 12,
        };
        let bytes = bytes_of(&entry).as_array().expect("44 bytes");
        assert_eq!(IndexEntry::read(bytes), entry);
    }
}
