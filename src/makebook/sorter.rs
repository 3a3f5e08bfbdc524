//! Writes entries in the order of their format, whatever order they come in. What does not fit into
//! memory is sorted in runs, which go to files and are merged.

use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{cmp::Reverse, collections::BinaryHeap};

use anyhow::Result;
use bytemuck::{Pod, Zeroable, bytes_of, bytes_of_mut, pod_read_unaligned};

use crate::book::{BookEntry, BookFormat, BookMove, BookWriter, Losses, order_key};
use crate::runs::{OutputFile, beside};
use crate::{records::PackedSfen, types::Move16, util::AtPath, util::read_up_to};

use rayon::prelude::*;

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
    pub fn add(&mut self, entry: &BookEntry) -> Result<()> {
        let key = order_key(self.format, entry);
        self.sorter.push(&key, &pack(entry))
    }

    /// Writes the file and returns the number of positions and what the format could not hold. The
    /// moves of entries for the same position and ply are put together.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write(self) -> Result<(u64, Losses)> {
        let output = (&*self.path, self.format);
        let (count, losses) = write_book(self.sorter, output, |group| {
            let mut entries: Vec<BookEntry> = Vec::new();
            for entry in group.iter().filter_map(|value| unpack(value)) {
                let place = |entry: &BookEntry| (entry.position, entry.ply);
                match entries.last_mut() {
                    Some(last) if place(last) == place(&entry) => last.merge(&entry),
                    _ => entries.push(entry),
                }
            }
            Ok(entries)
        })?;
        Ok((count - losses.entries - losses.empty, losses))
    }
}

/// A key that is equal for equal positions, whatever their plies, and in the order of the positions
/// in files of a format.
pub(super) fn key(format: BookFormat, position: PackedSfen) -> Vec<u8> {
    let order = match format {
        BookFormat::Sbk => BookFormat::Ybb,
        format => format,
    };
    let entry = BookEntry { position, ply: 1, moves: Vec::new() };
    let mut key = order_key(order, &entry);
    if order == BookFormat::Bin {
        // Positions with other hands of the opponent have the same key.
        key.extend(position.to_bytes());
    }
    key
}

// --- Entries as the values of records ---

/// A move of an entry.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
struct PackedMove {
    mv: u16,
    ponder: u16,
    value: i32,
    depth: i32,
    count: u64,
}

/// An entry as the value of a record.
pub(super) fn pack(entry: &BookEntry) -> Vec<u8> {
    let moves = entry.moves.iter().map(|known| PackedMove {
        mv: known.mv.to_bits(),
        ponder: known.ponder.map_or(0, Move16::to_bits),
        value: known.value,
        depth: known.depth,
        count: known.count,
    });
    pack_position(entry.position, entry.ply, moves)
}

/// The entry of bytes that [`pack`] made; `None` for others.
pub(super) fn unpack(bytes: &[u8]) -> Option<BookEntry> {
    let read = |packed: PackedMove| {
        Some(BookMove {
            mv: Move16::from_bits(packed.mv)?,
            ponder: Move16::from_bits(packed.ponder),
            value: packed.value,
            depth: packed.depth,
            count: packed.count,
        })
    };
    let (position, ply, moves) = unpack_position(bytes)?;
    Some(BookEntry { position, ply, moves: moves.map(read).collect::<Option<_>>()? })
}

/// A position, its ply and its moves, one after another.
pub(super) fn pack_position<M: Pod>(
    position: PackedSfen,
    ply: u32,
    moves: impl Iterator<Item = M>,
) -> Vec<u8> {
    let mut bytes = position.to_bytes().to_vec();
    bytes.extend(ply.to_le_bytes());
    moves.for_each(|mv| bytes.extend(bytes_of(&mv)));
    bytes
}

