//! Writes entries in the order of their format, whatever order they come in. What does not fit into
//! memory is sorted in runs, which go to files and are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rayon::prelude::*;

use super::named;
use crate::book::{BookEntry, BookFormat, BookMove, BookWriter, Losses, order_key};
use crate::records::packed::PackedSfen;
use crate::runs::{OutputFile, beside};
use crate::types::Move16;
use crate::util::read_up_to;

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
    pub fn add(&mut self, entry: &BookEntry) -> anyhow::Result<()> {
        let key = order_key(self.format, entry);
        self.sorter.push(&key, &pack(entry))
    }

    /// Writes the file and returns the number of positions and what the format could not hold. The
    /// moves of entries for the same position and ply are put together.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write(self) -> anyhow::Result<(u64, Losses)> {
        let path = &self.path;
        let mut sorted = self.sorter.finish()?;
        let mut out = BookWriter::create(path, self.format).with_context(named(path))?;
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
                        out.write(&last).with_context(named(path))?;
                        count += 1;
                    }
                }
            }
        }
        if let Some(last) = last {
            out.write(&last).with_context(named(path))?;
            count += 1;
        }
        let losses = out.finish().with_context(named(path))?;
        Ok((count - losses.entries - losses.empty, losses))
    }
}

/// Bytes of a move in a record.
const MOVE: usize = 20;
/// Bytes of the position and its ply in a record.
const HEAD: usize = 36;

/// A key that is equal for equal positions, whatever their plies, and in the order of the positions
/// in files of a format.
pub(super) fn key(format: BookFormat, position: PackedSfen) -> Vec<u8> {
    let order = match format {
        BookFormat::Sbk => BookFormat::Ybb,
        format => format,
    };
    let entry = BookEntry {
        position,
        ply: 1,
        moves: Vec::new(),
    };
    let mut key = order_key(order, &entry);
    if order == BookFormat::Bin {
        // Positions with other hands of the opponent have the same key.
        key.extend(position.to_bytes());
    }
    key
}

/// An entry as the value of a record.
pub(super) fn pack(entry: &BookEntry) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + entry.moves.len() * MOVE);
    bytes.extend(entry.position.to_bytes());
    bytes.extend(entry.ply.to_le_bytes());
    for known in &entry.moves {
        bytes.extend(known.mv.to_bits().to_le_bytes());
        bytes.extend(known.ponder.map_or(0, Move16::to_bits).to_le_bytes());
        bytes.extend(known.value.to_le_bytes());
        bytes.extend(known.depth.to_le_bytes());
        bytes.extend(known.count.to_le_bytes());
    }
    bytes
}

/// The entry of bytes that [`pack`] made; `None` for others.
pub(super) fn unpack(bytes: &[u8]) -> Option<BookEntry> {
    let (position, rest) = bytes.split_first_chunk()?;
    let (ply, rest) = rest.split_first_chunk()?;
    let moves = rest.chunks_exact(MOVE).map(unpack_move);
    Some(BookEntry {
        position: PackedSfen::from_bytes(*position),
        ply: u32::from_le_bytes(*ply),
        moves: moves.collect::<Option<_>>()?,
    })
}

fn unpack_move(bytes: &[u8]) -> Option<BookMove> {
    let (mv, rest) = bytes.split_first_chunk()?;
    let (ponder, rest) = rest.split_first_chunk()?;
    let (value, rest) = rest.split_first_chunk()?;
    let (depth, rest) = rest.split_first_chunk()?;
    let (count, _) = rest.split_first_chunk()?;
    Some(BookMove {
        mv: Move16::from_bits(u16::from_le_bytes(*mv))?,
        ponder: Move16::from_bits(u16::from_le_bytes(*ponder)),
        value: i32::from_le_bytes(*value),
        depth: i32::from_le_bytes(*depth),
        count: u64::from_le_bytes(*count),
    })
}

/// Files that are merged at a time; with more, some are merged into longer ones first.
const MAX_OPEN: usize = 64;
/// Least memory in bytes.
const MIN_MEMORY: usize = 1 << 16;
/// Bytes of the two lengths before a record.
const LENGTHS: usize = 8;
/// Buffer of each file in bytes.
const BUFFER: usize = 1 << 16;

