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
use super::words::in_words;
use crate::cli::output;
use crate::cli::usage::as_usage;
use crate::engine::{Engine, EvalFile, PositionError};
use crate::lang::Lang;
use crate::position::{Position, SfenError};
use crate::search::{Decision, Event, Info, Limits};
use crate::types::Bound;
use crate::util::{counted, shorten};

/// Time for each position without `--time`, `--depth` and `--nodes`.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Size of the transposition table in MB without `--hash`.
const DEFAULT_HASH: u32 = 256;

/// Searches each position and shows its best lines.
///
/// # Errors
/// A position is wrong, or standard output fails.
pub(super) fn run(
    arguments: &Arguments,
    source: &PositionSource,
    lang: Lang,
) -> anyhow::Result<()> {
    let search = &arguments.search;
    let mut engine = Engine::new();
    let settings = engine.settings_mut();
    settings.search.multi_pv = search.multipv.into();
    settings.search.threads = search.threads_for_positions();
    settings.search.hash_mb = search.hash.unwrap_or(DEFAULT_HASH) as usize;
    settings.eval_file = EvalFile::from(search.eval.as_str());
    for problem in engine.prepare() {
        output::eprint_line(format_args!("warning: {problem}"));
    }
    let (path, text) = match source {
        PositionSource::One(sfen) => {
            set_position(&mut engine, sfen).map_err(as_usage)?;
            return analyze(&mut engine, sfen, search, lang);
        }
        PositionSource::Lines(path, text) => (path, text),
    };
    let mut failures = 0;
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{} line {}", path.display(), index + 1);
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Err(error) = analyze(&mut engine, text, search, lang).with_context(place) {
            if output::failure(&error).is_some() {
                return Err(error);
            }
            output::eprint_line(format_args!("error: {}", output::message(&error)));
            failures += 1;
        }
    }
    if failures > 0 {
        bail!(
            "{} of {} could not be analyzed",
            counted(failures, "position"),
            path.display()
        );
    }
    Ok(())
}

fn analyze(
    engine: &mut Engine,
    text: &str,
    arguments: &SearchArguments,
    lang: Lang,
) -> anyhow::Result<()> {
    set_position(engine, text)?;
    print_board(engine.position(), lang)?;
    let mut live = Live::new(engine.position(), lang);
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
            Event::Info(info) if info.is_of_mated() => {}
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
    print(engine, &lines, decision, lang).map_err(Into::into)
}

/// Shows the position: in kanji on a terminal, in letters to a pipe.
fn print_board(position: &Position, lang: Lang) -> std::io::Result<()> {
    let mut out = output::stdout();
    if !std::io::stdout().is_terminal() {
        return writeln!(out, "{}\n", lang.board(position));
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
        .map_err(|error| match error {
            // Its message has the text already.
            PositionError::Sfen(SfenError::Fields { .. }) => error.into(),
            _ => anyhow::Error::new(error).context(format!("'{}'", shorten(text))),
        })
}

fn print(
    engine: &Engine,
    lines: &BTreeMap<usize, Info>,
    decision: Decision,
    lang: Lang,
) -> std::io::Result<()> {
    let mut out = output::stdout();
    let position = engine.position();
    let sides = lang.sides(position);
    let side = sides[position.side_to_move().index()];
    // A win by declaration has no line; the decision says what it is.
    for (rank, info) in lines.iter().filter(|(_, info)| !info.pv.is_empty()) {
        writeln!(out, "{rank}. {}", in_words(info.score, position, lang))?;
        let seconds = format!("{:.1}", info.time.as_secs_f64());
        let effort = lang.depth_and_nodes(info.depth, lang.nodes(info.nodes), seconds);
        writeln!(out, "   {effort}\n   {}", lang.line(position, &info.pv))?;
    }
    match decision {
        Decision::Move { best, .. } => {
            writeln!(out, "{}\n", lang.best_move(lang.mv(position, best)))
        }
        Decision::Win => writeln!(out, "{}\n", lang.wins_by_declaration(side)),
        Decision::Resign | Decision::Nothing => writeln!(out, "{}\n", lang.has_no_move(side)),
    }
}
