//! `raicho book show`: a position and its moves in a book, for people.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use crate::book::{Book, BookOptions, Library, ponder_move, probe};
use crate::cli::analyze::set_position;
use crate::cli::output;
use crate::cli::usage::as_usage;
use crate::engine::Engine;
use crate::lang::{self, Lang};

/// Example: `raicho book show user_book1.db startpos moves 7g7f`
#[derive(Args)]
#[command(before_help = "Example: raicho book show user_book1.db startpos moves 7g7f")]
pub(super) struct Arguments {
    /// The book, of any format
    #[arg(value_name = "BOOK")]
    book: PathBuf,

    /// The position, as after the USI command `position` [default: startpos]
    #[arg(value_name = "POSITION")]
    position: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let mut engine = Engine::new();
    let text = arguments.position.join(" ");
    let text = if text.is_empty() { "startpos" } else { &text };
    set_position(&mut engine, text).map_err(as_usage)?;
    let position = engine.position();
    let book = Book::open(&arguments.book, true)?;
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