/// Takes records, each a key and a value, in any order.
pub(super) struct Sorter {
    /// Files are put beside this one.
    beside: PathBuf,
    memory: usize,
    records: Records,
    runs: Vec<RunFile>,
    /// Number of files so far.
    files: usize,
    /// Keeps other processes from sorting beside the same output, once there are files.
    lock: Option<OutputFile>,
}

impl Sorter {
    /// A sorter that keeps at most about `memory` bytes in memory, and more in files beside
    /// `output`.
    pub(super) fn new(output: &Path, memory: u64) -> Self {
        Self {
            beside: output.to_owned(),
            memory: usize::try_from(memory)
                .unwrap_or(usize::MAX)
                .max(MIN_MEMORY),
            records: Records::default(),
            runs: Vec::new(),
            files: 0,
            lock: None,
        }
    }

    /// Adds an entry, with its position as the key.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn push_entry(
        &mut self,
        format: BookFormat,
        entry: &BookEntry,
    ) -> anyhow::Result<()> {
        self.push(&key(format, entry.position), &pack(entry))
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) -> anyhow::Result<()> {
        let size = self.records.bytes() + LENGTHS + key.len() + value.len();
        if size > self.memory && !self.records.places.is_empty() {
            self.spill()?;
        }
        self.records.push(key, value);
        Ok(())
    }

    fn spill(&mut self) -> anyhow::Result<()> {
        self.records.sort();
        let run = self.create()?;
        let mut out = run.writer()?;
        for &place in &self.records.places {
            let record = self.records.framed(place);
            out.write_all(record).with_context(named(&run.path))?;
        }
        out.flush().with_context(named(&run.path))?;
        self.records.clear();
        self.runs.push(run);
        Ok(())
    }

    /// Locks the names of the files, and removes those that a killed process left behind.
    fn lock(&mut self) -> anyhow::Result<()> {
        if self.lock.is_some() {
            return Ok(());
        }
        let name = beside(&self.beside, ".sort");
        let lock = OutputFile::create(&name).with_context(named(&self.beside))?;
        self.lock = Some(lock);
        let folder = match self.beside.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let files = fs::read_dir(folder).with_context(named(folder))?;
        for file in files.flatten().map(|file| file.path()) {
            if is_run_file(&file, &self.beside) {
                fs::remove_file(&file).with_context(named(&file))?;
            }
        }
        Ok(())
    }

    fn create(&mut self) -> anyhow::Result<RunFile> {
        self.lock()?;
        let path = beside(&self.beside, &format!(".sort-{}.partial", self.files));
        self.files += 1;
        File::create(&path).with_context(named(&path))?;
        Ok(RunFile { path })
    }

    /// The records in the order of their keys; those with equal keys in the order in which they
    /// were added.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(super) fn finish(mut self) -> anyhow::Result<Sorted> {
        if self.runs.is_empty() {
            self.records.sort();
            return Ok(Sorted::InMemory {
                records: self.records,
                next: 0,
            });
        }
        self.spill()?;
        // Dropped before the merge takes its buffers.
        self.records = Records::default();
        while self.runs.len() > MAX_OPEN {
            let runs = std::mem::take(&mut self.runs);
            let mut runs = runs.into_iter();
            loop {
                let some: Vec<RunFile> = runs.by_ref().take(MAX_OPEN).collect();
                if some.is_empty() {
                    break;
                }
                let merged = self.merge(some)?;
                self.runs.push(merged);
            }
        }
        let runs = std::mem::take(&mut self.runs);
        let mut merge = Merge::new(runs)?;
        merge.lock = self.lock.take();
        Ok(Sorted::Merged(merge))
    }

    /// Merges runs into one.
    fn merge(&mut self, runs: Vec<RunFile>) -> anyhow::Result<RunFile> {
        let run = self.create()?;
        let mut out = run.writer()?;
        let mut merge = Merge::new(runs)?;
        while let Some((key, value)) = merge.next()? {
            let mut record = Vec::with_capacity(LENGTHS + key.len() + value.len());
            frame(&key, &value, &mut record);
            out.write_all(&record).with_context(named(&run.path))?;
        }
        out.flush().with_context(named(&run.path))?;
        Ok(run)
    }
}

