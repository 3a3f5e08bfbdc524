//! Runs a match: several games at a time, each result kept as soon as the game ends.

use std::path::Path;

use super::error::MatchError;
use super::event::Event;
use super::game::GameContext;
use super::heartbeat::Heartbeat;
use super::job::{Games, Schedule, is_decided};
use super::journal::{GameEntry, MatchFolder};
use super::openings::Openings;
use super::player::Player;
use super::settings::MatchSettings;
use super::summary::{StallSummary, Summary};
use super::tally::Tally;
use crate::runs::{Execution, Stop, execute};

/// Plays all games that are not in `entries` yet, `concurrency` at a time.
///
/// # Errors
/// An engine cannot be started, there are too few openings, or results cannot be kept.
pub fn run(
    settings: &MatchSettings,
    folder: MatchFolder,
    entries: &[GameEntry],
    concurrency: usize,
    stop: &Stop,
    on_event: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Summary, MatchError> {
    let path = folder.path().to_owned();
    check_number(settings, entries)?;
    let tally = tally_of(settings, entries, &path)?;
    check_engines(settings, stop, on_event)?;
    let mut openings = Openings::new(&settings.openings, &settings.rules)?;
    if let Some(warning) = openings.warning() {
        on_event(Event::Note(warning.to_owned()));
    }
    if let (Some(have), Some(needed)) = (openings.known(), settings.openings_needed())
        && (have as u64) < needed
    {
        return Err(MatchError::FewOpenings { have, needed });
    }
    check_openings(settings, entries, &mut openings, &path)?;
    openings.check_length(settings.rules.max_moves)?;
    // Not before the games are known to belong to them: the next run would be refused as well.
    folder.write_settings(settings)?;
    let heartbeat = Heartbeat::start();
    let games = Games {
        context: GameContext {
            settings,
            heartbeat: &heartbeat,
            stop,
        },
        on_event,
    };
    let mut schedule = Schedule::new(&games, openings, folder, tally);
    let execution = Execution {
        threads: concurrency,
        name: "match",
        stack_bytes: None,
        stop,
    };
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
) -> Result<Tally, MatchError> {
    let mut tally = Tally::new(settings);
    for entry in entries {
        tally.add(entry).map_err(|reason| MatchError::Results {
            folder: folder.to_owned(),
            reason,
        })?;
    }
    Ok(tally)
}

/// Checks that the match has as many games as were played already.
fn check_number(settings: &MatchSettings, entries: &[GameEntry]) -> Result<(), MatchError> {
    let pairings = settings.pairings().len() as u64;
    let number = |entry: &GameEntry| 2 * (entry.game / 2 / pairings) + entry.game % 2 + 1;
    let played = entries.iter().map(number).max().unwrap_or(0);
    match settings.games {
        Some(games) if games < played => Err(MatchError::FewGames { games, played }),
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
) -> Result<(), MatchError> {
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
                settings: \
                 continue with the executable (and the file of openings) that began the match",
                entry.game,
                entry.opening()
            );
            return Err(MatchError::Results {
                folder: folder.to_owned(),
                reason,
            });
        }
    }
    Ok(())
}

/// Starts each engine once, so that a wrong path or option is an error now and not many lost games.
fn check_engines(
    settings: &MatchSettings,
    stop: &Stop,
    on_event: &(dyn Fn(Event<'_>) + Sync),
) -> Result<(), MatchError> {
    for engine in &settings.engines {
        let started = Player::start(engine, &settings.rules, settings.ponder, stop);
        let player = started.map_err(|source| MatchError::Engine {
            name: engine.name.clone(),
            source,
        })?;
        on_event(Event::EngineChecked {
            name: &engine.name,
            program: player.program_name(),
        });
        player.quit();
    }
    Ok(())
}
