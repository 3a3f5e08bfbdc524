//! `raicho convert`, `validate`, `shuffle`, `dedup`, `stats` and `roots`: tools for files of
//! teacher data and games.

pub(super) mod convert;
pub(super) mod dedup;
pub(super) mod roots;
pub(super) mod shuffle;
pub(super) mod stats;
pub(super) mod validate;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, ensure};
use clap::Args;

use super::interrupt::stop_on_ctrl_c;
use super::progress::Meter;
use crate::records::teacher::Format;
use crate::runs::Stop;
use crate::train::data::pass::BadRecords;
use crate::train::data::{DataError, Source, Sources, Watch};

/// The unit of the progress.
const UNIT: &str = "MB";
const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// The files to read.
#[derive(Args)]
pub(super) struct Input {
    /// Files, or folders of files: psv (bin), hcpe, psum, hcpe3, pack, hcp, sfen, usi, csa, kif
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// Format of all files, regardless of their names
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Skip bad records instead of stopping at the first one
    #[arg(long)]
    skip: bool,
}

impl Input {
    pub(super) fn sources(&self) -> Result<Sources, DataError> {
        Sources::new(&self.inputs, self.format)
    }

    pub(super) fn bad_records(&self) -> BadRecords {
        if self.skip {
            BadRecords::Skip
        } else {
            BadRecords::Stop
        }
    }
}

/// The file to write.
#[derive(Args)]
struct Destination {
    /// File to write; the extension determines the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Format of the output, regardless of its name
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    /// Overwrite an existing output file
    #[arg(long)]
    force: bool,
}

impl Destination {
    /// The file and its format, after checking that the file can be written and is not an input.
    fn check(&self, sources: &Sources) -> anyhow::Result<(&Path, Format)> {
        let format = match self.to {
            Some(format) => format,
            None => Format::of_path(&self.out).with_context(|| self.out.display().to_string())?,
        };
        check_output(&self.out, self.force, sources)?;
        Ok((&self.out, format))
    }
}

fn check_output(path: &Path, force: bool, sources: &Sources) -> anyhow::Result<()> {
    let name = path.display();
    ensure!(
        force || !path.exists(),
        "{name} exists already; --force replaces it"
    );
    let same = |source: &Source| match (source.path.canonicalize(), path.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    };
    ensure!(
        !sources.files().iter().any(same),
        "{name} is read and cannot be written at the same time"
    );
    Ok(())
}

/// Runs `work` over files, with a progress bar and until Ctrl-C.
pub(super) fn watched<T>(
    work: impl FnOnce(&Watch<'_>) -> Result<T, DataError>,
) -> anyhow::Result<T> {
    let stop = stop_on_ctrl_c()?;
    metered(&stop, UNIT, BYTES_PER_MEGABYTE, work)
}

/// Runs `work` with a progress bar that counts in units of `size`.
fn metered<T, E: std::error::Error + Send + Sync + 'static>(
    stop: &Stop,
    unit: &'static str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> anyhow::Result<T> {
    let meter = OnceLock::new();
    let progress = |done: u64, total: u64| {
        let length = total.div_ceil(size);
        let meter = meter.get_or_init(|| Meter::new(unit, Some(length), 0));
        meter.advance(done / size, format!("of {length}"));
    };
    let watch = Watch {
        stop,
        progress: &progress,
    };
    let result = work(&watch);
    if let Some(meter) = meter.get() {
        meter.finish();
    }
    Ok(result?)
}
