//! Positions, one after the other: the board with kanji pieces, in colours where the terminal has
//! them, the best lines, and the scores in words. While a search runs its lines are shown in place.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use anyhow::{Context, bail};
use console::{Term, truncate_str};

use super::inputs::PositionSource;
use super::{Arguments, SearchArguments};
use crate::cli::arguments::set_position;
use crate::cli::error::as_usage;
use crate::cli::output;
use crate::engine::{Engine, EvalFile};
use crate::lang::Lang;
use crate::position::Position;
use crate::records::notation::japanese::{FILES, RANKS, piece_letter};
use crate::search::{Decision, Event, Info, Limits};
use crate::types::{Bound, Color, File, Hand, Move, Piece, PieceType, Rank, Score, Square};
use crate::util::counted;

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
    let drawn = draw(position, position.last_move(), Colors::chosen());
    writeln!(out, "{drawn}sfen {}\n", position.to_sfen())
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

// --- Scores in words ---

/// Scores in centipawns from which each word is used.
const WINNING: i32 = 1500;
const CLEARLY_BETTER: i32 = 500;
const BETTER: i32 = 150;
const SLIGHTLY_BETTER: i32 = 50;

/// The score of the side to move in words.
fn in_words(score: Score, position: &Position, lang: Lang) -> String {
    let (side, sides) = (position.side_to_move(), lang.sides(position));
    let leader = |is_side: bool| sides[if is_side { side } else { !side }.index()];
    match score {
        Score::Mate(1) => lang.mates_at_once(leader(true)),
        Score::Mate(plies) => lang.mates_in(leader(plies > 0), plies.abs()),
        Score::Cp(cp) => {
            let pawns = format!("{:+.2}", f64::from(cp) / 100.0);
            let pawns = lang.pawns_for(pawns, sides[side.index()]);
            let leader = leader(cp > 0);
            match cp.abs() {
                WINNING.. => lang.is_winning(leader, pawns),
                CLEARLY_BETTER.. => lang.is_clearly_better(leader, pawns),
                BETTER.. => lang.is_better(leader, pawns),
                SLIGHTLY_BETTER.. => lang.is_slightly_better(leader, pawns),
                _ => lang.is_even(pawns),
            }
        }
    }
}

// --- The running search ---

/// Time between two displays.
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows the lines below what was printed before; does nothing where standard output is
/// not a terminal.
struct Live {
    term: Option<Term>,
    position: Position,
    lang: Lang,
    /// Lines on the screen that the next display replaces.
    shown: usize,
    last: Option<Instant>,
}

impl Live {
    /// For a search of this position.
    fn new(position: &Position, lang: Lang) -> Self {
        Self {
            term: (std::io::stdout().is_terminal() && !output::is_dumb_terminal())
                .then(Term::stdout),
            position: position.clone(),
            lang,
            shown: 0,
            last: None,
        }
    }

    /// Shows the lines, unless others were shown a moment ago.
    fn show(&mut self, lines: &BTreeMap<usize, Info>) {
        let Some(term) = &self.term else { return };
        if self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        let (height, width) = term.size();
        let mut texts = self.texts(lines);
        // The cursor stands below them. What has left the screen cannot be replaced.
        texts.truncate(usize::from(height).saturating_sub(1));
        // A terminal that fails shows nothing; the result is printed all the same.
        let _ = term.clear_last_lines(self.shown);
        for text in &texts {
            let _ = term.write_line(&truncate_str(text, width.into(), "…"));
        }
        self.shown = texts.len();
    }

    /// Removes the lines from the screen.
    fn clear(&mut self) {
        if let Some(term) = &self.term {
            let _ = term.clear_last_lines(self.shown);
        }
        self.shown = 0;
    }

    fn texts(&self, lines: &BTreeMap<usize, Info>) -> Vec<String> {
        let mut texts = Vec::new();
        for (rank, info) in lines {
            let words = in_words(info.score, &self.position, self.lang);
            texts.push(format!("{rank}. {words}"));
            let seconds = format!("{:.1}", info.time.as_secs_f64());
            let effort =
                self.lang
                    .depth_and_nodes(info.depth, self.lang.nodes(info.nodes), seconds);
            texts.push(format!(
                "   {effort}: {}",
                self.lang.line(&self.position, &info.pv)
            ));
        }
        texts
    }
}

// --- The board ---

/// The pieces in hand in their customary order.
const HAND_ORDER: [PieceType; 7] = [
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Gold,
    PieceType::Silver,
    PieceType::Knight,
    PieceType::Lance,
    PieceType::Pawn,
];

/// The colours of a board, or none.
#[derive(Clone, Copy, Default)]
struct Colors {
    white: Style,
    promoted: Style,
    last: Style,
    soft: Style,
}

