//! Web pages that show games on a board: an analysis, a match, solutions of mate problems. Each is
//! one file that needs no network and no other file, at most about 1 MB for a game of 150 plies.
//!
//! A page is a template with styles, a script and the data as JSON: a [`Page`] with its [`Game`]s,
//! and a [`Match`] if they belong to one. The script draws the board, the graph and the lists; Rust
//! writes what needs the rules of shogi. Everything that comes from a file, such as names, goes
//! through [`json_text`] and enters the page as text, never as HTML.

pub mod diagram;

use std::{fmt::Write as _, time::Duration};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::analysis::{
    Class, Material, PlayerSummary, PositionAnalysis, Remark, Review, Thresholds,
};
use crate::position::Position;
use crate::records::game::{Ending, GameRecord, RecordedMove};
use crate::types::{Color, Move, Score};
use crate::{
    analysis::comments, lang::Lang, records::notation::Handicap, records::text::TextFormat,
};
use crate::{records::formations::Formations, records::notation::japanese::relative};

/// What a page is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Analysed games.
    Analysis,
    /// A match between engines.
    Match,
    /// Mate problems with their solutions.
    Mate,
}

/// The data of a page.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// What it is about.
    pub kind: Kind,
    /// Text of the window's title and of the first heading.
    pub title: String,
    /// The language in which it opens; its reader can change it.
    pub lang: Lang,
    /// Name and version of the program.
    pub program: &'static str,
    /// How the positions were searched, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub effort: String,
    /// From which loss moves of an analysis have their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
    /// The games, or the solutions.
    pub games: Vec<Game>,
    /// The result of the match.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub of_match: Option<Match>,
}

/// The result of a match.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Match {
    /// Names of the engines; pairings name them by index.
    pub engines: Vec<String>,
    /// Results of the pairings, from the view of the first engine.
    pub pairings: Vec<Pairing>,
    /// The first pairing after some number of its games: that number, the Elo difference, and both
    /// ends of its 95 % interval.
    pub course: Vec<(u64, f64, f64, f64)>,
    /// Games that are not on the page.
    pub left_out: usize,
}

/// The results of two engines against each other.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pairing {
    /// The engines, as indices.
    pub engines: [usize; 2],
    /// Wins, draws and losses of the first.
    pub wdl: [u64; 3],
    /// Elo difference and half its 95 % interval, where finite.
    pub elo: Option<[f64; 2]>,
}

/// Name and version of this program.
pub const PROGRAM: &str = concat!("Raicho ", env!("CARGO_PKG_VERSION"));

const TEMPLATE: &str = include_str!("assets/page.html");
const STYLES: &str = concat!(include_str!("assets/page.css"), include_str!("assets/panels.css"),);
/// What a page with the engine may do besides: run it, in a worker that the page writes itself.
const ALLOWED_TO_ENGINE: &str = " 'wasm-unsafe-eval' blob:; worker-src blob:";
/// Free moves and live lines, after [`SCRIPT`].
const ENGINE_SCRIPT: &str = include_str!("assets/engine.js");
/// Each file uses only those before it.
const SCRIPT: &str = concat!(
    include_str!("assets/words.js"),
    include_str!("assets/rules.js"),
    include_str!("assets/board.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/panels.js"),
    include_str!("assets/match.js"),
    include_str!("assets/export.js"),
    include_str!("assets/page.js"),
);

impl Page {
    /// The page as HTML.
    pub fn html(&self) -> String {
        self.html_with(None)
    }

