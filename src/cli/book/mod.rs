//! `raicho book`: opening books.

mod minimax;
mod watching;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Carry the values of the leaves back over the whole book, as peta_shock does
    Minimax(minimax::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Minimax(arguments) => minimax::run(arguments),
    }
}
