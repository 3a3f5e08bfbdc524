//! `raicho book probe`, the moves that the engine would choose from, a line for each position, and
//! `raicho book show`, a position and its moves for people.

use std::{io::Write as _, path::PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::InputArguments;
use crate::book::{Book, BookOptions, Library, Probe, ponder_move, probe};
use crate::cli::arguments::{numbered_lines, read_bytes, set_position};
use crate::cli::error::{as_usage, bail_usage, ensure_usage, usage_error};
use crate::cli::output;
use crate::engine::Engine;
use crate::lang::{self, Lang};
use crate::position::Position;
use crate::usi::options::{Change, set_option};
use crate::util::counted;

/// Example: `raicho book probe user_book1.db positions.txt --option BookMoves=30`
#[derive(Args)]
#[command(
    before_help = "Example: raicho book probe user_book1.db positions.txt --option BookMoves=30"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    book: InputArguments,

    /// File with a position per line, as after the USI command `position`; `-` reads standard input
    #[arg(value_name = "POSITIONS")]
    positions: PathBuf,

    /// A USI option, such as `NarrowBook=true`; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,

    /// Add a column that says why no move is played, or why the other moves are not
    #[arg(long)]
    explain: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut engine = Engine::new();
    for option in &arguments.options {
        let Some((name, value)) = option.split_once('=') else {
            bail_usage!("--option {option}: expected NAME=VALUE");
        };
        let change = set_option(engine.settings_mut(), name, Some(value));
        let change = change.map_err(|error| usage_error(error.refusal))?;
        ensure_usage!(change != Change::Unknown, "no option {name}");
    }
    let on_the_fly = engine.settings().book.options.on_the_fly;
    let book = Book::open(&arguments.book.path, on_the_fly)?;
    for fault in book.faults().first() {
        output::eprint_line(format_args!("{fault}"));
    }
    let library = Library::new(vec![book]);
    let bytes = read_bytes(&arguments.positions)?;
    let mut bad_positions = 0;
    for (number, text) in numbered_lines(&String::from_utf8_lossy(&bytes)) {
        let place = || format!("{} line {number}", arguments.positions.display());
        let (candidates, reasons) = match set_position(&mut engine, text).with_context(place) {
            Ok(()) => answer(&library, &engine),
            Err(error) => {
                output::eprint_line(format_args!("error: {}", output::message(&error)));
                bad_positions += 1;
                (String::new(), "no position".to_owned())
            }
        };
        print(text, &candidates, arguments.explain.then_some(&*reasons))?;
    }
    if bad_positions > 0 {
        bail!("no position in {}", counted(bad_positions, "line"));
    }
    Ok(())
}

/// The moves that the engine would choose from, as `move:weight:ponder` joined by commas, and why
/// nothing, or nothing else, is played.
fn answer(library: &Library, engine: &Engine) -> (String, String) {
    let settings = engine.settings();
    let position = engine.position();
    let refused = |reason: &str| (String::new(), reason.to_owned());
    if !settings.book.is_on {
        return refused("USI_OwnBook is false");
    }
    let rule = settings.search.entering_king_rule;
    if position.declaration(rule).is_some() {
        return refused("the game is won by declaration");
    }
    let options = &settings.book.options;
    let probed = probe(library, position, options);
    (
        candidates(library, position, &probed, options),
        reasons(&probed),
    )
}

