//! `raicho book`: shows, checks, converts and probes opening books.

mod convert;
mod destination;
mod info;
mod probe;
mod show;
mod validate;

use clap::{Args, Subcommand};

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
