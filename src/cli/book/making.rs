//! `raicho book from-games`, which makes a book of the moves of games, and `raicho book minimax`,
//! which carries values back over the graph of a book.

use std::{io::Write as _, path::PathBuf};

use anyhow::ensure;
use clap::Args;

use super::{
    InputArguments, OutputArguments, SORT_MEMORY, print_faults, print_losses, print_written,
};
use crate::cli::arguments::{Named, formats};
use crate::cli::{output, progress::watched, result_file};
use crate::lang::Lang;
use crate::makebook::games::{self, GamesSettings};
use crate::makebook::minimax;
use crate::records::teacher::Format;
use crate::train::data::Sources;

/// Example: `raicho book from-games floodgate/2026/ --plies 24 --min-rating 4000 --out book.db`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book from-games floodgate/2026/ --plies 24 --min-rating 4000 \
        --min-count 3 --out book.db --results book.tsv"
)]
pub(super) struct GamesArguments {
    /// Files of games, or folders of them: .csa, .kif, .usi, .pack, .hcpe3
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// Format of all files, regardless of their names
    #[arg(long, value_name = "FORMAT", value_parser = Named::<Format>::new(formats()))]
    format: Option<Format>,

    /// Skip bad games instead of stopping at the first one
    #[arg(long)]
    skip: bool,

    #[command(flatten)]
    output: OutputArguments,

    /// Also write a table of the results of each move, with tabs between columns
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,

    #[command(flatten)]
    filter: FilterArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Which moves")]
struct FilterArguments {
    /// Number of first moves of each game
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = 16,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    plies: u16,

    /// Minimum rating, which both players must have; games without ratings are left out
    #[arg(long, value_name = "RATING")]
    min_rating: Option<f64>,

    /// Minimum number of games in which a move was played
    #[arg(long, value_name = "GAMES", default_value_t = 1)]
    min_count: u64,
}

pub(super) fn from_games(arguments: &GamesArguments, lang: Lang) -> anyhow::Result<()> {
    let sources = Sources::new(&arguments.inputs, arguments.format)?;
    let sources = sources.files().iter();
    let files: Vec<(PathBuf, Format)> = sources
        .map(|source| (source.path.clone(), source.format))
        .collect();
    let OutputArguments { out, force } = &arguments.output;
    let inputs = || files.iter().map(|(path, _)| path.as_path());
    let format = arguments.output.check(inputs())?;
    let results = arguments.results.as_deref();
    if let Some(results) = results {
        result_file::check_apart(("--out", out), ("--results", results))?;
        result_file::check_free(results, *force)?;
        result_file::check(results, inputs())?;
    }
    let filter = &arguments.filter;
    let settings = GamesSettings {
        plies: filter.plies.into(),
        min_rating: filter.min_rating,
        min_count: filter.min_count,
        skips_bad: arguments.skip,
        memory: SORT_MEMORY,
    };
    let summary = watched("MB", 1_000_000, |watch| {
        games::from_games(&files, (out, format), results, &settings, watch)
    })?;
    summary.bad.iter().for_each(output::eprint_line);
    let bad = summary.bad_count;
    let read = lang.games(summary.games + bad);
    output::print_line(lang.games_read(read, bad, summary.low_ratings))?;
    ensure!(summary.games > 0, "no game was found; nothing was written");
    ensure!(
        summary.positions > 0,
        "no position is left; nothing was written"
    );
    print_written(lang, summary.positions, out)?;
    print_losses(lang, &summary.losses)
}

/// Example: `raicho book minimax book.db --out minimaxed.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book minimax book.db --out minimaxed.db")]
pub(super) struct MinimaxArguments {
    #[command(flatten)]
    book: InputArguments,

    #[command(flatten)]
    output: OutputArguments,

    /// Solve loops exactly, component by component: large ones take no longer than others, and the
    /// results differ from those of `peta_shock`
    #[arg(long)]
    components: bool,
}

pub(super) fn minimax(arguments: &MinimaxArguments, lang: Lang) -> anyhow::Result<()> {
    let (book, output) = (&arguments.book.path, &arguments.output.out);
    arguments.output.check([&**book])?;
    let summary = watched("MB", 1_000_000, |watch| {
        minimax::run(book, output, arguments.components, watch)
    })?;
    print_faults(book, &summary.faults);
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
