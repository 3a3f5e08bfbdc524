//! Games between two processes of an engine, with the values of the plus and of the minus side.
//!
//! A pair of processes plays one iteration at a time and is reused afterwards. A process that hangs
//! or exits loses its game and is restarted; only an engine that cannot be prepared ends the run.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::anyhow;
use serde::{Deserialize, Serialize};

use super::super::game::{self, GameContext, PlayedGame};
use super::super::heartbeat::Heartbeat;
use super::super::player::Player;
use super::super::referee::{Reason, Rules};
use super::super::settings::{EngineSettings, Fixture, Format, MatchSettings};
use super::{Objective, Parameter, Value};
use crate::openings::{OpeningError, OpeningSettings, Openings};
use crate::records::sfen_line::SfenLine;
use crate::runs::Stop;
use crate::usi::client::ClientError;

/// Number of openings that are played before they repeat. A resumed run has to make them again,
/// which takes seconds; by the time they repeat, other values play them.
const OPENINGS: u64 = 1000;

/// The settings of the games. Together with the parameters and the seed they determine the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameSettings {
    /// The engine that plays both sides.
    pub engine: EngineSettings,
    /// The rules of the games.
    pub rules: Rules,
    /// The openings of the games.
    pub openings: OpeningSettings,
    /// Number of game pairs per iteration.
    pub pairs: u32,
}

/// One of the two sides of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The values in the direction of the perturbation.
    Plus,
    /// The values in the opposite direction.
    Minus,
}

/// A game that a side lost by a fault of the engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// Number of the iteration, from 1.
    pub iteration: u64,
    /// Number of the game within its iteration, from 1.
    pub game: u32,
    /// The side at fault.
    pub side: Side,
    /// The kind of fault.
    pub reason: Reason,
    /// Details of the fault for people.
    pub detail: String,
    /// The values of that side, as `NAME=VALUE`.
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

/// An event in the games of a run.
pub enum GameEvent<'a> {
    /// A game was lost by a fault; with the last lines of the dialogue of the engine.
    Fault(&'a Fault, Vec<String>),
    /// A note for the user.
    Note(String),
}

/// The engine and the openings, checked against the parameters.
pub struct Games {
    engine: String,
    program: String,
    /// Names of the parameters.
    names: Vec<String>,
    pairs: u32,
    /// An endless match of the plus side, which is engine 0, against the minus side.
    pairing: MatchSettings,
    openings: Mutex<Openings>,
    heartbeat: Heartbeat,
    /// Pairs of processes that are not in use.
    idle: Mutex<Vec<PlayerPair>>,
}

/// The processes of a pair, indexed by side.
type PlayerPair = [Option<Player>; 2];

/// The values of one side as USI options.
type Options = Vec<(String, String)>;

/// The [`Objective`] that plays the games, with the request to stop and the receiver of events.
pub struct Session<'a> {
    /// The engine and the openings.
    pub games: &'a Games,
    /// The request to end.
    pub stop: &'a Stop,
    /// Called with each event, on the thread that plays.
    pub on_event: &'a (dyn Fn(GameEvent<'_>) + Sync),
}

impl Games {
    /// Starts the engine once, and checks its options and the openings before the run begins.
    ///
    /// # Errors
    /// The engine cannot be started or lacks an option, or there are no openings.
    pub fn new(
        settings: &GameSettings,
        parameters: &[Parameter],
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        let engine = &settings.engine;
        let fault = |text: String| anyhow!("engine {}: {text}", engine.name);
        let player = Player::start(engine, &settings.rules, false, stop)
            .map_err(|error| fault(error.to_string()))?;
        for parameter in parameters {
            parameter
                .check_declared(player.declared_options(), &engine.options)
                .map_err(fault)?;
        }
        let mut openings = Openings::new(&settings.openings, &settings.rules)?;
        openings.check_length(settings.rules.max_moves)?;
        let names = parameters.iter().map(|parameter| parameter.name.clone());
        Ok(Self {
            engine: engine.name.clone(),
            program: player.program_name().to_owned(),
            names: names.collect(),
            pairs: settings.pairs,
            pairing: pairing(settings),
            openings: Mutex::new(openings),
            heartbeat: Heartbeat::start(),
            idle: Mutex::new(vec![[Some(player), None]]),
        })
    }

    /// The name that the engine reports with `id name`.
    pub fn program_name(&self) -> &str {
        &self.program
    }

