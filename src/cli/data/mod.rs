//! `raicho convert`, `validate`, `shuffle`, `dedup`, `stats`, `roots` and `rescore`: tools for
//! files of teacher data and games.

pub(super) mod convert;

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, fs::File, sync::OnceLock, time::Instant};

use anyhow::{Result, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::arguments::{BYTES_PER_MEGABYTE, KeptWork, Named, SortMemory, WorkerArguments, formats};
use super::progress::{self, Meter, stop_on_ctrl_c};
use super::{error::ensure_usage, output, result_file};
use crate::records::teacher::{Content, Format, Record};
use crate::runs::{OutputFile, RunKind, Shard, Watch};
use crate::train::data::pass::{self, PassReport};
use crate::train::data::{Output, Source, Sources, sort, stats};
use crate::train::gensfen::{Effort, HASH_MB};
use crate::train::rescore::{self, Checkpoint, KeptCheckpoints, RescoreReport, Rescoring};
use crate::train::roots::{Collection, Root, RootsSettings, Table, collect};
use crate::util::{AtPath, counted};
use crate::{train::learn::DEFAULT_SCALE, train::rescore::can_rescore};

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
    fn sources(&self) -> Result<Sources> {
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
    pub(super) fn sources(&self) -> Result<Sources> {
        Ok(self.files.sources()?.skipping_bad_records(self.skip))
    }

    /// Whether standard input is read, for which `-` stands.
    fn is_stdin(&self) -> bool {
        matches!(&self.files.inputs[..], [one] if one.as_os_str() == "-")
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

    /// Overwrite an existing output file
    #[arg(long)]
    force: bool,
}

impl Destination {
    /// The file and its format, after checking that the file can be written and is not an input.
    fn check(&self, sources: &Sources) -> Result<(&Path, Format)> {
        Ok((&self.out, output_format(&self.out, self.force, sources)?))
    }
}

/// The format of a file to write, by its name, after the same check.
fn output_format(path: &Path, force: bool, sources: &Sources) -> Result<Format> {
    let format = Format::of_path(path).at(path)?;
    check_output(path, force, sources)?;
    Ok(format)
}

/// Checks that a file can be written and is not an input.
fn check_output(path: &Path, force: bool, sources: &Sources) -> Result<()> {
    result_file::check_name(path)?;
    result_file::check_free(path, force)?;
    let files = sources.files().iter();
    result_file::check_unread(path, files.map(|source| source.path.as_path()))
}

/// Runs `work` over files, with a progress bar and until Ctrl-C.
pub(super) fn watched<T>(work: impl FnOnce(&Watch<'_>) -> Result<T>) -> Result<T> {
    progress::watched(UNIT, BYTES_PER_MEGABYTE, work)
}

/// Says how many positions were written, after the counts of what was read.
fn report_written(report: impl fmt::Display, written: u64) {
    let written = counted(written, "position");
    output::eprint_line(format_args!("{report}{written} written"));
}

// --- stats and validate ---

/// Example: `raicho stats gen2/ --svg gen2.svg`
#[derive(Args)]
#[command(before_help = "Example: raicho stats gen2/ --svg gen2.svg")]
pub(in crate::cli) struct StatsArguments {
    #[command(flatten)]
    input: Input,

    /// Draw the histograms to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(in crate::cli) fn stats(arguments: &StatsArguments) -> Result<()> {
    let sources = arguments.input.sources()?;
    if let Some(path) = &arguments.svg {
        let read = sources.files().iter().map(|file| file.path.as_path());
        result_file::check_kind(path, "svg", read)?;
    }
    let stats = watched(|watch| stats::run(&sources, watch))?;
    output::print(format_args!("{stats}"))?;
    if let Some(path) = &arguments.svg {
        result_file::save(path, stats.svg()?.as_bytes())?;
    }
    Ok(())
}

/// Example: `raicho validate games.pack --skip good.pack`
#[derive(Args)]
#[command(before_help = "Example: raicho validate games.pack --skip good.pack")]
pub(in crate::cli) struct ValidateArguments {
    #[command(flatten)]
    files: Files,

    /// Write the good records to FILE, whose extension determines the format; bad records are then
    /// skipped and do not make the command fail
    #[arg(long, value_name = "FILE")]
    skip: Option<PathBuf>,

    /// Overwrite that file if it exists
    #[arg(long, requires = "skip")]
    force: bool,
}

pub(in crate::cli) fn validate(arguments: &ValidateArguments) -> Result<()> {
    let sources = arguments.files.sources()?.skipping_bad_records(true);
    let mut destination = pass::Destination::default();
    if let Some(path) = &arguments.skip {
        let format = output_format(path, arguments.force, &sources)?;
        destination.output = Some((path.clone(), format));
    }
    let report = watched(|watch| pass::run(&sources, &destination, watch))?;
    judge(&report, arguments.skip.as_deref())
}

fn judge(report: &PassReport, good: Option<&Path>) -> Result<()> {
    output::print(format_args!("{report}"))?;
    if let Some(path) = good {
        let positions = counted(report.tally.written, "position");
        output::print_line(format_args!("{positions} written to {}", path.display()))?;
    }
    ensure!(report.signs.are_right(), "the scores or the results have the wrong sign");
    let bad = report.tally.bad();
    ensure!(
        bad == 0 || good.is_some(),
        "{}; --skip FILE writes the good ones",
        counted(bad, "bad record")
    );
    Ok(())
}

// --- shuffle and dedup ---

/// Example: `raicho shuffle gen2/ --out gen2.psv --memory 2048 --seed 7`
#[derive(Args)]
#[command(before_help = "Example: raicho shuffle gen2/ --out gen2.psv --memory 2048 --seed 7")]
pub(in crate::cli) struct ShuffleArguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    memory: SortMemory,

    /// Seed of the order
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(in crate::cli) fn shuffle(arguments: &ShuffleArguments) -> Result<()> {
    let sources = arguments.input.sources()?;
    let output = arguments.destination.check(&sources)?;
    let sources = sources.for_output(output.1);
    let (memory, seed) = (arguments.memory.bytes(), arguments.seed);
    let tally = watched(|watch| sort::shuffle(&sources, output, memory, seed, watch))?;
    report_written(&tally, tally.written);
    Ok(())
}

/// Example: `raicho dedup all.psv --out unique.psum --memory 2048`
#[derive(Args)]
#[command(before_help = "Example: raicho dedup all.psv --out unique.psum --memory 2048")]
pub(in crate::cli) struct DedupArguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    memory: SortMemory,
}

pub(in crate::cli) fn dedup(arguments: &DedupArguments) -> Result<()> {
    let sources = arguments.input.sources()?;
    let output = arguments.destination.check(&sources)?;
    let sources = sources.for_output(output.1);
    let memory = arguments.memory.bytes();
    let report = watched(|watch| sort::dedup(&sources, output, memory, watch))?;
    output::eprint_line(format_args!(
        "{}{} written, {} of them occurred more than once",
        report.tally,
        counted(report.tally.written, "position"),
        report.repeated
    ));
    if report.contested > 0 {
        let (contested, format) = (report.contested, output.1);
        output::eprint_line(format_args!("{contested} of those in games that ended differently"));
        if format != Format::Psum {
            output::eprint_line(format_args!(
                "{format} keeps one result, the most frequent; psum keeps all"
            ));
        }
    }
    Ok(())
}

// --- roots ---

/// Example: `raicho roots floodgate/ --min-rating 3800 --out roots.hcp`
#[derive(Args)]
#[command(before_help = "Example: raicho roots floodgate/2026/ --min-rating 3800 --plies 20 \
        --out roots.hcp")]
pub(in crate::cli) struct RootsArguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    settings: RootsSettings,
}

pub(in crate::cli) fn roots(arguments: &RootsArguments) -> Result<()> {
    let sources = arguments.input.sources()?;
    let (path, format) = arguments.destination.check(&sources)?;
    ensure_usage!(
        format.content() == Content::Positions,
        "{format} keeps more than positions, expected {}",
        Format::names(|format| format.content() == Content::Positions)
    );
    let settings = &arguments.settings;
    let found = watched(|watch| collect(&sources, settings, watch))?;
    // Written before anything is printed: a closed pipe must not lose the work.
    let written = write_roots(path, format, &found.roots)?;
    print_games(&found, settings.min_count)?;
    let mut out = output::stdout();
    write!(out, "after\n{}", Table::of(&found.roots))?;
    ensure!(written > 0, "no position is left; nothing was written");
    let written = counted(written, "position");
    Ok(writeln!(out, "{written} written to {}", path.display())?)
}

/// Writes the positions, if there are any, and returns their number.
fn write_roots(path: &Path, format: Format, roots: &[Root]) -> Result<u64> {
    if roots.is_empty() {
        return Ok(0);
    }
    let mut out = Output::create(path, format)?;
    for root in roots {
        out.write(&Record::Position(root.position, root.ply))?;
    }
    out.finish()
}

fn print_games(found: &Collection, min_count: u64) -> Result<()> {
    let tally = &found.tally;
    output::eprint(tally);
    let games = &found.games;
    let mut out = output::stdout();
    writeln!(out, "{:>12}  games read", tally.records)?;
    for (count, what) in [
        (games.rating, "left out, ratings too low or unknown"),
        (games.repetition, "left out, ended by repetition"),
        (games.unfinished, "left out, not played to the end"),
        (games.used, "used"),
    ] {
        writeln!(out, "{count:>12}  {what}")?;
    }
    writeln!(out, "\nbefore\n{}", found.before)?;
    writeln!(out, "{min_count:>12}  games a position must have at least\n")?;
    Ok(())
}

// --- rescore ---

/// Example: `raicho rescore gen1/ --eval new.nnue --nodes 3000 --threads 8 --out gen1-new.pack`
#[derive(Args)]
#[command(before_help = "Example: raicho rescore gen1/ --eval new.nnue --nodes 3000 --threads 8 \
        --out gen1-new.pack\n\
        Example: raicho rescore gen1/ --positions --out positions.tsv\n\
        Example: raicho rescore gen1/ --scores scores.tsv --out gen1-new.pack")]
pub(in crate::cli) struct RescoreArguments {
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
    #[arg(long, value_name = "SCALE", default_value_t = DEFAULT_SCALE,
          value_parser = clap::value_parser!(u16).range(1..=4096), requires = "scores")]
    scale: u16,
}

