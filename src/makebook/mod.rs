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

use crate::book::{BookFault, FaultLog};

pub use merge::{MergeRule, MergeSettings, MergeSummary, merge};
pub use sorter::SortedWriter;

/// The name of a file, as the context of an error.
fn named(path: &Path) -> impl Fn() -> String {
    move || path.display().to_string()
}

/// Keeps a fault of the book `path` in `log`.
///
/// # Errors
/// The book cannot be read any further.
fn keep_fault(path: &Path, fault: BookFault, log: &mut FaultLog) -> anyhow::Result<()> {
    if fault.is_end() {
        bail!("{}: {fault}", path.display());
    }
    log.add(fault);
    Ok(())
}
