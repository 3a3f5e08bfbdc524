//! Teacher data by self-play: fast games from many different openings, of which every position is
//! written with its move, its score and the result of the game.
//!
//! Each thread plays whole games with a searcher and a table of its own (with `YaneuraOu`'s shared
//! table, wrong values spread from game to game in 2018). A game depends only on the settings and
//! its number, so with one thread an interrupted and resumed run writes the same bytes as an
//! uninterrupted one.
//!
//! [`run`] begins, `game` plays, `archive` writes. The recipe (soft node limit, random first moves
//! that are judged by a search, adjudication with some games played out) is that of Stoat,
//! Viridithas and `YaneuraOu`'s `gensfen`; options with the same meaning have the names of the
//! latter.

mod archive;
mod game;
mod outcome;
mod settings;

use thiserror::Error;

use crate::eval::Evaluator;
use crate::openings::{OpeningError, StartPositions};
use crate::runs::{Execution, FolderError, Job, Numbers, Plan, Shard, Stop, ThreadError, execute};
use crate::search::SOLO_STACK_BYTES;
use crate::transposition::TableError;
use crate::types::{EnteringKingRule, EnteringKingRuleError};
use game::{PlayedGame, Player};

pub use archive::{Archive, Entry, Place, Tally, TreeEntry};
pub(super) use game::choose;
pub use outcome::Reason;
pub use settings::{
    Diversions, Effort, Endings, Gaps, GensfenSettings, HARD_FACTOR, TreeSampling, Writing,
};

/// Number of consecutive games without a new position after which a run without a number of games
/// ends: it would play the same games for ever.
const FRUITLESS_GAMES: u64 = 300;

/// What determines the games.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The settings, which are kept with the games.
    pub settings: &'a GensfenSettings,
    /// The start positions that the settings name.
    pub starts: &'a StartPositions,
    /// The evaluation that the settings name.
    pub evaluator: &'a Evaluator,
}

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
    let done = entries.iter().map(|entry| entry.game);
    let mut schedule = Schedule {
        numbers: Numbers::new(limits.games, run.settings.shard, done),
        limits,
        fruitless: 0,
        archive,
        tally: Tally::of(entries),
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

/// Why a run of self-play fails. Finished games stay kept.
#[derive(Debug, Error)]
pub enum GensfenError {
    /// The run folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The settings name an unknown rule for declarations.
    #[error(transparent)]
    Rule(#[from] EnteringKingRuleError),
    /// There is too little memory for a transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// No opening within the limits of the settings was found.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Game after game has no position to write. Holds their number.
    #[error(
        "{0} games in a row have no new position: expected more random plies or roots, or more \
        nodes"
    )]
    NothingNew(u64),
    /// The search returned no move although there is a legal one, which is a bug. Holds the SFEN.
    #[error("the search has no move in {0}, expected one because there is a legal one")]
    NoMove(String),
}
