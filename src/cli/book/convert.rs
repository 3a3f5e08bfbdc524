//! `raicho book convert`: turns a book into another format.

use std::path::PathBuf;

use clap::Args;

use super::destination::{checked_output, write};
use crate::book::{BookReader, SortedWriter};
use crate::cli::output;

/// Faults that are printed one by one.
const SHOWN_FAULTS: u64 = 20;

/// Example: `raicho book convert user_book1.db --out user_book1.ybb`
#[derive(Args)]
#[command(before_help = "Example: raicho book convert user_book1.db --out user_book1.ybb")]
pub(super) struct Arguments {
    /// The book, of any format
    #[arg(value_name = "BOOK")]
    book: PathBuf,

    /// File to write; the extension determines the format: .db, .ybb, .bin or .sbk
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let format = checked_output(&arguments.out, arguments.force, &arguments.book)?;
    let mut writer = SortedWriter::new(format);
    let mut faults = 0;
    let reader = BookReader::open(&arguments.book)?;
    let extras = reader.extras();
    if !extras.is_none() {
        output::print_line(extras)?;
    }
    for entry in reader {
        match entry {
            Ok(entry) => writer.add(entry),
            Err(fault) if fault.is_end() => anyhow::bail!("{fault}"),
            Err(fault) => {
                faults += 1;
                if faults <= SHOWN_FAULTS {
                    output::eprint_line(format_args!("{fault}"));
                }
            }
        }
    }
    if faults > SHOWN_FAULTS {
        output::eprint_line(format_args!("{} more faults", faults - SHOWN_FAULTS));
    }
    write(writer, &arguments.out)
}
