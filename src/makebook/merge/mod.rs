//! Merges books, or sorts one: positions in the order of the output format, each once, with its
//! moves in the order of preference. Memory is bounded.

use crate::runs::Watch;
use crate::types::Color;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::book::{BookEntry, BookFormat, BookReader, BookWriter, FaultLog, Losses};
use crate::makebook::combine::{MergeRule, of_one_book, of_several_books};
use crate::makebook::error::MakeError;
use crate::makebook::packing::{key, pack, unpack};
use crate::makebook::sorter::{Sorted, Sorter};

/// Entries that are prepared at a time.
const BATCH: usize = 1 << 14;
/// Bytes before the entry in a record: the number of the book.
const SOURCE_BYTES: usize = 4;

/// The settings of a merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeSettings {
    /// Which entry counts for a position that is in several books.
    pub rule: MergeRule,
    /// The side to move of the positions that count in each book, in the order of the books; `None`
    /// and a missing entry mean both.
    pub sides: Vec<Option<Color>>,
    /// Memory for entries in bytes.
    pub memory: u64,
    /// Number of threads, at least 1.
    pub threads: usize,
}

/// The result of a merge.
#[derive(Debug)]
pub struct MergeSummary {
    /// Entries read.
    pub entries: u64,
    /// Positions written.
    pub positions: u64,
    /// What was wrong in each of the books, in their order.
    pub faults: Vec<FaultLog>,
    /// What the output could not hold.
    pub losses: Losses,
}

/// Merges the books `inputs` of any formats into `output`, in the format of its extension. A single
/// book is sorted. `watch` is told entries read, and then positions written.
///
/// # Errors
/// A file cannot be read or written, is no book, or the end is requested. Nothing is left of an
/// incomplete output.
pub fn merge(
    inputs: &[PathBuf],
    output: (&Path, BookFormat),
    settings: &MergeSettings,
    watch: &Watch<'_>,
) -> Result<MergeSummary, MakeError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads);
    pool.build()?.install(|| {
        let (path, format) = output;
        // Half for the records, half for what sorts and reads them.
        let mut sorter = Sorter::new(path, settings.memory / 2);
        let mut entries = 0;
        let mut faults = Vec::new();
        for (input, source) in inputs.iter().zip(0..) {
            let side = settings.sides.get(source as usize).copied().flatten();
            let mut log = FaultLog::default();
            let source = Source {
                input,
                number: source,
                side,
            };
            entries += source.add(format, &mut sorter, &mut log, watch)?;
            faults.push(log);
        }
        let mut out = BookWriter::create(path, format).map_err(MakeError::output(path))?;
        let mut groups = Groups::new(sorter.finish()?)?;
        let mut positions = 0;
        let mut done = 0;
        while let Some(group) = groups.next()? {
            done += group.len() as u64;
            let entry = combine(group, settings.rule);
            if let Some(entry) = entry.filter(|entry| !entry.moves.is_empty()) {
                out.write(&entry).map_err(MakeError::write(path))?;
                positions += 1;
            }
            if positions % BATCH as u64 == 0 {
                watch.advance(entries + done, 2 * entries)?;
            }
        }
        let losses = out.finish().map_err(MakeError::io(path))?;
        Ok(MergeSummary {
            entries,
            positions,
            faults,
            losses,
        })
    })
}

/// A book that is merged.
struct Source<'a> {
    input: &'a Path,
    number: u32,
    /// The side to move of the positions that count.
    side: Option<Color>,
}

impl Source<'_> {
    /// Adds the entries of the book, and returns how many they are.
    fn add(
        &self,
        format: BookFormat,
        sorter: &mut Sorter,
        faults: &mut FaultLog,
        watch: &Watch<'_>,
    ) -> Result<u64, MakeError> {
        let input = self.input;
        let mut reader = BookReader::open(input)?;
        let mut count = 0;
        loop {
            let mut batch = Vec::with_capacity(BATCH);
            for entry in reader.by_ref().take(BATCH) {
                match entry {
                    Ok(entry) => batch.push(entry),
                    Err(fault) => MakeError::log(input, fault, faults)?,
                }
            }
            if batch.is_empty() {
                return Ok(count);
            }
            count += batch.len() as u64;
            if let Some(side) = self.side {
                batch.retain(|entry| entry.position.side_to_move() == side);
            }
            let record = |entry: &BookEntry| {
                let mut value = self.number.to_le_bytes().to_vec();
                value.extend(pack(entry));
                (key(format, entry.position), value)
            };
            let records: Vec<(Vec<u8>, Vec<u8>)> = batch.par_iter().map(record).collect();
            for (key, value) in records {
                sorter.push(&key, &value)?;
            }
            watch.advance(count, 2 * count)?;
        }
    }
}

/// Makes one entry of all for a position, which come in the order of the books.
fn combine(group: Vec<(u32, BookEntry)>, rule: MergeRule) -> Option<BookEntry> {
    let mut books: Vec<(u32, Vec<BookEntry>)> = Vec::new();
    for (source, entry) in group {
        match books.last_mut() {
            Some((last, entries)) if *last == source => entries.push(entry),
            _ => books.push((source, vec![entry])),
        }
    }
    let entries = books.into_iter();
    let entries = entries.filter_map(|(_, entries)| of_one_book(entries));
    of_several_books(entries.collect(), rule)
}

/// Sorted records in groups of equal keys.
struct Groups {
    sorted: Sorted,
    next: Option<(Vec<u8>, Vec<u8>)>,
}

impl Groups {
    fn new(mut sorted: Sorted) -> Result<Self, MakeError> {
        let next = sorted.next()?;
        Ok(Self { sorted, next })
    }

    fn next(&mut self) -> Result<Option<Vec<(u32, BookEntry)>>, MakeError> {
        let Some((key, first)) = self.next.take() else {
            return Ok(None);
        };
        let mut group = Vec::new();
        group.extend(read(&first));
        loop {
            match self.sorted.next()? {
                Some((next, value)) if next == key => group.extend(read(&value)),
                other => {
                    self.next = other;
                    return Ok(Some(group));
                }
            }
        }
    }
}

fn read(value: &[u8]) -> Option<(u32, BookEntry)> {
    let (source, entry) = value.split_first_chunk::<SOURCE_BYTES>()?;
    Some((u32::from_le_bytes(*source), unpack(entry)?))
}

#[cfg(test)]
mod tests;