impl Colors {
    /// Colours if standard output is a terminal that has them and nobody forbids them with
    /// `NO_COLOR` (<https://no-color.org>).
    fn chosen() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if set("NO_COLOR") || output::is_dumb_terminal() || !std::io::stdout().is_terminal() {
            return Self::default();
        }
        Self {
            white: AnsiColor::Cyan.on_default(),
            promoted: AnsiColor::Red.on_default().bold(),
            last: AnsiColor::Black.on(AnsiColor::Yellow),
            soft: Style::new().dimmed(),
        }
    }
}

/// The board with the hands, black below. `last` is the square of the last move.
fn draw(position: &Position, last: Option<Move>, colors: Colors) -> String {
    let mut text = String::new();
    let soft = colors.soft;
    let _ = writeln!(text, "△{}", hand_text(position.hand(Color::White)));
    let files: Vec<String> = FILES.iter().rev().map(char::to_string).collect();
    let _ = writeln!(text, "{soft}  {}{soft:#}", files.join(" "));
    let border = format!("{soft}+{}+{soft:#}", "-".repeat(3 * File::NUM));
    let _ = writeln!(text, "{border}");
    for rank in Rank::ALL {
        let _ = write!(text, "{soft}|{soft:#}");
        for file in File::ALL.into_iter().rev() {
            let square = Square::new(file, rank);
            let is_last = last.is_some_and(|mv| mv.to() == square);
            text.push_str(&cell(position.piece_on(square), is_last, colors));
        }
        let _ = writeln!(text, "{soft}|{}{soft:#}", RANKS[rank.index()]);
    }
    let _ = writeln!(text, "{border}");
    let _ = writeln!(text, "▲{}", hand_text(position.hand(Color::Black)));
    text
}

/// A square in three columns: a mark for white's pieces, then the piece.
fn cell(piece: Option<Piece>, is_last: bool, colors: Colors) -> String {
    let Some(piece) = piece else {
        let soft = colors.soft;
        return format!(" {soft}・{soft:#}");
    };
    let is_white = piece.color() == Color::White;
    let style = if is_last {
        colors.last
    } else if piece.kind().is_promoted() {
        colors.promoted
    } else if is_white {
        colors.white
    } else {
        Style::new()
    };
    let mark = if is_white { 'v' } else { ' ' };
    format!("{style}{mark}{}{style:#}", piece_letter(piece.kind()))
}

fn hand_text(hand: Hand) -> String {
    let held = HAND_ORDER.into_iter().filter(|&kind| hand.has(kind));
    let texts: Vec<String> = held
        .map(|kind| match hand.count(kind) {
            1 => piece_letter(kind).to_owned(),
            count => format!("{}{count}", piece_letter(kind)),
        })
        .collect();
    if texts.is_empty() {
        "なし".to_owned()
    } else {
        texts.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_drawn_in_kanji_and_without_codes_where_there_are_no_colours() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
        let position = Position::from_sfen(sfen).expect("a good position");
        let drawn = draw(&position, None, Colors::default());
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "△金 銀 桂 歩5");
        assert_eq!(lines[3], "|v香 ・ ・ ・ ・ ・ ・v桂v香|一");
        assert_eq!(lines[4], "| ・ ・ ・ ・ ・ と ・v金v玉|二");
        assert_eq!(lines[13], "▲飛 金");
        assert!(!drawn.contains('\u{1b}'));
    }

    #[test]
    fn the_last_move_is_marked() {
        let mut position = Position::startpos();
        let mv = position
            .to_move("7g7f".parse().expect("a move"))
            .expect("a piece");
        position.do_move(mv);
        let colors = Colors {
            last: Style::new().invert(),
            ..Colors::default()
        };
        let drawn = draw(&position, Some(mv), colors);
        assert_eq!(drawn.matches("\u{1b}[7m 歩\u{1b}[0m").count(), 1, "{drawn}");
    }

    #[test]
    fn scores_are_put_into_words_for_the_leading_side() {
        let black = Position::startpos();
        let white = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 1").expect("a position");
        for (score, position, lang, expected) in [
            (
                Score::Cp(0),
                &black,
                Lang::En,
                "the game is even (+0.00 pawns for black)",
            ),
            (
                Score::Cp(-620),
                &black,
                Lang::En,
                "white is clearly better (-6.20 pawns for black)",
            ),
            (Score::Mate(-4), &white, Lang::En, "black mates in 4 plies"),
            (Score::Mate(5), &black, Lang::Ja, "先手の勝ち（5手詰み）"),
        ] {
            assert_eq!(in_words(score, position, lang), expected);
        }
    }
}
