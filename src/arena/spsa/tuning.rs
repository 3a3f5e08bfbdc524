//! Runs a tuning from its beginning or from where it was interrupted, keeps it in its folder, and
//! sums it up.
//!
//! | File | Content |
//! |---|---|
//! | `tuning.json` | the settings of the games: engine, rules, openings, pairs |
//! | `spsa.json` | the state: parameters, settings of the algorithm, current values |
//! | `history.csv` | the values over the run, for a graph |
//! | `faults.jsonl` | one line of JSON per game that was lost by a fault |
//! | `faults/` | the last lines of the dialogue of the first of these games |

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{collections::BTreeMap, fmt, fs, io::Write as _, iter, thread};

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::{Objective, Parameter, RunOptions, State, Value, run};
use crate::arena::game::{self, GameContext, PlayedGame, Player};
use crate::arena::referee::{EndReason, Rules};
use crate::arena::settings::{EngineSettings, Fixture, Format, MatchSettings};
use crate::openings::{OpeningError, OpeningSettings, Openings};
use crate::runs::{self, FolderError, RunFolder, RunKind, Stop};
use crate::util::counted;
use crate::{
    arena::time_control::Heartbeat, records::sfen_line::SfenLine, usi::client::ClientError,
};

/// An event of a run; of the games it comes on the thread that plays.
pub enum Event<'a> {
    /// An iteration was finished and kept.
    Iteration(&'a State),
    /// A game was lost by a fault of the engine.
    Fault(&'a FaultyGame),
    /// A note for the user.
    Note(String),
}

/// Runs the remaining iterations, `concurrency` at a time.
///
/// # Errors
/// The engine does not become ready, openings cannot be made, or the state cannot be written.
pub fn tune(
    games: Games,
    folder: &Folder,
    state: &mut State,
    concurrency: usize,
    stop: &Stop,
    on_event: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Summary> {
    let path = folder.state_path();
    let options = RunOptions { concurrency, path: Some(&path), stop };
    let session = Session { games: &games, folder, stop, on_event };
    if let Some(warning) = games.warning() {
        on_event(Event::Note(warning));
    }
    folder.write_history(state)?;
    let mut points = state.history().len();
    let mut on_progress = |state: &State| {
        if state.history().len() > points {
            points = state.history().len();
            // The history is also in the state, and is written again at the end of the run.
            if let Err(error) = folder.write_history(state) {
                on_event(Event::Note(error.to_string()));
            }
        }
        on_event(Event::Iteration(state));
    };
    let outcome = run(state, &session, &options, &mut on_progress);
    games.close();
    outcome?;
    folder.write_history(state)?;
    Ok(Summary::of(state, folder))
}

const KIND: RunKind =
    RunKind { noun: "run of spsa", settings: "tuning.json", journal: "faults.jsonl", format: 1 };
const STATE_FILE: &str = "spsa.json";
const HISTORY_FILE: &str = "history.csv";
const FAULTS_FOLDER: &str = "faults";
/// Maximum number of faults whose dialogue is kept; further ones rarely show anything new.
const DIALOGUES: u64 = 50;

/// The folder of a run, open for writing.
pub struct Folder {
    path: PathBuf,
    settings: GameSettings,
    /// The journal contains the faults; results are in the state.
    faults: Mutex<Faults>,
}

struct Faults {
    folder: RunFolder,
    counts: BTreeMap<EndReason, u64>,
}

impl Folder {
    /// Checks that a new run can begin in the folder, without writing to it. Settings without a
    /// state are left of a run that ended before it began.
    ///
    /// # Errors
    /// The folder holds a run already.
    pub fn check_free(path: &Path) -> Result<(), FolderError> {
        if path.join(STATE_FILE).exists() {
            return Err(FolderError::occupied(path, KIND));
        }
        Ok(())
    }

    /// Begins a run in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a run already, or cannot be written.
    pub fn create(path: &Path, settings: GameSettings, state: &State) -> Result<Self> {
        Self::check_free(path)?;
        if RunFolder::exists(path, KIND) {
            let file = path.join(KIND.settings);
            fs::remove_file(&file).map_err(runs::io_error(&file))?;
        }
        let folder = RunFolder::create(path, KIND, &settings)?;
        let folder = Self::new(folder, settings, &[]);
        state.save(&folder.state_path())?;
        Ok(folder)
    }

    /// Resumes the run in a folder and returns its state.
    ///
    /// # Errors
    /// The folder holds no run, another process has it open, or a file is not valid.
    pub fn resume(path: &Path) -> Result<(Self, State)> {
        if !path.join(STATE_FILE).exists() {
            let kind = RunKind { settings: STATE_FILE, ..KIND };
            bail!(FolderError::missing(path, kind));
        }
        let settings = runs::read_settings(path, KIND)?;
        let (mut folder, mut faults): (_, Vec<FaultyGame>) = RunFolder::resume(path, KIND)?;
        let state = State::load(&path.join(STATE_FILE))?;
        // Iterations without a result are played again, and so are their faults.
        let before = faults.len();
        faults.retain(|fault| state.has_finished(fault.iteration));
        if faults.len() < before {
            drop(folder);
            rewrite(&path.join(KIND.journal), &faults)?;
            (folder, faults) = RunFolder::resume(path, KIND)?;
        }
        Ok((Self::new(folder, settings, &faults), state))
    }

    fn new(folder: RunFolder, settings: GameSettings, faults: &[FaultyGame]) -> Self {
        let mut counts = BTreeMap::new();
        for fault in faults {
            *counts.entry(fault.reason).or_default() += 1;
        }
        Self {
            path: folder.path().to_owned(),
            settings,
            faults: Mutex::new(Faults { folder, counts }),
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings of the games.
    pub fn settings(&self) -> &GameSettings {
        &self.settings
    }

    /// The path of the state file.
    fn state_path(&self) -> PathBuf {
        self.path.join(STATE_FILE)
    }

    /// Number of games lost by each kind of fault, earlier parts of the run included.
    pub fn faults(&self) -> BTreeMap<EndReason, u64> {
        self.lock_faults().counts.clone()
    }

    /// Appends a fault to the journal, and writes the dialogue of the first ones.
    ///
    /// # Errors
    /// A file cannot be written.
    fn keep_fault(&self, fault: &FaultyGame, dialogue: &[String]) -> Result<()> {
        let mut faults = self.lock_faults();
        *faults.counts.entry(fault.reason).or_default() += 1;
        faults.folder.append(fault)?;
        if faults.counts.values().sum::<u64>() > DIALOGUES {
            return Ok(());
        }
        let name = format!("{:06}-{}.txt", fault.iteration, fault.game);
        let text = format!(
            "{fault}\n\n> to the engine, < from it, ! its error output\n{}\n",
            dialogue.join("\n")
        );
        let name = Path::new(FAULTS_FOLDER).join(name);
        Ok(faults.folder.write_file(&name, text.as_bytes())?)
    }

    /// Writes the values over the run as CSV.
    ///
    /// # Errors
    /// The file cannot be written.
    fn write_history(&self, state: &State) -> Result<()> {
        let names = state.parameters().iter().map(|p| p.name.clone());
        let mut lines = vec![row("iterations".to_owned(), names)];
        for point in state.history() {
            let values = point.theta.iter().map(f64::to_string);
            lines.push(row(point.finished.to_string(), values));
        }
        let text = lines.join("\n") + "\n";
        Ok(runs::replace(&self.path.join(HISTORY_FILE), &text)?)
    }

    fn lock_faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces the journal by one of these faults.
fn rewrite(journal: &Path, faults: &[FaultyGame]) -> Result<(), FolderError> {
    runs::replace_with(journal, |file| {
        for fault in faults {
            serde_json::to_writer(&mut *file, fault)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    })
    .map_err(runs::io_error(journal))
}

/// A row of the CSV file without the line end.
fn row(first: String, rest: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = iter::once(first).chain(rest).collect();
    cells.join(",")
}

/// The summary of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Number of iterations with a result.
    pub iterations: u64,
    /// Number of iterations of the whole run.
    pub iterations_planned: u64,
    /// Number of games of the iterations with a result.
    pub games: u64,
    /// Whether the user interrupted the run.
    pub is_interrupted: bool,
    /// The parameters with their current values.
    pub parameters: Vec<ParameterSummary>,
    /// Number of games lost by each kind of fault.
    pub faults: Vec<FaultCount>,
    /// The folder of the run.
    pub folder: String,
}

/// A parameter with its current value.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterSummary {
    /// Name of the USI option.
    pub name: String,
    /// The value at the beginning of the run.
    pub start: f64,
    /// The value after the last finished iteration.
    pub now: f64,
    /// The change, in units of the parameter's step.
    pub change: f64,
    /// The value in the form that the engine takes: a whole number for an int.
    pub value: String,
    /// The parameter with the current value as its start: a line for another run.
    pub line: String,
    /// `now`, rounded to the decimals that are significant.
    #[serde(skip)]
    shown: String,
}

/// Number of games lost by one kind of fault.
#[derive(Clone, Debug, Serialize)]
pub struct FaultCount {
    /// The kind of fault.
    pub reason: String,
    /// Number of games lost by it.
    pub games: u64,
}

impl Summary {
    /// The summary of a run that has ended or was stopped.
    pub fn of(state: &State, folder: &Folder) -> Self {
        let summary = |((parameter, &now), value): ((&Parameter, &f64), &Value)| {
            let start = rounded(now, parameter);
            ParameterSummary {
                name: parameter.name.clone(),
                start: parameter.start,
                now,
                change: (now - parameter.start) / parameter.step,
                value: value.to_string(),
                shown: start.to_string(),
                line: Parameter { start, ..parameter.clone() }.to_string(),
            }
        };
        let values = state.values();
        let parameters = state.parameters().iter().zip(state.theta()).zip(&values);
        let faults = folder.faults().into_iter();
        Self {
            iterations: state.finished(),
            iterations_planned: state.settings().iterations,
            games: state.finished() * 2 * u64::from(folder.settings().pairs),
            is_interrupted: !state.is_done(),
            parameters: parameters.map(summary).collect(),
            faults: faults
                .map(|(reason, games)| FaultCount { reason: reason.to_string(), games })
                .collect(),
            folder: folder.path().display().to_string(),
        }
    }

    /// The parameters with their current values as starts, as a file for another run.
    pub fn parameter_lines(&self) -> String {
        let lines = self.parameters.iter().map(|p| p.line.clone() + "\n");
        lines.collect()
    }
}

/// Number of significant decimals for a parameter with this step.
fn decimals(step: f64) -> usize {
    (2.0 - step.log10().floor()).clamp(0.0, 12.0) as usize
}

fn rounded(number: f64, parameter: &Parameter) -> f64 {
    let text = format!("{number:.*}", decimals(parameter.step));
    let number: f64 = text.parse().unwrap_or(number);
    number.clamp(parameter.least, parameter.most)
}

/// The current values in one line, for the progress bar.
pub fn one_line(state: &State) -> String {
    /// Maximum number of values in the line.
    const SHOWN: usize = 4;
    let numbers = state.parameters().iter().zip(state.theta());
    let mut parts: Vec<String> = numbers
        .take(SHOWN)
        .map(|(parameter, number)| format!("{} {}", parameter.name, rounded(*number, parameter)))
        .collect();
    if state.parameters().len() > SHOWN {
        parts.push("…".to_owned());
    }
    parts.join("  ")
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interrupted = if self.is_interrupted { ", interrupted" } else { "" };
        writeln!(
            f,
            "{} of {}, {}{interrupted}\n",
            self.iterations,
            counted(self.iterations_planned, "iteration"),
            counted(self.games, "game")
        )?;
        self.write_table(f)?;
        if !self.faults.is_empty() {
            let total: u64 = self.faults.iter().map(|fault| fault.games).sum();
            let count = |fault: &FaultCount| format!("{} {}", fault.games, fault.reason);
            let counts: Vec<String> = self.faults.iter().map(count).collect();
            let total = counted(total, "game");
            writeln!(f, "\n{total} lost by a fault: {}", counts.join(", "))?;
        }
        writeln!(f, "\nto begin another run here (--params):")?;
        write!(f, "{}", self.parameter_lines())?;
        write!(f, "\nfiles in {}", self.folder)
    }
}

impl Summary {
    fn write_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = |text: &str| text.to_owned();
        let mut rows = vec![["parameter", "start", "now", "change in steps"].map(title)];
        for parameter in &self.parameters {
            rows.push([
                parameter.name.clone(),
                parameter.start.to_string(),
                parameter.shown.clone(),
                format!("{:+.2}", parameter.change),
            ]);
        }
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let [name, start, now, change] = [0, 1, 2, 3].map(width);
        for [a, b, c, d] in &rows {
            writeln!(f, "{a:name$}  {b:>start$}  {c:>now$}  {d:>change$}")?;
        }
        Ok(())
    }
}

// --- The games ---

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
pub struct FaultyGame {
    /// Number of the iteration, from 1.
    pub iteration: u64,
    /// Number of the game within its iteration, from 1.
    pub game: u32,
    /// The side at fault.
    pub side: Side,
    /// The kind of fault.
    pub reason: EndReason,
    /// Details of the fault for people.
    pub detail: String,
    /// The values of that side, as `NAME=VALUE`.
    pub values: Vec<String>,
}

impl fmt::Display for FaultyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (iteration, game) = (self.iteration, self.game);
        let (reason, detail) = (self.reason, &self.detail);
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

/// The [`Objective`] that plays the games, and keeps those that were lost by faults.
struct Session<'a> {
    games: &'a Games,
    folder: &'a Folder,
    stop: &'a Stop,
    on_event: &'a (dyn Fn(Event<'_>) + Sync),
}

