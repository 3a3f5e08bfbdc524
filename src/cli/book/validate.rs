//! `raicho book validate`: finds the faults of a book.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::destination::{checked_output, write};
use crate::book::{BookReader, Checker};
use crate::cli::output;
use crate::cli::sort_memory::SortMemory;
use crate::lang::Lang;
use crate::makebook::SortedWriter;
use crate::util::counted;

/// Example: `raicho book validate user_book1.db --skip good.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book validate user_book1.db --skip good.db")]
pub(super) struct Arguments {
    /// The book, of any format
    #[arg(value_name = "BOOK")]
    book: PathBuf,

    /// Write the good entries to FILE, whose extension determines the format; faults then do not
    /// make the command fail
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,

    /// Overwrite that file if it exists
    #[arg(long, requires = "skip")]
    force: bool,

    #[command(flatten)]
    memory: SortMemory,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let path = &arguments.book;
    let mut writer = match &arguments.skip {
        Some(out) => {
            let format = checked_output(out, arguments.force, path)?;
            Some(SortedWriter::new(out, format, arguments.memory.bytes()))
        }
        None => None,
    };
    let mut reader = BookReader::open_strictly(path)?;
    let mut checker = Checker::new(reader.format());
    let (mut positions, mut faults) = (0_u64, 0_u64);
    let mut found = Vec::new();
    while let Some(entry) = reader.next() {
        match entry {
            Ok(mut entry) => {
                positions += 1;
                let is_good = checker.check(&mut entry, reader.place(), &mut found);
                if is_good && let Some(writer) = &mut writer {
                    writer.add(&entry)?;
                }
            }
            Err(fault) => found.push(fault),
        }
        faults += found.len() as u64;
        for fault in found.drain(..) {
            output::print_line(format_args!("{fault}"))?;
        }
    }
    output::print_line(lang.book_checked(
        path.display(),
        lang.positions(positions),
        lang.faults(faults),
    ))?;
    if let (Some(writer), Some(out)) = (writer, &arguments.skip) {
        return write(writer, out, lang);
    }
    ensure!(
        faults == 0,
        "{}; --skip FILE writes the good entries",
        counted(faults, "fault")
    );
    Ok(())
}
