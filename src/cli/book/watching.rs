//! Progress and interruption of work on books.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::Context;

use crate::book::FaultLog;
use crate::cli::interrupt::stop_on_ctrl_c;
use crate::cli::output;
use crate::cli::progress::Meter;
use crate::makebook::{MakeError, Watch};

/// Runs `work` with a progress bar that counts in units of `size`; Ctrl-C ends it.
pub(super) fn watched<T>(
    unit: &'static str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, MakeError>,
) -> anyhow::Result<T> {
    let stop = stop_on_ctrl_c()?;
    let meter = OnceLock::new();
    let progress = |done: u64, total: u64| {
        let length = total.div_ceil(size);
        let meter = meter.get_or_init(|| Meter::new(unit, Some(length), 0));
        meter.advance(done / size, format!("of {length}"));
    };
    let result = work(&Watch {
        stop: &stop,
        progress: &progress,
    });
    if let Some(meter) = meter.get() {
        meter.finish();
    }
    result.context("the book is not written")
}

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
