//! Positions, one after the other: the board, the best lines, and the scores in words. While a
//! search runs its lines are shown in place.

use std::io::{self, IsTerminal as _, Write as _};
use std::{collections::BTreeMap, sync::mpsc, time::Duration};

use anyhow::{Context, Result, bail};
use console::{Term, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Arguments, PositionSource, SearchArguments};
use crate::cli::arguments::{numbered_lines, set_position};
use crate::engine::{Engine, EvalFile};
use crate::lang::{Lang, wrapped};
use crate::search::{Decision, Event, Info, Limits};
use crate::types::{Bound, Color, Score};
use crate::{analysis::Standing, cli::error::as_usage, movegen::legal_moves, position::Position};
use crate::{cli::output, util::counted};

/// Time for each position without `--time`, `--depth` and `--nodes`.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Size of the transposition table in MB without `--hash`.
const DEFAULT_HASH: u32 = 256;

/// Searches each position and shows its best lines.
///
/// # Errors
/// A position is wrong, or standard output fails.
pub(super) fn run(arguments: &Arguments, source: &PositionSource, lang: Lang) -> Result<()> {
    let search = &arguments.search;
    let mut engine = Engine::new();
    let settings = engine.settings_mut();
    settings.search.multi_pv = search.multipv.into();
    settings.search.threads = search.threads_for_positions();
    settings.search.hash_mb = search.hash.unwrap_or(DEFAULT_HASH) as usize;
    settings.search.entering_king_rule = search.entering_king_rule.unwrap_or_default();
    settings.eval_file = EvalFile::from(search.eval.as_str());
    for problem in engine.prepare() {
        output::eprint_line(lang.warning(problem));
    }
    let (path, text) = match source {
        PositionSource::One(sfen) => {
            set_position(&mut engine, sfen).map_err(as_usage)?;
            return analyze(&mut engine, sfen, search, lang);
        }
        PositionSource::Lines(path, text) => (path, text),
    };
    let mut failures = 0;
    for (number, text) in numbered_lines(text) {
        let place = || format!("{} line {number}", path.display());
        if let Err(error) = analyze(&mut engine, text, search, lang).with_context(place) {
            if output::failure(&error).is_some() {
                return Err(error);
            }
            output::eprint_line(lang.error(output::message(&error)));
            failures += 1;
        }
    }
    if failures > 0 {
        bail!("{} of {} could not be analyzed", counted(failures, "position"), path.display());
    }
    Ok(())
}

fn analyze(engine: &mut Engine, text: &str, arguments: &SearchArguments, lang: Lang) -> Result<()> {
    set_position(engine, text)?;
    let position = engine.position().clone();
    writeln!(output::stdout(), "{}\n", lang.board(&position))?;
    let effort = arguments.effort(DEFAULT_TIME);
    let limits = Limits {
        movetime: effort.time,
        depth: effort.depth,
        nodes: effort.nodes,
        ..Limits::default()
    };
    let (sender, events) = mpsc::channel();
    // The receiver lives until the decision, which is the last event.
    engine.go(limits, Box::new(move |event| drop(sender.send(event))));
    let live = live_display();
    let mut lines: BTreeMap<usize, Info> = BTreeMap::new();
    let mut decision = Decision::Nothing;
    for event in events {
        match event {
            Event::Info(info) if info.is_of_mated() => {}
            Event::Info(info) if info.bound == Bound::Exact || info.multi_pv > lines.len() => {
                lines.insert(info.multi_pv, info);
                if !live.is_hidden() {
                    show(&live, &texts(&lines, &position, lang));
                }
            }
            Event::Info(_) | Event::CurrentMove(_) => {}
            Event::Note(note) => output::eprint_line(lang.note(note)),
            Event::Done(done) => decision = done,
        }
    }
    engine.finish();
    live.finish_and_clear();
    print(&position, &lines, decision, lang).map_err(Into::into)
}

/// A display of the running search on a terminal, hidden elsewhere.
fn live_display() -> ProgressBar {
    let target = if output::is_dumb_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stdout()
    };
    let display = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        display.set_style(style);
    }
    display
}

/// Shows texts in place of those before, each on one line of the terminal.
fn show(display: &ProgressBar, texts: &[String]) {
    let (_, width) = Term::stdout().size();
    let cut = texts.iter().map(|text| truncate_str(text, width.into(), "…"));
    display.set_message(cut.collect::<Vec<_>>().join("\n"));
}

