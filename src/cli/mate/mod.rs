//! `raicho mate`: solves tsume problems, one or thousands.

mod answer;
mod job;
mod report;

use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;

use super::analyze::{parse_time, set_position};
use super::interrupt::stop_on_ctrl_c;
use super::progress::Meter;
use super::work::WorkArguments;
use crate::engine::Engine;
use crate::position::Position;
use crate::runs::{Crew, RunKind, execute};
use job::{Problems, Schedule, Settings};
use report::Report;

const KIND: RunKind = RunKind {
    noun: "run of mate",
    settings: "mate.json",
    journal: "mate.jsonl",
    format: 1,
};

/// Example: `raicho mate problems.txt --threads 4 --time 30s --shortest`
#[derive(Args)]
#[command(
    before_help = "Example: raicho mate --sfen \"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\" --shortest\nExample: raicho mate problems.txt --threads 4 --time 30s"
)]
pub(super) struct Arguments {
    /// File with a problem a line: an SFEN, also among other columns between tabs; `-` reads standard input
    #[arg(
        value_name = "FILE",
        conflicts_with = "sfen",
        required_unless_present = "sfen"
    )]
    file: Option<PathBuf>,

    /// The problem; the side to move mates
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,

    /// Time for each problem: milliseconds, or with a unit `3s`, `500ms` [default: as long as it takes, or until Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,

    /// Moves to make for each problem
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Threads: each solves a problem of its own; where there is only one problem, all solve it together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Size of the tables of all threads together in MB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    /// Go on until there is no shorter mate
    #[arg(long)]
    shortest: bool,

    /// Look for other solutions (余詰) at every move of the line
    #[arg(long)]
    check_dual: bool,

    /// Print no lines, only the sum
    #[arg(long)]
    summary: bool,

    #[command(flatten)]
    work: WorkArguments,
}

/// A problem and where it comes from.
struct Problem {
    /// Its number, from 1.
    number: u64,
    position: Position,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let problems = read_problems(arguments)?;
    let shard = arguments.work.shard();
    let settings = Settings::new(arguments, &problems, shard);
    let (folder, answers) = arguments.work.open(KIND, &settings)?;
    let stop = stop_on_ctrl_c()?;
    let start = Instant::now();
    let here = problems.iter().filter(|problem| shard.has(problem.number));
    let here = here.count();
    let all = usize::from(arguments.threads);
    let threads = all.min(here).max(1);
    let job = Problems {
        all: &problems,
        settings: &settings,
        // Where there are fewer problems than threads, several solve one together.
        threads_each: all / threads,
        hash_each: (arguments.hash as usize / threads).max(1),
        stop: &stop,
    };
    let done = answers.len() as u64;
    let meter = Meter::new("problems", Some(here as u64), done);
    let report = Report::new(!arguments.summary, here, settings.numbers([]))?;
    let mut schedule = Schedule::new(&settings, folder, answers, report, &meter)?;
    let crew = Crew {
        threads,
        name: "mate",
        stack_bytes: None,
        stop: &stop,
    };
    let result = execute(&job, &mut schedule, &crew);
    meter.finish();
    result?;
    schedule.finish(start.elapsed())?;
    arguments.work.check_complete(&stop)
}

fn read_problems(arguments: &Arguments) -> anyhow::Result<Vec<Problem>> {
    let mut engine = Engine::new();
    if let Some(sfen) = &arguments.sfen {
        set_position(&mut engine, sfen).context("--sfen")?;
        let position = engine.position().clone();
        let number = 1;
        return Ok(vec![Problem { number, position }]);
    }
    let path = arguments.file.clone().unwrap_or_default();
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let sfen = line
            .split('\t')
            .find(|column| column.contains('/'))
            .unwrap_or(line);
        let place = || format!("{} line {}", path.display(), index + 1);
        set_position(&mut engine, sfen).with_context(place)?;
        problems.push(Problem {
            number: problems.len() as u64 + 1,
            position: engine.position().clone(),
        });
    }
    if problems.is_empty() {
        bail!("{}: no problem, expected an SFEN a line", path.display());
    }
    Ok(problems)
}