/// Records in memory: two lengths, the key, the value, one after another.
#[derive(Default)]
pub(super) struct Records {
    bytes: Vec<u8>,
    /// Where each record begins.
    places: Vec<usize>,
}

impl Records {
    fn bytes(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<usize>()
    }

    fn push(&mut self, key: &[u8], value: &[u8]) {
        self.places.push(self.bytes.len());
        frame(key, value, &mut self.bytes);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    fn sort(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        // The place decides between equal keys.
        places.par_sort_unstable_by(|&a, &b| (self.key(a), a).cmp(&(self.key(b), b)));
        self.places = places;
    }

    fn key(&self, place: usize) -> &[u8] {
        let (length, _) = self.lengths(place);
        &self.bytes[place + LENGTHS..place + LENGTHS + length]
    }

    /// The whole record with its lengths.
    fn framed(&self, place: usize) -> &[u8] {
        let (key, value) = self.lengths(place);
        &self.bytes[place..place + LENGTHS + key + value]
    }

    fn lengths(&self, place: usize) -> (usize, usize) {
        let mut lengths = [0; LENGTHS];
        lengths.copy_from_slice(&self.bytes[place..place + LENGTHS]);
        read_lengths(lengths)
    }
}

/// The lengths of a key and its value.
fn read_lengths(bytes: [u8; LENGTHS]) -> (usize, usize) {
    let both = u64::from_le_bytes(bytes);
    (both as u32 as usize, (both >> u32::BITS) as usize)
}

fn frame(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend((key.len() as u32).to_le_bytes());
    out.extend((value.len() as u32).to_le_bytes());
    out.extend(key);
    out.extend(value);
}

/// Whether a file in the folder of `output` is called as a run of its sorter.
fn is_run_file(file: &Path, output: &Path) -> bool {
    let names = (file.file_name(), output.file_name());
    let (Some(file), Some(output)) = names else {
        return false;
    };
    let (file, output) = (file.to_string_lossy(), output.to_string_lossy());
    let number = file
        .strip_prefix(&*output)
        .and_then(|rest| rest.strip_prefix(".sort-")?.strip_suffix(".partial"));
    number.is_some_and(|number| number.chars().all(|letter| letter.is_ascii_digit()))
}

/// A file with a sorted run. Removed when it is dropped.
struct RunFile {
    path: PathBuf,
}

impl RunFile {
    fn writer(&self) -> anyhow::Result<BufWriter<File>> {
        let file = File::create(&self.path).with_context(named(&self.path))?;
        Ok(BufWriter::with_capacity(BUFFER, file))
    }
}

impl Drop for RunFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            log::warn!("{}: {error}", self.path.display());
        }
    }
}

/// A key and its value.
pub(super) type Record = (Vec<u8>, Vec<u8>);

/// Sorted records.
pub(super) enum Sorted {
    /// All of them are in memory.
    InMemory {
        /// In order.
        records: Records,
        /// Number of those that were returned.
        next: usize,
    },
    /// They are in files.
    Merged(Merge),
}

impl Sorted {
    /// The next record, `None` at the end.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Record>> {
        match self {
            Self::InMemory { records, next } => {
                let Some(&place) = records.places.get(*next) else {
                    return Ok(None);
                };
                *next += 1;
                let key = records.key(place);
                let value = &records.framed(place)[LENGTHS + key.len()..];
                Ok(Some((key.to_vec(), value.to_vec())))
            }
            Self::Merged(merge) => merge.next(),
        }
    }
}

/// Sorted records in groups of equal keys.
pub(super) struct Groups {
    sorted: Sorted,
    next: Option<Record>,
}

impl Groups {
    pub(super) fn of(sorter: Sorter) -> anyhow::Result<Self> {
        let mut groups = Self {
            sorted: sorter.finish()?,
            next: None,
        };
        groups.next = groups.sorted.next()?;
        Ok(groups)
    }

