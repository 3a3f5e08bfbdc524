//! Whole games: searches their positions as a run, and hands each finished game to the report.

use anyhow::ensure;

use super::arguments::{Arguments, SearchArguments};
use super::inputs::InputGame;
use super::report::Report;
use crate::analysis::{self, Analyzed, Settings, Watch};
use crate::cli::evaluation;
use crate::cli::interrupt::stop_on_ctrl_c_with;
use crate::cli::output;
use crate::cli::progress::Meter;
use crate::lang::{Lang, printable};
use crate::records::sfen_line::SfenLine;
use crate::runs::{Execution, FolderError, RunKind};
use crate::util::system::free_megabytes;
use crate::util::{cores, counted};

const KIND: RunKind = RunKind {
    noun: "run of analyze",
    settings: "analyze.json",
    journal: "analyze.jsonl",
    format: 2,
};

/// Memory of each thread in MB, besides its transposition table.
const WORKER_MB: usize = 110;

/// Size of each thread's transposition table in MB without `--hash`.
const DEFAULT_HASH: u32 = 64;

/// Analyses the games. `broken` says what could not be read.
///
/// # Errors
/// Something cannot be written or was broken, or the user interrupted it.
pub(super) fn run(
    arguments: &Arguments,
    games: Vec<InputGame>,
    broken: &[String],
    lang: Lang,
) -> anyhow::Result<()> {
    for fault in broken {
        output::eprint_line(lang.skipped(printable(fault)));
    }
    let lines: Vec<SfenLine> = games.iter().map(|game| game.record.line()).collect();
    let (choice, evaluator) = evaluation::load(&arguments.search.eval)?;
    let settings = Settings {
        effort: arguments.search.effort(),
        multi_pv: arguments.search.multipv.into(),
        order: arguments.search.order(),
        hash_mb: arguments.search.hash.unwrap_or(DEFAULT_HASH) as usize,
        eval: evaluation::identity(&choice, &evaluator),
        games: lines.len(),
        checksum: checksum(&lines),
    };
    let positions: usize = lines.iter().map(|line| line.moves.len() + 1).sum();
    let threads = threads(&arguments.search, settings.hash_mb, positions)?;
    let report = Report::new(arguments, &settings, games, lang)?;
    let known = arguments.work.open(KIND, &settings).map_err(in_words)?;
    let stop = stop_on_ctrl_c_with(&lang.ending_after_positions())?;
    let meter = Meter::in_language(lang, &lang.unit_positions(), Some(positions as u64), 0);
    let mut watch = Progress {
        report,
        meter: &meter,
        failure: None,
    };
    let execution = Execution {
        threads,
        name: "analyze",
        stack_bytes: None,
        stop: &stop,
    };
    let result = analysis::analyze(&lines, &settings, &evaluator, known, &mut watch, &execution);
    meter.finish();
    if let Some(failure) = watch.failure {
        return Err(failure);
    }
    result?;
    if stop.is_requested() {
        watch.report.interrupted();
        return arguments.work.check_complete(&stop);
    }
    watch.report.finish()?;
    ensure!(
        broken.is_empty(),
        "{} could not be read",
        counted(broken.len(), "game")
    );
    Ok(())
}

/// Number of threads for this many positions: those that were asked for, if they fit into memory,
/// or else one for each core as far as they fit.
fn threads(search: &SearchArguments, hash_mb: usize, positions: usize) -> anyhow::Result<usize> {
    let each = hash_mb + WORKER_MB;
    let wanted = search.threads.map_or_else(cores, usize::from);
    let wanted = wanted.min(positions).max(1);
    // Some systems do not tell.
    let Some(free) = free_megabytes() else {
        return Ok(wanted);
    };
    let fitting = (free / each).max(1);
    ensure!(
        search.threads.is_none() || wanted <= fitting,
        "{wanted} threads need {} MB, but {free} MB are free: give fewer --threads or a smaller \
         --hash",
        wanted.saturating_mul(each)
    );
    Ok(wanted.min(fitting))
}

/// The error of a folder, with other games named as such.
fn in_words(mut error: FolderError) -> FolderError {
    if let FolderError::OtherRun { difference, .. } = &mut error
        && difference.starts_with("checksum ")
    {
        "other games, or the same in another order".clone_into(difference);
    }
    error
}

fn checksum(lines: &[SfenLine]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for line in lines {
        hasher.update(line.to_string().as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize()
}

struct Progress<'a> {
    report: Report,
    meter: &'a Meter,
    /// Why a finished game could not be reported.
    failure: Option<anyhow::Error>,
}

impl Watch for Progress<'_> {
    fn advance(&mut self, positions: usize) {
        self.meter.advance(positions as u64, self.report.words());
    }

    fn game(&mut self, index: usize, analysis: Analyzed) -> Result<(), String> {
        self.meter
            .suspend(|| self.report.game(index, analysis))
            .map_err(|error| {
                let text = error.to_string();
                self.failure = Some(error);
                text
            })
    }
}
