//! `raicho csa`: plays on a CSA server such as floodgate, and shows how the games went.

mod accounts;
mod arguments;
mod live;
mod password;
mod play;
mod screen;
mod stats;

use clap::{Args, Subcommand};

/// Example: `raicho csa --host wdoor.c.u-tokyo.ac.jp --id NAME --password-file FILE --game
/// floodgate-300-10F`
#[derive(Args)]
#[command(
    before_help = "Example: raicho csa --host wdoor.c.u-tokyo.ac.jp --id raicho --password-file \
        raicho.password --game floodgate-300-10F --ponder"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    play: arguments::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Show the results in a folder of games, and estimate the rating
    Stats(stats::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Some(Command::Stats(arguments)) => stats::run(arguments),
        None => play::run(&arguments.play),
    }
}
