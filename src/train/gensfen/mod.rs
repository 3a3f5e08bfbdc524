//! Teacher data: the engine plays against itself, fast and with many different beginnings, and writes every position with
//! the move, the score and the result of the game.
//!
//! Each thread plays whole games with a searcher and a table of its own (`YaneuraOu`'s shared table brought wrong values
//! from game to game in 2018). A game depends on the settings and on its number only, so with one thread a run that was
//! broken off and went on has the same bytes as one that was not.
//!
//! Start reading in `game.rs`; `archive.rs` keeps what is played. The recipe (soft node limit, random first moves that are
//! judged by a search, adjudication with some games played out) is that of Stoat, Viridithas and `YaneuraOu`'s `gensfen`,
//! whose names of options are used where they mean the same.

mod archive;
mod entering;
mod game;
mod opening;
mod outcome;
mod packing;
mod random;
mod score;
mod seen;
mod settings;
mod starts;
mod tally;

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, ScopedJoinHandle, scope};

use thiserror::Error;

use crate::eval::Evaluator;
use crate::search::SOLO_STACK_BYTES;
use crate::transposition::TableError;
use crate::types::{EnteringKingRule, EnteringKingRuleError};

pub use archive::{Archive, ArchiveError};
pub use outcome::Reason;
pub use settings::{
    Diversions, Effort, Endings, EnteringKings, GensfenSettings, HARD_FACTOR, Openings, Shard,
    Writing,
};
pub use starts::{Starts, StartsError};
pub use tally::{Entry, Tally};

pub(super) use game::choose;
pub(super) use random::{Purpose, generator};

use game::{PlayedGame, Player};

/// What ends a run before its time.
#[derive(Debug, Error)]
pub enum GensfenError {
    /// The folder.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The rule of declarations.
    #[error(transparent)]
    Rule(#[from] EnteringKingRuleError),
    /// Memory.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refuses a thread.
    #[error("no thread {number} can be started: {source}")]
    Thread {
        /// Which one, from 1.
        number: usize,
        /// Why.
        source: std::io::Error,
    },
    /// A bug.
    #[error("a thread panicked; its last words stand above")]
    Panic,
    /// The settings leave nothing to begin with.
    #[error(
        "game {game}: {attempts} openings were tried, and none is both unfinished and within {limit} centipawns; expected a higher limit, or fewer random plies"
    )]
    NoOpening {
        /// The number of the game.
        game: u64,
        /// How many were tried.
        attempts: u64,
        /// What no side may be ahead by.
        limit: u32,
    },
    /// A bug.
    #[error("the search has no move in {0}, expected one because there is a legal one")]
    NoMove(String),
}

/// What the games of a run begin from. The settings name the files.
#[derive(Clone, Debug)]
pub struct Beginnings {
    /// For most games.
    pub roots: Starts,
    /// For some, see [`EnteringKings`].
    pub entering_kings: Option<Starts>,
}

/// How far a run goes, and on how many threads: what may change when it goes on.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Games at a time.
    pub threads: usize,
    /// Games in all, over all shards.
    pub games: Option<u64>,
    /// No game begins when so many positions have been written here.
    pub positions: Option<u64>,
}

/// Who watches a run, and may end it.
pub trait Onlooker: Sync {
    /// Whether no new game may begin.
    fn asks_to_finish(&self) -> bool;
    /// Whether the running games are to be broken off as well, and thrown away.
    fn asks_to_abort(&self) -> bool;
    /// Called after every game.
    fn show(&self, tally: &Tally);
}

/// Plays games until there are enough or somebody asks to end. `entries` are those that the archive holds already.
///
/// # Errors
/// The settings make no sense, the files cannot be written, or memory is short. What was played is kept.
pub fn run(
    settings: &GensfenSettings,
    beginnings: &Beginnings,
    evaluator: &Evaluator,
    extent: &Extent,
    archive: Archive,
    entries: &[Entry],
    onlooker: &dyn Onlooker,
) -> Result<Tally, GensfenError> {
    let rule: EnteringKingRule = settings.endings.entering_king.parse()?;
    let hall = Hall {
        desk: Mutex::new(Desk::new(archive, entries)),
        settings,
        rule,
        evaluator,
        beginnings,
        extent,
        onlooker,
    };
    scope(|scope| {
        let mut threads: Vec<ScopedJoinHandle<'_, ()>> = Vec::new();
        for index in 0..extent.threads.max(1) {
            let hall = &hall;
            let builder = Builder::new()
                .name(format!("gensfen-{index}"))
                .stack_size(SOLO_STACK_BYTES);
            match builder.spawn_scoped(scope, move || hall.work()) {
                Ok(thread) => threads.push(thread),
                Err(source) => hall.fail(GensfenError::Thread {
                    number: index + 1,
                    source,
                }),
            }
        }
        for thread in threads {
            if thread.join().is_err() {
                hall.fail(GensfenError::Panic);
            }
        }
    });
    let desk = hall
        .desk
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    desk.error.map_or(Ok(desk.tally), Err)
}

/// Where the threads meet.
struct Hall<'a> {
    desk: Mutex<Desk>,
    settings: &'a GensfenSettings,
    rule: EnteringKingRule,
    evaluator: &'a Evaluator,
    beginnings: &'a Beginnings,
    extent: &'a Extent,
    onlooker: &'a dyn Onlooker,
}

/// What they share.
struct Desk {
    archive: Archive,
    tally: Tally,
    /// Games that were played before, and lie above `next`.
    done: HashSet<u64>,
    next: u64,
    /// The first thing that went wrong; the others end then, too.
    error: Option<GensfenError>,
}

impl Desk {
    fn new(archive: Archive, entries: &[Entry]) -> Self {
        let mut tally = Tally::default();
        for entry in entries {
            tally.add(entry);
        }
        Self {
            archive,
            tally,
            done: entries.iter().map(|entry| entry.game).collect(),
            next: 0,
            error: None,
        }
    }
}

impl Hall<'_> {
    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, error: GensfenError) {
        self.lock().error.get_or_insert(error);
    }

    /// One thread's games.
    fn work(&self) {
        let evaluator = self.evaluator.clone();
        let mut player = match Player::new(self.settings, self.rule, evaluator, self.beginnings) {
            Ok(player) => player,
            Err(error) => return self.fail(error),
        };
        while let Some(number) = self.next_game() {
            let is_aborted = || self.onlooker.asks_to_abort();
            match player.play(number, &is_aborted) {
                Ok(Some(game)) => self.keep(game),
                Ok(None) => return,
                Err(error) => self.fail(error),
            }
        }
    }

    /// The number of the next game that is to be played here.
    fn next_game(&self) -> Option<u64> {
        let mut desk = self.lock();
        let has_enough = self
            .extent
            .positions
            .is_some_and(|positions| desk.tally.written >= positions);
        if desk.error.is_some() || has_enough || self.onlooker.asks_to_finish() {
            return None;
        }
        loop {
            let number = desk.next;
            if self.extent.games.is_some_and(|games| number >= games) {
                return None;
            }
            desk.next += 1;
            if self.settings.shard.has(number) && !desk.done.remove(&number) {
                return Some(number);
            }
        }
    }

    fn keep(&self, game: PlayedGame) {
        let mut desk = self.lock();
        match desk.archive.append(game) {
            Ok(entry) => {
                desk.tally.add(&entry);
                self.onlooker.show(&desk.tally);
            }
            Err(error) => {
                desk.error.get_or_insert(error.into());
            }
        }
    }
}
