//! The answer to a problem, as an entry of the journal.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::mate::{SecondSolutions, Solution, Verdict};
use crate::types::Move;

/// The answer to a problem. Moves are in USI notation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    /// Number of the problem, from 1.
    pub(super) number: u64,
    pub(super) verdict: Outcome,
    /// Length of the mate in plies, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) plies: Option<usize>,
    /// The line to the mate, which may be shorter than `plies`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) moves: Vec<String>,
    pub(super) nodes: u64,
    pub(super) time: Duration,
    /// The second solutions, if they were searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) second: Option<Second>,
}

/// The verdict of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Mate,
    NoMate,
    /// The limit of time or nodes was reached.
    Unknown,
}

/// The second solutions (余詰) of a mate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Second {
    pub(super) found: Vec<SecondMove>,
    /// Whether all other moves were proved not to mate.
    pub(super) is_complete: bool,
    pub(super) nodes: u64,
}

/// A move that also mates, in place of that of the line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SecondMove {
    /// Index of the replaced move in the line.
    pub(super) index: usize,
    pub(super) mv: String,
    /// Maximum length of the mate in plies, this move included.
    pub(super) plies: usize,
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
