//! The analysis of one position.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::seconds;
use crate::position::Position;
use crate::records::game::{Ending, GameRecord};
use crate::types::{Color, Depth, Move, Move16, Score};

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
    pub(super) const fn mated() -> Self {
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
            let Some(mv) = word
                .parse::<Move16>()
                .ok()
                .and_then(|mv| position.to_move(mv))
            else {
                break;
            };
            if !position.pseudo_legal(mv) || !position.legal(mv) {
                break;
            }
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
    pub(super) fn by_rule(record: &GameRecord) -> Option<Self> {
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
