//! `raicho book think`: searches positions for a book. Its search arguments and lists of positions
//! are those of `raicho book extend` too.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{ArgGroup, Args};
use serde::{Deserialize, Serialize};

use super::{OutputArguments, print_faults, print_losses};
use crate::book::FaultLog;
use crate::cli::arguments::{
    SortMemory, WorkArguments, evaluation_identity, load_evaluation, numbered_lines, read_bytes,
};
use crate::cli::error::ensure_usage;
use crate::cli::output;
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::eval::Evaluator;
use crate::lang::Lang;
use crate::makebook::think::{
    Effort, Enough, Positions, Thinking, ThinkingPlan, Thought, write_thoughts,
};
use crate::records::sfen_line::SfenLine;
use crate::runs::{Execution, Numbers, Plan, RunKind, Shard, Stop, execute};
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

    /// Search the positions of this book; the output has its other positions too. With --depth
    /// those whose first move was searched deeper, or as deep with as many moves as --multipv, are
    /// left as they are
    #[arg(long, value_name = "BOOK", group = "source")]
    book: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,

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
    /// Number of positions of the list or the book.
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
    let format = arguments.output.check([&**source])?;
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
    let is_searched = |number: &u64| shard.has(*number) && !found.has_enough(*number);
    let here = (0..settings.positions).filter(is_searched).count();
    let meter = Meter::new("positions", Some(here as u64), known.len() as u64);
    let progress = |done: u64| meter.advance(done, format!("of {here}"));
    let done = known.iter().map(|thought| thought.number);
    let enough = (0..settings.positions).filter(|number| found.has_enough(*number));
    let done = done.chain(enough);
    let numbers = Numbers::new(Some(settings.positions), shard, done);
    let mut plan = ThinkingPlan::new(found.tasks(), numbers, folder, known, &progress);
    let search = &arguments.search;
    let result = search.execute(&mut plan, (&settings.effort, &evaluator), &stop);
    meter.finish();
    result?;
    arguments.work.check_complete(&stop)?;
    let thoughts = plan.into_thoughts();
    let (written, losses) = write_thoughts(
        &found,
        &thoughts,
        arguments.book.as_deref().map(|book| (book, shard)),
        (&arguments.output.out, format),
        arguments.memory.bytes(),
    )?;
    output::print_line(lang.positions_searched(
        lang.positions(thoughts.len() as u64),
        written,
        arguments.output.out.display(),
    ))?;
    print_losses(lang, &losses)
}

impl Arguments {
    fn positions(&self) -> anyhow::Result<Positions> {
        if let Some(book) = &self.book {
            let enough = self.search.depth.map(|depth| Enough {
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
            line?.iter().for_each(|line| found.add(&line.position()));
        }
        Ok(found)
    }
}

// --- What `think` and `extend` share ---

#[derive(Args)]
#[command(next_help_heading = "The search of each position")]
pub(super) struct SearchArguments {
    /// Nodes to search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Depth to search to
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    depth: Option<i32>,

    /// How many of the best moves to find
    #[arg(long, value_name = "K", default_value_t = 4,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    multipv: u16,

    /// Evaluation: `<embedded>`, `<material>`, or a network file or its folder
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,

    /// Number of positions at a time, each on one core
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

impl SearchArguments {
    /// The effort, after checking that it ends.
    pub(super) fn effort(&self) -> anyhow::Result<Effort> {
        ensure_usage!(
            self.nodes.is_some() || self.depth.is_some(),
            "a search without an end: expected --nodes or --depth"
        );
        Ok(Effort {
            multi_pv: self.multipv.into(),
            nodes: self.nodes,
            depth: self.depth,
            hash_mb: Effort::HASH_MB,
        })
    }

    /// Searches what the plan hands out.
    pub(super) fn execute<'a>(
        &self,
        plan: &mut dyn Plan<Thinking<'a>>,
        (effort, evaluator): (&'a Effort, &'a Evaluator),
        stop: &'a Stop,
    ) -> anyhow::Result<()> {
        let job = Thinking {
            effort,
            evaluator,
            stop,
        };
        let execution = Execution {
            threads: self.threads.into(),
            name: "book",
            stack_bytes: Some(SOLO_STACK_BYTES),
            stop,
        };
        execute(&job, plan, &execution)
    }

    /// The evaluation, and what identifies it.
    pub(super) fn evaluator(&self) -> anyhow::Result<(Evaluator, String)> {
        let (choice, evaluator) = load_evaluation(&self.eval)?;
        let identity = evaluation_identity(&choice, &evaluator);
        Ok((evaluator, identity))
    }
}

/// The lines of a file; `-` is standard input. Blank lines and those that begin with `#` are
/// skipped.
pub(super) fn read_lines(path: &Path) -> anyhow::Result<Vec<SfenLine>> {
    let bytes = read_bytes(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = Vec::new();
    for (number, line) in numbered_lines(&text) {
        let parsed: Result<SfenLine, _> = line.parse();
        lines.push(parsed.with_context(|| format!("{} line {number}", path.display()))?);
    }
    Ok(lines)
}
