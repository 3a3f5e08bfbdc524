//! `raicho match`: plays matches between engines, merges their shards and writes sets of openings.

mod curve;
mod merge;
mod opening_arguments;
mod openings;
mod page;
mod play;
mod progress;
pub(super) mod repeated;
mod report;
mod settings;

use clap::{Args, Subcommand};

use crate::lang::Lang;

pub(super) use opening_arguments::OpeningArguments;
pub(super) use report::JsonArguments;
pub(super) use settings::{EngineArguments, RuleArguments};

/// Example: `raicho match --engine cmd=./new --engine cmd=./old --tc 10+0.1 --games 200 --out
/// new-old`
#[derive(Args)]
#[command(
    before_help = "Example: raicho match --engine cmd=./new,option.USI_Hash=64 --engine cmd=./old \
        --tc 10+0.1 --games 200 --out new-old"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    play: play::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Merge the shards of a match that were played with --shard
    Merge(merge::Arguments),
    /// Write a set of openings
    Openings(openings::Arguments),
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    match &arguments.command {
        Some(Command::Merge(arguments)) => merge::run(arguments, lang),
        Some(Command::Openings(arguments)) => openings::run(arguments),
        None if arguments.play.is_curve() => curve::run(&arguments.play, lang),
        None => play::run(&arguments.play, lang),
    }
}
