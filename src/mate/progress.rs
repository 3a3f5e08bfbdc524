//! What a running search reports.

use std::time::Duration;

use super::mating_line::Line;
use crate::types::Move;
use crate::util::system::Instant;

/// The state of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Moves made by all threads. Those of other threads lag behind by at most 64 each.
    pub nodes: u64,
    /// Length in plies of the longest line searched.
    pub seldepth: usize,
    /// Used share of the table, in permill.
    pub hashfull: u32,
    /// The moves from the root to the node that is being searched.
    pub line: Vec<Move>,
}

/// A report of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateEvent {
    /// Sent at regular intervals.
    Progress(Progress),
    /// A mate was found; with [`MateLimits::shortest`](super::MateLimits::shortest) shorter ones
    /// may follow.
    Found(Line, Progress),
}

/// Sends reports to the caller.
pub(super) struct Reporter<'a> {
    pub(super) report: &'a mut (dyn FnMut(&MateEvent) + Send),
    /// Time between two progress reports.
    pub(super) interval: Duration,
    /// When the next progress report is due.
    pub(super) next: Instant,
}