fn dash_if_empty(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

fn print(text: &str, candidates: &str, reasons: Option<&str>) -> std::io::Result<()> {
    let mut out = output::stdout();
    let result = if candidates.is_empty() { "miss" } else { "hit" };
    write!(out, "{text}\t{result}\t{}", dash_if_empty(candidates))?;
    if let Some(reasons) = reasons {
        write!(out, "\t{}", dash_if_empty(reasons))?;
    }
    writeln!(out)
}

fn candidates(
    library: &Library,
    position: &Position,
    probed: &Probe,
    options: &BookOptions,
) -> String {
    let candidates = probed.candidates().map(|candidate| {
        let ponder = ponder_move(library, position, candidate, options);
        let ponder = ponder.map_or_else(|| "-".to_owned(), |mv| mv.to_string());
        format!("{}:{}:{ponder}", candidate.mv, candidate.weight)
    });
    candidates.collect::<Vec<_>>().join(",")
}

/// The reason for a miss, then each move that is dropped with its reason.
fn reasons(probed: &Probe) -> String {
    let refusal = probed.refusal.iter().cloned();
    let dropped = probed.moves.iter().filter_map(|probed| {
        let reason = probed.dropped.as_ref()?;
        Some(format!("{}: {reason}", probed.mv))
    });
    let faults = probed.faults.iter().map(|fault| fault.problem.to_string());
    refusal
        .chain(dropped)
        .chain(faults)
        .collect::<Vec<_>>()
        .join("; ")
}

/// Example: `raicho book show user_book1.db startpos moves 7g7f`
#[derive(Args)]
#[command(before_help = "Example: raicho book show user_book1.db startpos moves 7g7f")]
pub(super) struct ShowArguments {
    #[command(flatten)]
    book: InputArguments,

    /// The position, as after the USI command `position` [default: startpos]
    #[arg(value_name = "POSITION")]
    position: Vec<String>,
}

pub(super) fn show(arguments: &ShowArguments, lang: Lang) -> anyhow::Result<()> {
    let mut engine = Engine::new();
    let text = arguments.position.join(" ");
    let text = if text.is_empty() { "startpos" } else { &text };
    set_position(&mut engine, text).map_err(as_usage)?;
    let position = engine.position();
    let book = Book::open(&arguments.book.path, true)?;
    let format = book.format();
    let library = Library::new(vec![book]);
    let options = BookOptions {
        max_ply: u32::MAX,
        value_difference: i32::MAX,
        value_limits: [i32::MIN; 2],
        depth_limit: 0,
        ignores_ply: true,
        ..BookOptions::default()
    };
    let found = probe(&library, position, &options);
    let mut out = output::stdout();
    writeln!(out, "{}\n", lang.board(position))?;
    for fault in &found.faults {
        writeln!(out, "{fault}")?;
    }
    if let Some(refusal) = found.refusal {
        writeln!(out, "{refusal}")?;
        return Ok(());
    }
    if found.is_flipped {
        writeln!(out, "{}", lang.found_flipped())?;
    }
    let counts = found
        .moves
        .iter()
        .map(|probed| u128::from(probed.known.count));
    let sum: u128 = counts.sum();
    writeln!(out, "{}", heading(lang))?;
    for probed in &found.moves {
        let known = &probed.known;
        let answer = ponder_move(&library, position, probed, &options);
        let answer = answer.map_or_else(
            || "-".to_owned(),
            |answer| {
                let mut after = position.clone();
                after.do_move(probed.mv);
                lang.mv(&after, answer)
            },
        );
        let share = (u128::from(known.count) * 100)
            .checked_div(sum)
            .map_or_else(String::new, |percent| format!("  {percent:>3} %"));
        let value = or_dash(format.has_values(), known.value.to_string());
        let depth = or_dash(format.has_depths(), known.depth.to_string());
        let count = or_dash(format.has_counts(), known.count.to_string());
        let [mv, answer] = columns(lang, &lang.mv(position, probed.mv), &answer);
        writeln!(
            out,
            "{mv}  {answer} {value:>7} {depth:>6} {count:>11}{share}"
        )?;
    }
    Ok(())
}

/// A number, or a dash where the format stores none.
fn or_dash(is_stored: bool, number: String) -> String {
    if is_stored { number } else { "-".to_owned() }
}

/// The heading of the table.
fn heading(lang: Lang) -> String {
    let [mv, answer] = columns(lang, &lang.book_move(), &lang.book_answer());
    let value = lang::right(&lang.book_value(), 7);
    let depth = lang::right(&lang.book_depth(), 6);
    let count = lang::right(&lang.book_count(), 11);
    format!("{mv}  {answer} {value} {depth} {count}")
}

/// A move and its answer, padded to their columns.
fn columns(lang: Lang, mv: &str, answer: &str) -> [String; 2] {
    let widths = match lang {
        Lang::En => [5, 6],
        Lang::Ja => [14, 14],
    };
    [lang::left(mv, widths[0]), lang::left(answer, widths[1])]
}
