//! What has come of a problem, as a line of the journal.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::mate::{SecondSolutions, Solution, Verdict};
use crate::types::Move;

/// What has come of a problem. Moves are in USI text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    /// The number of the problem, from 1.
    pub(super) number: u64,
    pub(super) verdict: Outcome,
    /// Of the mate that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) plies: Option<usize>,
    /// The line, which may be shorter than the mate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) moves: Vec<String>,
    pub(super) nodes: u64,
    pub(super) time: Duration,
    /// Present where second solutions were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) second: Option<Second>,
}

/// What the solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Mate,
    NoMate,
    /// The limits of time or nodes were reached.
    Unknown,
}

/// Second solutions (余詰) of a mate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Second {
    pub(super) found: Vec<SecondMove>,
    /// Whether every other move was proved not to mate.
    pub(super) is_complete: bool,
    pub(super) nodes: u64,
}

/// A move that mates instead of that of the line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SecondMove {
    /// Index in the line of the move that it replaces.
    pub(super) index: usize,
    pub(super) mv: String,
    /// In how many plies it mates at most, itself included.
    pub(super) plies: usize,
}

impl Outcome {
    /// As in the table.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::NoMate => "nomate",
            Self::Unknown => "unknown",
        }
    }
}

impl Answer {
    pub(super) fn new(
        number: u64,
        solution: &Solution,
        second: Option<&SecondSolutions>,
        time: Duration,
    ) -> Self {
        let (verdict, plies, moves) = match &solution.verdict {
            Verdict::Mate { line, .. } => (Outcome::Mate, Some(line.length), &line.moves[..]),
            Verdict::NoMate => (Outcome::NoMate, None, &[][..]),
            Verdict::Unknown => (Outcome::Unknown, None, &[][..]),
        };
        Self {
            number,
            verdict,
            plies,
            moves: moves.iter().map(Move::to_string).collect(),
            nodes: solution.nodes,
            time,
            second: second.map(Second::new),
        }
    }
}

impl Second {
    fn new(solutions: &SecondSolutions) -> Self {
        let found = solutions.found.iter().map(|solution| SecondMove {
            index: solution.index,
            mv: solution.mv.to_string(),
            plies: solution.length,
        });
        Self {
            found: found.collect(),
            is_complete: solutions.is_complete,
            nodes: solutions.nodes,
        }
    }
}
