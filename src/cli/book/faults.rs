//! What was left out of a book.

use std::path::Path;

use crate::book::FaultLog;
use crate::cli::output;

/// Prints what was left out of a book, to standard error.
pub(super) fn print_faults(book: &Path, faults: &FaultLog) {
    let book = book.display();
    for fault in faults.first() {
        output::eprint_line(format_args!("{book}: {fault}"));
    }
    let more = faults.count() - faults.first().len() as u64;
    if more > 0 {
        output::eprint_line(format_args!("{book}: {more} more faults"));
    }
}
