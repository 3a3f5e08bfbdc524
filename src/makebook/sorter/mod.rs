//! Sorts records that do not fit into memory: sorted runs go to files, which are merged.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::error::MakeError;
use crate::runs::OutputFile;
use crate::util::read_up_to;

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

    /// Adds a record.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<(), MakeError> {
        let size = self.records.bytes() + LENGTHS + key.len() + value.len();
        if size > self.memory && !self.records.places.is_empty() {
            self.spill()?;
        }
        self.records.push(key, value);
        Ok(())
    }

    fn spill(&mut self) -> Result<(), MakeError> {
        self.records.sort();
        let run = self.create()?;
        let mut out = run.writer()?;
        for &place in &self.records.places {
            let record = self.records.framed(place);
            out.write_all(record).map_err(MakeError::io(&run.path))?;
        }
        out.flush().map_err(MakeError::io(&run.path))?;
        self.records.clear();
        self.runs.push(run);
        Ok(())
    }

    /// Locks the names of the files, and removes those that a killed process left behind.
    fn lock(&mut self) -> Result<(), MakeError> {
        if self.lock.is_some() {
            return Ok(());
        }
        let name = with_ending(&self.beside, ".sort");
        let lock = OutputFile::create(&name).map_err(|source| MakeError::Output {
            path: self.beside.clone(),
            source,
        })?;
        self.lock = Some(lock);
        let folder = match self.beside.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let files = fs::read_dir(folder).map_err(MakeError::io(folder))?;
        for file in files.flatten().map(|file| file.path()) {
            if is_run_file(&file, &self.beside) {
                fs::remove_file(&file).map_err(MakeError::io(&file))?;
            }
        }
        Ok(())
    }

    fn create(&mut self) -> Result<RunFile, MakeError> {
        self.lock()?;
        let path = with_ending(&self.beside, &format!(".sort-{}.partial", self.files));
        self.files += 1;
        File::create(&path).map_err(MakeError::io(&path))?;
        Ok(RunFile { path })
    }

    /// The records in the order of their keys; those with equal keys in the order in which they
    /// were added.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(super) fn finish(mut self) -> Result<Sorted, MakeError> {
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
    fn merge(&mut self, runs: Vec<RunFile>) -> Result<RunFile, MakeError> {
        let run = self.create()?;
        let mut out = run.writer()?;
        let mut merge = Merge::new(runs)?;
        while let Some((key, value)) = merge.next()? {
            let mut record = Vec::with_capacity(LENGTHS + key.len() + value.len());
            frame(&key, &value, &mut record);
            out.write_all(&record).map_err(MakeError::io(&run.path))?;
        }
        out.flush().map_err(MakeError::io(&run.path))?;
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

/// A path with more letters behind it.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
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
    fn writer(&self) -> Result<BufWriter<File>, MakeError> {
        let file = File::create(&self.path).map_err(MakeError::io(&self.path))?;
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
    pub(super) fn next(&mut self) -> Result<Option<Record>, MakeError> {
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
    fn new(runs: Vec<RunFile>) -> Result<Self, MakeError> {
        let mut merge = Self {
            readers: Vec::new(),
            heads: BinaryHeap::new(),
            lock: None,
        };
        for (number, file) in runs.into_iter().enumerate() {
            let input = File::open(&file.path).map_err(MakeError::io(&file.path))?;
            merge.readers.push(RunReader {
                input: BufReader::with_capacity(BUFFER, input),
                value: Vec::new(),
                file,
            });
            merge.advance(number)?;
        }
        Ok(merge)
    }

    fn next(&mut self) -> Result<Option<Record>, MakeError> {
        let Some(Reverse((key, number))) = self.heads.pop() else {
            return Ok(None);
        };
        let value = std::mem::take(&mut self.readers[number].value);
        self.advance(number)?;
        Ok(Some((key, value)))
    }

    fn advance(&mut self, number: usize) -> Result<(), MakeError> {
        let reader = &mut self.readers[number];
        if let Some((key, value)) = reader.next().map_err(MakeError::io(&reader.file.path))? {
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
