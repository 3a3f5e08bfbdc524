//! What a run did.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::records::score::is_mate;
use crate::train::data::pass::Tally;
use crate::util::counted;

/// The counts of a run.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct RescoreReport {
    /// The records read and written.
    pub tally: Tally,
    /// The searches.
    pub searches: Searches,
}

/// Sums over searched positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Searches {
    /// Positions searched.
    pub positions: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Positions whose old and new scores are no mates.
    pub compared: u64,
    /// The sum of the changes of their scores, without sign, in centipawns.
    pub change: u64,
}

impl Searches {
    /// Counts a position with its old and new score in centipawns.
    pub(super) fn add(&mut self, nodes: u64, old: i16, new: i16) {
        self.positions += 1;
        self.nodes += nodes;
        if !is_mate(old) && !is_mate(new) {
            self.compared += 1;
            self.change += u64::from(old.abs_diff(new));
        }
    }

    /// Adds other searches.
    pub(super) const fn merge(&mut self, other: &Self) {
        self.positions += other.positions;
        self.nodes += other.nodes;
        self.compared += other.compared;
        self.change += other.change;
    }
}

/// The report of the command `rescore`.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
impl fmt::Display for RescoreReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Searches {
            positions,
            nodes,
            compared,
            change,
        } = self.searches;
        write!(formatter, "{}", self.tally)?;
        if nodes == 0 {
            writeln!(formatter, "{} evaluated", counted(positions, "position"))?;
        } else {
            let each = nodes as f64 / positions.max(1) as f64;
            writeln!(
                formatter,
                "{} searched, {each:.0} nodes each",
                counted(positions, "position")
            )?;
        }
        writeln!(
            formatter,
            "mean change of the score {:.1} centipawns",
            change as f64 / compared.max(1) as f64
        )
    }
}
