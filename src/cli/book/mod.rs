//! `raicho book`: shows, checks, converts, probes and makes opening books.

mod files;
mod searching;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Args, Subcommand};

use crate::book::{BookFormat, Extras, FaultLog, Losses};
use crate::cli::{error::bail_usage, output, result_file};
use crate::{lang::Lang, makebook::SortedWriter, runs::is_stream, util::counted};

/// Example: `raicho book info user_book1.db`
#[derive(Args)]
#[command(before_help = "Example: raicho book info user_book1.db")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Turn a book into another format
    Convert(files::ConvertArguments),
    /// Grow a book from roots, best first
    Extend(Box<searching::ExtendArguments>),
    /// Make a book of the moves of games
    FromGames(Box<files::GamesArguments>),
    /// Count what is in a book
    Info(files::InfoArguments),
    /// Make one book of several
    Merge(files::MergeArguments),
    /// Carry the values of the leaves back over the whole book, as `peta_shock` does
    Minimax(files::MinimaxArguments),
    /// Print the moves that the engine would choose from
    Probe(files::ProbeArguments),
    /// Show a position and its moves in a book, for people
    Show(files::ShowArguments),
    /// Put the positions of a book into order, each once
    Sort(files::SortArguments),
    /// Search the positions of a list or a book
    Think(Box<searching::ThinkArguments>),
    /// Find the faults of a book, and write the good part
    Validate(files::ValidateArguments),
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> Result<()> {
    match &arguments.command {
        Command::Convert(arguments) => files::convert(arguments, lang),
        Command::Extend(arguments) => searching::extend(arguments, lang),
        Command::FromGames(arguments) => files::from_games(arguments, lang),
        Command::Info(arguments) => files::info(arguments, lang),
        Command::Merge(arguments) => files::merge(arguments, lang),
        Command::Minimax(arguments) => files::minimax(arguments, lang),
        Command::Probe(arguments) => files::probe(arguments, lang),
        Command::Show(arguments) => files::show(arguments, lang),
        Command::Sort(arguments) => files::sort(arguments, lang),
        Command::Think(arguments) => searching::think(arguments, lang),
        Command::Validate(arguments) => files::validate(arguments, lang),
    }
}

// --- What the subcommands share ---

/// Memory in bytes for sorting a book; what does not fit is sorted in files beside the output.
const SORT_MEMORY: u64 = 1 << 30;

/// The book that is read.
#[derive(Args)]
struct InputArguments {
    /// The book, of any format
    #[arg(value_name = "BOOK")]
    path: PathBuf,
}

/// The book that is written.
#[derive(Args)]
struct OutputArguments {
    /// File to write; the extension determines the format: .db, .ybb, .bin or .sbk
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl OutputArguments {
    /// The format of the book, after checking that it can be written and is none of the inputs.
    fn check<'a>(&self, inputs: impl IntoIterator<Item = &'a Path>) -> Result<BookFormat> {
        let (out, name) = (&*self.out, self.out.display());
        let Some(format) = BookFormat::of_path(out) else {
            bail_usage!("{name}: expected an extension .db, .ybb, .bin or .sbk");
        };
        result_file::check_free(out, self.force)?;
        ensure!(
            format != BookFormat::Ybb || !is_stream(out),
            "{name}: a .ybb is not written in order, expected a file instead of a pipe or device"
        );
        result_file::check_unread(out, inputs.into_iter())?;
        Ok(format)
    }
}

/// Writes a book and prints how many positions it has and what its format could not hold.
fn write_book(writer: SortedWriter, out: &Path, lang: Lang) -> Result<()> {
    let (positions, losses) = writer.write()?;
    print_written(lang, positions, out)?;
    print_losses(lang, &losses)
}

/// Prints what was left out of a book, to standard error.
fn print_faults(book: &Path, faults: &FaultLog) {
    let book = book.display();
    for fault in faults.first() {
        output::eprint_line(format_args!("{book}: {fault}"));
    }
    let more = faults.count() - faults.first().len() as u64;
    if more > 0 {
        output::eprint_line(format_args!("{book}: {more} more faults"));
    }
}

/// Prints the number of positions of a book that was written.
fn print_written(lang: Lang, positions: u64, out: &Path) -> Result<()> {
    output::print_line(lang.positions_written(lang.positions(positions), out.display()))?;
    Ok(())
}

/// Prints what the format of a book could not hold, if there is anything.
fn print_losses(lang: Lang, losses: &Losses) -> Result<()> {
    #[rustfmt::skip]
    let parts = [
        (losses.entries, "further entry", " of positions", "同一局面の重複登録"),
        (losses.empty, "position", " without moves", "指し手のない局面"),
        (losses.plies, "ply", "", "手数"),
        (losses.ponder_moves, "ponder move", "", "予想手"),
        (losses.values, "value", "", "評価値"),
        (losses.depths, "depth", "", "深さ"),
        (losses.counts, "count", "", "採択回数"),
        (losses.illegal_moves, "illegal move", "", "反則手"),
    ];
    print_parts(lang, &parts, |parts| lang.left_out(parts))
}

/// Prints what was in a `.sbk` book and is not read, if there is anything.
fn print_extras(lang: Lang, extras: &Extras) -> Result<()> {
    #[rustfmt::skip]
    let parts = [
        (extras.comments, "comment", "", "コメント"),
        (extras.results, "count", " of games", "対局数"),
        (extras.evaluations, "evaluation", " of positions", "局面の評価"),
        (extras.marks, "mark", " of moves", "指し手の記号"),
    ];
    print_parts(lang, &parts, |parts| lang.not_read(parts))
}

/// A count, its English noun, what follows the noun, and its Japanese noun.
type Part = (u64, &'static str, &'static str, &'static str);

/// Prints a sentence with the counts that are not 0, if there are any.
fn print_parts(lang: Lang, parts: &[Part], sentence: impl FnOnce(String) -> String) -> Result<()> {
    let parts = parts.iter().filter(|(count, ..)| *count > 0);
    let parts = parts.map(|&(count, noun, rest, ja)| match lang {
        Lang::En => counted(count, noun) + rest,
        Lang::Ja => format!("{ja} {count}"),
    });
    let parts: Vec<String> = parts.collect();
    if !parts.is_empty() {
        output::print_line(sentence(parts.join(lang.separator())))?;
    }
    Ok(())
}
