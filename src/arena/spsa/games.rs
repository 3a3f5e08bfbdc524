//! Games between two processes of one engine, one with the values of the plus side and one with those of the minus side.
//!
//! A pair of processes plays one iteration at a time and is kept for the next. What hangs or ends loses its game and is
//! started anew; only an engine that cannot be got ready ends the run.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::super::game::{self, PlayedGame, Surroundings};
use super::super::heartbeat::Heartbeat;
use super::super::openings::{Opening, OpeningError, OpeningSettings, Openings};
use super::super::player::Player;
use super::super::referee::{Reason, Rules};
use super::super::settings::{EngineSettings, Fixture, Format, MatchSettings};
use super::{DeclarationError, Objective, Parameter, Value, declaration};
use crate::runs::Stop;
use crate::usi::client::ClientError;

/// After so many openings the first one comes again. A run that goes on has to make those before it once more, which
/// takes seconds; other values play them by then.
const OPENINGS: u64 = 1000;

/// What is played for an iteration. Together with the parameters and the seed it decides the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameSettings {
    /// The engine.
    pub engine: EngineSettings,
    /// The rules.
    pub rules: Rules,
    /// Where the games begin.
    pub openings: OpeningSettings,
    /// Pairs of games for each iteration.
    pub pairs: u32,
}

/// Whose values a process plays with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Moved along the coins.
    Plus,
    /// Moved against the coins.
    Minus,
}

/// A game that a side lost by what no engine should do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The iteration.
    pub iteration: u64,
    /// The game, counted from 1 in its iteration.
    pub game: u32,
    /// The side at fault.
    pub side: Side,
    /// What it did.
    pub reason: Reason,
    /// In words.
    pub detail: String,
    /// Its values, as `NAME=VALUE`.
    pub values: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            iteration,
            game,
            reason,
            detail,
            ..
        } = self;
        let side = match self.side {
            Side::Plus => "plus",
            Side::Minus => "minus",
        };
        let values = self.values.join(" ");
        write!(
            f,
            "iteration {iteration}, game {game}, the {side} side with {values}: {reason}, {detail}"
        )
    }
}

/// What happens in the games of a run.
pub enum GameEvent<'a> {
    /// A game was lost by a fault; with the last lines that were said to the engine and by it.
    Fault(&'a Fault, Vec<String>),
    /// Something that the user should know.
    Note(String),
}

/// Why an iteration cannot be played, or none at all.
#[derive(Debug, Error)]
pub enum GamesError {
    /// The engine cannot be started.
    #[error("engine {name}: {source}")]
    Engine {
        /// Its name.
        name: String,
        /// Why.
        source: ClientError,
    },
    /// The engine does not have what is to be tuned.
    #[error("engine {name}: {source}")]
    Declaration {
        /// Its name.
        name: String,
        /// What is wrong.
        source: DeclarationError,
    },
    /// The engine was started, but not with these values.
    #[error("engine {name} with {values} could not be got ready: {source}")]
    NotReady {
        /// Its name.
        name: String,
        /// `NAME=VALUE`, separated by spaces.
        values: String,
        /// Why.
        source: ClientError,
    },
    /// The openings cannot be had.
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

/// The engine and the openings, found fit for the parameters.
pub struct Games {
    engine: String,
    program: String,
    /// Of the parameters.
    names: Vec<String>,
    pairs: u32,
    /// A match without end of the plus side, which is engine 0, against the minus side.
    pairing: MatchSettings,
    openings: Mutex<Openings>,
    heartbeat: Heartbeat,
    /// Pairs of processes that nobody plays with.
    free: Mutex<Vec<Table>>,
}

/// The processes of a pair, by side.
type Table = [Option<Player>; 2];

/// The values of one side as options.
type Options = Vec<(String, String)>;

/// Games that can be stopped and watched: what [`super::run`] asks for.
pub struct Session<'a> {
    /// What is played.
    pub games: &'a Games,
    /// How it is told to end.
    pub stop: &'a Stop,
    /// Sees what happens.
    pub on_event: &'a (dyn Fn(GameEvent<'_>) + Sync),
}

impl Games {
    /// Starts the engine once and looks at its options and at the openings, so that what cannot work is an error now.
    ///
    /// # Errors
    /// The engine cannot be started or lacks an option, or there are no openings.
    pub fn new(
        settings: &GameSettings,
        parameters: &[Parameter],
        stop: &Stop,
    ) -> Result<Self, GamesError> {
        let engine = &settings.engine;
        let name = || engine.name.clone();
        let player = Player::start(engine, &settings.rules, false, stop).map_err(|source| {
            let name = name();
            GamesError::Engine { name, source }
        })?;
        declaration::check(parameters, player.declared_options(), &engine.options).map_err(
            |source| {
                let name = name();
                GamesError::Declaration { name, source }
            },
        )?;
        let names = parameters.iter().map(|parameter| parameter.name.clone());
        Ok(Self {
            engine: name(),
            program: player.program_name().to_owned(),
            names: names.collect(),
            pairs: settings.pairs,
            pairing: pairing(settings),
            openings: Mutex::new(Openings::new(&settings.openings)?),
            heartbeat: Heartbeat::start(),
            free: Mutex::new(vec![[Some(player), None]]),
        })
    }

    /// What the engine calls itself.
    pub fn program_name(&self) -> &str {
        &self.program
    }

    /// Ends the processes, all at a time as each may need some.
    pub fn close(self) {
        let free = self.free.into_inner();
        let tables = free.unwrap_or_else(PoisonError::into_inner);
        thread::scope(|scope| {
            for player in tables.into_iter().flatten().flatten() {
                scope.spawn(|| player.quit());
            }
        });
    }

