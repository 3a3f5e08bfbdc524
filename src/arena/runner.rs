//! Runs a match: several games at a time, each result kept as soon as the game ends.
//!
//! The games are a [`Job`], their order and results a [`Plan`]. Each thread keeps the engine
//! processes of its current pairing. They end when the thread turns to another pairing.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{anyhow, bail};

use super::game::{self, GameContext, PlayedGame, Player};
use super::journal::{self, GameEntry, MatchFolder};
use super::referee::{EndReason, GameVerdict};
use super::settings::{Fixture, MatchSettings};
use super::summary::{StallSummary, Summary};
use super::{statistics::SprtVerdict, summary::Tally, time_control::Heartbeat};
use crate::runs::{Execution, Job, Plan, Stop, execute};
use crate::usi::client::ClientError;
use crate::util::{counted, crowding};
use crate::{openings::Openings, records::sfen_line::SfenLine, types::Color};

/// An event of a running match.
pub enum Event<'a> {
    /// An engine was started successfully.
    EngineChecked {
        /// Its name in the match.
        name: &'a str,
        /// The name that it reports with `id name`.
        program: &'a str,
    },
    /// A game has ended and was kept.
    Game {
        /// The journal entry of the game.
        entry: &'a GameEntry,
        /// All results, those of this game included.
        tally: &'a Tally,
    },
    /// A note for the user.
    Note(String),
}

/// Number of consecutive games for which an engine does not become ready, after which the match
/// ends.
const FAILURES_IN_A_ROW: u32 = 3;