    /// The page as HTML with `engine`, the script with the engine that `web/build.sh` makes.
    pub fn html_with(&self, engine: Option<&str>) -> String {
        let script = [SCRIPT, engine.map_or("", |_| ENGINE_SCRIPT)].concat();
        let script = format!("\n(() => {{\n\"use strict\";\n{script}\n}})();\n");
        let engine = engine.map(|engine| format!("\n{engine}"));
        // No other script and no other style can act, whatever finds its way into the page.
        let mut script_hashes = hash(&script);
        if let Some(engine) = &engine {
            script_hashes = format!("{script_hashes} {}{ALLOWED_TO_ENGINE}", hash(engine));
        }
        let engine = engine.map(|engine| format!("<script>{engine}</script>\n"));
        // Parts in the order of the template, so that no text of the data is taken for a mark.
        let mut html = String::new();
        let mut rest = TEMPLATE;
        for (mark, text) in [
            ("{{lang}}", self.lang.to_string()),
            ("{{style-hash}}", hash(STYLES)),
            ("{{script-hashes}}", script_hashes),
            ("{{title}}", escaped(&self.title)),
            ("{{styles}}", STYLES.to_owned()),
            ("{{data}}", json_text(self)),
            ("{{engine}}", engine.unwrap_or_default()),
            ("{{script}}", script),
        ] {
            let Some((before, after)) = rest.split_once(mark) else {
                unreachable!("the template has {mark}");
            };
            html.push_str(before);
            html.push_str(&text);
            rest = after;
        }
        html.push_str(rest);
        html
    }
}

/// The hash by which a Content-Security-Policy allows an element with this text.
fn hash(text: &str) -> String {
    let digest = BASE64_STANDARD.encode(Sha256::digest(text));
    format!("'sha256-{digest}'")
}

/// The JSON of a value, for a `script` element: nothing in it ends the element or opens a comment.
pub fn json_text(value: &impl Serialize) -> String {
    // Numbers, texts, lists and structs of them: they always have a JSON.
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{:04x}", letter as u32);
            }
            letter => safe.push(letter),
        }
    }
    safe
}

/// The text with the characters that HTML gives a meaning written as entities.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push(' '),
            character if character.is_control() => safe.push(' '),
            character => safe.push(character),
        }
    }
    safe
}

/// Stands for a mate in 0 plies; each ply is one less.
const MATE: i32 = 100_000;
/// Moves of a line that are kept.
const LONGEST_LINE: usize = 24;

/// A game as the page has it. Names are short, as there may be thousands of games.
///
/// Lists of positions have one more element than there are moves.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Game {
    /// Black's and white's names.
    pub names: [String; Color::NUM],
    /// Of the game or problem, if it has one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The date in the notation of CSA.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// SFEN of the start.
    pub start: String,
    /// Whether White gives a handicap, so that the sides are 下手 and 上手.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub handicap: bool,
    /// See [`move_list`].
    pub moves: String,
    /// Seconds of each move, such that their sums are those of the exact times; `None` for an
    /// unknown time, empty if all are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<Option<u64>>,
    /// 1 black won, -1 white won, 0 draw; `None` unknown.
    pub result: Option<i8>,
    /// How it ended, see [`Ending::name`].
    #[serde(skip_serializing_if = "str::is_empty")]
    pub ending: &'static str,
    /// Whether the last score is that of the result, not of a position.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ruled: bool,
    /// Scores of the positions for black: centipawns, or ±(100,000 - plies) for a mate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Option<i32>>,
    /// The best lines of each position: score for black, depth, nodes, moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Vec<Line>>,
    /// The judgement on each move: 0 good, 1 best, 2 doubtful, 3 blunder, 4 inaccuracy, 5 severe
    /// blunder, 6 the only good move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<u8>,
    /// Loss of win chance of each move in permill.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<u32>,
    /// Mates that were missed: index of the move, plies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<(usize, i32)>,
    /// What else is said about moves, by their index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<(usize, Vec<Remark>)>,
    /// The pieces that change hands along the better line and the one played, by index of a move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<(usize, [Material; 2])>,
    /// Of an analysed game, the opening and the castles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formations: Option<Formations>,
    /// What the players did in sum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<Player>,
    /// Headings of the record besides names, title and date: 戦型, 場所 …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<(String, String)>,
    /// The record's own comments, by the number of moves before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Notes,
    /// Variations of the record: moves of the game before it, its moves, and its comments by the
    /// number of its moves before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<(usize, String, Notes)>,
    /// The record as KIF and as KI2.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// Of a mate problem: `mate`, `nomate` or `unknown`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub verdict: &'static str,
    /// Length of the mate in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<usize>,
    /// Whether there may be a shorter mate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unproven: bool,
}