/// What [`pack_position`] put together; `None` for too few bytes.
pub(super) fn unpack_position<M: Pod>(
    bytes: &[u8],
) -> Option<(PackedSfen, u32, impl Iterator<Item = M>)> {
    let (position, rest) = bytes.split_first_chunk()?;
    let (ply, moves) = rest.split_first_chunk()?;
    let moves = moves.chunks_exact(size_of::<M>()).map(pod_read_unaligned);
    let position = PackedSfen::from_bytes(*position);
    Some((position, u32::from_le_bytes(*ply), moves))
}

// --- Sorting ---

/// Runs of one level that are merged into one of the next.
const MAX_RUNS: usize = 64;
/// Least memory in bytes.
const MIN_MEMORY: usize = 1 << 16;
/// Buffer of each file that is read, in bytes.
const BUFFER: usize = 1 << 16;

/// A key and its value.
pub(super) type Record = (Vec<u8>, Vec<u8>);

/// Takes records, each a key and a value, in any order.
pub(super) struct Sorter {
    /// Files are put beside this one.
    output: PathBuf,
    memory: usize,
    records: Records,
    /// In the order of the records.
    runs: Vec<Run>,
    /// Number of files so far.
    files: usize,
}

/// A file with sorted records, which is never finished and so removed when it is dropped.
struct Run {
    file: OutputFile,
    /// How often its records were merged.
    level: u32,
}

impl Sorter {
    /// A sorter that keeps at most about `memory` bytes in memory, and more in files beside
    /// `output`.
    pub(super) fn new(output: &Path, memory: u64) -> Self {
        Self {
            output: output.to_owned(),
            memory: usize::try_from(memory).unwrap_or(usize::MAX).max(MIN_MEMORY),
            records: Records::default(),
            runs: Vec::new(),
            files: 0,
        }
    }

    /// Adds an entry, with its position as the key.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn push_entry(&mut self, format: BookFormat, entry: &BookEntry) -> Result<()> {
        self.push(&key(format, entry.position), &pack(entry))
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let size = self.records.bytes() + key.len() + value.len();
        if size > self.memory && !self.records.places.is_empty() {
            self.spill()?;
        }
        self.records.push(key, value);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let mut run = self.create(0)?;
        self.records.sort();
        for &place in &self.records.places {
            let (key, value) = self.records.get(place);
            run.write(key, value).at(&self.output)?;
        }
        self.records.bytes.clear();
        self.records.places.clear();
        self.runs.push(run);
        while let Some(first) = self.runs.len().checked_sub(MAX_RUNS)
            && self.runs[first].level == self.runs[self.runs.len() - 1].level
        {
            let merged = self.merge(first)?;
            self.runs.push(merged);
        }
        Ok(())
    }

    fn create(&mut self, level: u32) -> Result<Run> {
        let name = beside(&self.output, &format!(".sort-{}", self.files));
        self.files += 1;
        let file = OutputFile::create(&name).at(&self.output)?;
        Ok(Run { file, level })
    }

    /// Merges the runs from the index `first` on into one.
    fn merge(&mut self, first: usize) -> Result<Run> {
        let level = self.runs[first].level + 1;
        let mut run = self.create(level)?;
        let mut merge = Sorted::new(&self.output, self.runs.split_off(first), None)?;
        while let Some((key, value)) = merge.next()? {
            run.write(&key, &value).at(&self.output)?;
        }
        Ok(run)
    }

    /// The records in the order of their keys; those with equal keys in the order in which they
    /// were added.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(super) fn finish(mut self) -> Result<Sorted> {
        self.records.sort();
        Sorted::new(&self.output, self.runs, Some(self.records))
    }
}

impl Run {
    /// Writes a record: two lengths, the key, the value.
    fn write(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let lengths = [key.len() as u32, value.len() as u32];
        self.file.write_all(bytes_of(&lengths))?;
        self.file.write_all(key)?;
        self.file.write_all(value)
    }
}

/// Records in memory, one after another: the key and the value of each.
#[derive(Default)]
struct Records {
    bytes: Vec<u8>,
    places: Vec<RecordPlace>,
}

