//! `raicho convert`, `validate`, `shuffle`, `dedup`, `stats`, `roots` and `rescore`: tools for
//! files of teacher data and games.

pub(super) mod convert;
pub(super) mod dedup;
pub(super) mod rescore;
pub(super) mod roots;
pub(super) mod shuffle;
pub(super) mod stats;
pub(super) mod validate;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::work::WorkArguments;
use super::{output, result_file, watching};
use crate::cli::named::{Named, formats, writable_formats};
use crate::cli::usage::ensure_usage;
use crate::records::teacher::Format;
use crate::runs::{self, RunKind, Shard, Watch, would_replace};
use crate::train::data::pass::BadRecords;
use crate::train::data::steps::{Checkpoint, Steps};
use crate::train::data::{DataError, Source, Sources};

/// The unit of the progress.
const UNIT: &str = "MB";
const BYTES_PER_MEGABYTE: u64 = 1 << 20;

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
    let name = path.display();
    result_file::check_name(path)?;
    ensure!(
        force || !would_replace(path),
        "{name} exists already; --force replaces it"
    );
    let same = |source: &Source| match (source.path.canonicalize(), path.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    };
    ensure_usage!(
        !sources.files().iter().any(same),
        "{name} is read and cannot be written at the same time"
    );
    Ok(())
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

/// Runs `work` over files, with a progress bar and until Ctrl-C.
pub(super) fn watched<T>(
    work: impl FnOnce(&Watch<'_>) -> Result<T, DataError>,
) -> anyhow::Result<T> {
    watching::watched(UNIT, BYTES_PER_MEGABYTE, work)
}
