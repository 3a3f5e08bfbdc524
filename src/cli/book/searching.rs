//! `raicho book think`, which searches the positions of a list or a book, and `raicho book extend`,
//! which grows a book from roots, best first.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{ArgGroup, Args};
use serde::{Deserialize, Serialize};

use super::{OutputArguments, SORT_MEMORY, print_faults, print_losses, print_written};
use crate::cli::arguments::{KeptWork, WorkArguments, WorkerArguments, numbered_lines, one_of};
use crate::cli::progress::{Meter, stop_on_ctrl_c_with};
use crate::cli::{output, result_file};
use crate::makebook::extend::{GrowingBook, Growth, Leaf, Reach, User, leaves};
use crate::makebook::think::{Effort, Enough, Positions, Thinking, ThinkingPlan, Thought};
use crate::runs::{Execution, Numbers, Plan, RunKind, Shard, Stop, execute};
use crate::{book::FaultLog, lang::Lang, util::counted};
use crate::{
    cli::arguments::read_bytes, cli::error::ensure_usage, makebook::think::write_thoughts,
};
use crate::{eval::Evaluator, position::Position, records::SfenLine, search::SOLO_STACK_BYTES};

/// Example: `raicho book think --book book.db --nodes 1000000 --threads 8 --out deeper.db`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book think --book book.db --depth 20 --threads 8 \
        --work run/ --out deeper.db\n\
        Example: raicho book think positions.sfen --nodes 1000000 --out book.db",
    group = ArgGroup::new("source").required(true)
)]
pub(super) struct ThinkArguments {
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
    work: WorkArguments,
}

const THINK: RunKind = RunKind {
    noun: "run of book think",
    settings: "think.json",
    journal: "think.jsonl",
    format: 1,
};

/// What decides the results. It is stored with them.
#[derive(Serialize, Deserialize)]
struct ThinkSettings {
    /// Number of positions of the list or the book.
    positions: u64,
    /// CRC-32 of the positions, and of which are searched.
    checksum: u32,
    shard: Shard,
    effort: Effort,
    eval: String,
}

pub(super) fn think(arguments: &ThinkArguments, lang: Lang) -> Result<()> {
    let source = arguments.book.as_ref().or(arguments.list.as_ref());
    let Some(source) = source else { return Ok(()) };
    let format = arguments.output.check([&**source])?;
    let effort = arguments.search.effort()?;
    let found = arguments.positions()?;
    let name = source.display();
    ensure!(!found.tasks().is_empty(), "{name}: no position");
    let (eval, evaluator) = arguments.search.workers.evaluation()?;
    let shard = arguments.work.shard();
    let settings = ThinkSettings {
        positions: found.tasks().len() as u64,
        checksum: found.checksum(),
        shard,
        effort,
        eval,
    };
    let (folder, known): (_, Vec<Thought>) = arguments.work.open(THINK, &settings)?;
    let stop = stop_on_ctrl_c_with(&lang.ending_after_pieces())?;
    let is_searched = |number: &u64| shard.has(*number) && !found.has_enough(*number);
    let here = (0..settings.positions).filter(is_searched).count();
    let unit = lang.unit_positions();
    let meter = Meter::in_language(lang, &unit, Some(here as u64), known.len() as u64);
    let progress = |done: u64| meter.advance(done, "");
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
        SORT_MEMORY,
    )?;
    output::print_line(lang.positions_searched(
        lang.positions(thoughts.len() as u64),
        written,
        arguments.output.out.display(),
    ))?;
    print_losses(lang, &losses)
}

impl ThinkArguments {
    fn positions(&self) -> Result<Positions> {
        if let Some(book) = &self.book {
            let enough =
                self.search.depth.map(|depth| Enough { depth, moves: self.search.multipv.into() });
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

// --- Extending ---

/// Example: `raicho book extend --positions 10000 --nodes 1000000 --work run/ --out book.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book extend --roots roots.sfen --positions 10000 \
        --nodes 1000000 --threads 8 --work run/ --out book.db")]
pub(super) struct ExtendArguments {
    /// The book to begin with [default: an empty one]
    #[arg(long, value_name = "BOOK")]
    book: Option<PathBuf>,

    /// File with a position per line from which the book grows: an SFEN, or
    /// `startpos moves 7g7f …` [default: the start position]
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,

    /// Number of positions to search; a finished run goes on with a greater number and --resume.
    /// With --out FILE.sfen nothing is searched: the best positions outside of the book are
    /// written, at most as many, for `raicho book think` on many machines
    #[arg(long, value_name = "N", default_value_t = 1000)]
    positions: u64,

    /// Who will use the book
    #[arg(long, value_name = "SIDE", default_value = "both", value_parser = one_of(&USERS),
          help_heading = "Which lines are followed")]
    side: User,

    /// Most plies from a root
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = 40,
        help_heading = "Which lines are followed"
    )]
    plies: usize,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    work: KeptWork,
}

/// Most centipawns that all moves of a line lose together.
const LINE_LOSS: i32 = 150;

const USERS: [(&str, User); 3] =
    [("black", User::Black), ("white", User::White), ("both", User::Both)];

const EXTEND: RunKind = RunKind {
    noun: "run of book extend",
    settings: "extend.json",
    journal: "extend.jsonl",
    format: 1,
};

