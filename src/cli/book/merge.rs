//! `raicho book merge` and `raicho book sort`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::destination::checked_output;
use super::watching::{print_faults, watched};
use crate::cli::output;
use crate::cli::sort_memory::SortMemory;
use crate::cli::work::Indivisible;
use crate::makebook::{self, MergeRule, MergeSettings};

/// Example: `raicho book merge old.db new.db --rule newer --out both.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book merge old.db new.db --rule newer --out both.db")]
pub(super) struct Arguments {
    /// The books, of any formats, the oldest first
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,

    /// Which moves count for a position that is in several books: those searched `deeper`, those of
    /// the `newer` book (named later), or all of them, `weighted` by their counts
    #[arg(long, value_name = "RULE", default_value_t)]
    rule: MergeRule,

    #[command(flatten)]
    common: Common,
}

/// Example: `raicho book sort book.db --out sorted.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book sort book.db --out sorted.db")]
pub(super) struct SortArguments {
    /// The book, of any format
    #[arg(value_name = "BOOK")]
    book: PathBuf,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    /// File to write; the extension determines the format: .db, .ybb, .bin or .sbk
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    memory: SortMemory,

    /// Number of threads
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: u16,

    #[command(flatten)]
    indivisible: Indivisible,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    merge(&arguments.books, arguments.rule, &arguments.common)
}

pub(super) fn sort(arguments: &SortArguments) -> anyhow::Result<()> {
    let books = std::slice::from_ref(&arguments.book);
    merge(books, MergeRule::default(), &arguments.common)
}

fn merge(books: &[PathBuf], rule: MergeRule, arguments: &Common) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("it is limited by the disk, not by the processor")?;
    let out: &Path = &arguments.out;
    let mut format = None;
    for book in books {
        format = Some(checked_output(out, arguments.force, book)?);
    }
    let Some(format) = format else { return Ok(()) };
    let settings = MergeSettings {
        rule,
        memory: arguments.memory.bytes(),
        threads: arguments.threads.into(),
    };
    let summary = watched("positions", 1, |watch| {
        makebook::merge(books, (out, format), &settings, watch)
    })?;
    for (book, faults) in books.iter().zip(&summary.faults) {
        print_faults(book, faults);
    }
    output::print_line(format_args!(
        "{} positions read, {} written to {}",
        summary.entries,
        summary.positions,
        out.display()
    ))?;
    if !summary.losses.is_none() {
        output::print_line(summary.losses)?;
    }
    Ok(())
}
