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
mod beginnings;
mod entering;
mod error;
mod game;
mod opening;
mod outcome;
mod packing;
mod random;
mod score;
mod seen;
mod settings;
mod start;
mod starts;
mod tally;

use crate::eval::Evaluator;
use crate::runs::{Execution, Job, Numbers, Plan, Stop, execute};
use crate::search::SOLO_STACK_BYTES;
use crate::types::EnteringKingRule;

pub use archive::Archive;
pub use beginnings::Beginnings;
pub use error::{ArchiveError, GensfenError};
pub use outcome::Reason;
pub use settings::{
    Diversions, Effort, Endings, EnteringKings, GensfenSettings, HARD_FACTOR, Openings, Writing,
};
pub use starts::{Starts, StartsError};
pub use tally::{Entry, Tally};

pub(super) use game::choose;
pub(super) use random::{Purpose, generator};

use game::{PlayedGame, Player};

/// How far a run goes, and on how many threads: what may change when it goes on.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// Games at a time.
    pub threads: usize,
    /// Games in all, over all shards.
    pub games: Option<u64>,
    /// No game begins when so many positions have been written here.
    pub positions: Option<u64>,
}

/// Plays games until there are enough or `stop` asks to end. `entries` are those that the archive
/// holds already; `on_game` sees the sums after each game.
///
/// # Errors
/// The settings make no sense, the files cannot be written, or memory is short. What was played is kept.
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
        positions: limits.positions,
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

/// What decides the games.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Kept beside the games.
    pub settings: &'a GensfenSettings,
    /// The positions that the settings name.
    pub beginnings: &'a Beginnings,
    /// The evaluation that they name.
    pub evaluator: &'a Evaluator,
}

/// Plays games.
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
        let Run {
            settings,
            beginnings,
            evaluator,
        } = self.run;
        Player::new(settings, self.rule, evaluator.clone(), beginnings)
    }

    fn perform(
        &self,
        player: &mut Player<'a>,
        &number: &u64,
    ) -> Result<Option<PlayedGame>, GensfenError> {
        player.play(number, &|| self.stop.is_abort())
    }
}

/// Which game comes next, and what has come of those before.
struct Schedule<'a> {
    numbers: Numbers,
    /// No game begins when as many positions have been written.
    positions: Option<u64>,
    archive: Archive,
    tally: Tally,
    on_game: &'a (dyn Fn(&Tally) + Sync),
}

impl Plan<Games<'_>> for Schedule<'_> {
    fn next(&mut self) -> Result<Option<u64>, GensfenError> {
        let has_enough = self
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
        Ok(())
    }
}
