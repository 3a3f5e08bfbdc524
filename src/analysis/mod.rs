//! Analysis of whole games: every position is searched, every move judged by what it lost.
//!
//! [`analyze`] searches the positions of many games on several threads, in a [`crate::runs`], as
//! [`Settings`] say, and gives a [`PositionAnalysis`] for each. A [`Review`] has the judgement on
//! each move, by the [`win_chance`] that it lost, and a summary of both players. [`comments`]
//! writes it as comments of a record, in the words of other programs, and [`graph`] as a chart.
//!
//! A game is cut into blocks of at most [`BLOCK`] positions. A block begins with an empty table and
//! runs on one thread, so that the result depends neither on the number of threads nor on an
//! interruption.
//!
//! Must not know: terminals, HTML, formats of records.

pub mod comments;
pub mod graph;
mod review;
mod run;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::position::Position;
use crate::records::game::{Ending, GameRecord};
use crate::types::{Color, Depth, Move, Move16, Score};

pub use review::{Class, Judgement, PlayerSummary, Review, SCALE, Thresholds, win_chance};
pub use run::{Analyzed, Analyzer, BLOCK, BlockEntry, Watch, analyze};

/// The limits of each position; the first that is reached ends the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Effort {
    /// Time for each position, the solver included; stored in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "seconds")]
    pub time: Option<Duration>,
    /// Nodes of the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of the search in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
}

/// The order in which the positions of a block are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As they were played.
    Forward,
    /// The last one first: the table then knows what the moves led to.
    #[default]
    Backward,
}

/// The settings that determine the result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The limits of each position.
    pub effort: Effort,
    /// Number of best lines of each position, at least 1.
    pub multi_pv: usize,
    /// The order of the positions.
    pub order: Order,
    /// Size of each thread's transposition table in MB.
    pub hash_mb: usize,
    /// The evaluation, as text.
    pub eval: String,
    /// Number of games.
    pub games: usize,
    /// CRC-32 of the start positions and moves of all games.
    pub checksum: u32,
}

impl Settings {
    /// The limits of the solver, which gets a tenth of the search: its time, or as many nodes.
    fn solver_nodes(&self) -> u64 {
        /// Without another limit; about 20 ms.
        const DEFAULT_NODES: u64 = 20_000;
        let Effort { time, nodes, .. } = self.effort;
        match (nodes, time) {
            (Some(nodes), _) => (nodes / SOLVER_SHARE).max(1),
            (None, Some(_)) => u64::MAX,
            (None, None) => DEFAULT_NODES,
        }
    }

    /// The time of the solver.
    fn solver_time(&self) -> Option<Duration> {
        self.effort.time.map(|time| time / SOLVER_SHARE as u32)
    }
}

/// The solver gets one part in this many.
const SOLVER_SHARE: u64 = 10;

/// One of the best lines of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// The score for the side to move.
    #[serde(with = "StoredScore")]
    pub score: Score,
    /// Depth in plies; 0 for a line of the solver.
    pub depth: Depth,
    /// Length of the longest line searched.
    pub seldepth: i32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time used, stored in seconds.
    #[serde(with = "seconds")]
    pub time: Duration,
    /// The moves in USI notation, separated by spaces, each legal after the ones before. A win by
    /// declaration (入玉宣言) takes no move: a mate in one without moves.
    pub pv: String,
}

/// What was found out about a position.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PositionAnalysis {
    /// The best lines, the best first. Empty if there is no legal move.
    pub lines: Vec<Line>,
    /// Length in plies of a mate by the side to move that the solver proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
}

/// The scores of the journal: `{"cp": 35}`, `{"mate": -4}`.
#[derive(Serialize, Deserialize)]
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
        Self {
            score,
            depth: 0,
            seldepth: 0,
            nodes: 0,
            time: Duration::ZERO,
            pv: String::new(),
        }
    }

    /// The moves, which begin in `position`. Ends at the first that is not legal there.
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        let mut position = position.clone();
        let mut moves = Vec::new();
        for word in self.pv.split(' ') {
            let parsed: Option<Move16> = word.parse().ok();
            let Some(mv) = parsed.and_then(|mv| position.legal_move(mv)) else {
                break;
            };
            position.do_move(mv);
            moves.push(mv);
        }
        moves
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
        Some(Self {
            lines: score.map(Line::without_moves).into_iter().collect(),
            mate: None,
        })
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

/// Durations as numbers of seconds, in journals and in the JSON of a game; those that may be
/// unknown too.
mod seconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<T: Copy + Into<Option<Duration>>, S: Serializer>(
        time: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let time: Option<Duration> = (*time).into();
        time.map(|time| time.as_secs_f64()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: From<Duration>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        let time = Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)?;
        Ok(time.into())
    }
}
