//! `raicho convert`: converts games and teacher data to another format.
//!
//! Games as text that stay games as text (CSA, KIF, KI2, JKF, lines of USI) keep their names,
//! times, comments and variations: [`games`]. Everything else goes through records of teacher data.

mod games;

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use super::{Destination, Input, PassRun, check_output, watched};
use crate::cli::output;
use crate::cli::share::parse_share;
use crate::cli::work::WorkArguments;
use crate::records::teacher::Format;
use crate::train::data::pass::{self, BadRecords, HeldOut};

/// Examples: `raicho convert game.csa --out game.kif`,
/// `raicho convert games.pack --out positions.psv --held-out test.pack`
#[derive(Args)]
#[command(
    before_help = "Examples: raicho convert game.csa --out game.kif\n          \
                   raicho convert records/ --out as-ki2/ --to ki2\n          \
                   raicho convert games.pack --out positions.psv --held-out test.pack"
)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    /// File to write; the extension determines the format. For games as text, a folder makes a file
    /// of each file that is read
    #[arg(long, value_name = "OUT")]
    out: PathBuf,

    /// Format of the output, regardless of its name, and the files in a folder: kif and ki2 are in
    /// Shift JIS, kifu and ki2u in UTF-8
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,

    /// Overwrite existing output files
    #[arg(long)]
    force: bool,

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

impl Arguments {
    /// Whether an option is given that only teacher data has.
    fn is_for_teacher_data(&self) -> bool {
        self.entered_kings
            || self.held_out.is_some()
            || self.work.is_kept()
            || !self.work.shard().is_whole()
    }
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = arguments.input.sources()?;
    if let Some(target) = games::Target::of(arguments, &sources) {
        return games::run(arguments, &sources, target);
    }
    let destination = Destination {
        out: arguments.out.clone(),
        to: arguments.to.as_deref().map(str::parse).transpose()?,
        force: arguments.force,
    };
    let (path, format) = destination.check(&sources)?;
    let sources = sources.for_output(format);
    let mut destination = pass::Destination {
        output: Some((path.to_owned(), format)),
        held_out: None,
        entered_kings: arguments.entered_kings,
    };
    if let Some(path) = &arguments.held_out {
        check_output(path, arguments.force, &sources)?;
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
