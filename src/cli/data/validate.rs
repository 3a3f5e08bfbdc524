//! `raicho validate`.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use super::{check_output, inputs_help, watched};
use crate::records::teacher::Format;
use crate::train::data::Sources;
use crate::train::data::pass::{self, BadRecords, Destination};

/// Example: `raicho validate games.pack --skip good.pack`
#[derive(Args)]
#[command(before_help = "Example: raicho validate games.pack --skip good.pack")]
pub(in crate::cli) struct Arguments {
    #[arg(required = true, value_name = "FILE", help = inputs_help())]
    inputs: Vec<PathBuf>,

    /// Format of all files, whatever their names say
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write the good records to FILE, whose ending says the format; bad ones are left out and are no failure then
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,

    /// Replace that file if there is one
    #[arg(long, requires = "skip")]
    force: bool,
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = Sources::new(&arguments.inputs, arguments.format)?;
    let mut destination = Destination::default();
    if let Some(path) = &arguments.skip {
        check_output(path, arguments.force, &sources)?;
        let format = Format::of_path(path).with_context(|| path.display().to_string())?;
        destination.output = Some((path.clone(), format));
    }
    let report = watched(|watch| pass::run(&sources, &destination, BadRecords::Skip, watch))?;
    print!("{report}");
    if let Some(path) = &arguments.skip {
        let positions = report.tally.written;
        println!("{positions} positions written to {}", path.display());
    }
    ensure!(
        report.signs.are_right(),
        "the scores or the results have the wrong sign"
    );
    let bad = report.tally.bad();
    ensure!(
        bad == 0 || arguments.skip.is_some(),
        "{bad} bad records; --skip FILE writes the good ones"
    );
    Ok(())
}
