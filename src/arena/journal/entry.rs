//! The journal entry of a game: its result and statistics of both players.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::optimism::Optimism;
use super::super::player::SearchInfo;
use super::super::referee::Reason;
use crate::types::Color;

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameEntry {
    /// Number of the game in the whole match, from 0.
    pub game: u64,
    /// Name of the engine that played black.
    pub black: String,
    /// Name of the engine that played white.
    pub white: String,
    /// The winner, `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game ended.
    pub reason: Reason,
    /// Further details of the reason, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The whole game as the argument of the USI command `position`.
    pub line: String,
    /// Number of moves after the opening.
    pub moves: u32,
    /// Number of moves of the opening.
    pub opening_moves: u32,
    /// Statistics of both players, by [`Color::index`].
    pub figures: [PlayerFigures; 2],
    /// Sums of the scores of black and white over neighbouring plies.
    #[serde(default, skip_serializing_if = "Optimism::is_empty")]
    pub optimism: Optimism,
    /// Time between an answer and the next `go`.
    pub overhead: Overhead,
    /// By how much the clock was overrun, if the game was lost on time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_loss: Option<TimeLoss>,
    /// Path of the dialogue file, relative to the folder; only after a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<PathBuf>,
    /// Path of the record, relative to the folder.
    pub record: PathBuf,
}

/// Statistics of one engine in one or more games.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayerFigures {
    /// Number of moves.
    pub moves: u64,
    /// Total time of these moves.
    pub time: Duration,
    /// Longest time of one move.
    pub longest: Duration,
    /// Total of the reported nodes.
    pub nodes: u64,
    /// Sum of the reported depths.
    pub depth_sum: u64,
    /// Number of moves with a reported depth.
    pub depth_count: u64,
    /// Number of PV lines that the referee replayed.
    pub lines_checked: u64,
    /// Number of PV lines with an illegal move.
    pub line_faults: u64,
    /// Details of the first few of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line_fault_details: Vec<LineFault>,
}

/// An illegal move in a PV line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineFault {
    /// What is wrong with the move.
    pub fault: String,
    /// The PV as the engine printed it.
    pub line: String,
    /// The position in which the PV begins.
    pub sfen: String,
}

/// By how much a clock was overrun.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TimeLoss {
    /// Time beyond the remaining time.
    pub late: Duration,
    /// Longest stall of the machine during that move, `None` if there was none.
    pub stall: Option<Duration>,
}

/// Time between an answer and the next `go`, over one or more games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Overhead {
    /// Total time.
    pub sum: Duration,
    /// Longest single time.
    pub longest: Duration,
    /// Number of measurements.
    pub count: u64,
}

impl GameEntry {
    /// The loser, if there is one, the reason and its details.
    pub fn verdict(&self) -> String {
        let loser = match self.winner {
            Some(Color::Black) => format!("{}: ", self.white),
            Some(Color::White) => format!("{}: ", self.black),
            None => String::new(),
        };
        format!("{loser}{}, {}", self.reason, self.detail)
    }

    /// The opening as the argument of the USI command `position`.
    pub fn opening(&self) -> &str {
        let words = |text: &str| text.split(' ').count();
        // The words before the moves are `startpos` or `sfen` with four fields.
        let before = self.line.split(" moves ").next().map_or(0, words);
        let count = if self.opening_moves == 0 {
            before
        } else {
            before + 1 + self.opening_moves as usize
        };
        let end = self.line.match_indices(' ').nth(count.saturating_sub(1));
        end.map_or(&self.line, |(end, _)| &self.line[..end])
    }
}

impl PlayerFigures {
    pub(in crate::arena) fn add(&mut self, used: Duration, thought: &SearchInfo) {
        self.moves += 1;
        self.time += used;
        self.longest = self.longest.max(used);
        self.nodes = self.nodes.saturating_add(thought.nodes.unwrap_or(0));
        if let Some(depth) = thought.depth {
            self.depth_sum += u64::from(depth);
            self.depth_count += 1;
        }
    }
}
