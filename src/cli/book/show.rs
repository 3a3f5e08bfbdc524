//! `raicho book show`: a position and its moves in a book, for people.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use crate::book::{Book, BookOptions, Library, ponder_move, probe};
use crate::cli::analyze::set_position;
use crate::cli::output;
use crate::engine::Engine;

/// Example: `raicho book show user_book1.db startpos moves 7g7f`
#[derive(Args)]
#[command(before_help = "Example: raicho book show user_book1.db startpos moves 7g7f")]
pub(super) struct Arguments {
    /// The book, of any format
    #[arg(value_name = "BOOK")]
    book: PathBuf,

    /// The position, as after the USI command `position` [default: startpos]
    #[arg(value_name = "POSITION", trailing_var_arg = true)]
    position: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut engine = Engine::new();
    let text = arguments.position.join(" ");
    let text = if text.is_empty() { "startpos" } else { &text };
    set_position(&mut engine, text)?;
    let position = engine.position();
    let library = Library::new(vec![Book::open(&arguments.book, true)?]);
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
    writeln!(out, "{position}\n")?;
    for fault in &found.faults {
        writeln!(out, "{fault}")?;
    }
    if let Some(refusal) = found.refusal {
        writeln!(out, "{refusal}")?;
        return Ok(());
    }
    if found.is_flipped {
        writeln!(out, "found with the sides exchanged")?;
    }
    let counts = found
        .moves
        .iter()
        .map(|probed| u128::from(probed.known.count));
    let sum: u128 = counts.sum();
    writeln!(out, "move   answer   value  depth       count")?;
    for probed in &found.moves {
        let known = &probed.known;
        let answer = ponder_move(&library, position, probed, &options);
        let answer = answer.map_or_else(|| "-".to_owned(), |mv| mv.to_string());
        let share = (u128::from(known.count) * 100)
            .checked_div(sum)
            .map_or_else(String::new, |percent| format!("  {percent:>3} %"));
        let (mv, value, depth, count) = (probed.mv, known.value, known.depth, known.count);
        let mv = mv.to_string();
        writeln!(
            out,
            "{mv:<5}  {answer:<6} {value:>7} {depth:>6} {count:>11}{share}"
        )?;
    }
    Ok(())
}
