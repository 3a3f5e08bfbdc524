//! `raicho book`: shows, checks, converts and probes opening books.

mod convert;
mod info;
mod probe;
mod show;
mod validate;

use std::path::Path;

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};

use crate::book::{BookFormat, SortedWriter};
use crate::cli::output;

/// Faults that are printed one by one.
const SHOWN_FAULTS: u64 = 20;

/// Example: `raicho book info user_book1.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book info user_book1.db")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Turn a book into another format
    Convert(convert::Arguments),
    /// Count what is in a book
    Info(info::Arguments),
    /// Print the moves that the engine would choose from
    Probe(probe::Arguments),
    /// Show a position and its moves in a book, for people
    Show(show::Arguments),
    /// Find the faults of a book, and write the good part
    Validate(validate::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Convert(arguments) => convert::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Probe(arguments) => probe::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Validate(arguments) => validate::run(arguments),
    }
}

/// The format of a book to be written, after checking that it can be and is not the input.
fn checked_output(out: &Path, is_forced: bool, input: &Path) -> anyhow::Result<BookFormat> {
    let name = out.display();
    let format = BookFormat::of_path(out)
        .with_context(|| format!("{name}: expected an extension .db, .ybb, .bin or .sbk"))?;
    ensure!(
        is_forced || !out.exists(),
        "{name} exists already; --force replaces it"
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
fn write(writer: SortedWriter, out: &Path) -> anyhow::Result<()> {
    let name = out.display();
    let (positions, losses) = writer.write(out).with_context(|| name.to_string())?;
    output::print_line(format_args!("{positions} positions written to {name}"))?;
    if !losses.is_none() {
        output::print_line(losses)?;
    }
    Ok(())
}
