//! The book that comes out of searches.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::positions::Task;
use super::searcher::Thought;
use crate::book::{BookEntry, BookFormat, BookReader, BookWriter, FaultLog, Losses};
use crate::makebook::combine::of_one_book;
use crate::makebook::error::MakeError;
use crate::makebook::packing::{key, pack, unpack};
use crate::makebook::sorter::Sorter;
use crate::runs::Shard;

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct WriteThoughts<'a> {
    /// The book that the positions came from, whose other positions are written too.
    pub book: Option<&'a PathBuf>,
    /// The output and its format.
    pub output: (&'a Path, BookFormat),
    /// The part of the positions that is written.
    pub shard: Shard,
    /// Memory for entries in bytes.
    pub memory: u64,
}

/// Writes what was found for the `tasks`, in the order of the format. Where the positions came from
/// a book, those that were not searched are written as they are there. Returns the number of
/// positions, and what the format could not hold.
///
/// # Errors
/// A file cannot be read or written.
pub fn write_thoughts(
    tasks: &[Task],
    thoughts: &BTreeMap<u64, Thought>,
    what: &WriteThoughts<'_>,
) -> Result<(u64, Losses), MakeError> {
    let (path, format) = what.output;
    let mut sorter = Sorter::new(path, what.memory);
    let mut push = |entry: &BookEntry| sorter.push(&key(format, entry.position), &pack(entry));
    for (task, number) in tasks.iter().zip(0..) {
        if let Some(thought) = thoughts.get(&number) {
            push(&BookEntry {
                position: task.position,
                ply: task.ply,
                moves: thought.book_moves(),
            })?;
        }
    }
    if let Some(book) = what.book {
        let numbers = tasks.iter().map(|task| task.position).zip(0_u64..);
        let numbers: HashMap<_, _> = numbers.collect();
        // Faults were told when the positions were read.
        let mut told = FaultLog::default();
        for entry in BookReader::open(book)? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(fault) => {
                    MakeError::log(book, fault, &mut told)?;
                    continue;
                }
            };
            let number = numbers.get(&entry.position);
            let is_written = number
                .is_some_and(|number| what.shard.has(*number) && !thoughts.contains_key(number));
            if is_written {
                push(&entry)?;
            }
        }
    }
    let mut out = BookWriter::create(path, format).map_err(MakeError::output(path))?;
    let mut records = sorter.finish()?;
    let mut positions = 0;
    let mut group: Vec<BookEntry> = Vec::new();
    loop {
        let next = records.next()?.and_then(|(_, value)| unpack(&value));
        let ends_group = match (&next, group.first()) {
            (Some(next), Some(first)) => next.position != first.position,
            (None, _) => true,
            (Some(_), None) => false,
        };
        if ends_group {
            let entry = of_one_book(std::mem::take(&mut group));
            if let Some(entry) = entry.filter(|entry| !entry.moves.is_empty()) {
                out.write(&entry).map_err(MakeError::write(path))?;
                positions += 1;
            }
        }
        match next {
            Some(next) => group.push(next),
            None => break,
        }
    }
    Ok((positions, out.finish().map_err(MakeError::io(path))?))
}
