//! `raicho shuffle`: writes positions in random order.

use clap::Args;

use super::{Destination, Input, watched};
use crate::cli::output;
use crate::cli::sort_memory::SortMemory;
use crate::cli::work::Indivisible;
use crate::train::data::shuffle::{self, ShuffleSettings};
use crate::util::counted;

/// Example: `raicho shuffle gen2/ --out gen2.psv --memory 2048 --seed 7`
#[derive(Args)]
#[command(before_help = "Example: raicho shuffle gen2/ --out gen2.psv --memory 2048 --seed 7")]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    memory: SortMemory,

    /// Seed of the order
    #[arg(long, default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    indivisible: Indivisible,
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("each position can come to any place of the output")?;
    let sources = arguments.input.sources()?;
    let output = arguments.destination.check(&sources)?;
    let sources = sources.for_output(output.1);
    let settings = ShuffleSettings {
        memory: arguments.memory.bytes(),
        seed: arguments.seed,
        bad_records: arguments.input.bad_records(),
    };
    let tally = watched(|watch| shuffle::run(&sources, output, &settings, watch))?;
    output::eprint_line(format_args!(
        "{tally}{} written",
        counted(tally.written, "position")
    ));
    Ok(())
}
