//! Making opening books: [`games`] counts the moves of games, [`think`] searches positions,
//! [`extend`] grows a book from roots, [`minimax`] carries the values of the leaves back over the
//! graph of a book, and [`merge()`] makes one book of several. Memory is bounded: what is larger is
//! sorted in files ([`SortedWriter`]).

pub mod extend;
pub mod games;
mod merge;
pub mod minimax;
mod sorter;
pub mod think;

use std::path::Path;

use anyhow::bail;

use crate::book::{BookEntry, BookReader, FaultLog};

pub use merge::{MergeRule, MergeSettings, MergeSummary, merge};
pub use sorter::SortedWriter;

/// The name of a file, as the context of an error.
fn named(path: &Path) -> impl Fn() -> String {
    move || path.display().to_string()
}

/// Calls `take` for each entry of the book `path`. What is wrong with it goes to `faults`.
///
/// # Errors
/// The file is not a book or cannot be read to its end, or `take` fails.
pub fn for_each_entry(
    path: &Path,
    faults: &mut FaultLog,
    mut take: impl FnMut(BookEntry) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for entry in BookReader::open(path)? {
        match entry {
            Ok(entry) => take(entry)?,
            Err(fault) if fault.is_end() => bail!("{}: {fault}", path.display()),
            Err(fault) => faults.add(fault),
        }
    }
    Ok(())
}