/// Where a record begins, and the lengths of its key and its value.
type RecordPlace = (usize, u32, u32);

impl Records {
    fn bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.places)
    }

    fn push(&mut self, key: &[u8], value: &[u8]) {
        let place = (self.bytes.len(), key.len() as u32, value.len() as u32);
        self.places.push(place);
        self.bytes.extend(key);
        self.bytes.extend(value);
    }

    fn sort(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        // The place decides between equal keys.
        places.par_sort_unstable_by(|&a, &b| (self.get(a).0, a).cmp(&(self.get(b).0, b)));
        self.places = places;
    }

    fn get(&self, (start, key, value): RecordPlace) -> (&[u8], &[u8]) {
        let (key, value) = (key as usize, value as usize);
        self.bytes[start..start + key + value].split_at(key)
    }
}

// --- Merging ---

/// Sorted records, merged from several sources.
pub(super) struct Sorted {
    output: PathBuf,
    sources: Vec<Source>,
    /// The next key of each source, with the number of the source.
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    /// The value of the key of each source that is in the heap.
    values: Vec<Vec<u8>>,
}

enum Source {
    File(BufReader<OutputFile>),
    /// Records in order, and the number of those that were returned.
    Memory(Records, usize),
}

impl Sorted {
    /// Merges runs and then what is in memory, each of them sorted.
    fn new(output: &Path, runs: Vec<Run>, memory: Option<Records>) -> Result<Self> {
        let mut sources = Vec::new();
        for Run { mut file, .. } in runs {
            file.rewind().at(output)?;
            sources.push(Source::File(BufReader::with_capacity(BUFFER, file)));
        }
        sources.extend(memory.map(|records| Source::Memory(records, 0)));
        let mut sorted = Self {
            output: output.to_owned(),
            heads: BinaryHeap::new(),
            values: vec![Vec::new(); sources.len()],
            sources,
        };
        (0..sorted.sources.len()).try_for_each(|number| sorted.advance(number))?;
        Ok(sorted)
    }

    /// The next record, `None` at the end.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Record>> {
        let Some(Reverse((key, number))) = self.heads.pop() else {
            return Ok(None);
        };
        let value = std::mem::take(&mut self.values[number]);
        self.advance(number)?;
        Ok(Some((key, value)))
    }

    fn advance(&mut self, number: usize) -> Result<()> {
        let next = self.sources[number].next();
        if let Some((key, value)) = next.at(&self.output)? {
            self.values[number] = value;
            self.heads.push(Reverse((key, number)));
        }
        Ok(())
    }
}

impl Source {
    fn next(&mut self) -> io::Result<Option<Record>> {
        match self {
            Self::File(input) => {
                let mut lengths = [0_u32; 2];
                if read_up_to(input, bytes_of_mut(&mut lengths))? < size_of_val(&lengths) {
                    return Ok(None);
                }
                let [mut key, mut value] = lengths.map(|length| vec![0; length as usize]);
                input.read_exact(&mut key)?;
                input.read_exact(&mut value)?;
                Ok(Some((key, value)))
            }
            Self::Memory(records, next) => {
                let place = records.places.get(*next).copied();
                *next += 1;
                Ok(place.map(|place| {
                    let (key, value) = records.get(place);
                    (key.to_vec(), value.to_vec())
                }))
            }
        }
    }
}

/// Sorted records in groups of equal keys.
pub(super) struct Groups {
    sorted: Sorted,
    next: Option<Record>,
}

impl Groups {
    pub(super) fn of(sorter: Sorter) -> Result<Self> {
        let mut records = sorter.finish()?;
        let next = records.next()?;
        Ok(Self { sorted: records, next })
    }

