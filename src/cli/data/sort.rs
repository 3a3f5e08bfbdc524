//! `raicho shuffle` and `raicho dedup`: teacher data in random order, or each position once. Both
//! sort what need not fit into memory.

use clap::Args;

use super::{Destination, Input, watched};
use crate::cli::arguments::{Indivisible, SortMemory};
use crate::cli::output;
use crate::records::teacher::Format;
use crate::train::data::dedup::{self, DedupSettings};
use crate::train::data::shuffle::{self, ShuffleSettings};
use crate::util::counted;

/// Example: `raicho shuffle gen2/ --out gen2.psv --memory 2048 --seed 7`
#[derive(Args)]
#[command(before_help = "Example: raicho shuffle gen2/ --out gen2.psv --memory 2048 --seed 7")]
pub(in crate::cli) struct ShuffleArguments {
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

pub(in crate::cli) fn shuffle(arguments: &ShuffleArguments) -> anyhow::Result<()> {
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

/// Example: `raicho dedup all.psv --out unique.psum --memory 2048`
#[derive(Args)]
#[command(before_help = "Example: raicho dedup all.psv --out unique.psum --memory 2048")]
pub(in crate::cli) struct DedupArguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    memory: SortMemory,

    #[command(flatten)]
    indivisible: Indivisible,
}

pub(in crate::cli) fn dedup(arguments: &DedupArguments) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("equal positions of different parts would never meet")?;
    let sources = arguments.input.sources()?;
    let output = arguments.destination.check(&sources)?;
    let sources = sources.for_output(output.1);
    let settings = DedupSettings {
        memory: arguments.memory.bytes(),
        bad_records: arguments.input.bad_records(),
    };
    let report = watched(|watch| dedup::run(&sources, output, &settings, watch))?;
    output::eprint_line(format_args!(
        "{}{} written, {} of them occurred more than once",
        report.tally,
        counted(report.tally.written, "position"),
        report.repeated
    ));
    if report.contested > 0 {
        output::eprint_line(format_args!(
            "{} of those in games that ended differently",
            report.contested
        ));
        if output.1 != Format::Psum {
            output::eprint_line(format_args!(
                "{} keeps one result, the most frequent; psum keeps all",
                output.1
            ));
        }
    }
    Ok(())
}