    fn options(&self, values: &[Value]) -> Options {
        let values = values.iter().map(ToString::to_string);
        self.names.iter().cloned().zip(values).collect()
    }

    fn opening(&self, pair: u64) -> Result<Opening, OpeningError> {
        let index = (pair % OPENINGS) as usize;
        let mut openings = lock(&self.openings);
        // Some know how many they are only when they are all used.
        let is_there = openings.get(index).is_ok();
        let index = match openings.known() {
            Some(count) if !is_there && count > 0 => index % count,
            _ => index,
        };
        openings.get(index).cloned()
    }
}

/// The engine against itself.
fn pairing(settings: &GameSettings) -> MatchSettings {
    let engine = |name: &str| EngineSettings {
        name: name.to_owned(),
        ..settings.engine.clone()
    };
    MatchSettings {
        engines: vec![engine("plus"), engine("minus")],
        format: Format::RoundRobin,
        games: None,
        rules: settings.rules.clone(),
        openings: settings.openings.clone(),
        ponder: false,
        check_pv: false,
        sprt: None,
        shard: None,
    }
}

impl Objective for Session<'_> {
    type Error = GamesError;

    fn play(
        &self,
        iteration: u64,
        plus: &[Value],
        minus: &[Value],
    ) -> Result<Option<f64>, GamesError> {
        let games = self.games;
        let sides = [plus, minus].map(|values| games.options(values));
        let mut table = lock(&games.free).pop().unwrap_or_default();
        let mut difference = 0;
        let pairs = u64::from(games.pairs);
        for pair in (iteration - 1) * pairs..iteration * pairs {
            let opening = games.opening(pair)?;
            for fixture in games.pairing.pair(pair) {
                if self.stop.is_abort() {
                    return Ok(None);
                }
                match self.seat(iteration, &sides, &mut table) {
                    Err(_) if self.stop.is_abort() => return Ok(None),
                    seated => seated?,
                }
                let Some(played) = self.play_game(fixture, &opening, &mut table) else {
                    // Who is still thinking about a game that is over is of no use for another; dropping ends it.
                    return Ok(None);
                };
                difference += self.result(iteration, fixture, &played, &sides, &mut table);
            }
        }
        lock(&games.free).push(table);
        Ok(Some(f64::from(difference)))
    }
}

impl Session<'_> {
    /// Gets both processes ready with the values of their sides, if need be by starting them anew.
    fn seat(
        &self,
        iteration: u64,
        sides: &[Options; 2],
        table: &mut Table,
    ) -> Result<(), GamesError> {
        let MatchSettings { engines, rules, .. } = &self.games.pairing;
        let engine = &engines[0];
        for (options, seat) in sides.iter().zip(table) {
            if let Some(player) = seat {
                match prepare(player, options, self.stop) {
                    Ok(()) => continue,
                    Err(error) => (self.on_event)(GameEvent::Note(format!(
                        "a process was not ready for iteration {iteration} and is started anew: {error}"
                    ))),
                }
                *seat = None;
            }
            let started = Player::start(engine, rules, false, self.stop).and_then(|mut player| {
                prepare(&mut player, options, self.stop)?;
                Ok(player)
            });
            let player = started.map_err(|source| GamesError::NotReady {
                name: self.games.engine.clone(),
                values: assignments(options).join(" "),
                source,
            })?;
            *seat = Some(player);
        }
        Ok(())
    }

    /// `None` if it was broken off.
    fn play_game(
        &self,
        fixture: Fixture,
        opening: &Opening,
        table: &mut Table,
    ) -> Option<PlayedGame> {
        let around = Surroundings {
            settings: &self.games.pairing,
            heartbeat: &self.games.heartbeat,
            stop: self.stop,
        };
        let [Some(plus), Some(minus)] = table else {
            unreachable!("both sides are seated before a game");
        };
        let mut seated = if fixture.is_second() {
            [minus, plus]
        } else {
            [plus, minus]
        };
        game::play(&around, fixture, opening, &mut seated)
    }

    /// The points that the plus side made more. Says so if the game was lost by a fault, and ends what no longer answers.
    fn result(
        &self,
        iteration: u64,
        fixture: Fixture,
        played: &PlayedGame,
        sides: &[Options; 2],
        table: &mut Table,
    ) -> i32 {
        let Some(winner) = played.verdict.winner else {
            return 0;
        };
        let loser = fixture.players[(!winner).index()];
        let reason = played.verdict.reason;
        if reason.is_fault() {
            let dialogue = table[loser].as_ref().map(Player::dialogue);
            let fault = Fault {
                iteration,
                game: 1 + (fixture.game % (2 * u64::from(self.games.pairs))) as u32,
                side: [Side::Plus, Side::Minus][loser],
                reason,
                detail: played.verdict.detail.clone(),
                values: assignments(&sides[loser]),
            };
            (self.on_event)(GameEvent::Fault(&fault, dialogue.unwrap_or_default()));
        }
        if matches!(reason, Reason::Hang | Reason::Crash) {
            table[loser] = None;
        }
        if fixture.color_of(0) == Some(winner) {
            1
        } else {
            -1
        }
    }
}

fn prepare(player: &mut Player, options: &Options, stop: &Stop) -> Result<(), ClientError> {
    player.set_options(options)?;
    player.new_game(stop)
}

fn assignments(options: &Options) -> Vec<String> {
    let assignment = |(name, value): &(String, String)| format!("{name}={value}");
    options.iter().map(assignment).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
