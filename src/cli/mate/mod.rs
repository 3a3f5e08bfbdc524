//! `raicho mate`: solves tsume problems, one or thousands.

mod answer;
mod arguments;
mod job;
mod page;
mod problems;
mod report;

use std::time::Instant;

use super::interrupt::stop_on_ctrl_c;
use super::progress::Meter;
use super::result_file;
use crate::lang::Lang;
use crate::runs::{Execution, RunKind, execute};
use job::{Problems, Schedule, Settings};
use problems::read_problems;
use report::{Report, Words};

pub(super) use arguments::Arguments;

const KIND: RunKind = RunKind {
    noun: "run of mate",
    settings: "mate.json",
    journal: "mate.jsonl",
    format: 1,
};

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let problems = read_problems(arguments)?;
    if let Some(page) = &arguments.html {
        result_file::check_kind(page, "html", arguments.file.as_deref().into_iter())?;
    }
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
        // With fewer problems than threads, several threads solve each problem together.
        threads_each: all / threads,
        hash_each: (arguments.hash as usize / threads).max(1),
        stop: &stop,
    };
    let done = answers.len() as u64;
    let meter = Meter::in_language(lang, &lang.unit_problems(), Some(here as u64), done);
    let starts = problems
        .iter()
        .map(|problem| (problem.number, problem.position.clone()));
    let words = Words {
        lang,
        starts: starts.filter(|_| lang == Lang::Ja).collect(),
    };
    let goes_on = arguments.html.is_some() || folder.is_some();
    let order = settings.numbers([]);
    let report = Report::new(!arguments.summary, here, order, words, goes_on)?;
    let mut schedule = Schedule::new(&settings, folder, answers, report, &meter)?;
    let execution = Execution {
        threads,
        name: "mate",
        stack_bytes: None,
        stop: &stop,
    };
    let result = execute(&job, &mut schedule, &execution);
    meter.finish();
    result?;
    let (answers, printed) = schedule.finish(start.elapsed());
    if let Some(path) = &arguments.html {
        page::write(path, &problems, &answers, lang)?;
    }
    printed?;
    arguments.work.check_complete(&stop)
}