impl Games {
    /// Starts the engine once, and checks its options and the openings before the run begins.
    ///
    /// # Errors
    /// The engine cannot be started or lacks an option, or there are no openings.
    pub fn new(settings: &GameSettings, parameters: &[Parameter], stop: &Stop) -> Result<Self> {
        let engine = &settings.engine;
        let fault = |text: String| anyhow!("engine {}: {text}", engine.name);
        let player = Player::start(engine, &settings.rules, false, stop)
            .map_err(|error| fault(error.to_string()))?;
        for parameter in parameters {
            parameter.check_declared(player.declared_options(), &engine.options).map_err(fault)?;
        }
        let (rule, max_moves) = (settings.rules.entering_king, settings.rules.max_moves);
        let mut openings = Openings::new(&settings.openings, rule, max_moves)?;
        openings.check_length(max_moves)?;
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
    let engine = |name: &str| EngineSettings { name: name.to_owned(), ..settings.engine.clone() };
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
    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> Result<Option<f64>> {
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
                let Some(played) = self.play_game(fixture, &opening, &mut players)? else {
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
    ) -> Result<()> {
        let MatchSettings { engines, rules, .. } = &self.games.pairing;
        let engine = &engines[0];
        for (options, slot) in sides.iter().zip(players) {
            if let Some(player) = slot {
                match prepare(player, options, self.stop) {
                    Ok(()) => continue,
                    Err(error) => (self.on_event)(Event::Note(format!(
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
    ) -> Result<Option<PlayedGame>, ClientError> {
        let context = GameContext {
            settings: &self.games.pairing,
            heartbeat: &self.games.heartbeat,
            stop: self.stop,
        };
        let [Some(plus), Some(minus)] = players else {
            unreachable!("both processes run before a game");
        };
        let mut players = if fixture.is_second() { [minus, plus] } else { [plus, minus] };
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
            let fault = FaultyGame {
                iteration,
                game: 1 + (fixture.game % (2 * u64::from(self.games.pairs))) as u32,
                side: [Side::Plus, Side::Minus][loser],
                reason,
                detail: played.verdict.detail.clone(),
                values: assignments(&sides[loser]),
            };
            if let Err(error) = self.folder.keep_fault(&fault, &dialogue.unwrap_or_default()) {
                (self.on_event)(Event::Note(format!("a fault is not kept: {error}")));
            }
            (self.on_event)(Event::Fault(&fault));
        }
        if matches!(reason, EndReason::Hang | EndReason::Crash) {
            players[loser] = None;
        }
        let is_won = fixture.color_of(0) == Some(winner);
        if is_won { 1 } else { -1 }
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
