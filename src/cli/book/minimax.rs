//! `raicho book minimax`: carries values back over the graph of a book.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::{OutputArguments, print_faults};
use crate::cli::arguments::Indivisible;
use crate::cli::output;
use crate::cli::progress::watched;
use crate::lang::Lang;
use crate::makebook::minimax::{self, MinimaxSettings, Summary};

/// Example: `raicho book minimax book.db --out minimaxed.db`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book minimax book.db --out minimaxed.db\n\
        Example: raicho book minimax book.ybb --shrink --out small.ybb"
)]
pub(super) struct Arguments {
    /// The book, .db or .ybb; the output has the same format and order
    #[arg(value_name = "BOOK")]
    input: PathBuf,

    #[command(flatten)]
    output: OutputArguments,

    /// Write only the moves that are worth as much as the best one
    #[arg(long)]
    shrink: bool,

    /// Number of threads
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: u16,

    /// Solve loops exactly, component by component: large ones take no longer than others, and the
    /// results differ from those of `peta_shock`
    #[arg(long)]
    components: bool,

    #[command(flatten)]
    indivisible: Indivisible,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("all positions of a book depend on each other")?;
    arguments.output.check([&*arguments.input])?;
    let settings = MinimaxSettings {
        uses_components: arguments.components,
        keeps_best_only: arguments.shrink,
        threads: arguments.threads.into(),
    };
    let summary = watched("MB", 1_000_000, |watch| {
        minimax::run(&arguments.input, &arguments.output.path, &settings, watch)
    })?;
    print_faults(&arguments.input, &summary.faults);
    print(&summary, arguments, lang)
}

fn print(summary: &Summary, arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let counts = &summary.counts;
    let mut out = output::stdout();
    for (count, what) in [
        (counts.positions, lang.graph_positions()),
        (counts.edges, lang.graph_moves()),
        (counts.in_loops, lang.graph_loops()),
        (counts.perpetual_checks, lang.graph_checks()),
    ] {
        writeln!(out, "{count:>12}  {what}")?;
    }
    if counts.without_moves > 0 {
        writeln!(out, "{:>12}  {}", counts.without_moves, lang.graph_empty())?;
    }
    writeln!(out, "{:>12}  {}", counts.rounds, lang.graph_rounds())?;
    if arguments.components {
        writeln!(out, "{}", lang.other_rules())?;
    } else if counts.large_loops > 0 {
        writeln!(out, "{}", lang.large_loops(counts.large_loops))?;
    }
    writeln!(out, "{}", lang.written_to(arguments.output.path.display()))?;
    Ok(())
}
