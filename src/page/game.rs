//! A game as the page has it. Names are short, as there may be thousands of games.

use std::time::Duration;

use serde::Serialize;

use super::moves::move_list;
use crate::analysis::{Class, PlayerSummary, PositionAnalysis, Review};
use crate::position::Position;
use crate::records::game::{Ending, GameRecord};
use crate::records::notation::handicap::Handicap;
use crate::types::{Color, Move, Score};

/// Stands for a mate in 0 plies; each ply is one less.
const MATE: i32 = 100_000;
/// Moves of a line that are kept.
const LONGEST_LINE: usize = 24;

/// A game. Lists of positions have one more element than there are moves.
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
    /// The judgement on each move: 0 good, 1 best, 2 doubtful, 3 blunder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<u8>,
    /// Loss of win chance of each move in permill.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<u32>,
    /// Mates that were missed: index of the move, plies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<(usize, i32)>,
    /// What the players did in sum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<Player>,
    /// Of a mate problem: `mate`, `nomate` or `unknown`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub verdict: &'static str,
    /// Length of the mate in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<usize>,
}

/// A line: score for black, depth, nodes, moves.
pub type Line = (i32, i32, u64, String);

/// What a player did in sum.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Player {
    moves: usize,
    best: usize,
    doubtful: usize,
    blunders: usize,
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
            times: if is_timed {
                seconds.collect()
            } else {
                Vec::new()
            },
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
        Self {
            start: start.to_sfen(),
            moves: move_list(start, moves),
            ..Self::default()
        }
    }

    /// Moves that mate in so many plies, as lines of their position.
    pub fn mate_lines(position: &Position, moves: &[(Move, usize)]) -> Vec<Line> {
        let side = position.side_to_move();
        let line = |&(mv, plies): &(Move, usize)| {
            (
                number(Score::Mate(plies as i32), side),
                0,
                0,
                move_list(position, &[mv]),
            )
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
            game.lines.push(if is_ruled {
                Vec::new()
            } else {
                lines(analysis, &position)
            });
            if let Some(played) = record.moves.get(index) {
                position.do_move(played.mv);
            }
        }
        for (index, judgement) in review.judgements.iter().enumerate() {
            game.marks.push(match judgement.class {
                Class::Good => 0,
                Class::Best => 1,
                Class::Doubtful => 2,
                Class::Blunder => 3,
            });
            game.losses.push((1000.0 * judgement.loss).round() as u32);
            game.missed
                .extend(judgement.missed_mate.map(|plies| (index, plies)));
        }
        game.ruled = review.ends_by_rule && record.ending != Ending::Checkmate;
        game.players = review.players.iter().map(Player::new).collect();
        game
    }
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
            doubtful: summary.doubtful,
            blunders: summary.blunders,
            missed: summary.missed_mates,
            centipawns: summary.mean_centipawn_loss.map(rounded),
            chance: summary.mean_loss.map(|loss| rounded(100.0 * loss)),
            time: summary.time.map(|time| time.as_secs()),
        }
    }
}
