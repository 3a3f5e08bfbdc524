//! When a search ends: clocks, fixed time, depth, nodes, or a stop.

use std::time::Duration;

use super::settings::Settings;
use crate::transposition::Extent;
use crate::types::{Color, Depth, Move};
use crate::util::system::Instant;

/// The clocks of both sides, indexed by [`Color::index`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Remaining main time of each side.
    pub time: [Duration; Color::NUM],
    /// Time added to each side's clock after each of its moves.
    pub increment: [Duration; Color::NUM],
    /// Byoyomi (秒読み): time per move once the main time is used up.
    pub byoyomi: [Duration; Color::NUM],
}

/// When a search ends. Without any limit it runs until it is stopped or reaches the maximum depth.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Clocks of the game, from which the thinking time is planned.
    pub clock: Option<Clock>,
    /// Fixed time per move; takes precedence over the clocks.
    pub movetime: Option<Duration>,
    /// Maximum depth of iterative deepening in plies, at least 1.
    pub depth: Option<Depth>,
    /// Maximum number of nodes of all threads together.
    pub nodes: Option<u64>,
    /// No new iteration starts once the main thread has searched this many nodes.
    pub soft_nodes: Option<u64>,
    /// `go infinite`: [`Event::Done`](super::Event::Done) is delivered only after a stop.
    pub infinite: bool,
    /// `go ponder`: [`Event::Done`](super::Event::Done) is delivered only after a stop or a
    /// ponderhit; the clock starts at the ponderhit.
    pub ponder: bool,
    /// Root moves to search (`searchmoves`); empty for all legal moves.
    pub search_moves: Vec<Move>,
    /// When the search was requested; thinking time is measured from here.
    pub start: Instant,
}

impl Limits {
    /// The clusters of the table to search with. Where depth or nodes end the search, its result
    /// must not depend on how fast memory comes.
    pub(super) fn extent(&self, settings: &Settings) -> Extent {
        let is_timed = self.clock.is_some() || self.movetime.is_some();
        let is_counted = self.depth.is_some() || self.nodes.is_some() || self.soft_nodes.is_some();
        let is_exact = if is_timed {
            settings.nodes_time > 0
        } else {
            is_counted
        };
        if is_exact {
            Extent::Whole
        } else {
            Extent::Supplied
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            clock: None,
            movetime: None,
            depth: None,
            nodes: None,
            soft_nodes: None,
            infinite: false,
            ponder: false,
            search_moves: Vec::new(),
            start: Instant::now(),
        }
    }
}