    /// The values of the next key, `None` at the end.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Vec<Vec<u8>>>> {
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

/// Writes a book of sorted records: `combine` makes an entry of the values of each key. Entries
/// without moves are left out. Returns the number of positions and what the format could not hold.
///
/// # Errors
/// A file cannot be read or written, or `combine` fails.
pub(super) fn write_book(
    sorter: Sorter,
    (path, format): (&Path, BookFormat),
    mut combine: impl FnMut(Vec<Vec<u8>>) -> anyhow::Result<Option<BookEntry>>,
) -> anyhow::Result<(u64, Losses)> {
    let mut out = BookWriter::create(path, format).with_context(named(path))?;
    let mut groups = Groups::of(sorter)?;
    let mut positions = 0;
    while let Some(group) = groups.next()? {
        let entry = combine(group)?;
        if let Some(entry) = entry.filter(|entry| !entry.moves.is_empty()) {
            out.write(&entry).with_context(named(path))?;
            positions += 1;
        }
    }
    Ok((positions, out.finish().with_context(named(path))?))
}

/// Merges runs.
pub(super) struct Merge {
    readers: Vec<RunReader>,
    /// The next key of each run, with the number of the run.
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    /// That of the sorter. Dropped after the files.
    lock: Option<OutputFile>,
}

struct RunReader {
    input: BufReader<File>,
    /// The value of the key that is in the heap.
    value: Vec<u8>,
    /// Removed with the reader.
    file: RunFile,
}

impl Merge {
    fn new(runs: Vec<RunFile>) -> anyhow::Result<Self> {
        let mut merge = Self {
            readers: Vec::new(),
            heads: BinaryHeap::new(),
            lock: None,
        };
        for (number, file) in runs.into_iter().enumerate() {
            let input = File::open(&file.path).with_context(named(&file.path))?;
            merge.readers.push(RunReader {
                input: BufReader::with_capacity(BUFFER, input),
                value: Vec::new(),
                file,
            });
            merge.advance(number)?;
        }
        Ok(merge)
    }

    fn next(&mut self) -> anyhow::Result<Option<Record>> {
        let Some(Reverse((key, number))) = self.heads.pop() else {
            return Ok(None);
        };
        let value = std::mem::take(&mut self.readers[number].value);
        self.advance(number)?;
        Ok(Some((key, value)))
    }

    fn advance(&mut self, number: usize) -> anyhow::Result<()> {
        let reader = &mut self.readers[number];
        if let Some((key, value)) = reader.next().with_context(named(&reader.file.path))? {
            reader.value = value;
            self.heads.push(Reverse((key, number)));
        }
        Ok(())
    }
}

impl RunReader {
    fn next(&mut self) -> std::io::Result<Option<Record>> {
        let mut lengths = [0; LENGTHS];
        if read_up_to(&mut self.input, &mut lengths)? < LENGTHS {
            return Ok(None);
        }
        let (key, value) = read_lengths(lengths);
        let (mut key, mut value) = (vec![0; key], vec![0; value]);
        self.input.read_exact(&mut key)?;
        self.input.read_exact(&mut value)?;
        Ok(Some((key, value)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::position::Position;

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
                BookMove {
                    mv: mv("2g2f"),
                    ponder: None,
                    value: 0,
                    depth: 0,
                    count: 0,
                },
            ],
        };
        assert_eq!(unpack(&pack(&entry)), Some(entry));
        assert_eq!(unpack(&[0; 20]), None);
    }

    #[test]
    fn two_sorters_cannot_share_their_files() {
        let folder = std::env::temp_dir().join(format!("raicho-sorters-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let output = folder.join("book.db");
        let abandoned = folder.join("book.db.sort-7.partial");
        let others = ["book.db.sort-x.partial", "other.db.sort-7.partial"];
        fs::write(&abandoned, "left behind").expect("it can be written");
        for other in others {
            fs::write(folder.join(other), "").expect("it can be written");
        }
        let spilled = || {
            let mut sorter = Sorter::new(&output, 0);
            sorter.push(b"key", b"value").expect("memory");
            sorter.spill().map(|()| sorter)
        };
        let first = spilled().expect("nobody sorts there");
        assert!(!abandoned.exists());
        let Err(error) = spilled() else {
            panic!("the names are taken");
        };
        let expected = format!("{}: another run is writing this file", output.display());
        assert_eq!(format!("{error:#}"), expected);
        let sorted = first.finish().expect("its files are there");
        assert!(spilled().is_err(), "the files are still read");
        drop(sorted);
        drop(spilled().expect("nobody sorts there any more"));
        let left: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
        assert_eq!(left.len(), others.len(), "{left:?}");
        fs::remove_dir_all(&folder).expect("it is there");
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
