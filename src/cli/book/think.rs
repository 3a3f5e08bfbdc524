//! `raicho book think`: searches positions for a book.

use std::path::PathBuf;

use anyhow::ensure;
use clap::{ArgGroup, Args};
use serde::{Deserialize, Serialize};

use super::destination::checked_output;
use super::faults::print_faults;
use super::lines::{positions, read_lines};
use super::report::print_losses;
use super::search_arguments::SearchArguments;
use crate::book::FaultLog;
use crate::cli::interrupt::stop_on_ctrl_c;
use crate::cli::output;
use crate::cli::progress::Meter;
use crate::cli::sort_memory::SortMemory;
use crate::cli::work::WorkArguments;
use crate::lang::Lang;
use crate::makebook::think::{
    Effort, Enough, Positions, Thinking, ThinkingPlan, Thought, WriteThoughts, write_thoughts,
};
use crate::runs::{Execution, Numbers, RunKind, Shard, execute};
use crate::search::SOLO_STACK_BYTES;

/// Example: `raicho book think --book book.db --nodes 1000000 --threads 8 --out deeper.db`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book think --book book.db --depth 20 --threads 8 \
        --work run/ --out deeper.db\n\
        Example: raicho book think positions.sfen --nodes 1000000 --out book.db",
    group = ArgGroup::new("source").required(true)
)]
pub(super) struct Arguments {
    /// File with a position per line: an SFEN, or `startpos moves 7g7f …`; `-` reads standard input
    #[arg(value_name = "LIST", group = "source")]
    list: Option<PathBuf>,

    /// Search the positions of this book; the output has its other positions too
    #[arg(long, value_name = "BOOK", group = "source")]
    book: Option<PathBuf>,

    /// Search every position of each line of LIST, not only the last
    #[arg(long, requires = "list")]
    each: bool,

    /// Positions of the book whose first move was searched to this depth, with as many moves as
    /// --multipv, are not searched again [default: --depth; without it all are searched]
    #[arg(long, value_name = "PLIES", requires = "book")]
    enough: Option<i32>,

    /// Book to write; the extension determines the format: .db, .ybb, .bin or .sbk. With --shard it
    /// has that part of the positions: merge the parts
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    memory: SortMemory,

    #[command(flatten)]
    work: WorkArguments,
}

const KIND: RunKind = RunKind {
    noun: "run of book think",
    settings: "think.json",
    journal: "think.jsonl",
    format: 1,
};

/// What decides the results. It is stored with them.
#[derive(Serialize, Deserialize)]
struct Settings {
    /// Number of positions.
    positions: u64,
    /// CRC-32 of the positions, and of which are searched.
    checksum: u32,
    shard: Shard,
    effort: Effort,
    eval: String,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let source = arguments.book.as_ref().or(arguments.list.as_ref());
    let Some(source) = source else { return Ok(()) };
    let format = checked_output(&arguments.out, arguments.force, source)?;
    let effort = arguments.search.effort()?;
    let found = arguments.positions()?;
    ensure!(
        !found.tasks().is_empty(),
        "{}: no position",
        source.display()
    );
    let (evaluator, eval) = arguments.search.evaluator()?;
    let shard = arguments.work.shard();
    let settings = Settings {
        positions: found.tasks().len() as u64,
        checksum: found.checksum(),
        shard,
        effort,
        eval,
    };
    let (folder, known): (_, Vec<Thought>) = arguments.work.open(KIND, &settings)?;
    let stop = stop_on_ctrl_c()?;
    let is_searched = |number: &u64| shard.has(*number) && !found.enough().contains(number);
    let here = (0..settings.positions).filter(is_searched).count();
    let meter = Meter::new("positions", Some(here as u64), known.len() as u64);
    let progress = |done: u64| meter.advance(done, format!("of {here}"));
    let done = known.iter().map(|thought| thought.number);
    let done = done.chain(found.enough().iter().copied());
    let numbers = Numbers::new(Some(settings.positions), shard, done);
    let mut plan = ThinkingPlan::new(found.tasks(), numbers, folder, known, &progress);
    let job = Thinking {
        effort: &settings.effort,
        evaluator: &evaluator,
        stop: &stop,
    };
    let execution = Execution {
        threads: arguments.search.threads.into(),
        name: "think",
        stack_bytes: Some(SOLO_STACK_BYTES),
        stop: &stop,
    };
    let result = execute(&job, &mut plan, &execution);
    meter.finish();
    result?;
    arguments.work.check_complete(&stop)?;
    let thoughts = plan.into_thoughts();
    let what = WriteThoughts {
        book: arguments.book.as_ref(),
        output: (&arguments.out, format),
        shard,
        memory: arguments.memory.bytes(),
    };
    let (written, losses) = write_thoughts(found.tasks(), &thoughts, &what)?;
    output::print_line(lang.positions_searched(
        lang.positions(thoughts.len() as u64),
        written,
        arguments.out.display(),
    ))?;
    print_losses(lang, &losses)
}

impl Arguments {
    fn positions(&self) -> anyhow::Result<Positions> {
        if let Some(book) = &self.book {
            let enough = self.enough.or(self.search.depth).map(|depth| Enough {
                depth,
                moves: self.search.multipv.into(),
            });
            let mut faults = FaultLog::default();
            let found = Positions::of_book(book, enough, &mut faults)?;
            print_faults(book, &faults);
            return Ok(found);
        }
        let mut found = Positions::default();
        for line in self.list.iter().map(|list| read_lines(list)) {
            for line in line? {
                if self.each {
                    positions(&line).for_each(|position| found.add(&position));
                } else {
                    found.add(&line.position());
                }
            }
        }
        Ok(found)
    }
}