/// Comments, by the number of moves before.
pub type Notes = Vec<(usize, String)>;
/// A line: score for black, depth, nodes, moves.
pub type Line = (i32, i32, u64, String);

/// What a player did in sum.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Player {
    moves: usize,
    best: usize,
    inaccuracies: usize,
    doubtful: usize,
    /// Without the severe ones.
    blunders: usize,
    severe: usize,
    missed: usize,
    /// Mean loss in centipawns; `None` without moves.
    centipawns: Option<f64>,
    /// Mean loss of win chance in percent.
    chance: Option<f64>,
    /// Seconds; `None` if unknown.
    time: Option<u64>,
}

impl Game {
    /// A game without analysis. Scores come from the thoughts of its players, if it has any.
    pub fn of_record(record: &GameRecord) -> Self {
        let moves: Vec<_> = record.moves.iter().map(|played| played.mv).collect();
        let is_timed = record.moves.iter().any(|played| played.time.is_some());
        let mut totals = [Duration::ZERO; Color::NUM];
        let seconds = record.moves.iter().map(|played| {
            // Differences of whole seconds, so that fractions are not lost in the sum.
            let total = &mut totals[played.mv.piece().color().index()];
            let before = total.as_secs();
            *total = total.saturating_add(played.time?);
            Some(total.as_secs() - before)
        });
        let result = match record.winner() {
            Some(Color::Black) => Some(1),
            Some(Color::White) => Some(-1),
            None => record.ending.is_draw().then_some(0),
        };
        let thought = record.moves.iter().map(|played| {
            let score = played.thought.as_ref()?.score?;
            Some(number(score, played.mv.piece().color()))
        });
        let mut scores: Vec<_> = std::iter::once(None).chain(thought).collect();
        if scores.iter().all(Option::is_none) {
            scores.clear();
        }
        Self {
            names: record.players.clone(),
            title: record.title().to_owned(),
            date: record.started_at.clone().unwrap_or_default(),
            start: record.start.to_sfen(),
            handicap: Handicap::of_position(&record.start)
                .is_some_and(|handicap| !handicap.is_even()),
            moves: move_list(&record.start, &moves),
            times: if is_timed { seconds.collect() } else { Vec::new() },
            result,
            ending: match record.ending {
                Ending::Unfinished => "",
                ref ending => ending.name(),
            },
            scores,
            ..Self::default()
        }
    }

    /// The solution of a mate problem.
    pub fn of_problem(start: &Position, moves: &[Move]) -> Self {
        Self { start: start.to_sfen(), moves: move_list(start, moves), ..Self::default() }
    }

    /// Moves that mate in a number of plies each, as lines of their position.
    pub fn mate_lines(position: &Position, moves: &[(Move, usize)]) -> Vec<Line> {
        let side = position.side_to_move();
        let line = |&(mv, plies): &(Move, usize)| {
            (number(Score::Mate(plies as i32), side), 0, 0, move_list(position, &[mv]))
        };
        moves.iter().map(line).collect()
    }

    /// A game with its analysis.
    pub fn of_review(record: &GameRecord, review: &Review) -> Self {
        let mut game = Self::of_record(record);
        let mut position = record.start.clone();
        game.scores.clear();
        for (index, analysis) in review.positions.iter().enumerate() {
            let side = position.side_to_move();
            game.scores.push(Some(number(analysis.score(), side)));
            let is_ruled = review.ends_by_rule && index == record.moves.len();
            game.lines.push(if is_ruled { Vec::new() } else { lines(analysis, &position) });
            if let Some(played) = record.moves.get(index) {
                position.do_move(played.mv);
            }
        }
        for (index, judgement) in review.judgements.iter().enumerate() {
            game.marks.push(match judgement.class {
                Class::Good => 0,
                Class::Best if judgement.is_only_move() => 6,
                Class::Best => 1,
                Class::Doubtful => 2,
                Class::Blunder => 3,
                Class::Inaccuracy => 4,
                Class::SevereBlunder => 5,
            });
            if !judgement.remarks.is_empty() {
                game.remarks.push((index, judgement.remarks.clone()));
            }
            game.material.extend(judgement.material.clone().map(|material| (index, material)));
            game.losses.push((1000.0 * judgement.loss).round() as u32);
            game.missed.extend(judgement.missed_mate.map(|plies| (index, plies)));
        }
        game.take_texts(record);
        game.ruled = review.ends_by_rule && record.ending != Ending::Checkmate;
        game.formations = Some(Formations::of_record(record));
        game.players = review.players.iter().map(Player::new).collect();
        game
    }
}