/// What decides the results. It is stored with them.
#[derive(Serialize, Deserialize)]
struct ExtendSettings {
    /// CRC-32 of the book at the beginning.
    book: u32,
    roots: Vec<String>,
    reach: Reach,
    effort: Effort,
    eval: String,
}

pub(super) fn extend(arguments: &ExtendArguments, lang: Lang) -> Result<()> {
    let roots = arguments.roots()?;
    let book = arguments.book()?;
    let reach = Reach { user: arguments.side, line_loss: LINE_LOSS, plies: arguments.plies };
    let out = &arguments.output.out;
    if out.extension().is_some_and(|found| found == "sfen") {
        let most = usize::try_from(arguments.positions).unwrap_or(usize::MAX);
        return list(arguments, &leaves(&book, &roots, &reach, most), lang);
    }
    let format = arguments.output.check(arguments.book.as_deref())?;
    result_file::check(out, arguments.read())?;
    let (eval, evaluator) = arguments.search.workers.evaluation()?;
    let settings = ExtendSettings {
        book: book.checksum(),
        roots: roots.iter().map(Position::to_sfen).collect(),
        effort: arguments.search.effort()?,
        reach,
        eval,
    };
    let (folder, known): (_, Vec<Thought>) = arguments.work.open(EXTEND, &settings)?;
    ensure!(
        known.len() as u64 <= arguments.positions,
        "{} were searched already, expected --positions of at least as many",
        counted(known.len(), "position")
    );
    let stop = stop_on_ctrl_c_with(&lang.ending_after_pieces())?;
    let (unit, all) = (lang.unit_positions(), arguments.positions);
    let meter = Meter::in_language(lang, &unit, Some(all), known.len() as u64);
    let progress = |done: u64, loss: i32| meter.advance(done, &lang.lines_losing(loss));
    let mut growth =
        Growth::new(book, &roots, &settings.reach, arguments.positions, folder, known, &progress)?;
    let search = &arguments.search;
    let result = search.execute(&mut growth, (&settings.effort, &evaluator), &stop);
    meter.finish();
    result?;
    arguments.work.check_complete(&stop)?;
    let searched = growth.searched();
    let (written, losses) = growth.into_book()?.write(out, format)?;
    output::print_line(lang.positions_searched(lang.positions(searched), written, out.display()))?;
    if searched < arguments.positions {
        output::print_line(lang.no_position_left())?;
    }
    print_losses(lang, &losses)
}

/// Writes the best positions outside of the book.
fn list(arguments: &ExtendArguments, leaves: &[Leaf], lang: Lang) -> Result<()> {
    let OutputArguments { out: path, force } = &arguments.output;
    result_file::check_free(path, *force)?;
    result_file::check(path, arguments.read())?;
    let line = |leaf: &Leaf| {
        let board = leaf.task.position.unpack_board()?;
        Ok(format!("{} {}\n", board.to_sfen(), leaf.task.ply))
    };
    let lines: Result<String> = leaves.iter().map(line).collect();
    result_file::save(path, lines?.as_bytes())?;
    print_written(lang, leaves.len() as u64, path)
}

impl ExtendArguments {
    /// The files that are read.
    fn read(&self) -> impl Iterator<Item = &Path> {
        let files = self.book.iter().chain(&self.roots);
        files.map(PathBuf::as_path)
    }

    fn roots(&self) -> Result<Vec<Position>> {
        let Some(path) = &self.roots else {
            return Ok(vec![Position::startpos()]);
        };
        let lines = read_lines(path)?;
        ensure!(!lines.is_empty(), "{}: no position", path.display());
        Ok(lines.iter().map(SfenLine::position).collect())
    }

    fn book(&self) -> Result<GrowingBook> {
        let Some(path) = &self.book else {
            return Ok(GrowingBook::default());
        };
        let mut faults = FaultLog::default();
        let book = GrowingBook::read(path, &mut faults)?;
        print_faults(path, &faults);
        Ok(book)
    }
}

// --- What `think` and `extend` share ---

#[derive(Args)]
#[command(next_help_heading = "The search of each position")]
struct SearchArguments {
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

    #[command(flatten)]
    workers: WorkerArguments,
}

impl SearchArguments {
    /// The effort, after checking that it ends.
    fn effort(&self) -> Result<Effort> {
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
    fn execute<'a>(
        &self,
        plan: &mut dyn Plan<Thinking<'a>>,
        (effort, evaluator): (&'a Effort, &'a Evaluator),
        stop: &'a Stop,
    ) -> Result<()> {
        let job = Thinking { effort, evaluator, stop };
        let execution = Execution {
            threads: self.workers.threads(),
            name: "book",
            stack_bytes: Some(SOLO_STACK_BYTES),
            stop,
        };
        execute(&job, plan, &execution)
    }
}

/// The lines of a file; `-` is standard input. Blank lines and those that begin with `#` are
/// skipped.
fn read_lines(path: &Path) -> Result<Vec<SfenLine>> {
    let bytes = read_bytes(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = Vec::new();
    for (number, line) in numbered_lines(&text) {
        let parsed: Result<SfenLine, _> = line.parse();
        lines.push(parsed.with_context(|| format!("{} line {number}", path.display()))?);
    }
    Ok(lines)
}
