//! `raicho analyze`: searches positions and shows the best lines, with scores in words.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;

use super::output;
use crate::engine::{Engine, EvalFile};
use crate::search::{Decision, Event, Info, Limits};
use crate::types::{Bound, Color, Score};
use crate::util::shorten;

/// Time for each position without `--time`, `--depth` and `--nodes`.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// Example: `raicho analyze --sfen "4k4/9/4P4/9/9/9/9/9/4K4 b G 1" --time 3s`
#[derive(Args)]
#[command(
    before_help = "Example: raicho analyze --sfen \"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\" --time 3s"
)]
pub(super) struct Arguments {
    /// File with a position per line: an SFEN, or `startpos moves 7g7f …`; `-` reads standard input
    #[arg(value_name = "FILE", conflicts_with = "sfen")]
    file: Option<PathBuf>,

    /// The position, optionally followed by ` moves …` [default: the start position]
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,

    /// Time for each position: milliseconds, or with a unit such as `3s` or `500ms` [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,

    /// Depth to search each position to
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    depth: Option<i32>,

    /// Nodes to search for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How many of the best lines to show
    #[arg(long, value_name = "K", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    multipv: u16,

    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Size of the transposition table in MB
    #[arg(long, value_name = "MB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    /// Evaluation: `<embedded>`, `<material>`, or a file
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,
}

pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, milliseconds) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 1000.0),
        (None, None) => (text, 1.0),
    };
    let expected = "expected milliseconds, or a number with a unit such as 2.5s or 500ms";
    let number: f64 = number.trim().parse().map_err(|_| expected)?;
    Duration::try_from_secs_f64(number * milliseconds / 1000.0).map_err(|_| expected.to_owned())
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut engine = Engine::new();
    let settings = engine.settings_mut();
    settings.search.multi_pv = arguments.multipv.into();
    settings.search.threads = arguments.threads.into();
    settings.search.hash_mb = arguments.hash as usize;
    settings.eval_file = EvalFile::from(arguments.eval.as_str());
    for problem in engine.prepare() {
        output::eprint_line(format_args!("warning: {problem}"));
    }
    let Some(path) = &arguments.file else {
        let text = arguments.sfen.as_deref().unwrap_or("startpos");
        return analyze(&mut engine, text, arguments);
    };
    let input: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        let file = std::fs::File::open(path).with_context(|| format!("{}", path.display()))?;
        Box::new(BufReader::new(file))
    };
    let mut failures = 0;
    for (index, line) in input.lines().enumerate() {
        let place = || format!("{} line {}", path.display(), index + 1);
        let line = line.with_context(place)?;
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Err(error) = analyze(&mut engine, text, arguments).with_context(place) {
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

fn analyze(engine: &mut Engine, text: &str, arguments: &Arguments) -> anyhow::Result<()> {
    set_position(engine, text)?;
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
            }
            Event::Info(_) | Event::CurrentMove(_) => {}
            Event::Note(note) => output::eprint_line(format_args!("note: {note}")),
            Event::Done(done) => decision = done,
        }
    }
    engine.finish();
    print(engine, &lines, decision).map_err(Into::into)
}

pub(super) fn set_position(engine: &mut Engine, text: &str) -> anyhow::Result<()> {
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
    let position = engine.position();
    let side = position.side_to_move();
    writeln!(out, "{position}\n")?;
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

fn in_words(score: Score, side: Color) -> String {
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
    fn times_are_milliseconds_unless_they_say_otherwise() {
        assert_eq!(parse_time("250"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("40ms"), Ok(Duration::from_millis(40)));
        assert!(
            parse_time("-1").is_err() && parse_time("soon").is_err() && parse_time("infs").is_err()
        );
    }

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
