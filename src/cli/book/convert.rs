//! `raicho book convert`, which turns a book into another format, and `raicho book validate`, which
//! finds the faults of a book and writes its good entries.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::{InputArguments, OutputArguments, print_extras, print_faults, write_book};
use crate::book::{BookEntry, BookReader, Checker, FaultLog};
use crate::cli::arguments::SortMemory;
use crate::cli::output;
use crate::lang::Lang;
use crate::makebook::{SortedWriter, for_each_entry};
use crate::util::counted;

/// Example: `raicho book convert user_book1.db --out user_book1.ybb`
#[derive(Args)]
#[command(before_help = "Example: raicho book convert user_book1.db --out user_book1.ybb")]
pub(super) struct Arguments {
    #[command(flatten)]
    book: InputArguments,

    #[command(flatten)]
    output: OutputArguments,

    /// Write this depth for all moves: `minimax` and quick searches leave small ones, at which
    /// `BookDepthLimit` would leave a position aside
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16))]
    depth: Option<u16>,

    /// Leave out moves that are worth less than the best one by more centipawns
    #[arg(long, value_name = "CP")]
    loss: Option<u32>,

    #[command(flatten)]
    memory: SortMemory,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let format = arguments.output.check([&*arguments.book.path])?;
    let mut writer = SortedWriter::new(&arguments.output.out, format, arguments.memory.bytes());
    let book = &arguments.book.path;
    print_extras(lang, &BookReader::open(book)?.extras())?;
    let mut faults = FaultLog::default();
    for_each_entry(book, &mut faults, |mut entry| {
        if let Some(loss) = arguments.loss {
            drop_losing(&mut entry, loss);
        }
        if let Some(depth) = arguments.depth {
            for known in &mut entry.moves {
                known.depth = depth.into();
            }
        }
        writer.add(&entry)
    })?;
    print_faults(book, &faults);
    write_book(writer, &arguments.output.out, lang)
}

/// Removes the moves whose values are more than `loss` below that of the best one.
fn drop_losing(entry: &mut BookEntry, loss: u32) {
    let best = entry.moves.iter().map(|known| known.value).max();
    let least = best.map(|best| i64::from(best) - i64::from(loss));
    entry
        .moves
        .retain(|known| least.is_none_or(|least| i64::from(known.value) >= least));
}

/// Example: `raicho book validate user_book1.db --skip good.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book validate user_book1.db --skip good.db")]
pub(super) struct ValidateArguments {
    #[command(flatten)]
    book: InputArguments,

    /// Write the good entries to FILE, whose extension determines the format; faults then do not
    /// make the command fail
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,

    #[command(flatten)]
    memory: SortMemory,
}

pub(super) fn validate(arguments: &ValidateArguments, lang: Lang) -> anyhow::Result<()> {
    let path = &arguments.book.path;
    let mut writer = match &arguments.skip {
        Some(out) => {
            let output = OutputArguments {
                out: out.clone(),
                force: false,
            };
            let format = output.check([&**path])?;
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
        return write_book(writer, out, lang);
    }
    ensure!(
        faults == 0,
        "{}; --skip FILE writes the good entries",
        counted(faults, "fault")
    );
    Ok(())
}
