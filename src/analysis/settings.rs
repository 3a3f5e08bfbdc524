//! How positions are searched.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::seconds;
use crate::types::Depth;

/// The limits of each position; the first that is reached ends the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Effort {
    /// Time for each position, the solver included; stored in seconds.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "seconds::optional"
    )]
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
    pub(super) fn solver_nodes(&self) -> u64 {
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
    pub(super) fn solver_time(&self) -> Option<Duration> {
        self.effort.time.map(|time| time / SOLVER_SHARE as u32)
    }
}

/// The solver gets one part in this many.
const SOLVER_SHARE: u64 = 10;