    /// What is wrong with the openings, as [`Openings::warning`].
    pub fn warning(&self) -> Option<String> {
        lock(&self.openings).warning().map(str::to_owned)
    }

    /// Ends all processes, in parallel because each may take some time.
    pub fn close(self) {
        let idle = self.idle.into_inner();
        let pairs = idle.unwrap_or_else(PoisonError::into_inner);
        thread::scope(|scope| {
            for player in pairs.into_iter().flatten().flatten() {
                scope.spawn(|| player.quit());
            }
        });
    }

    fn options(&self, values: &[Value]) -> Options {
        let values = values.iter().map(ToString::to_string);
        self.names.iter().cloned().zip(values).collect()
    }

    fn opening(&self, pair: u64) -> Result<SfenLine, OpeningError> {
        let index = (pair % OPENINGS) as usize;
        lock(&self.openings).get_in_turn(index).cloned()
    }
}

/// The settings of a match of the engine against itself.
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
        sprt: None,
        shard: None,
    }
}

impl Objective for Session<'_> {
    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> anyhow::Result<Option<f64>> {
        let games = self.games;
        let sides = [plus, minus].map(|values| games.options(values));
        let mut players = lock(&games.idle).pop().unwrap_or_default();
        let mut difference = 0;
        let pairs = u64::from(games.pairs);
        for pair in (iteration - 1) * pairs..iteration * pairs {
            let opening = games.opening(pair)?;
            for fixture in games.pairing.pair(pair) {
                if self.stop.is_abort() {
                    return Ok(None);
                }
                match self.prepare_players(iteration, &sides, &mut players) {
                    Err(_) if self.stop.is_abort() => return Ok(None),
                    prepared => prepared?,
                }
                let Some(played) = self.play_game(fixture, &opening, &mut players) else {
                    // The processes may still be searching; dropping the pair kills them.
                    return Ok(None);
                };
                difference += self.result(iteration, fixture, &played, &sides, &mut players);
            }
        }
        lock(&games.idle).push(players);
        Ok(Some(f64::from(difference)))
    }
}

impl Session<'_> {
    /// Prepares both processes with the values of their sides, and restarts them if necessary.
    fn prepare_players(
        &self,
        iteration: u64,
        sides: &[Options; 2],
        players: &mut PlayerPair,
    ) -> anyhow::Result<()> {
        let MatchSettings { engines, rules, .. } = &self.games.pairing;
        let engine = &engines[0];
        for (options, slot) in sides.iter().zip(players) {
            if let Some(player) = slot {
                match prepare(player, options, self.stop) {
                    Ok(()) => continue,
                    Err(error) => (self.on_event)(GameEvent::Note(format!(
                        "a process was not ready for iteration {iteration} and is started anew: \
                        {error}"
                    ))),
                }
                *slot = None;
            }
            let started = Player::start_game(engine, rules, false, options, self.stop);
            let player = started.map_err(|error| {
                let (name, values) = (&self.games.engine, assignments(options).join(" "));
                anyhow!("engine {name} with {values} could not be got ready: {error}")
            })?;
            *slot = Some(player);
        }
        Ok(())
    }

    /// Plays a game; `None` if it was aborted.
    fn play_game(
        &self,
        fixture: Fixture,
        opening: &SfenLine,
        players: &mut PlayerPair,
    ) -> Option<PlayedGame> {
        let context = GameContext {
            settings: &self.games.pairing,
            heartbeat: &self.games.heartbeat,
            stop: self.stop,
        };
        let [Some(plus), Some(minus)] = players else {
            unreachable!("both processes run before a game");
        };
        let mut players = if fixture.is_second() {
            [minus, plus]
        } else {
            [plus, minus]
        };
        game::play(&context, fixture, opening, &mut players)
    }

    /// The points of the plus side minus those of the minus side. Reports a fault, and drops a
    /// process that no longer answers.
    fn result(
        &self,
        iteration: u64,
        fixture: Fixture,
        played: &PlayedGame,
        sides: &[Options; 2],
        players: &mut PlayerPair,
    ) -> i32 {
        let Some(winner) = played.verdict.winner else {
            return 0;
        };
        let loser = fixture.players[(!winner).index()];
        let reason = played.verdict.reason;
        if reason.is_fault() {
            let dialogue = players[loser].as_ref().map(Player::dialogue);
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
            players[loser] = None;
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
