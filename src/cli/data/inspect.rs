//! `raicho stats` and `raicho validate`: passes over teacher data that count what is in it and find
//! what is wrong with it.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;

use super::{Files, Input, check_output, watched};
use crate::cli::{output, result_file};
use crate::records::teacher::Format;
use crate::train::data::pass::{self, BadRecords, Destination, PassReport};
use crate::train::data::stats;
use crate::util::counted;

/// Example: `raicho stats gen2/ --svg gen2.svg`
#[derive(Args)]
#[command(before_help = "Example: raicho stats gen2/ --svg gen2.svg")]
pub(in crate::cli) struct StatsArguments {
    #[command(flatten)]
    input: Input,

    /// Draw the histograms to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(in crate::cli) fn stats(arguments: &StatsArguments) -> anyhow::Result<()> {
    let sources = arguments.input.sources()?;
    if let Some(path) = &arguments.svg {
        let read = sources.files().iter().map(|file| file.path.as_path());
        result_file::check_kind(path, "svg", read)?;
    }
    let bad_records = arguments.input.bad_records();
    let stats = watched(|watch| stats::run(&sources, bad_records, watch))?;
    output::print(format_args!("{stats}"))?;
    if let Some(path) = &arguments.svg {
        stats.draw(path)?;
    }
    Ok(())
}

/// Example: `raicho validate games.pack --skip good.pack`
#[derive(Args)]
#[command(before_help = "Example: raicho validate games.pack --skip good.pack")]
pub(in crate::cli) struct ValidateArguments {
    #[command(flatten)]
    files: Files,

    /// Write the good records to FILE, whose extension determines the format; bad records are then
    /// skipped and do not make the command fail
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,

    /// Overwrite that file if it exists
    #[arg(long, requires = "skip")]
    force: bool,
}

pub(in crate::cli) fn validate(arguments: &ValidateArguments) -> anyhow::Result<()> {
    let sources = arguments.files.sources()?;
    let mut destination = Destination::default();
    if let Some(path) = &arguments.skip {
        check_output(path, arguments.force, &sources)?;
        let format = Format::of_path(path).with_context(|| path.display().to_string())?;
        destination.output = Some((path.clone(), format));
    }
    let report = watched(|watch| pass::run(&sources, &destination, BadRecords::Skip, watch))?;
    judge(&report, arguments.skip.as_deref())
}

fn judge(report: &PassReport, good: Option<&Path>) -> anyhow::Result<()> {
    output::print(format_args!("{report}"))?;
    if let Some(path) = good {
        let positions = counted(report.tally.written, "position");
        output::print_line(format_args!("{positions} written to {}", path.display()))?;
    }
    ensure!(
        report.signs.are_right(),
        "the scores or the results have the wrong sign"
    );
    let bad = report.tally.bad();
    ensure!(
        bad == 0 || good.is_some(),
        "{}; --skip FILE writes the good ones",
        counted(bad, "bad record")
    );
    Ok(())
}
