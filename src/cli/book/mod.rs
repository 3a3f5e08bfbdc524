//! `raicho book`: shows, checks, converts, probes and makes opening books.

mod convert;
mod destination;
mod extend;
mod faults;
mod from_games;
mod info;
mod lines;
mod merge;
mod minimax;
mod probe;
mod report;
mod search_arguments;
mod show;
mod think;
mod validate;

use clap::{Args, Subcommand};

use crate::lang::Lang;

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
    /// Grow a book from roots, best first
    Extend(Box<extend::Arguments>),
    /// Make a book of the moves of games
    FromGames(Box<from_games::Arguments>),
    /// Count what is in a book
    Info(info::Arguments),
    /// Make one book of several
    Merge(merge::Arguments),
    /// Carry the values of the leaves back over the whole book, as `peta_shock` does
    Minimax(minimax::Arguments),
    /// Print the moves that the engine would choose from
    Probe(probe::Arguments),
    /// Show a position and its moves in a book, for people
    Show(show::Arguments),
    /// Put the positions of a book into order, each once
    Sort(merge::SortArguments),
    /// Search the positions of a list or a book
    Think(Box<think::Arguments>),
    /// Find the faults of a book, and write the good part
    Validate(validate::Arguments),
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Convert(arguments) => convert::run(arguments, lang),
        Command::Extend(arguments) => extend::run(arguments, lang),
        Command::FromGames(arguments) => from_games::run(arguments, lang),
        Command::Info(arguments) => info::run(arguments, lang),
        Command::Merge(arguments) => merge::run(arguments, lang),
        Command::Minimax(arguments) => minimax::run(arguments, lang),
        Command::Probe(arguments) => probe::run(arguments),
        Command::Show(arguments) => show::run(arguments, lang),
        Command::Sort(arguments) => merge::sort(arguments, lang),
        Command::Think(arguments) => think::run(arguments, lang),
        Command::Validate(arguments) => validate::run(arguments, lang),
    }
}
