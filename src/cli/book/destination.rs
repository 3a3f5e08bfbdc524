//! The book that a command writes.

use std::path::Path;

use anyhow::ensure;

use super::report::{print_losses, print_written};
use crate::book::BookFormat;
use crate::cli::result_file;
use crate::cli::usage::{bail_usage, ensure_usage};
use crate::lang::Lang;
use crate::makebook::SortedWriter;
use crate::runs::is_stream;

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
    result_file::check_free(out, is_forced)?;
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

/// Writes a book and prints how many positions it has and what its format could not hold.
pub(super) fn write(writer: SortedWriter, out: &Path, lang: Lang) -> anyhow::Result<()> {
    let (positions, losses) = writer.write()?;
    print_written(lang, positions, out)?;
    print_losses(lang, &losses)
}
