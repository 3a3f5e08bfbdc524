//! Analysis of whole games: every position is searched, every move judged by what it lost.
//!
//! [`analyze`] searches the positions of many games on several threads, in a [`crate::runs`], as
//! [`Settings`] say, and gives a [`PositionAnalysis`] for each. A [`Review`] has the judgement on
//! each move, by the [`win_chance`] that it lost, and a summary of both players. [`comments`]
//! writes it as comments of a record, in the words of other programs.
//!
//! A game is cut into blocks of at most [`BLOCK`] positions. A block runs on one thread, and first
//! searches positions beyond its end, so that the result does not depend on the number of threads
//! and no position meets an empty table.
//!
//! Must not know: terminals, HTML, formats of records.

mod brinkmate;
pub mod comments;
mod remarks;
mod review;
mod run;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::position::Position;
use crate::records::game::{Ending, GameRecord};
use crate::types::{Color, Depth, Move, Score, value::MAX_PLY};

pub use remarks::{Material, Remark, Standing};
pub use review::{Class, Judgement, PlayerSummary, Review, SCALE, Thresholds, win_chance};
pub use run::{Analyzed, Analyzer, BLOCK, Game, Watch, analyze};

/// The limits of each position; the first that is reached ends the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Effort {
    /// Time for each position, the solver included; stored in seconds.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_seconds")]
    pub time: Option<Duration>,
    /// Nodes of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of the search in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
}

impl Effort {
    /// What a search before a block gets: half of it, or one ply less.
    fn reduced(self) -> Self {
        Self {
            time: self.time.map(|time| time / 2),
            nodes: self.nodes.map(|nodes| (nodes / 2).max(1)),
            depth: self.depth.map(|depth| (depth - 1).max(1)),
        }
    }

    /// What a second look at a position gets: three times as much, or two plies more.
    fn raised(self) -> Self {
        Self {
            time: self.time.map(|time| time.saturating_mul(3)),
            nodes: self.nodes.map(|nodes| nodes.saturating_mul(3)),
            depth: self.depth.map(|depth| (depth + 2).min(MAX_PLY as Depth - 1)),
        }
    }

    /// The limits of the solver, which gets a tenth of the search: its time, or as many nodes.
    fn solver_nodes(&self) -> u64 {
        /// Without another limit; about 20 ms.
        const DEFAULT_NODES: u64 = 20_000;
        match (self.nodes, self.time) {
            (Some(nodes), _) => (nodes / SOLVER_SHARE).max(1),
            (None, Some(_)) => u64::MAX,
            (None, None) => DEFAULT_NODES,
        }
    }

    /// The time of the solver.
    fn solver_time(&self) -> Option<Duration> {
        self.time.map(|time| time / SOLVER_SHARE as u32)
    }
}

/// The settings that determine the result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Settings {
    /// The limits of each position.
    pub effort: Effort,
    /// Number of best lines of each position, at least 1.
    pub multi_pv: usize,
    /// Size of each thread's transposition table in MB.
    pub hash_mb: usize,
    /// The evaluation, as text.
    pub eval: String,
}

/// The solver gets one part in this many.
const SOLVER_SHARE: u64 = 10;

/// One of the best lines of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// The score for the side to move.
    #[serde(with = "StoredScore")]
    pub score: Score,
    /// Depth in plies; 0 for a line of the solver.
    pub depth: Depth,
    /// Length of the longest line searched.
    pub seldepth: i32,
    /// Nodes of the search that gave the lines, quiescence included.
    pub nodes: u64,
    /// Time used, stored in seconds.
    #[serde(serialize_with = "as_seconds")]
    pub time: Duration,
    /// The moves in USI notation, separated by spaces, each legal after the ones before. A win by
    /// declaration (入玉宣言) takes no move: a mate in one without moves.
    pub pv: String,
}

/// What was found out about a position.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PositionAnalysis {
    /// The best lines, the best first. Empty if there is no legal move.
    pub lines: Vec<Line>,
    /// Length in plies of a mate by the side to move that the solver proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Length in plies of the mate that the other side threatens (詰めろ): which it has, as the
    /// solver proved, if the side to move passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threat: Option<i32>,
    /// Whether no move of the side to move parries this threat (必至), as the solver proved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_brink: bool,
    /// Length in plies of the mate that the best move threatens, if no answer parries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brinkmate: Option<i32>,
}

/// Scores in JSON: `{"cp": 35}`, `{"mate": -4}`.
#[derive(Serialize)]
#[serde(remote = "Score", rename_all = "lowercase")]
enum StoredScore {
    Cp(i32),
    Mate(i32),
}

impl Line {
    /// The line of a side that has lost.
    const fn mated() -> Self {
        Self::without_moves(Score::Mate(0))
    }

    const fn without_moves(score: Score) -> Self {
        Self { score, depth: 0, seldepth: 0, nodes: 0, time: Duration::ZERO, pv: String::new() }
    }

    /// The moves, which begin in `position`. Ends at the first that is not legal there.
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        position.legal_line(&self.pv)
    }

    /// The first move in USI notation.
    pub fn first(&self) -> &str {
        self.pv.split(' ').next().unwrap_or_default()
    }
}

impl PositionAnalysis {
    /// The result of the game as the analysis of its last position, where the rules or a referee
    /// ended it; `None` where a player did, as with a resignation or by its time. A draw is a score
    /// of 0, a win of the side to move a mate in one without moves, its loss has no line.
    fn by_rule(record: &GameRecord) -> Option<Self> {
        let is_by_rule = matches!(
            record.ending,
            Ending::Checkmate
                | Ending::Declaration
                | Ending::Repetition
                | Ending::PerpetualCheck { .. }
                | Ending::MaxMoves
                | Ending::IllegalAction { .. }
                | Ending::AdjudicatedWin { .. }
                | Ending::AdjudicatedDraw
        );
        if !is_by_rule {
            return None;
        }
        let score = match record.winner() {
            None => Some(Score::Cp(0)),
            Some(winner) => (winner == record.side_to_move_at_end()).then_some(Score::Mate(1)),
        };
        let lines = score.map(Line::without_moves).into_iter().collect();
        Some(Self { lines, ..Self::default() })
    }

    /// The score for the side to move. Without a legal move it is mated.
    pub fn score(&self) -> Score {
        self.lines.first().map_or(Score::Mate(0), |line| line.score)
    }

    /// The score for black, with this side to move. A side that is mated already scores a mate in 0
    /// either way.
    pub fn score_for_black(&self, side_to_move: Color) -> Score {
        match (side_to_move, self.score()) {
            (Color::Black, score) => score,
            (Color::White, Score::Cp(centipawns)) => Score::Cp(-centipawns),
            (Color::White, Score::Mate(plies)) => Score::Mate(-plies),
        }
    }
}

/// Serializes a duration, or one that may be unknown, as a number of seconds.
fn as_seconds<T: Copy + Into<Option<Duration>>, S: Serializer>(
    time: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let time: Option<Duration> = (*time).into();
    time.map(|time| time.as_secs_f64()).serialize(serializer)
}
