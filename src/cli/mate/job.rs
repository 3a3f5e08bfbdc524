//! The problems of a file as a [`Job`], and their order and answers as a [`Plan`].

use std::io;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::arguments::Arguments;
use super::problems::Problem;
use super::report::Report;
use crate::cli::progress::Meter;
use crate::mate::{MateLimits, MateSolver, Verdict};
use crate::runs::{Job, Numbers, Plan, RunFolder, Shard, Stop};

/// The settings that determine the answers. They are stored with the answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Settings {
    /// Number of problems of the whole file.
    problems: u64,
    /// CRC-32 of their positions.
    checksum: u32,
    shard: Shard,
    /// Time limit per problem.
    time: Option<Duration>,
    /// Node limit per problem.
    nodes: Option<u64>,
    /// Total size of all tables in MB.
    hash: u32,
    shortest: bool,
    check_dual: bool,
}

impl Settings {
    pub(super) fn new(arguments: &Arguments, problems: &[Problem], shard: Shard) -> Self {
        let mut checksum = crc32fast::Hasher::new();
        for problem in problems {
            checksum.update(problem.position.to_sfen().as_bytes());
            checksum.update(b"\n");
        }
        Self {
            problems: problems.len() as u64,
            checksum: checksum.finalize(),
            shard,
            time: arguments.time,
            nodes: arguments.nodes,
            hash: arguments.hash,
            shortest: arguments.shortest,
            check_dual: arguments.check_dual,
        }
    }

    /// The numbers of the problems of this shard, which count from 1.
    pub(super) fn numbers(&self, done: impl IntoIterator<Item = u64>) -> Numbers {
        let done = done.into_iter().chain([0]);
        Numbers::new(Some(self.problems + 1), self.shard, done)
    }
}

/// The problems as a [`Job`].
pub(super) struct Problems<'a> {
    pub(super) all: &'a [Problem],
    pub(super) settings: &'a Settings,
    /// Threads per problem.
    pub(super) threads_each: usize,
    /// Table size per problem in MB.
    pub(super) hash_each: usize,
    pub(super) stop: &'a Stop,
}

impl Job for Problems<'_> {
    type Worker = MateSolver;
    /// The number of a problem.
    type Piece = u64;
    type Output = Answer;
    type Error = anyhow::Error;

    fn worker(&self) -> anyhow::Result<MateSolver> {
        let solver = MateSolver::new(self.hash_each);
        // A smaller table would give other answers than the settings of the run say.
        ensure!(
            solver.megabytes() >= self.hash_each,
            "no memory for a mate table of {} MB: give a smaller --hash",
            self.hash_each
        );
        Ok(solver)
    }

    fn perform(&self, solver: &mut MateSolver, &number: &u64) -> anyhow::Result<Option<Answer>> {
        // The nodes of a problem must not depend on those before it: shards have others.
        solver.clear();
        let start = Instant::now();
        let position = &self.all[number as usize - 1].position;
        let limits = |begun: Instant| MateLimits {
            deadline: self.settings.time.and_then(|time| begun.checked_add(time)),
            nodes: self.settings.nodes,
            shortest: self.settings.shortest,
            threads: self.threads_each,
            // A problem can take arbitrarily long, so the first request to end stops its search.
            ..MateLimits::until(self.stop.flag())
        };
        let solution = solver.solve(position, &limits(start), &mut |_| {})?;
        let second = match &solution.verdict {
            Verdict::Mate { line, .. } if self.settings.check_dual => {
                Some(solver.second_solutions(position, line, &limits(Instant::now()))?)
            }
            _ => None,
        };
        if self.stop.is_requested() {
            // An interrupted search could have found another answer.
            return Ok(None);
        }
        let time = start.elapsed();
        Ok(Some(Answer::new(number, &solution, second.as_ref(), time)))
    }
}

/// The order of the problems, and their answers.
pub(super) struct Schedule<'a> {
    numbers: Numbers,
    folder: Option<RunFolder>,
    report: Report,
    meter: &'a Meter,
    /// All answers, for the page.
    answers: Vec<Answer>,
}

impl<'a> Schedule<'a> {
    /// A schedule that begins with the answers of an earlier part of the run.
    pub(super) fn new(
        settings: &Settings,
        folder: Option<RunFolder>,
        answers: Vec<Answer>,
        mut report: Report,
        meter: &'a Meter,
    ) -> anyhow::Result<Self> {
        let numbers = settings.numbers(answers.iter().map(|answer| answer.number));
        report.add_earlier(&answers)?;
        Ok(Self {
            numbers,
            folder,
            report,
            meter,
            answers,
        })
    }

    /// Prints the remaining answers and the totals. Returns all answers in the order of the
    /// problems, and whether everything was printed.
    pub(super) fn finish(mut self, time: Duration) -> (Vec<Answer>, io::Result<()>) {
        let printed = self.report.finish(time);
        self.answers.sort_by_key(|answer| answer.number);
        (self.answers, printed)
    }
}

impl Plan<Problems<'_>> for Schedule<'_> {
    fn next(&mut self) -> anyhow::Result<Option<u64>> {
        Ok(self.numbers.next())
    }

    fn keep(&mut self, _: u64, answer: Answer) -> anyhow::Result<()> {
        if let Some(folder) = &mut self.folder {
            folder.append(&answer)?;
        }
        self.answers.push(answer.clone());
        self.report.add(answer)?;
        self.meter
            .advance(self.report.count() as u64, self.report.words());
        Ok(())
    }
}
