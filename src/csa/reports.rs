//! What a session asks of an engine, and what the engine says. No protocol of either side.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::clock::Delays;
use crate::records::game::Thought;
use crate::records::sfen_line::SfenLine;
use crate::search::Clock;
use crate::types::{EnteringKingRule, Move};

/// Identifies a search; no two searches of a run have the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SearchId(u64);

impl SearchId {
    /// An id that no search had before.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The rules of a game that an engine should know before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRules {
    /// The id of the game.
    pub game: String,
    /// The game is drawn or worthless after this many moves; `None` without a limit.
    pub max_moves: Option<u32>,
    /// The rule of declarations.
    pub declaration: EnteringKingRule,
}

/// The end of a preparation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// The id of the game. A slow engine can end the preparation for a game that is over.
    pub game: String,
    /// Why the engine cannot play, if it cannot.
    pub result: Result<(), String>,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its id, which the answers carry.
    pub search: SearchId,
    /// The game up to the position to search.
    pub line: SfenLine,
    /// The clocks; `None` to ponder before they are known.
    pub clock: Option<Clock>,
    /// Time to keep back for the network.
    pub delays: Delays,
    /// The longest measured round trip, for engines that do not know the delays.
    pub round_trip: Duration,
    /// Whether to ponder: the clock runs from [`EngineCommand::PonderHit`] on.
    pub ponders: bool,
    /// When the thinking time began.
    pub since: Instant,
}

/// A command to the engine.
#[derive(Clone, Debug)]
pub enum EngineCommand {
    /// Prepare for a game and report when it is done.
    Prepare(GameRules),
    /// Search; a running search is dropped.
    Search(Box<Task>),
    /// The opponent made the move on which this search ponders.
    PonderHit {
        /// The search.
        search: SearchId,
        /// The clocks.
        clock: Clock,
    },
    /// Answer a running search now.
    Stop,
    /// The game is over: `win`, `lose` or `draw`.
    GameOver(&'static str),
}

/// What the engine says about a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// The search.
    pub search: SearchId,
    /// The content.
    pub content: Content,
}

/// The content of a [`Report`].
#[derive(Clone, Debug)]
pub enum Content {
    /// The longest time that the engine plans to use, from the start of the turn.
    Plan(Duration),
    /// The best line so far.
    Thought(Thought),
    /// The end of the search.
    Answer(Answer),
}

/// What the engine decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Play a move.
    Move {
        /// The move.
        best: Move,
        /// The expected reply.
        ponder: Option<Move>,
    },
    /// Resign.
    Resign,
    /// Declare a win by entering king.
    Declare,
    /// There is no usable answer, for the stated reason.
    Fault(String),
}
