//! The book that a command writes.

use std::path::Path;

use anyhow::{Context, ensure};

use crate::book::BookFormat;
use crate::cli::output;
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
    let format = BookFormat::of_path(out)
        .with_context(|| format!("{name}: expected an extension .db, .ybb, .bin or .sbk"))?;
    ensure!(
        is_forced || !would_replace(out),
        "{name} exists already; --force replaces it"
    );
    ensure!(
        format != BookFormat::Ybb || !is_stream(out),
        "{name}: a .ybb is not written in order, expected a file instead of a pipe or device"
    );
    let is_input = match (input.canonicalize(), out.canonicalize()) {
        (Ok(input), Ok(out)) => input == out,
        _ => false,
    };
    ensure!(
        !is_input,
        "{name} is read and cannot be written at the same time"
    );
    Ok(format)
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
