//! `raicho stats`: statistics of teacher data.

use std::path::PathBuf;

use clap::Args;

use super::{PassRun, inputs_help, reports, watched};
use crate::cli::named::{Named, formats};
use crate::cli::work::WorkArguments;
use crate::cli::{output, result_file};
use crate::records::teacher::Format;
use crate::train::data::Sources;
use crate::train::data::pass::BadRecords;
use crate::train::data::stats::{self, Stats};

const TOOL: &str = "stats";

/// Example: `raicho stats gen2/ --svg gen2.svg`
#[derive(Args)]
#[command(before_help = "Example: raicho stats gen2/ --svg gen2.svg")]
pub(in crate::cli) struct Arguments {
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

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let stats = if arguments.merge.is_empty() {
        count(arguments)?
    } else {
        if let Some(path) = &arguments.svg {
            result_file::check_kind(path, "svg", std::iter::empty())?;
        }
        let mut whole = Stats::default();
        for part in reports(TOOL, &arguments.merge)? {
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

fn count(arguments: &Arguments) -> anyhow::Result<Stats> {
    let sources = Sources::new(&arguments.inputs, arguments.format)?;
    if let Some(path) = &arguments.svg {
        let read = sources.files().iter().map(|file| file.path.as_path());
        result_file::check_kind(path, "svg", read)?;
    }
    let run = PassRun {
        skip: arguments.skip,
        ..PassRun::new(TOOL, &sources, arguments.work.shard())?
    };
    let mut steps = run.steps(&arguments.work)?;
    let bad_records = if arguments.skip {
        BadRecords::Skip
    } else {
        BadRecords::Stop
    };
    watched(|watch| stats::run(&sources, bad_records, &mut steps, watch))
}
