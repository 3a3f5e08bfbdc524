//! `raicho book`: opening books.

mod from_games;
mod merge;
mod minimax;
mod watching;

use std::path::Path;

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};

use crate::book::BookFormat;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a book of the moves of games
    FromGames(Box<from_games::Arguments>),
    /// Make one book of several
    Merge(merge::Arguments),
    /// Carry the values of the leaves back over the whole book, as peta_shock does
    Minimax(minimax::Arguments),
    /// Put the positions of a book into order, each once
    Sort(merge::SortArguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::FromGames(arguments) => from_games::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Minimax(arguments) => minimax::run(arguments),
        Command::Sort(arguments) => merge::sort(arguments),
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
