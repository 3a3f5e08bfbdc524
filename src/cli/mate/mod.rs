//! `raicho mate`: solves tsume problems, one or thousands.

mod report;

use std::io::Read;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;

use super::analyze::{parse_time, set_position};
use super::arena::Meter;
use crate::engine::Engine;
use crate::mate::{MateLimits, MateSolver, SecondSolutions, Solution, Verdict};
use crate::position::Position;
use report::Report;

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
}

/// A problem and where it comes from.
struct Problem {
    /// Its number, from 1.
    number: usize,
    position: Position,
}

/// What has come of a problem.
struct Answer {
    number: usize,
    solution: Solution,
    second: Option<SecondSolutions>,
    time: Duration,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let problems = read_problems(arguments)?;
    let stop = stop_on_ctrl_c()?;
    let start = Instant::now();
    let all = usize::from(arguments.threads);
    let workers = all.min(problems.len());
    let settings = Work {
        arguments,
        stop,
        // What is left of the threads helps where there are fewer problems.
        threads_each: all / workers,
        hash_each: (arguments.hash as usize / workers).max(1),
        next: AtomicUsize::new(0),
        meter: Meter::new("problems", Some(problems.len() as u64), 0),
        report: Mutex::new(Report::new(!arguments.summary, problems.len())?),
    };
    std::thread::scope(|scope| {
        let work = || settings.work(&problems);
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let results = std::iter::once(work()).chain(others.into_iter().map(|other| {
            let panicked = |_| Err(anyhow::anyhow!("a thread panicked"));
            other.join().unwrap_or_else(panicked)
        }));
        results.collect::<anyhow::Result<Vec<()>>>()
    })?;
    settings.meter.finish();
    let report = settings.report.into_inner();
    let report = report.unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(report.finish(start.elapsed())?)
}

/// What the threads share.
struct Work<'a> {
    arguments: &'a Arguments,
    stop: &'static AtomicBool,
    threads_each: usize,
    hash_each: usize,
    /// The index of the problem that nobody has taken yet.
    next: AtomicUsize,
    meter: Meter,
    report: Mutex<Report>,
}

impl Work<'_> {
    /// Takes one problem after another.
    fn work(&self, problems: &[Problem]) -> anyhow::Result<()> {
        let mut solver = MateSolver::new(self.hash_each);
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(problem) = problems.get(index) else {
                return Ok(());
            };
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let answer = self.solve(&mut solver, problem)?;
            let mut report = self
                .report
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            report.add(answer)?;
            self.meter.advance(report.count() as u64, report.words());
        }
    }

    fn solve(&self, solver: &mut MateSolver, problem: &Problem) -> anyhow::Result<Answer> {
        let start = Instant::now();
        let arguments = self.arguments;
        let limits = MateLimits {
            deadline: arguments.time.and_then(|time| start.checked_add(time)),
            nodes: arguments.nodes,
            shortest: arguments.shortest,
            threads: self.threads_each,
            ..MateLimits::until(self.stop)
        };
        let position = &problem.position;
        let solution = solver.solve(position, &limits, &mut |_| {})?;
        let second = match &solution.verdict {
            Verdict::Mate { line, .. } if arguments.check_dual => {
                let begun = Instant::now();
                let limits = MateLimits {
                    deadline: arguments.time.and_then(|time| begun.checked_add(time)),
                    ..limits
                };
                Some(solver.second_solutions(position, line, &limits)?)
            }
            _ => None,
        };
        Ok(Answer {
            number: problem.number,
            solution,
            second,
            time: start.elapsed(),
        })
    }
}

/// Ctrl-C ends the running searches; their problems count as not solved.
fn stop_on_ctrl_c() -> anyhow::Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed))
        .context("Ctrl-C cannot be watched")?;
    Ok(&STOP)
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
            number: problems.len() + 1,
            position: engine.position().clone(),
        });
    }
    if problems.is_empty() {
        bail!("{}: no problem, expected an SFEN a line", path.display());
    }
    Ok(problems)
}