/// The options that decide how this program finds scores.
const SEARCHING: [&str; 6] = ["eval", "threads", "is_static", "nodes", "depth", "work"];

const RESCORE: RunKind = RunKind {
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
fn sized(sources: &Sources) -> Result<Vec<(PathBuf, u64)>> {
    let files = sources.files().iter().map(|source| {
        let metadata = std::fs::metadata(&source.path);
        let metadata = metadata.at(&source.path)?;
        Ok((source.path.clone(), metadata.len()))
    });
    files.collect()
}

/// The last checkpoint, unless the run is complete and its output no longer there: then it begins
/// again.
fn usable_checkpoint(last: Option<Checkpoint>, path: &Path) -> Option<Checkpoint> {
    let last = last?;
    let found = std::fs::metadata(path).map(|file| file.len()).ok();
    if !last.is_complete || found == Some(last.output) {
        return Some(last);
    }
    let is = found.map_or("is gone".to_owned(), |found| {
        format!("has {found} bytes instead of {}", last.output)
    });
    let path = path.display();
    output::eprint_line(format_args!("note: {path} {is}, the work begins again"));
    None
}

pub(in crate::cli) fn rescore(arguments: &RescoreArguments) -> Result<()> {
    let sources = arguments.input.sources()?;
    if arguments.outside.positions {
        return write_positions(arguments, &sources);
    }
    let (path, format) = arguments.destination.check(&sources)?;
    rescore::check_output(format)?;
    let mut sources = sources.for_output(format);
    let left_out = sources.leave_out(|found| can_rescore(found, format));
    report_left_out(&left_out, format);
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
    let (folder, mut checkpoints) = arguments.work.open(RESCORE, &run)?;
    let last = usable_checkpoint(checkpoints.pop(), path);
    let report = rescore_metered(&rescoring, (folder, last))?;
    report_written(&report, report.tally.written);
    Ok(())
}

/// Writes the positions for another program.
fn write_positions(arguments: &RescoreArguments, sources: &Sources) -> Result<()> {
    let path = &arguments.destination.out;
    check_output(path, arguments.destination.force, sources)?;
    let mut out = OutputFile::create(path).at(path)?;
    let report = watched(|watch| rescore::write_positions(sources, (path, &mut out), watch))?;
    out.finish().at(path)?;
    report_written(&report.tally, report.searches.positions);
    Ok(())
}

/// Takes the scores of another program.
fn take_scores(
    arguments: &RescoreArguments,
    scores: &Path,
    (sources, path, format): (&Sources, &Path, Format),
) -> Result<()> {
    let file = File::open(scores).at(scores)?;
    let mut input = BufReader::new(file);
    let column = (scores, &mut input as &mut dyn BufRead, arguments.outside.scale);
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
fn rescore_metered(rescoring: &Rescoring<'_>, kept: KeptCheckpoints) -> Result<RescoreReport> {
    let stop = stop_on_ctrl_c()?;
    let total = rescoring.sources.bytes()?.div_ceil(BYTES_PER_MEGABYTE);
    let meter = Meter::new(UNIT, Some(total), 0);
    let (begun, first, read) = (Instant::now(), OnceLock::new(), AtomicU64::new(0));
    let on_positions = |positions: u64| {
        let first = *first.get_or_init(|| positions);
        let millis = begun.elapsed().as_millis().max(1);
        let rate = u128::from(positions - first.min(positions)) * 1000 / millis;
        let words = format!("{positions} positions, {rate}/s");
        meter.advance(read.load(Ordering::Relaxed), &words);
    };
    let watch = Watch {
        stop: &stop,
        progress: &|done, _| read.store(done.div_ceil(BYTES_PER_MEGABYTE), Ordering::Relaxed),
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
