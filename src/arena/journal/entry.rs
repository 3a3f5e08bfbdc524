//! A game as a line of the journal: the result, and what the engines did.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::player::Thinking;
use super::super::referee::Reason;
use crate::types::Color;

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameEntry {
    /// Counted over the whole match, from 0.
    pub game: u64,
    /// The engine's name.
    pub black: String,
    /// The engine's name.
    pub white: String,
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// Why it ended.
    pub reason: Reason,
    /// What there is to say beyond that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The whole game, as what follows `position`.
    pub line: String,
    /// Moves that the engines made.
    pub moves: u32,
    /// Where the opening ends and the engines begin.
    pub opening_moves: u32,
    /// By [`Color::index`].
    pub figures: [PlayerFigures; 2],
    /// The referee's time between an answer and the next question.
    pub overhead: Overhead,
    /// Present when the game was lost on time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_loss: Option<TimeLoss>,
    /// The file with the dialogue, inside the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<PathBuf>,
    /// The file with the record, inside the folder.
    pub record: PathBuf,
}

/// What one engine did in a game, or in many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayerFigures {
    /// Moves that it was asked for and answered.
    pub moves: u64,
    /// Their time.
    pub time: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// Nodes that it reported.
    pub nodes: u64,
    /// Sum of the depths that it reported, and how many there were.
    pub depth_sum: u64,
    /// Moves with a depth.
    pub depth_count: u64,
    /// Lines that the referee replayed.
    pub lines_checked: u64,
    /// Those with an illegal move.
    pub line_faults: u64,
    /// The first of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line_fault_details: Vec<LineFault>,
}

/// An illegal move in a printed line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineFault {
    /// What is wrong.
    pub fault: String,
    /// The line as it was printed.
    pub line: String,
    /// The position that it was printed for.
    pub sfen: String,
}

/// By how much a clock was overrun.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TimeLoss {
    /// Beyond the time that was left.
    pub late: Duration,
    /// The longest stall of the machine meanwhile.
    pub stall: Option<Duration>,
}

/// Time of the referee.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Overhead {
    /// All of it.
    pub sum: Duration,
    /// The longest at once.
    pub longest: Duration,
    /// How often.
    pub count: u64,
}

impl GameEntry {
    /// Who lost, if anybody, why, and what there is to say beyond that.
    pub fn verdict(&self) -> String {
        let loser = match self.winner {
            Some(Color::Black) => format!("{}: ", self.white),
            Some(Color::White) => format!("{}: ", self.black),
            None => String::new(),
        };
        format!("{loser}{}, {}", self.reason, self.detail)
    }

    /// The opening, as what follows `position`.
    pub fn opening(&self) -> &str {
        let words = |text: &str| text.split(' ').count();
        // The words before the moves: `startpos moves`, or `sfen`, four fields and `moves`.
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
    pub(in crate::arena) fn add(&mut self, used: Duration, thought: &Thinking) {
        self.moves += 1;
        self.time += used;
        self.longest = self.longest.max(used);
        self.nodes += thought.nodes.unwrap_or(0);
        if let Some(depth) = thought.depth {
            self.depth_sum += u64::from(depth);
            self.depth_count += 1;
        }
    }
}
