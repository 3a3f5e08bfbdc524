//! `raicho rescore`: new scores for the positions of teacher data.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};

use super::{Destination, Input, UNIT, check_output, report_written, watched};
use crate::cli::arguments::{BYTES_PER_MEGABYTE, KeptWork, WorkerArguments};
use crate::cli::output;
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::records::teacher::Format;
use crate::runs::{OutputFile, RunKind, Shard, Watch};
use crate::train::data::{Source, Sources};
use crate::train::gensfen::{Effort, HASH_MB};
use crate::train::learn::DEFAULT_SCALE;
use crate::train::rescore::{
    self, Checkpoint, KeptCheckpoints, RescoreReport, Rescoring, can_rescore,
};

/// Example: `raicho rescore gen1/ --eval new.nnue --nodes 3000 --threads 8 --out gen1-new.pack`
#[derive(Args)]
#[command(
    before_help = "Example: raicho rescore gen1/ --eval new.nnue --nodes 3000 --threads 8 \
        --out gen1-new.pack\n\
        Example: raicho rescore gen1/ --positions --out positions.tsv\n\
        Example: raicho rescore gen1/ --scores scores.tsv --out gen1-new.pack"
)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    workers: WorkerArguments,

    /// Take the static evaluation instead of a search
    #[arg(long = "static", help_heading = "Search", conflicts_with_all = ["nodes", "depth"])]
    is_static: bool,

    #[command(flatten)]
    outside: OutsideArguments,

    #[command(flatten)]
    effort: Effort,

    #[command(flatten)]
    work: KeptWork,
}

/// Scores of another program.
#[derive(Args)]
#[command(next_help_heading = "Another program")]
struct OutsideArguments {
    /// Write no scores but the positions, for another program: lines of a key and an SFEN,
    /// separated by a tab, after the header `key sfen`
    #[arg(long, conflicts_with_all = SEARCHING)]
    positions: bool,

    /// File of the scores that another program gave these positions: lines of the same keys and the
    /// scores for the side to move, after the header `key cp` for centipawns or `key win_rate` for
    /// winning probabilities from 0 to 1
    #[arg(long, value_name = "FILE", conflicts_with_all = SEARCHING, conflicts_with = "positions")]
    scores: Option<PathBuf>,

    /// Value of an output of 1, where a pawn is 90: the scale used in training, by which winning
    /// probabilities become scores
    #[arg(
        long,
        value_name = "SCALE",
        default_value_t = DEFAULT_SCALE,
        value_parser = clap::value_parser!(u16).range(1..=4096),
        requires = "scores"
    )]
    scale: u16,
}

/// The options that decide how this program finds scores.
const SEARCHING: [&str; 6] = ["eval", "threads", "is_static", "nodes", "depth", "work"];

const KIND: RunKind = RunKind {
    noun: "run of rescore",
    settings: "rescore.json",
    journal: "rescore.jsonl",
    format: 1,
};

/// What decides the new scores. It is kept beside the checkpoints.
#[derive(Serialize, Deserialize)]
struct RescoreRun {
    /// The files and their sizes in bytes.
    files: Vec<(PathBuf, u64)>,
    /// The output and its format.
    output: (PathBuf, String),
    /// Whether bad records are left out.
    skip: bool,
    /// The whole; a part of the input in runs of version 1, which are not resumed.
    shard: Shard,
    eval: String,
    effort: Option<Effort>,
    hash_mb: usize,
}

/// The files with their sizes in bytes.
fn sized(sources: &Sources) -> anyhow::Result<Vec<(PathBuf, u64)>> {
    let files = sources.files().iter().map(|source| {
        let metadata = std::fs::metadata(&source.path);
        let metadata = metadata.with_context(|| source.path.display().to_string())?;
        Ok((source.path.clone(), metadata.len()))
    });
    files.collect()
}

