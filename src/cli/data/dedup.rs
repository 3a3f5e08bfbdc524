//! `raicho dedup`: writes each position once.

use clap::Args;

use super::{Destination, Input, watched};
use crate::cli::output;
use crate::cli::sort_memory::SortMemory;
use crate::cli::work::Indivisible;
use crate::records::teacher::Format;
use crate::train::data::dedup::{self, DedupSettings};
use crate::util::counted;

/// Example: `raicho dedup all.psv --out unique.psum --memory 2048`
#[derive(Args)]
#[command(before_help = "Example: raicho dedup all.psv --out unique.psum --memory 2048")]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    memory: SortMemory,

    #[command(flatten)]
    indivisible: Indivisible,
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
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
