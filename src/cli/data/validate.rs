//! `raicho validate`: checks teacher data.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;

use super::{check_output, watched};
use crate::records::teacher::Format;
use crate::train::data::Sources;
use crate::train::data::pass::{self, BadRecords, Destination};

/// Example: `raicho validate games.pack --skip good.pack`
#[derive(Args)]
#[command(before_help = "Example: raicho validate games.pack --skip good.pack")]
pub(in crate::cli) struct Arguments {
    /// Files, or folders of files: psv (bin), hcpe, psum, hcpe3, pack, hcp, sfen, usi, csa, kif
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// Format of all files, regardless of their names
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write the good records to FILE, whose extension determines the format; bad records are then
    /// skipped and do not make the command fail
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,

    /// Overwrite that file if it exists
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