/// The best lines: for each its score, what its search took, and its moves.
fn texts(lines: &BTreeMap<usize, Info>, position: &Position, lang: Lang) -> Vec<String> {
    let mut texts = Vec::new();
    // A win by declaration has no line; the decision says what it is.
    for (rank, info) in lines.iter().filter(|(_, info)| !info.pv.is_empty()) {
        let seconds = format!("{:.1}", info.time.as_secs_f64());
        let effort = lang.depth_and_nodes(info.depth, lang.nodes(info.nodes), seconds);
        texts.push(format!("{rank}. {}", in_words(info.score, position, lang)));
        texts.push(format!("   {effort}"));
        texts.push(format!("   {}", lang.line(position, &info.pv)));
    }
    texts
}

fn print(
    position: &Position,
    lines: &BTreeMap<usize, Info>,
    decision: Decision,
    lang: Lang,
) -> io::Result<()> {
    let mut out = output::stdout();
    let columns = if io::stdout().is_terminal() { output::columns() } else { usize::MAX };
    for text in texts(lines, position, lang) {
        let words = text.trim_start();
        let indent = text.len() - words.len();
        for part in wrapped(words, columns - indent) {
            writeln!(out, "{:indent$}{part}", "")?;
        }
    }
    let side = lang.sides(position)[position.side_to_move().index()];
    let decision = match decision {
        Decision::Move { best, .. } => lang.best_move(lang.mv(position, best)),
        Decision::Win => lang.wins_by_declaration(side),
        Decision::Resign | Decision::Nothing if !legal_moves(position).is_empty() => {
            lang.resigns(side)
        }
        Decision::Resign | Decision::Nothing if position.in_check() => lang.is_mated(side),
        Decision::Resign | Decision::Nothing => lang.has_no_move(side),
    };
    writeln!(out, "{decision}\n")
}

// --- Scores in words ---

/// From this score in centipawns on an even game is slightly better for a side.
const SLIGHTLY_BETTER: i32 = 100;

/// The score of the side to move in words; numbers are black's.
fn in_words(score: Score, position: &Position, lang: Lang) -> String {
    let (side, sides) = (position.side_to_move(), lang.sides(position));
    let leader = |is_side: bool| sides[if is_side { side } else { !side }.index()];
    match score {
        Score::Mate(1) => lang.mates_at_once(leader(true)),
        Score::Mate(plies) => lang.mates_in(leader(plies > 0), plies.abs()),
        Score::Cp(cp) => {
            let centipawns = if side == Color::Black { cp } else { -cp };
            let pawns = format!("{:+.2}", f64::from(centipawns) / 100.0);
            let score = lang.score_of(pawns, centipawns, sides[Color::Black.index()]);
            let name = |side: Color| sides[side.index()];
            match Standing::of(Score::Cp(centipawns)) {
                Standing::Winning(side) => lang.is_winning(name(side), score),
                Standing::ClearlyBetter(side) => lang.is_clearly_better(name(side), score),
                Standing::Better(side) => lang.is_better(name(side), score),
                Standing::Even if cp.abs() >= SLIGHTLY_BETTER => {
                    lang.is_slightly_better(leader(cp > 0), score)
                }
                Standing::Even => lang.is_even(score),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_put_into_words_for_the_leading_side() {
        let black = Position::startpos();
        let white = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 1").expect("a position");
        for (score, position, lang, expected) in cases! {
            Score::Cp(0), &black, Lang::En => "the game is even (+0.00 pawns for black)";
            Score::Cp(-820), &black, Lang::En => "white is clearly better (-8.20 pawns for black)";
            Score::Cp(820), &white, Lang::En => "white is clearly better (-8.20 pawns for black)";
            Score::Mate(-4), &white, Lang::En => "black mates in 4 plies";
            Score::Cp(99), &black, Lang::Ja => "互角（評価値 +99）";
            Score::Cp(100), &white, Lang::Ja => "後手やや有利（評価値 -100）";
            Score::Cp(300), &black, Lang::Ja => "先手有利（評価値 +300）";
            Score::Cp(-800), &black, Lang::Ja => "後手優勢（評価値 -800）";
            Score::Cp(2000), &black, Lang::Ja => "先手勝勢（評価値 +2000）";
            Score::Mate(1), &black, Lang::Ja => "先手の勝ち（1手で詰み）";
            Score::Mate(5), &black, Lang::Ja => "先手の勝ち（5手で詰み）";
        } {
            assert_eq!(in_words(score, position, lang), expected);
        }
    }
}
