//! `raicho book extend`: grows a book from roots, best first.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;
use serde::{Deserialize, Serialize};

use super::think::{SearchArguments, read_lines};
use super::{OutputArguments, print_faults, print_losses, print_written};
use crate::book::FaultLog;
use crate::cli::arguments::{Indivisible, KeptWork, one_of};
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::cli::{output, result_file};
use crate::lang::Lang;
use crate::makebook::extend::{GrowingBook, Growth, Leaf, Reach, User, leaves};
use crate::makebook::think::{Effort, Thought};
use crate::position::Position;
use crate::records::sfen_line::SfenLine;
use crate::runs::RunKind;
use crate::util::counted;

/// Example: `raicho book extend --positions 10000 --nodes 1000000 --work run/ --out book.db`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book extend --roots roots.sfen --positions 10000 \
        --nodes 1000000 --threads 8 --work run/ --out book.db"
)]
pub(super) struct Arguments {
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

    /// Most centipawns that all moves of a line may lose together
    #[arg(long, value_name = "CP", default_value_t = 150,
          value_parser = clap::value_parser!(i32).range(0..),
          help_heading = "Which lines are followed")]
    line_loss: i32,

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

    #[command(flatten)]
    indivisible: Indivisible,
}

const USERS: [(&str, User); 3] = [
    ("black", User::Black),
    ("white", User::White),
    ("both", User::Both),
];

const KIND: RunKind = RunKind {
    noun: "run of book extend",
    settings: "extend.json",
    journal: "extend.jsonl",
    format: 1,
};

/// What decides the results. It is stored with them.
#[derive(Serialize, Deserialize)]
struct Settings {
    /// CRC-32 of the book at the beginning.
    book: u32,
    roots: Vec<String>,
    reach: Reach,
    effort: Effort,
    eval: String,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    arguments.indivisible.check(
        "its positions depend on each other; write them with --out FILE.sfen, and give them to \
         `raicho book think --shard`",
    )?;
    let roots = arguments.roots()?;
    let book = arguments.book()?;
    let reach = Reach {
        user: arguments.side,
        line_loss: arguments.line_loss,
        plies: arguments.plies,
    };
    let out = &arguments.output.out;
    if out.extension().is_some_and(|found| found == "sfen") {
        let most = usize::try_from(arguments.positions).unwrap_or(usize::MAX);
        return list(arguments, &leaves(&book, &roots, &reach, most), lang);
    }
    let format = arguments.output.check(arguments.book.as_deref())?;
    result_file::check(out, arguments.read())?;
    let (evaluator, eval) = arguments.search.evaluator()?;
    let settings = Settings {
        book: book.checksum(),
        roots: roots.iter().map(Position::to_sfen).collect(),
        effort: arguments.search.effort()?,
        reach,
        eval,
    };
    let (folder, known): (_, Vec<Thought>) = arguments.work.open(KIND, &settings)?;
    ensure!(
        known.len() as u64 <= arguments.positions,
        "{} were searched already, expected --positions of at least as many",
        counted(known.len(), "position")
    );
    let stop = stop_on_ctrl_c()?;
    let meter = Meter::new("positions", Some(arguments.positions), known.len() as u64);
    let progress = |done: u64, loss: i32| {
        meter.advance(done, format!("lines that lose up to {loss}"));
    };
    let mut growth = Growth::new(
        book,
        &roots,
        &settings.reach,
        arguments.positions,
        folder,
        known,
        &progress,
    )?;
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
fn list(arguments: &Arguments, leaves: &[Leaf], lang: Lang) -> anyhow::Result<()> {
    let OutputArguments { out: path, force } = &arguments.output;
    result_file::check_free(path, *force)?;
    result_file::check(path, arguments.read())?;
    let line = |leaf: &Leaf| {
        let board = leaf.task.position.unpack_board()?;
        Ok(format!("{} {}\n", board.to_sfen(), leaf.task.ply))
    };
    let lines: anyhow::Result<String> = leaves.iter().map(line).collect();
    result_file::save(path, lines?.as_bytes())?;
    print_written(lang, leaves.len() as u64, path)
}

impl Arguments {
    /// The files that are read.
    fn read(&self) -> impl Iterator<Item = &Path> {
        let files = self.book.iter().chain(&self.roots);
        files.map(PathBuf::as_path)
    }

    fn roots(&self) -> anyhow::Result<Vec<Position>> {
        let Some(path) = &self.roots else {
            return Ok(vec![Position::startpos()]);
        };
        let lines = read_lines(path)?;
        ensure!(!lines.is_empty(), "{}: no position", path.display());
        Ok(lines.iter().map(SfenLine::position).collect())
    }

    fn book(&self) -> anyhow::Result<GrowingBook> {
        let Some(path) = &self.book else {
            return Ok(GrowingBook::default());
        };
        let mut faults = FaultLog::default();
        let book = GrowingBook::read(path, &mut faults)?;
        print_faults(path, &faults);
        Ok(book)
    }
}