/// The last checkpoint, unless the run is complete and its output no longer there: then it begins
/// again.
fn usable(last: Option<Checkpoint>, path: &Path) -> Option<Checkpoint> {
    let last = last?;
    let found = std::fs::metadata(path).map(|file| file.len()).ok();
    if !last.is_complete || found == Some(last.output) {
        return Some(last);
    }
    let is = found.map_or("is gone".to_owned(), |found| {
        format!("has {found} bytes instead of {}", last.output)
    });
    output::eprint_line(format_args!(
        "note: {} {is}, the work begins again",
        path.display()
    ));
    None
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = arguments.input.sources()?;
    if arguments.outside.positions {
        return write_positions(arguments, &sources);
    }
    let (path, format) = arguments.destination.check(&sources)?;
    rescore::check_output(format)?;
    let mut sources = sources.for_output(format);
    report_left_out(
        &sources.leave_out(|found| can_rescore(found, format)),
        format,
    );
    if let Some(scores) = &arguments.outside.scores {
        return take_scores(arguments, scores, (&sources, path, format));
    }
    let (eval, evaluator) = arguments.workers.evaluation()?;
    let rescoring = Rescoring {
        sources: &sources,
        output: (path, format),
        evaluator: &evaluator,
        effort: (!arguments.is_static).then(|| arguments.effort.or_default()),
        threads: arguments.workers.threads(),
    };
    let run = RescoreRun {
        files: sized(&sources)?,
        output: (path.to_owned(), format.to_string()),
        skip: sources.skips_bad_records(),
        shard: Shard::WHOLE,
        eval,
        effort: rescoring.effort.clone(),
        hash_mb: HASH_MB,
    };
    let (folder, mut checkpoints) = arguments.work.open(KIND, &run)?;
    let last = usable(checkpoints.pop(), path);
    let report = metered(&rescoring, KeptCheckpoints { folder, last })?;
    report_written(&report, report.tally.written);
    Ok(())
}

/// Writes the positions for another program.
fn write_positions(arguments: &Arguments, sources: &Sources) -> anyhow::Result<()> {
    let path = &arguments.destination.out;
    check_output(path, arguments.destination.force, sources)?;
    let shown = || path.display().to_string();
    let mut out = OutputFile::create(path).with_context(shown)?;
    let report = watched(|watch| rescore::write_positions(sources, (path, &mut out), watch))?;
    out.finish().with_context(shown)?;
    report_written(&report.tally, report.searches.positions);
    Ok(())
}

/// Takes the scores of another program.
fn take_scores(
    arguments: &Arguments,
    scores: &Path,
    (sources, path, format): (&Sources, &Path, Format),
) -> anyhow::Result<()> {
    let file = File::open(scores).with_context(|| scores.display().to_string())?;
    let mut input = BufReader::new(file);
    let column = (
        scores,
        &mut input as &mut dyn BufRead,
        arguments.outside.scale,
    );
    let report = watched(|watch| rescore::take_scores(sources, column, (path, format), watch))?;
    report_written(&report, report.tally.written);
    Ok(())
}

/// Says which files of folders are not read, by their formats.
fn report_left_out(files: &[Source], output: Format) {
    for format in Format::ALL {
        let count = files.iter().filter(|file| file.format == format).count();
        if count > 0 {
            let files = if count == 1 { "file" } else { "files" };
            output::eprint_line(format_args!(
                "note: {count} {format} {files} left out: {format} is not written as {output}"
            ));
        }
    }
}

/// Runs with a progress bar that counts the input and shows the positions searched per second.
fn metered(rescoring: &Rescoring<'_>, kept: KeptCheckpoints) -> anyhow::Result<RescoreReport> {
    let stop = stop_on_ctrl_c()?;
    let total = rescoring.sources.bytes()?.div_ceil(BYTES_PER_MEGABYTE);
    let meter = Meter::new(UNIT, Some(total), 0);
    let (begun, first, read) = (Instant::now(), OnceLock::new(), AtomicU64::new(0));
    let on_positions = |positions: u64| {
        let first = *first.get_or_init(|| positions);
        let millis = begun.elapsed().as_millis().max(1);
        let rate = u128::from(positions - first.min(positions)) * 1000 / millis;
        let words = format!("of {total}, {positions} positions, {rate}/s");
        meter.advance(read.load(Ordering::Relaxed), words);
    };
    let watch = Watch {
        stop: &stop,
        progress: &|done, _| read.store(done / BYTES_PER_MEGABYTE, Ordering::Relaxed),
    };
    let result = rescore::run(rescoring, kept, &watch, &on_positions);
    meter.finish();
    let report = result?;
    let positions = report.searches.positions - first.get().copied().unwrap_or(0);
    let millis = begun.elapsed().as_millis().max(1);
    let rate = u128::from(positions) * 1000 / millis;
    output::eprint_line(format_args!("{rate} positions/s"));
    Ok(report)
}
