//! `raicho convert`, `validate`, `shuffle`, `dedup`, `stats`, `roots` and `rescore`: tools for
//! files of teacher data and games.

pub(super) mod convert;
pub(super) mod inspect;
pub(super) mod rescore;
pub(super) mod roots;
pub(super) mod sort;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::arguments::{BYTES_PER_MEGABYTE, Named, formats, writable_formats};
use super::{progress, result_file};
use crate::records::teacher::Format;
use crate::runs::Watch;
use crate::train::data::pass::BadRecords;
use crate::train::data::{DataError, Sources};

/// The unit of the progress.
const UNIT: &str = "MB";

/// The files to read.
#[derive(Args)]
struct Files {
    #[arg(required = true, value_name = "FILE", help = inputs_help())]
    inputs: Vec<PathBuf>,

    /// Format of the files, regardless of their names; of folders only files that are named so are
    /// read
    #[arg(long, value_name = "FORMAT", value_parser = Named::<Format>::new(formats()))]
    format: Option<Format>,
}

impl Files {
    fn sources(&self) -> Result<Sources, DataError> {
        Sources::new(&self.inputs, self.format)
    }
}

/// The files to read, and what is done with their bad records.
#[derive(Args)]
pub(super) struct Input {
    #[command(flatten)]
    files: Files,

    /// Skip bad records instead of stopping at the first one
    #[arg(long)]
    skip: bool,
}

impl Input {
    pub(super) fn sources(&self) -> Result<Sources, DataError> {
        self.files.sources()
    }

    /// Whether standard input is read, for which `-` stands.
    fn is_stdin(&self) -> bool {
        matches!(&self.files.inputs[..], [one] if one.as_os_str() == "-")
    }

    pub(super) fn bad_records(&self) -> BadRecords {
        if self.skip {
            BadRecords::Skip
        } else {
            BadRecords::Stop
        }
    }
}

/// The help of the files to read.
fn inputs_help() -> String {
    let names = Format::names(|_| true);
    format!("Files, or folders of files, whose names end in {names}")
}

/// The file to write.
#[derive(Args)]
struct Destination {
    /// File to write; the extension determines the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Format of the output, regardless of its name
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = Named::<Format>::new(writable_formats())
    )]
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
    result_file::check_name(path)?;
    result_file::check_free(path, force)?;
    let files = sources.files().iter();
    result_file::check_unread(path, files.map(|source| source.path.as_path()))
}

/// Runs `work` over files, with a progress bar and until Ctrl-C.
pub(super) fn watched<T>(
    work: impl FnOnce(&Watch<'_>) -> Result<T, DataError>,
) -> anyhow::Result<T> {
    progress::watched(UNIT, BYTES_PER_MEGABYTE, work)
}
