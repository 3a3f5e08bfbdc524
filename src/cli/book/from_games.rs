//! `raicho book from-games`: makes a book of the moves of games.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::{OutputArguments, print_losses, print_written};
use crate::cli::arguments::{Indivisible, Named, SortMemory, formats};
use crate::cli::progress::watched;
use crate::cli::{output, result_file};
use crate::lang::Lang;
use crate::makebook::games::{self, GamesSettings};
use crate::records::teacher::Format;
use crate::train::data::Sources;

/// Example: `raicho book from-games floodgate/2026/ --plies 24 --min-rating 4000 --out book.db`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book from-games floodgate/2026/ --plies 24 --min-rating 4000 \
        --min-count 3 --out book.db --results book.tsv"
)]
pub(super) struct Arguments {
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

    #[command(flatten)]
    memory: SortMemory,

    #[command(flatten)]
    indivisible: Indivisible,
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

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("it is limited by the disk; give each machine some of the games, and merge")?;
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
        memory: arguments.memory.bytes(),
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
