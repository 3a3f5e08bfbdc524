//! `raicho book extend`: grows a book from roots, best first.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;
use serde::{Deserialize, Serialize};

use super::think::{SearchArguments, read_lines};
use super::{checked_output, print_faults, print_losses, print_written};
use crate::book::FaultLog;
use crate::cli::arguments::{Indivisible, KeptWork, one_of};
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::cli::{output, result_file};
use crate::lang::Lang;
use crate::makebook::extend::{GrowingBook, Growth, GrowthLimits, Reach, User, Widths};
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

    /// Number of positions to search; a finished run goes on with a greater number and --resume
    #[arg(long, value_name = "N", default_value_t = 1000)]
    positions: u64,

    /// Number of positions that are chosen at a time, before values are carried back
    #[arg(long, value_name = "N", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,

    /// Search nothing: only write the best positions outside of the book, a line each, at most as
    /// many as --batch, for `raicho book think` on many machines
    #[arg(long)]
    list: bool,

    /// File to write: a book, whose extension determines the format, or with --list a text
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    reach: ReachArguments,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    work: KeptWork,

    #[command(flatten)]
    indivisible: Indivisible,
}

#[derive(Args)]
#[command(next_help_heading = "Which lines are followed")]
struct ReachArguments {
    /// Who will use the book
    #[arg(long, value_name = "SIDE", default_value = "both", value_parser = one_of(&USERS))]
    side: User,

    /// How many of its best moves the side that uses the book considers: a number, or a list with
    /// one for each ply from the root, whose last goes on
    #[arg(long, value_name = "N,…", default_value = "2")]
    own_width: Widths,

    /// The same for its opponent
    #[arg(long, value_name = "N,…", default_value = "4")]
    other_width: Widths,

    /// Most centipawns that a move of the side that uses the book may lose
    #[arg(long, value_name = "CP", default_value_t = 20,
          value_parser = clap::value_parser!(i32).range(0..))]
    own_loss: i32,

    /// The same for its opponent
    #[arg(long, value_name = "CP", default_value_t = 80,
          value_parser = clap::value_parser!(i32).range(0..))]
    other_loss: i32,

    /// Most centipawns that all moves of a line may lose together
    #[arg(long, value_name = "CP", default_value_t = 150,
          value_parser = clap::value_parser!(i32).range(0..))]
    line_loss: i32,

    /// Do not go on where a side is better by more centipawns
    #[arg(long, value_name = "CP", default_value_t = 500,
          value_parser = clap::value_parser!(i32).range(0..))]
    decided: i32,

    /// Most plies from a root
    #[arg(long, value_name = "PLIES", default_value_t = 40)]
    plies: usize,
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
    batch: usize,
    reach: Reach,
    effort: Effort,
    eval: String,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    arguments.indivisible.check(
        "its positions depend on each other; write them with --list, and give them to \
         `raicho book think --shard`",
    )?;
    let roots = arguments.roots()?;
    let book = arguments.book()?;
    let reach = arguments.reach.reach();
    if arguments.list {
        return list(arguments, (book, &roots, &reach), lang);
    }
    let format = checked_output(&arguments.out, arguments.force, arguments.book.as_deref())?;
    result_file::check(&arguments.out, arguments.read())?;
    let (evaluator, eval) = arguments.search.evaluator()?;
    let settings = Settings {
        book: book.checksum(),
        roots: roots.iter().map(Position::to_sfen).collect(),
        batch: arguments.batch as usize,
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
    let limits = arguments.limits();
    let mut growth = Growth::new(
        book,
        &roots,
        &settings.reach,
        limits,
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
    let (written, losses) = growth.into_book()?.write(&arguments.out, format)?;
    output::print_line(lang.positions_searched(
        lang.positions(searched),
        written,
        arguments.out.display(),
    ))?;
    if searched < arguments.positions {
        output::print_line(lang.no_position_left())?;
    }
    print_losses(lang, &losses)
}

/// Writes the best positions outside of the book.
fn list(
    arguments: &Arguments,
    (book, roots, reach): (GrowingBook, &[Position], &Reach),
    lang: Lang,
) -> anyhow::Result<()> {
    result_file::check_free(&arguments.out, arguments.force)?;
    result_file::check(&arguments.out, arguments.read())?;
    let limits = arguments.limits();
    let growth = Growth::new(book, roots, reach, limits, None, Vec::new(), &|_, _| {})?;
    let leaves = growth.next_leaves();
    let mut out = crate::runs::OutputFile::create(&arguments.out)?;
    for leaf in leaves {
        let board = leaf.task.position.unpack_board()?;
        writeln!(out, "{} {}", board.to_sfen(), leaf.task.ply)?;
    }
    out.finish()?;
    print_written(lang, leaves.len() as u64, &arguments.out)
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

    fn limits(&self) -> GrowthLimits {
        GrowthLimits {
            batch: self.batch as usize,
            positions: self.positions,
        }
    }
}

impl ReachArguments {
    fn reach(&self) -> Reach {
        Reach {
            user: self.side,
            own: self.own_width.clone(),
            other: self.other_width.clone(),
            own_loss: self.own_loss,
            other_loss: self.other_loss,
            line_loss: self.line_loss,
            decided: self.decided,
            plies: self.plies,
        }
    }
}