impl Game {
    /// Takes what the record says besides its moves, without comments of an earlier analysis.
    fn take_texts(&mut self, record: &GameRecord) {
        let mut record = record.clone();
        comments::remove(&mut record);
        self.headings.clone_from(&record.headings);
        let named = [(0, record.comments.join("\n"))].into_iter();
        let named = named.chain(noted(&record.moves));
        let last = (record.moves.len(), record.closing.comments.join("\n"));
        self.comments = named.chain([last]).filter(|(_, text)| !text.is_empty()).collect();
        for variation in &record.variations {
            let before = record.moves_before(variation);
            let moves = before.iter().copied().chain(variation.moves.iter().map(|one| one.mv));
            let moves: Vec<Move> = moves.collect();
            let of_game = record.moves.iter().map(|played| played.mv);
            let common = moves.iter().zip(of_game).take_while(|(one, other)| *one == other).count();
            let mut fork = record.start.clone();
            for &mv in &moves[..common] {
                fork.do_move(mv);
            }
            let comments = noted(&variation.moves).filter(|(_, text)| !text.is_empty());
            let place = |after: usize| (before.len() + after).saturating_sub(common);
            let comments = comments.map(|(after, text)| (place(after), text)).collect();
            if common < moves.len() {
                self.variations.push((common, move_list(&fork, &moves[common..]), comments));
            }
        }
        self.texts = [TextFormat::Kif, TextFormat::Ki2].map(|kind| kind.text(&record)).into();
    }
}

/// The comments after each move, with the number of moves before.
fn noted(moves: &[RecordedMove]) -> impl Iterator<Item = (usize, String)> {
    (1..).zip(moves.iter().map(|played| played.comments.join("\n")))
}

fn lines(analysis: &PositionAnalysis, position: &Position) -> Vec<Line> {
    let lines = analysis.lines.iter().map(|line| {
        let mut moves = line.moves(position);
        if !matches!(line.score, Score::Mate(_)) {
            moves.truncate(LONGEST_LINE);
        }
        let score = number(line.score, position.side_to_move());
        (score, line.depth, line.nodes, move_list(position, &moves))
    });
    lines.collect()
}

/// The number of a score of `side`, for black.
fn number(score: Score, side: Color) -> i32 {
    let number = match score {
        Score::Cp(centipawns) => centipawns.clamp(-MATE / 2, MATE / 2),
        Score::Mate(plies) if plies > 0 => MATE - plies,
        Score::Mate(plies) => -MATE - plies,
    };
    match side {
        Color::Black => number,
        Color::White => -number,
    }
}

impl Player {
    fn new(summary: &PlayerSummary) -> Self {
        let rounded = |number: f64| (number * 10.0).round() / 10.0;
        Self {
            moves: summary.moves,
            best: summary.best,
            inaccuracies: summary.inaccuracies,
            doubtful: summary.doubtful,
            blunders: summary.blunders - summary.severe_blunders,
            severe: summary.severe_blunders,
            missed: summary.missed_mates,
            centipawns: summary.mean_centipawn_loss.map(rounded),
            chance: summary.mean_loss.map(|loss| rounded(100.0 * loss)),
            time: summary.time.map(|time| time.as_secs()),
        }
    }
}

/// The moves in one text, `7g7f 3c3d 4i5h右`. What follows the USI notation distinguishes the move
/// from that of another piece of the same kind: `右`, `左`, `直`, `上`, `寄`, `引`, and `打` for a
/// drop.
pub fn move_list(start: &Position, moves: &[Move]) -> String {
    let mut position = start.clone();
    let mut text = String::new();
    for &mv in moves {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&mv.to_string());
        text.push_str(relative(&position, mv));
        position.do_move(mv);
    }
    text
}

#[cfg(test)]
mod tests;
