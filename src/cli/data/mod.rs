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
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::arguments::{BYTES_PER_MEGABYTE, Named, WorkArguments, formats, writable_formats};
use super::{output, progress, result_file};
use crate::records::teacher::Format;
use crate::runs::{RunKind, Shard, Watch};
use crate::train::data::pass::BadRecords;
use crate::train::data::steps::{Checkpoint, Steps};
use crate::train::data::{DataError, Source, Sources};

/// The unit of the progress.
const UNIT: &str = "MB";

/// The files to read.
#[derive(Args)]
pub(super) struct Input {
    #[arg(required = true, value_name = "FILE", help = inputs_help())]
    inputs: Vec<PathBuf>,

    /// Format of the files, regardless of their names; of folders only files that are named so are
    /// read
    #[arg(long, value_name = "FORMAT", value_parser = Named::<Format>::new(formats()))]
    format: Option<Format>,

    /// Skip bad records instead of stopping at the first one
    #[arg(long)]
    skip: bool,
}

impl Input {
    pub(super) fn sources(&self) -> Result<Sources, DataError> {
        Sources::new(&self.inputs, self.format)
    }

    /// Whether standard input is read, for which `-` stands.
    fn is_stdin(&self) -> bool {
        matches!(&self.inputs[..], [one] if one.as_os_str() == "-")
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

/// What decides a pass over files. It is kept beside its checkpoints.
#[derive(Serialize, Deserialize)]
struct PassRun {
    tool: String,
    /// The files and their sizes in bytes.
    files: Vec<(PathBuf, u64)>,
    /// The output and its format.
    output: Option<(PathBuf, String)>,
    /// Whether bad records are left out.
    skip: bool,
    entered_kings: bool,
    shard: Shard,
}

const PASS: RunKind = RunKind {
    noun: "pass over files",
    settings: "pass.json",
    journal: "pass.jsonl",
    format: 1,
};

impl PassRun {
    fn new(tool: &str, sources: &Sources, shard: Shard) -> anyhow::Result<Self> {
        let sized = |source: &Source| {
            let metadata = std::fs::metadata(&source.path);
            let metadata = metadata.with_context(|| source.path.display().to_string())?;
            Ok((source.path.clone(), metadata.len()))
        };
        let files = sources.files().iter().map(sized);
        Ok(Self {
            tool: tool.to_owned(),
            files: files.collect::<anyhow::Result<_>>()?,
            output: None,
            skip: false,
            entered_kings: false,
            shard,
        })
    }

    /// The steps of the pass, from its last checkpoint on.
    fn steps<R: Default + Serialize + DeserializeOwned>(
        &self,
        work: &WorkArguments,
    ) -> anyhow::Result<Steps<R>> {
        let (folder, mut checkpoints) = work.open(PASS, self)?;
        let last = self.last(checkpoints.pop());
        Ok(Steps::new(self.shard, folder, last))
    }

    /// The last checkpoint, unless the pass is complete and its output no longer there: then it
    /// begins again.
    fn last<R>(&self, last: Option<Checkpoint<R>>) -> Option<Checkpoint<R>> {
        let last = last?;
        if let Some((path, _)) = self.output.as_ref().filter(|_| last.is_complete) {
            let found = std::fs::metadata(path).map(|file| file.len()).ok();
            if found != Some(last.output) {
                let is = found.map_or("is gone".to_owned(), |found| {
                    format!("has {found} bytes instead of {}", last.output)
                });
                output::eprint_line(format_args!(
                    "note: {} {is}, the work begins again",
                    path.display()
                ));
                return None;
            }
        }
        Some(last)
    }
}

/// Runs `work` over files, with a progress bar and until Ctrl-C.
pub(super) fn watched<T>(
    work: impl FnOnce(&Watch<'_>) -> Result<T, DataError>,
) -> anyhow::Result<T> {
    progress::watched(UNIT, BYTES_PER_MEGABYTE, work)
}
