//! Teacher data by self-play: fast games from many different openings, of which every position is
//! written with its move, its score and the result of the game.
//!
//! Each thread plays whole games with a searcher and a table of its own (with `YaneuraOu`'s shared
//! table, wrong values spread from game to game in 2018). A game depends only on the settings and
//! its number, so with one thread an interrupted and resumed run writes the same bytes as an
//! uninterrupted one.
//!
//! Start reading in `game.rs`; `archive.rs` writes the games. The recipe (soft node limit, random
//! first moves that are judged by a search, adjudication with some games played out) is that of
//! Stoat, Viridithas and `YaneuraOu`'s `gensfen`; options with the same meaning have the names of
//! the latter.

mod archive;
mod beginnings;
mod entering;
mod error;
mod game;
mod opening;
mod outcome;
mod packing;
mod random;
mod run;
mod score;
mod seen;
mod series;
mod settings;
mod start;
mod starts;
mod tally;
mod tree;

use crate::runs::{Execution, Job, Numbers, Plan, Shard, Stop, execute};
use crate::search::SOLO_STACK_BYTES;
use crate::types::EnteringKingRule;

pub use archive::Archive;
pub use beginnings::Beginnings;
pub use error::{ArchiveError, GensfenError};
pub use outcome::Reason;
pub use run::Run;
pub use series::Place;
pub use settings::{
    Diversions, Effort, Endings, EnteringKings, Gaps, GensfenSettings, HARD_FACTOR, Openings,
    TreeSampling, Writing,
};
pub use starts::{Starts, StartsError};
pub use tally::{Entry, Tally, TreeEntry};

pub(super) use game::choose;
pub(super) use random::{Purpose, generator};
pub(super) use score::centipawns;

use game::{PlayedGame, Player};

/// Number of consecutive games without a new position after which a run without a number of games
/// ends: it would play the same games for ever.
const FRUITLESS_GAMES: u64 = 300;

/// The length of a run and its number of threads: settings that may change when the run is resumed.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// Number of games at a time.
    pub threads: usize,
    /// Total number of games over all shards; `None` for no limit.
    pub games: Option<u64>,
    /// Number of positions in this folder after which no further game begins; `None` for no limit.
    pub positions: Option<u64>,
}

impl RunLimits {
    /// Whether a run with this tally is complete: a limit is reached, or there is none.
    pub fn are_reached(&self, shard: Shard, tally: &Tally) -> bool {
        let games = self.games.map(|games| tally.games >= shard.share_of(games));
        let positions = self.positions.map(|positions| tally.written >= positions);
        games.into_iter().chain(positions).reduce(|a, b| a || b) != Some(false)
    }
}

/// Plays games until the limits are reached or `stop` is requested. `entries` are the games that
/// the archive holds already; `on_game` gets the tally after each game.
///
/// # Errors
/// The settings are not valid, a file cannot be written, or there is too little memory.
pub fn run(
    run: &Run<'_>,
    limits: &RunLimits,
    archive: Archive,
    entries: &[Entry],
    stop: &Stop,
    on_game: &(dyn Fn(&Tally) + Sync),
) -> Result<Tally, GensfenError> {
    let games = Games {
        rule: run.settings.endings.entering_king.parse()?,
        run: *run,
        stop,
    };
    let mut tally = Tally::default();
    for entry in entries {
        tally.add(entry);
    }
    let done = entries.iter().map(|entry| entry.game);
    let mut schedule = Schedule {
        numbers: Numbers::new(limits.games, run.settings.shard, done),
        limits,
        fruitless: 0,
        archive,
        tally,
        on_game,
    };
    let execution = Execution {
        threads: limits.threads,
        name: "gensfen",
        stack_bytes: Some(SOLO_STACK_BYTES),
        stop,
    };
    execute(&games, &mut schedule, &execution)?;
    Ok(schedule.tally)
}

/// The games of a run as a [`Job`].
struct Games<'a> {
    run: Run<'a>,
    rule: EnteringKingRule,
    stop: &'a Stop,
}

impl<'a> Job for Games<'a> {
    type Worker = Player<'a>;
    type Piece = u64;
    type Output = PlayedGame;
    type Error = GensfenError;

    fn worker(&self) -> Result<Player<'a>, GensfenError> {
        Player::new(self.run, self.rule)
    }

    fn perform(
        &self,
        player: &mut Player<'a>,
        &number: &u64,
    ) -> Result<Option<PlayedGame>, GensfenError> {
        player.play(number, &|| self.stop.is_abort())
    }
}

/// The order of the games, and their results.
struct Schedule<'a> {
    numbers: Numbers,
    limits: &'a RunLimits,
    /// Number of games since the last one of which a position was written.
    fruitless: u64,
    archive: Archive,
    tally: Tally,
    on_game: &'a (dyn Fn(&Tally) + Sync),
}

impl Plan<Games<'_>> for Schedule<'_> {
    fn next(&mut self) -> Result<Option<u64>, GensfenError> {
        let has_enough = self
            .limits
            .positions
            .is_some_and(|positions| self.tally.written >= positions);
        Ok(if has_enough {
            None
        } else {
            self.numbers.next()
        })
    }

    fn keep(&mut self, _: u64, game: PlayedGame) -> Result<(), GensfenError> {
        let entry = self.archive.append(game)?;
        self.tally.add(&entry);
        (self.on_game)(&self.tally);
        self.fruitless = if entry.written == 0 {
            self.fruitless + 1
        } else {
            0
        };
        if self.limits.games.is_none() && self.fruitless >= FRUITLESS_GAMES {
            return Err(GensfenError::NothingNew(self.fruitless));
        }
        Ok(())
    }
}
