//! Positions, one after the other: the board, the best lines, and the scores in words.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, bail};

use super::arguments::{Arguments, SearchArguments};
use super::board::{self, Colors};
use super::inputs::PositionSource;
use super::live::Live;
use crate::cli::output;
use crate::engine::{Engine, EvalFile};
use crate::position::Position;
use crate::search::{Decision, Event, Info, Limits};
use crate::types::{Bound, Color, Score};
use crate::util::shorten;

/// Time for each position without `--time`, `--depth` and `--nodes`.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Size of the transposition table in MB without `--hash`.
const DEFAULT_HASH: u32 = 256;

/// Searches each position and shows its best lines.
///
/// # Errors
/// A position is wrong, or standard output fails.
pub(super) fn run(arguments: &Arguments, source: &PositionSource) -> anyhow::Result<()> {
    let search = &arguments.search;
    let mut engine = Engine::new();
    let settings = engine.settings_mut();
    settings.search.multi_pv = search.multipv.into();
    settings.search.threads = search.threads.into();
    settings.search.hash_mb = search.hash.unwrap_or(DEFAULT_HASH) as usize;
    settings.eval_file = EvalFile::from(search.eval.as_str());
    for problem in engine.prepare() {
        output::eprint_line(format_args!("warning: {problem}"));
    }
    let (path, text) = match source {
        PositionSource::One(sfen) => return analyze(&mut engine, sfen, search),
        PositionSource::Lines(path, text) => (path, text),
    };
    let mut failures = 0;
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{} line {}", path.display(), index + 1);
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Err(error) = analyze(&mut engine, text, search).with_context(place) {
            if output::failure(&error).is_some() {
                return Err(error);
            }
            output::eprint_line(format_args!("error: {}", output::message(&error)));
            failures += 1;
        }
    }
    if failures > 0 {
        bail!(
            "{failures} positions of {} could not be analyzed",
            path.display()
        );
    }
    Ok(())
}

fn analyze(engine: &mut Engine, text: &str, arguments: &SearchArguments) -> anyhow::Result<()> {
    set_position(engine, text)?;
    print_board(engine.position())?;
    let mut live = Live::new(engine.position().side_to_move());
    let has_limit = arguments.depth.is_some() || arguments.nodes.is_some();
    let limits = Limits {
        movetime: arguments.time.or((!has_limit).then_some(DEFAULT_TIME)),
        depth: arguments.depth,
        nodes: arguments.nodes,
        ..Limits::default()
    };
    let (sender, events) = mpsc::channel();
    // The receiver lives until the decision, which is the last event.
    engine.go(limits, Box::new(move |event| drop(sender.send(event))));
    let mut lines: BTreeMap<usize, Info> = BTreeMap::new();
    let mut decision = Decision::Nothing;
    for event in events {
        match event {
            Event::Info(info) if info.bound == Bound::Exact || info.multi_pv > lines.len() => {
                lines.insert(info.multi_pv, info);
                live.show(&lines);
            }
            Event::Info(_) | Event::CurrentMove(_) => {}
            Event::Note(note) => output::eprint_line(format_args!("note: {note}")),
            Event::Done(done) => decision = done,
        }
    }
    engine.finish();
    live.clear();
    print(engine, &lines, decision).map_err(Into::into)
}

/// Shows the position: in kanji on a terminal, in letters to a pipe.
fn print_board(position: &Position) -> std::io::Result<()> {
    let mut out = output::stdout();
    if !std::io::stdout().is_terminal() {
        return writeln!(out, "{position}\n");
    }
    let drawn = board::draw(position, position.last_move(), Colors::chosen());
    writeln!(out, "{drawn}sfen {}\n", position.to_sfen())
}

pub(in crate::cli) fn set_position(engine: &mut Engine, text: &str) -> anyhow::Result<()> {
    let text = text.strip_prefix("position ").unwrap_or(text);
    let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let start = start.trim().strip_prefix("sfen ").unwrap_or(start.trim());
    let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
    let sfen = (start != "startpos").then_some(start);
    engine
        .set_position(sfen, &moves)
        .with_context(|| format!("'{}'", shorten(text)))
}

fn print(
    engine: &Engine,
    lines: &BTreeMap<usize, Info>,
    decision: Decision,
) -> std::io::Result<()> {
    let mut out = output::stdout();
    let side = engine.position().side_to_move();
    for (rank, info) in lines {
        let pv: Vec<String> = info.pv.iter().map(ToString::to_string).collect();
        writeln!(out, "{rank}. {}", in_words(info.score, side))?;
        writeln!(
            out,
            "   depth {}, {} nodes, {:.1} s",
            info.depth,
            info.nodes,
            info.time.as_secs_f64()
        )?;
        writeln!(out, "   {}", pv.join(" "))?;
    }
    match decision {
        Decision::Move { best, .. } => writeln!(out, "best move {best}\n"),
        Decision::Win => writeln!(out, "{} wins by declaration\n", name(side)),
        Decision::Resign | Decision::Nothing => {
            writeln!(out, "{} has no move, or none worth playing\n", name(side))
        }
    }
}

/// Scores in centipawns from which each word is used.
const WORDS: [(i32, &str); 4] = [
    (1500, "is winning"),
    (500, "is clearly better"),
    (150, "is better"),
    (50, "is slightly better"),
];

pub(super) fn in_words(score: Score, side: Color) -> String {
    let leader = |is_side: bool| name(if is_side { side } else { !side });
    match score {
        Score::Mate(plies) => {
            let unit = if plies.abs() == 1 { "ply" } else { "plies" };
            format!("{} mates in {} {unit}", leader(plies > 0), plies.abs())
        }
        Score::Cp(cp) => {
            let pawns = format!("{:+.2} pawns for {}", f64::from(cp) / 100.0, name(side));
            match WORDS.iter().find(|(least, _)| cp.abs() >= *least) {
                Some((_, word)) => format!("{} {word} ({pawns})", leader(cp > 0)),
                None => format!("the game is even ({pawns})"),
            }
        }
    }
}

const fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_put_into_words_for_the_leading_side() {
        assert_eq!(
            in_words(Score::Cp(0), Color::Black),
            "the game is even (+0.00 pawns for black)"
        );
        assert_eq!(
            in_words(Score::Cp(-620), Color::Black),
            "white is clearly better (-6.20 pawns for black)"
        );
        assert_eq!(
            in_words(Score::Mate(-4), Color::White),
            "black mates in 4 plies"
        );
    }
}
