//! `raicho stats` and `raicho validate`: passes over teacher data that count what is in it and find
//! what is wrong with it. A pass can be divided into shards, whose reports are then summed up.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::de::DeserializeOwned;

use super::{PASS, PassRun, check_output, inputs_help, watched};
use crate::cli::arguments::{Named, WorkArguments, formats};
use crate::cli::{output, result_file};
use crate::records::teacher::Format;
use crate::runs::{self, Shard};
use crate::train::data::Sources;
use crate::train::data::pass::{self, BadRecords, Destination, PassReport};
use crate::train::data::stats::{self, Stats};
use crate::train::data::steps::Checkpoint;
use crate::util::counted;

/// Example: `raicho stats gen2/ --svg gen2.svg`
#[derive(Args)]
#[command(before_help = "Example: raicho stats gen2/ --svg gen2.svg")]
pub(in crate::cli) struct StatsArguments {
    #[arg(required_unless_present = "merge", value_name = "FILE", help = inputs_help())]
    inputs: Vec<PathBuf>,

    /// Format of the files, regardless of their names; of folders only files that are named so are
    /// read
    #[arg(long, value_name = "FORMAT", value_parser = Named::<Format>::new(formats()))]
    format: Option<Format>,

    /// Leave bad records out instead of ending at the first one
    #[arg(long)]
    skip: bool,

    /// Draw the histograms to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Sum up what was counted in all shards of a pass, from the folders of their --work
    #[arg(long, value_name = "FOLDER", num_args = 1.., conflicts_with = "inputs")]
    merge: Vec<PathBuf>,

    #[command(flatten)]
    work: WorkArguments,
}

pub(in crate::cli) fn stats(arguments: &StatsArguments) -> anyhow::Result<()> {
    let stats = if arguments.merge.is_empty() {
        count(arguments)?
    } else {
        if let Some(path) = &arguments.svg {
            result_file::check_kind(path, "svg", std::iter::empty())?;
        }
        let mut whole = Stats::default();
        for part in reports("stats", &arguments.merge)? {
            whole.merge(&part);
        }
        whole
    };
    output::print(format_args!("{stats}"))?;
    if let Some(path) = &arguments.svg {
        stats.draw(path)?;
    }
    Ok(())
}

fn count(arguments: &StatsArguments) -> anyhow::Result<Stats> {
    let sources = Sources::new(&arguments.inputs, arguments.format)?;
    if let Some(path) = &arguments.svg {
        let read = sources.files().iter().map(|file| file.path.as_path());
        result_file::check_kind(path, "svg", read)?;
    }
    let run = PassRun {
        skip: arguments.skip,
        ..PassRun::new("stats", &sources, arguments.work.shard())?
    };
    let mut steps = run.steps(&arguments.work)?;
    let bad_records = if arguments.skip {
        BadRecords::Skip
    } else {
        BadRecords::Stop
    };
    watched(|watch| stats::run(&sources, bad_records, &mut steps, watch))
}

/// Example: `raicho validate games.pack --skip good.pack`
#[derive(Args)]
#[command(before_help = "Example: raicho validate games.pack --skip good.pack")]
pub(in crate::cli) struct ValidateArguments {
    #[arg(required_unless_present = "merge", value_name = "FILE", help = inputs_help())]
    inputs: Vec<PathBuf>,

    /// Format of the files, regardless of their names; of folders only files that are named so are
    /// read
    #[arg(long, value_name = "FORMAT", value_parser = Named::<Format>::new(formats()))]
    format: Option<Format>,

    /// Write the good records to FILE, whose extension determines the format; bad records are then
    /// skipped and do not make the command fail
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,

    /// Overwrite that file if it exists
    #[arg(long, requires = "skip")]
    force: bool,

    /// Sum up the reports of all shards of a pass, from the folders of their --work
    #[arg(long, value_name = "FOLDER", num_args = 1.., conflicts_with = "inputs")]
    merge: Vec<PathBuf>,

    #[command(flatten)]
    work: WorkArguments,
}

pub(in crate::cli) fn validate(arguments: &ValidateArguments) -> anyhow::Result<()> {
    if arguments.merge.is_empty() {
        judge(&check(arguments)?, arguments.skip.as_deref())
    } else {
        let mut whole = PassReport::default();
        for report in reports("validate", &arguments.merge)? {
            whole.merge(&report);
        }
        judge(&whole, None)
    }
}

fn check(arguments: &ValidateArguments) -> anyhow::Result<PassReport> {
    let sources = Sources::new(&arguments.inputs, arguments.format)?;
    let mut destination = Destination::default();
    if let Some(path) = &arguments.skip {
        check_output(path, arguments.force, &sources)?;
        let format = Format::of_path(path).with_context(|| path.display().to_string())?;
        destination.output = Some((path.clone(), format));
    }
    let run = PassRun {
        output: arguments
            .skip
            .clone()
            .zip(destination.output.as_ref())
            .map(|(path, (_, format))| (path, format.to_string())),
        skip: true,
        ..PassRun::new("validate", &sources, arguments.work.shard())?
    };
    let mut steps = run.steps(&arguments.work)?;
    let bad_records = BadRecords::Skip;
    watched(|watch| pass::run(&sources, &destination, bad_records, &mut steps, watch))
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

/// The reports of the shards of a pass, in order, from the folders that keep them.
fn reports<R: DeserializeOwned>(tool: &str, folders: &[PathBuf]) -> anyhow::Result<Vec<R>> {
    let mut parts = Vec::new();
    let mut whole: Option<PassRun> = None;
    for path in folders {
        let mut run: PassRun = runs::read_settings(path, PASS)?;
        ensure!(
            run.tool == tool,
            "{}: of {}, not of {tool}",
            path.display(),
            run.tool
        );
        let shard = std::mem::replace(&mut run.shard, Shard::WHOLE);
        if let Some(whole) = &whole {
            run.output.clone_from(&whole.output);
            if let Some(difference) = runs::difference(&run, whole) {
                let first = folders[0].display();
                bail!(
                    "{}: no part of the pass in {first}: {difference}",
                    path.display()
                );
            }
        }
        whole.get_or_insert(run);
        let checkpoints: Vec<Checkpoint<R>> = runs::read_entries(path, PASS)?;
        let last = checkpoints.into_iter().next_back();
        let last = last.filter(|last| last.is_complete);
        let last = last.with_context(|| format!("{}: not complete", path.display()))?;
        parts.push((shard, last.report));
    }
    // The last part is number 0 as well.
    parts.sort_by_key(|(shard, _)| (shard.index + shard.count - 1) % shard.count);
    let found: Vec<Shard> = parts.iter().map(|(shard, _)| *shard).collect();
    let count = found[0].count;
    let is_whole = found.len() as u64 == count
        && (1..=count).zip(&found).all(|(number, shard)| {
            *shard
                == Shard {
                    index: number % count,
                    count,
                }
        });
    let shown: Vec<String> = found.iter().map(Shard::to_string).collect();
    ensure!(
        is_whole,
        "parts {}, expected each of a pass once",
        shown.join(", ")
    );
    Ok(parts.into_iter().map(|(_, report)| report).collect())
}