/// Plays all games that are not in `entries` yet, `concurrency` at a time.
///
/// # Errors
/// An engine cannot be started, there are too few openings, or results cannot be kept. What the
/// system refuses to us, such as a process or a file, is never a result of an engine.
pub fn run(
    settings: &MatchSettings,
    folder: MatchFolder,
    entries: &[GameEntry],
    concurrency: usize,
    stop: &Stop,
    on_event: &(dyn Fn(Event<'_>) + Sync),
) -> anyhow::Result<Summary> {
    let path = folder.path().to_owned();
    check_number(settings, entries)?;
    let tally = tally_of(settings, entries, &path)?;
    let threads = check_engines(settings, stop, on_event)?;
    if let Some(warning) = crowding(concurrency * busy_threads(settings, &threads)) {
        on_event(Event::Note(warning));
    }
    let (rule, max_moves) = (settings.rules.entering_king, settings.rules.max_moves);
    let mut openings = Openings::new(&settings.openings, rule, max_moves)?;
    if let Some(warning) = openings.warning() {
        on_event(Event::Note(warning.to_owned()));
    }
    if let (Some(have), Some(needed)) = (openings.known(), settings.openings_needed())
        && (have as u64) < needed
    {
        bail!(
            "{} for {} of games, and no opening is played twice by the same engines: give more \
            openings, or ask for at most {} games",
            counted(have, "opening"),
            counted(needed, "pair"),
            2 * have
        );
    }
    check_openings(settings, entries, &mut openings, &path)?;
    openings.check_length(max_moves)?;
    // Not before the games are known to belong to them: the next run would be refused as well.
    folder.write_settings(settings)?;
    let heartbeat = Heartbeat::start();
    let games = Games { context: GameContext { settings, heartbeat: &heartbeat, stop }, on_event };
    let mut schedule = Schedule::new(&games, openings, folder, tally);
    let execution = Execution { threads: concurrency, name: "match", stack_bytes: None, stop };
    execute(&games, &mut schedule, &execution)?;
    let tally = schedule.into_tally();
    let mut summary = Summary::of(&tally, &path.display().to_string());
    summary.stalls = Some(StallSummary::new(heartbeat.stalls()));
    let is_whole = settings.games_here() == Some(tally.games());
    summary.is_interrupted = stop.is_requested() && !is_whole && !is_decided(&tally);
    Ok(summary)
}

/// The tally of the games of a folder.
///
/// # Errors
/// A game does not belong to the match.
pub fn tally_of(
    settings: &MatchSettings,
    entries: &[GameEntry],
    folder: &Path,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::new(settings);
    for entry in entries {
        tally.add(entry).map_err(|reason| foreign_results(folder, &reason))?;
    }
    Ok(tally)
}

/// The error of a folder whose games do not belong to the match.
pub(super) fn foreign_results(folder: &Path, reason: &str) -> anyhow::Error {
    anyhow!("{}: {reason}", folder.display())
}

/// Checks that the match has as many games as were played already.
fn check_number(settings: &MatchSettings, entries: &[GameEntry]) -> anyhow::Result<()> {
    let pairings = settings.pairings().len() as u64;
    let number = |entry: &GameEntry| 2 * (entry.game / 2 / pairings) + entry.game % 2 + 1;
    let played = entries.iter().map(number).max().unwrap_or(0);
    match settings.games {
        Some(games) if games < played => {
            bail!("--games {games}: {played} are played already, expected --games {played} or more")
        }
        _ => Ok(()),
    }
}

/// Number of finished games, the last ones, whose openings are checked where openings do not depend
/// on each other.
const CHECKED_GAMES: usize = 100;

/// Checks that the openings of the finished games agree with those of this executable. An
/// executable with another search makes other openings and could repeat some; where they do not
/// depend on each other only the other game of a pair matters, and the last games are enough.
fn check_openings(
    settings: &MatchSettings,
    entries: &[GameEntry],
    openings: &mut Openings,
    folder: &Path,
) -> anyhow::Result<()> {
    let unchecked = if settings.openings.are_independent() {
        entries.len().saturating_sub(CHECKED_GAMES)
    } else {
        0
    };
    for entry in &entries[unchecked..] {
        let Some(fixture) = settings.fixture(entry.game) else {
            continue;
        };
        let opening = openings.get(fixture.opening)?.to_string();
        if entry.opening() != opening {
            let reason = format!(
                "game {} began with '{}', and this executable makes '{opening}' of the same \
                settings: continue with the executable (and the file of openings) that began the \
                match",
                entry.game,
                entry.opening()
            );
            return Err(foreign_results(folder, &reason));
        }
    }
    Ok(())
}

/// Starts each engine once, so that a wrong path or option is an error now and not many lost games.
/// Returns the threads of each, as far as they say.
fn check_engines(
    settings: &MatchSettings,
    stop: &Stop,
    on_event: &(dyn Fn(Event<'_>) + Sync),
) -> anyhow::Result<Vec<usize>> {
    let mut threads = Vec::new();
    for engine in &settings.engines {
        let started = Player::start(engine, &settings.rules, settings.ponder, stop);
        let player = started.map_err(|error| anyhow!("engine {}: {error}", engine.name))?;
        on_event(Event::EngineChecked { name: &engine.name, program: player.program_name() });
        threads.push(player.threads(&engine.options));
        player.quit();
    }
    Ok(threads)
}

/// The most threads that search at a time in one game, given those of each engine.
fn busy_threads(settings: &MatchSettings, threads: &[usize]) -> usize {
    let of_pairing = |pairing: [usize; 2]| {
        let [one, other] = pairing.map(|engine| threads[engine]);
        if settings.ponder { one + other } else { one.max(other) }
    };
    settings.pairings().into_iter().map(of_pairing).max().unwrap_or(0)
}

/// Plays the games of a match.
struct Games<'a> {
    context: GameContext<'a>,
    on_event: &'a (dyn Fn(Event<'_>) + Sync),
}

/// A scheduled game with its opening.
struct Piece {
    fixture: Fixture,
    opening: SfenLine,
}

/// A finished game; also one that an engine lost because it did not become ready.
struct Finished {
    entry: GameEntry,
    /// The record in CSA format.
    record: Vec<u8>,
    /// The dialogue of both engines, if one of them committed a fault.
    dialogue: Option<String>,
}

/// The engine processes of a thread, by index of the engine.
type Players = HashMap<usize, Player>;

impl Job for Games<'_> {
    type Worker = Players;
    type Piece = Piece;
    type Output = Finished;
    type Error = anyhow::Error;

    fn worker(&self) -> anyhow::Result<Players> {
        Ok(Players::new())
    }

    fn perform(&self, players: &mut Players, piece: &Piece) -> anyhow::Result<Option<Finished>> {
        let (fixture, opening) = (piece.fixture, &piece.opening);
        let started_at = jiff::Zoned::now();
        let fault = |error: &ClientError| {
            let game = fixture.game;
            anyhow!("game {game} cannot be played and has no result: {error}")
        };
        let played = match self.prepare_players(fixture, players) {
            Ok(()) => {
                let [black, white] = fixture.players.each_ref();
                let [Some(black), Some(white)] = players.get_disjoint_mut([black, white]) else {
                    unreachable!("both engines are running");
                };
                match game::play(&self.context, fixture, opening, &mut [black, white]) {
                    Ok(Some(played)) => played,
                    Ok(None) => return Ok(None),
                    Err(error) => return Err(fault(&error)),
                }
            }
            Err((_, error)) if error.is_ours() => return Err(fault(&error)),
            Err(_) if self.context.is_stopped_too() => return Ok(None),
            Err((color, error)) => {
                let verdict = GameVerdict::loss(color, EndReason::NotReady, error.to_string());
                PlayedGame::without_moves(verdict)
            }
        };
        let settings = self.context.settings;
        let (entry, record) = journal::compose(settings, fixture, opening, &played, &started_at);
        let dialogue = entry.dialogue.is_some().then(|| {
            let dialogues =
                fixture.players.map(|engine| players.get(&engine).map(Player::dialogue));
            journal::dialogue_text(&entry, dialogues)
        });
        if let Some(winner) = entry.winner
            && matches!(entry.reason, EndReason::Hang | EndReason::Crash | EndReason::NotReady)
        {
            // An engine that no longer answers is killed; a new process plays the next game.
            players.remove(&fixture.players[(!winner).index()]);
        }
        Ok(Some(Finished { entry, record, dialogue }))
    }

    fn end_worker(&self, players: Players) {
        for player in players.into_values() {
            player.quit();
        }
    }
}

