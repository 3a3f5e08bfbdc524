//! `raicho convert`: converts teacher data and games to another format.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use super::{Destination, Input, PassRun, check_output, watched};
use crate::cli::output;
use crate::cli::share::parse_share;
use crate::cli::work::WorkArguments;
use crate::records::teacher::Format;
use crate::train::data::pass::{self, BadRecords, HeldOut};

/// Example: `raicho convert games.pack --out positions.psv --held-out test.pack`
#[derive(Args)]
#[command(
    before_help = "Example: raicho convert games.pack --out positions.psv --held-out test.pack"
)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    /// Write only positions with a king in the promotion zone
    #[arg(long)]
    entered_kings: bool,

    /// File for games that are held out from training; the extension determines the format
    #[arg(long, value_name = "FILE")]
    held_out: Option<PathBuf>,

    /// Share of the games that are held out
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.01,
        value_parser = parse_share,
        requires = "held_out"
    )]
    held_out_share: f64,

    /// Seed of the choice of these games
    #[arg(long, default_value_t = 1, requires = "held_out")]
    seed: u64,

    #[command(flatten)]
    work: WorkArguments,
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = arguments.input.sources()?;
    let (path, format) = arguments.destination.check(&sources)?;
    let sources = sources.for_output(format);
    let mut destination = pass::Destination {
        output: Some((path.to_owned(), format)),
        held_out: None,
        entered_kings: arguments.entered_kings,
    };
    if let Some(path) = &arguments.held_out {
        check_output(path, arguments.destination.force, &sources)?;
        destination.held_out = Some(HeldOut {
            path: path.clone(),
            format: Format::of_path(path).with_context(|| path.display().to_string())?,
            share: arguments.held_out_share,
            seed: arguments.seed,
        });
    }
    let bad_records = arguments.input.bad_records();
    let shard = arguments.work.shard();
    ensure!(
        arguments.held_out.is_none() || shard.is_whole() && !arguments.work.is_kept(),
        "--held-out draws the games in their order, so that the work cannot be divided or kept"
    );
    let run = PassRun {
        output: Some((path.to_owned(), format.to_string())),
        skip: bad_records == BadRecords::Skip,
        entered_kings: arguments.entered_kings,
        ..PassRun::new("convert", &sources, shard)?
    };
    let mut steps = run.steps(&arguments.work)?;
    let report =
        watched(|watch| pass::run(&sources, &destination, bad_records, &mut steps, watch))?;
    output::eprint_line(format_args!(
        "{report}{} positions written",
        report.tally.written
    ));
    if arguments.held_out.is_some() {
        output::eprint_line(format_args!("{} positions held out", report.held_out));
    }
    Ok(())
}