    /// The values of the next key, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Vec<Vec<u8>>>> {
        let Some((key, first)) = self.next.take() else {
            return Ok(None);
        };
        let mut group = vec![first];
        loop {
            match self.sorted.next()? {
                Some((next, value)) if next == key => group.push(value),
                other => {
                    self.next = other;
                    return Ok(Some(group));
                }
            }
        }
    }
}

/// Writes a book of sorted records: `combine` makes entries of the values of each key. Returns the
/// number of entries and what the format could not hold.
///
/// # Errors
/// A file cannot be read or written, or `combine` fails.
pub(super) fn write_book<E: IntoIterator<Item = BookEntry>>(
    sorter: Sorter,
    (path, format): (&Path, BookFormat),
    mut combine: impl FnMut(Vec<Vec<u8>>) -> Result<E>,
) -> Result<(u64, Losses)> {
    let mut out = BookWriter::create(path, format).at(path)?;
    let mut groups = Groups::of(sorter)?;
    let mut count = 0;
    while let Some(group) = groups.next()? {
        for entry in combine(group)? {
            out.write(&entry).at(path)?;
            count += 1;
        }
    }
    Ok((count, out.finish().at(path)?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::position::Position;
    use crate::util::TestFolder;

    #[test]
    fn entries_come_back() {
        let mv = |text: &str| text.parse().expect("a move");
        let entry = BookEntry {
            position: PackedSfen::of(&Position::startpos()),
            ply: 7,
            moves: vec![
                BookMove {
                    mv: mv("7g7f"),
                    ponder: Some(mv("3c3d")),
                    value: -5,
                    depth: 1 << 20,
                    count: u64::MAX,
                },
                BookMove { mv: mv("2g2f"), ponder: None, value: 0, depth: 0, count: 0 },
            ],
        };
        assert_eq!(unpack(&pack(&entry)), Some(entry));
        assert_eq!(unpack(&[0; 20]), None);
    }

    #[test]
    fn two_sorters_cannot_share_their_files() {
        let folder = TestFolder::new();
        let output = folder.file("book.db");
        let abandoned = folder.file("book.db.sort-0.partial");
        fs::write(&abandoned, "left behind").expect("it can be written");
        let spilled = || {
            let mut sorter = Sorter::new(&output, 0);
            sorter.push(b"key", b"value").expect("memory");
            sorter.spill().map(|()| sorter)
        };
        let first = spilled().expect("nobody sorts there");
        let Err(error) = spilled() else {
            panic!("the names are taken");
        };
        let expected = format!("{}: another run is writing this file", output.display());
        assert_eq!(format!("{error:#}"), expected);
        let sorted = first.finish().expect("its files are there");
        assert!(spilled().is_err(), "the files are still read");
        drop(sorted);
        drop(spilled().expect("nobody sorts there any more"));
        let left = fs::read_dir(&folder.0).expect("a folder").count();
        assert_eq!(left, 0);
    }

    fn sort(records: &[Record], memory: u64, name: &str) -> Vec<Record> {
        let folder = std::env::temp_dir();
        let output = folder.join(format!("raicho-sorter-{name}-{}", std::process::id()));
        let mut sorter = Sorter::new(&output, 0);
        // Smaller than any real run, so that there are many.
        sorter.memory = memory as usize;
        for (key, value) in records {
            sorter.push(key, value).expect("a file");
        }
        let mut records = sorter.finish().expect("files");
        let mut found = Vec::new();
        while let Some(record) = records.next().expect("files") {
            found.push(record);
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn sorting_in_files_gives_what_sorting_in_memory_gives(
            keys in prop::collection::vec(prop::collection::vec(0_u8..4, 0..4), 0..300),
            memory in 40_u64..2_000,
        ) {
            let numbers = (0_u32..).map(|number| number.to_le_bytes().to_vec());
            let records: Vec<Record> = keys.into_iter().zip(numbers).collect();
            let mut expected = records.clone();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(&sort(&records, u64::MAX, "memory"), &expected);
            prop_assert_eq!(&sort(&records, memory, "files"), &expected);
        }
    }
}