impl Games<'_> {
    /// Prepares both engines for a game; starts those that are not running.
    ///
    /// # Errors
    /// That of the engine that is not ready, with its colour.
    fn prepare_players(
        &self,
        fixture: Fixture,
        players: &mut Players,
    ) -> Result<(), (Color, ClientError)> {
        let GameContext { settings, stop, .. } = self.context;
        for (_, player) in players.extract_if(|engine, _| !fixture.players.contains(engine)) {
            player.quit();
        }
        for color in Color::ALL {
            let engine = fixture.players[color.index()];
            let named = &settings.engines[engine];
            if let Some(player) = players.get_mut(&engine) {
                match player.new_game(stop) {
                    Ok(()) => continue,
                    Err(error) => (self.on_event)(Event::Note(format!(
                        "{} was not ready for game {} and is started anew: {error}",
                        named.name, fixture.game
                    ))),
                }
                players.remove(&engine);
            }
            let started = Player::start_game(named, &settings.rules, settings.ponder, &[], stop);
            players.insert(engine, started.map_err(|error| (color, error))?);
        }
        Ok(())
    }
}

/// The order of the games, and their results.
struct Schedule<'a> {
    settings: &'a MatchSettings,
    stop: &'a Stop,
    on_event: &'a (dyn Fn(Event<'_>) + Sync),
    openings: Openings,
    folder: MatchFolder,
    tally: Tally,
    /// The number of the next game to consider.
    next: u64,
    /// Whether a match without a fixed number of games has used all openings.
    is_out_of_openings: bool,
    /// Consecutive games for which an engine did not become ready, by its index.
    failures: BTreeMap<usize, u32>,
}

impl<'a> Schedule<'a> {
    fn new(games: &Games<'a>, openings: Openings, folder: MatchFolder, tally: Tally) -> Self {
        Self {
            settings: games.context.settings,
            stop: games.context.stop,
            on_event: games.on_event,
            openings,
            folder,
            tally,
            next: 0,
            is_out_of_openings: false,
            failures: BTreeMap::new(),
        }
    }

    /// The tally of all games, those of earlier runs included.
    fn into_tally(self) -> Tally {
        self.tally
    }

    /// The next game of this shard that has not been played.
    fn next_fixture(&mut self) -> Option<Fixture> {
        while self.next / 2 < self.settings.pairs() {
            let game = self.next;
            self.next += 1;
            if self.settings.is_ours(game / 2)
                && !self.tally.has(game)
                && let Some(fixture) = self.settings.fixture(game)
            {
                return Some(fixture);
            }
        }
        None
    }

