//! `raicho book minimax`: carries values back over the graph of a book.

use std::io::Write as _;

use clap::Args;

use super::{InputArguments, OutputArguments, print_faults};
use crate::cli::arguments::Indivisible;
use crate::cli::output;
use crate::cli::progress::watched;
use crate::lang::Lang;
use crate::makebook::minimax::{self, Summary};

/// Example: `raicho book minimax book.db --out minimaxed.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book minimax book.db --out minimaxed.db")]
pub(super) struct Arguments {
    #[command(flatten)]
    book: InputArguments,

    #[command(flatten)]
    output: OutputArguments,

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
    let (book, output) = (&arguments.book.path, &arguments.output.out);
    arguments.output.check([&**book])?;
    let summary = watched("MB", 1_000_000, |watch| {
        minimax::run(book, output, arguments.components, watch)
    })?;
    print_faults(book, &summary.faults);
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
    writeln!(out, "{}", lang.written_to(arguments.output.out.display()))?;
    Ok(())
}
