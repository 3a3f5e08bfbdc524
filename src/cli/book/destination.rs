//! The book that a command writes.

use std::path::Path;

use anyhow::ensure;

use crate::book::BookFormat;
use crate::cli::output;
use crate::cli::usage::{bail_usage, ensure_usage};
use crate::makebook::SortedWriter;
use crate::runs::{is_stream, would_replace};
use crate::util::counted;

/// The format of a book to be written, after checking that it can be and is not the input.
pub(super) fn checked_output(
    out: &Path,
    is_forced: bool,
    input: &Path,
) -> anyhow::Result<BookFormat> {
    let name = out.display();
    let Some(format) = BookFormat::of_path(out) else {
        bail_usage!("{name}: expected an extension .db, .ybb, .bin or .sbk");
    };
    check_free(out, is_forced)?;
    ensure!(
        format != BookFormat::Ybb || !is_stream(out),
        "{name}: a .ybb is not written in order, expected a file instead of a pipe or device"
    );
    let is_input = match (input.canonicalize(), out.canonicalize()) {
        (Ok(input), Ok(out)) => input == out,
        _ => false,
    };
    ensure_usage!(
        !is_input,
        "{name} is read and cannot be written at the same time"
    );
    Ok(format)
}

/// Checks that no file is replaced without `--force`.
pub(super) fn check_free(out: &Path, is_forced: bool) -> anyhow::Result<()> {
    ensure!(
        is_forced || !would_replace(out),
        "{} exists already; --force replaces it",
        out.display()
    );
    Ok(())
}

/// Writes a book and prints how many positions it has and what its format could not hold.
pub(super) fn write(writer: SortedWriter, out: &Path) -> anyhow::Result<()> {
    let name = out.display();
    let (positions, losses) = writer.write()?;
    output::print_line(format_args!(
        "{} written to {name}",
        counted(positions, "position")
    ))?;
    if !losses.is_none() {
        output::print_line(losses)?;
    }
    Ok(())
}
