//! `raicho validate`: checks teacher data.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;

use super::{PassRun, check_output, inputs_help, reports, watched};
use crate::cli::named::{Named, formats};
use crate::cli::output;
use crate::cli::work::WorkArguments;
use crate::records::teacher::Format;
use crate::train::data::Sources;
use crate::train::data::pass::{self, BadRecords, Destination, PassReport};
use crate::util::counted;

const TOOL: &str = "validate";

/// Example: `raicho validate games.pack --skip good.pack`
#[derive(Args)]
#[command(before_help = "Example: raicho validate games.pack --skip good.pack")]
pub(in crate::cli) struct Arguments {
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

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.merge.is_empty() {
        judge(&validate(arguments)?, arguments.skip.as_deref())
    } else {
        let mut whole = PassReport::default();
        for report in reports(TOOL, &arguments.merge)? {
            whole.merge(&report);
        }
        judge(&whole, None)
    }
}

fn validate(arguments: &Arguments) -> anyhow::Result<PassReport> {
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
        ..PassRun::new(TOOL, &sources, arguments.work.shard())?
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