    /// The opening with this index; `None` if the match ends because there are no more.
    fn opening(&mut self, index: usize) -> anyhow::Result<Option<SfenLine>> {
        match self.openings.get(index) {
            Ok(opening) => Ok(Some(opening.clone())),
            // Without a fixed number of games the openings are the limit.
            Err(error) if self.settings.games.is_none() => {
                self.is_out_of_openings = true;
                (self.on_event)(Event::Note(format!("the match ends here: {error}")));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Counts failures to become ready. An engine that never becomes ready would lose all its
    /// games, so the match ends after some of them.
    fn count_failures(&mut self, fixture: Fixture, entry: &GameEntry) -> anyhow::Result<()> {
        let Some(color) = entry.winner.filter(|_| entry.reason == EndReason::NotReady) else {
            for engine in fixture.players {
                self.failures.remove(&engine);
            }
            return Ok(());
        };
        let engine = fixture.players[(!color).index()];
        let failures = self.failures.entry(engine).or_default();
        *failures += 1;
        if *failures < FAILURES_IN_A_ROW {
            return Ok(());
        }
        let (name, detail) = (&self.settings.engines[engine].name, &entry.detail);
        bail!(
            "engine {name} could not be got ready for {FAILURES_IN_A_ROW} games in a row: {detail}"
        )
    }

    fn store(&mut self, piece: &Piece, finished: &Finished) -> anyhow::Result<()> {
        let entry = &finished.entry;
        self.folder.write_file(&entry.record, &finished.record)?;
        if let (Some(path), Some(text)) = (&entry.dialogue, &finished.dialogue) {
            self.folder.write_file(path, text.as_bytes())?;
        }
        self.folder.append(entry)?;
        let added = self.tally.add(entry);
        debug_assert_eq!(added, Ok(()), "each game is played once");
        (self.on_event)(Event::Game { entry, tally: &self.tally });
        self.count_failures(piece.fixture, entry)
    }
}

impl<'a> Plan<Games<'a>> for Schedule<'a> {
    fn next(&mut self) -> anyhow::Result<Option<Piece>> {
        // Games that were still running when the sequential test ended can change its result, so
        // this is checked again after each of them.
        if self.is_out_of_openings || is_decided(&self.tally) {
            return Ok(None);
        }
        let Some(fixture) = self.next_fixture() else {
            return Ok(None);
        };
        let opening = self.opening(fixture.opening)?;
        Ok(opening.map(|opening| Piece { fixture, opening }))
    }

    fn keep(&mut self, piece: Piece, finished: Finished) -> anyhow::Result<()> {
        let kept = self.store(&piece, &finished);
        if kept.is_err() {
            // Further results could not be kept either.
            self.stop.abort();
        }
        kept
    }
}

/// Whether the sequential test has accepted a hypothesis.
fn is_decided(tally: &Tally) -> bool {
    let (Some(test), [pairing]) = (tally.settings().sprt, &tally.pairings[..]) else {
        return false;
    };
    // A shard that stops by its own results would bias those of the whole match.
    tally.settings().shard.is_none() && test.verdict(&pairing.pairs) != SprtVerdict::Continue
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::journal::GameEntry;
    use crate::arena::statistics::Sprt;
    use crate::arena::tests::{entry, settings};
    use crate::arena::time_control::Heartbeat;
    use crate::openings::{Plies, Source};
    use crate::util::TestFolder;

    fn won(settings: &MatchSettings, winner: &str, games: std::ops::Range<u64>) -> Vec<GameEntry> {
        games.map(|game| entry(settings, game, Some(winner), EndReason::Resignation)).collect()
    }

    #[test]
    fn only_a_match_without_a_number_of_games_ends_with_its_openings() {
        for games in [None, Some(100)] {
            let mut settings = settings(&["a", "b"], games);
            settings.openings.source = Source::Random { plies: Plies::exactly(1) };
            let path = TestFolder::new();
            let (heartbeat, stop) = (Heartbeat::start(), Stop::new());
            let games = Games {
                context: GameContext { settings: &settings, heartbeat: &heartbeat, stop: &stop },
                on_event: &|_| {},
            };
            let openings =
                Openings::new(&settings.openings, settings.rules.entering_king, 0).unwrap();
            let folder = MatchFolder::create(&path.0, &settings).unwrap();
            let mut schedule = Schedule::new(&games, openings, folder, Tally::new(&settings));
            // There are 30 first moves.
            assert!(schedule.opening(29).is_ok_and(|opening| opening.is_some()));
            match schedule.opening(30) {
                Ok(opening) => assert!(opening.is_none() && settings.games.is_none()),
                Err(error) => assert!(settings.games.is_some(), "{error}"),
            }
        }
    }

    #[test]
    fn an_answer_that_the_last_games_take_back_does_not_end_the_match() {
        let mut settings = settings(&["a", "b"], None);
        settings.sprt = Some(Sprt { elo1: 50.0, ..Sprt::default() });
        let mut tally = Tally::new(&settings);
        for entry in won(&settings, "a", 0..100) {
            assert_eq!(tally.add(&entry), Ok(()));
        }
        assert!(is_decided(&tally));

        let path = TestFolder::new();
        let (heartbeat, stop) = (Heartbeat::start(), Stop::new());
        let games = Games {
            context: GameContext { settings: &settings, heartbeat: &heartbeat, stop: &stop },
            on_event: &|_| {},
        };
        let openings = Openings::new(&settings.openings, settings.rules.entering_king, 0).unwrap();
        let folder = MatchFolder::create(&path.0, &settings).unwrap();
        let mut schedule = Schedule::new(&games, openings, folder, tally);
        assert!(schedule.next().unwrap().is_none(), "there is an answer");

        for entry in won(&settings, "b", 100..200) {
            assert_eq!(schedule.tally.add(&entry), Ok(()));
        }
        assert!(!is_decided(&schedule.tally), "there is none any more");
        let game = schedule.next_fixture().map(|fixture| fixture.game);
        assert_eq!(game, Some(200), "what has been played is not played again");
    }
}
