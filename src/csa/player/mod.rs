//! The engine of a client: our own, or the program of another. Neither blocks its caller for longer
//! than a search takes to stop.
//!
//! A session commands it with [`EngineCommand`] and gets [`Report`]s, whichever of both it is.

mod inside;
mod program;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::clock::Delays;
use crate::records::{SfenLine, Thought};
use crate::search::Clock;
use crate::types::{EnteringKingRule, Move};
use crate::usi::client::Program;
use inside::Inside;
use program::Driver;

/// Which engine plays, and how.
#[derive(Clone, Debug)]
pub struct PlayerSettings {
    /// The program; `None` for the engine inside.
    pub program: Option<Program>,
    /// USI options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Whether it ponders.
    pub ponders: bool,
    /// Longest time for `usiok` and `readyok` of a program.
    pub ready_timeout: Duration,
}

/// A running engine.
pub(super) enum Player {
    Inside(Box<Inside>),
    Program(Driver),
}

impl Player {
    /// Starts the engine, and waits until it is ready or `is_given_up`.
    ///
    /// # Errors
    /// It does not start, or does not take an option.
    pub(super) fn start(
        settings: &PlayerSettings,
        on_word: OnWord,
        is_given_up: &dyn Fn() -> bool,
    ) -> anyhow::Result<Self> {
        Ok(match &settings.program {
            None => Self::Inside(Box::new(Inside::start(settings, on_word)?)),
            Some(program) => Self::Program(Driver::start(program, settings, on_word, is_given_up)?),
        })
    }

    pub(super) fn perform(&mut self, command: EngineCommand) {
        match self {
            Self::Inside(inside) => inside.perform(command),
            Self::Program(driver) => driver.perform(command),
        }
    }
}

// --- What a session asks of an engine, and what the engine says ---

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

/// A position to search, with its clocks.
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
    /// The search that it is about.
    pub search: SearchId,
    /// What is reported.
    pub content: Content,
}

/// The content of a [`Report`].
#[derive(Clone, Debug)]
pub enum Content {
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

/// What a player says.
#[derive(Debug)]
pub(super) enum Word {
    /// It is prepared for a game, or cannot be.
    Prepared(Prepared),
    /// It reports about a search.
    Report(Report),
    /// Something that the user may want to know.
    Note(String),
}

/// Takes the words of a player, on any thread.
pub(super) type OnWord = Box<dyn Fn(Word) + Send + Sync>;
