//! Whole matches: honest engines, dishonest ones, interrupted and divided matches.

mod faults;
mod matches;
#[cfg(unix)]
mod processes;
mod rules;

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::folder::Folder;
use crate::misbehaving;
use crate::runner::RAICHO;
use raicho::arena::journal::{self, GameEntry, MatchFolder};
use raicho::arena::referee::Rules;
use raicho::arena::runner::{self, Event};
use raicho::arena::settings::{EngineSettings, Format, MatchSettings};
use raicho::arena::summary::Summary;
use raicho::arena::time_control::TimeControl;
use raicho::openings::{OpeningSettings, Order, Source};
use raicho::runs::Stop;
use raicho::usi::client::Program;

/// An engine of these tests with a behaviour (see `misbehaving`).
fn engine(name: &str, behaviour: &str) -> EngineSettings {
    let program = misbehaving::program(behaviour);
    EngineSettings {
        name: name.to_owned(),
        program,
        options: Vec::new(),
        time_control: byoyomi(1000),
    }
}

/// Our own engine.
fn raicho(name: &str, nodes: u64) -> EngineSettings {
    EngineSettings {
        name: name.to_owned(),
        program: Program::new(RAICHO),
        // One thread, so that the same game comes again.
        options: [("USI_Hash", "1"), ("Threads", "1")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        time_control: TimeControl { nodes: Some(nodes), ..TimeControl::default() },
    }
}

fn byoyomi(milliseconds: u64) -> TimeControl {
    TimeControl { byoyomi: Duration::from_millis(milliseconds), ..TimeControl::default() }
}

/// A match of this number of games between engines of these tests, with short games and short
/// patience. Each is named with its behaviour: `["honest", "faulty:die"]`.
fn between<const COUNT: usize>(engines: [&str; COUNT], games: u64) -> MatchSettings {
    let engine = |text: &str| {
        let (name, behaviour) = text.split_once(':').unwrap_or((text, ""));
        engine(name, behaviour)
    };
    settings(engines.map(engine), games)
}

/// A match of this number of games, with short games and short patience.
fn settings(engines: impl Into<Vec<EngineSettings>>, games: u64) -> MatchSettings {
    MatchSettings {
        engines: engines.into(),
        format: Format::RoundRobin,
        games: Some(games),
        rules: Rules {
            max_moves: 30,
            patience: Duration::from_secs(5),
            ready_timeout: Duration::from_secs(20),
            ..Rules::default()
        },
        openings: OpeningSettings {
            source: Source::Random { plies: "3..5".parse().expect("a range") },
            order: Order::Random,
            max_imbalance: None,
            seed: 7,
        },
        ponder: false,
        sprt: None,
        shard: None,
    }
}

/// What a match left.
struct Outcome {
    folder: Folder,
    entries: Vec<GameEntry>,
    summary: Summary,
    notes: Vec<String>,
}

impl Outcome {
    fn json(&self) -> serde_json::Value {
        serde_json::to_value(&self.summary).expect("a summary is JSON")
    }

    /// The text of a file that an entry names.
    fn file(&self, path: &Path) -> String {
        self.folder.text(&format!("match/{}", path.display()))
    }
}

/// Plays a whole match.
fn play(settings: &MatchSettings) -> Outcome {
    play_in(Folder::new(), settings).expect("the match can be played")
}

/// Plays a match in a folder, or goes on with that which is there.
fn play_in(folder: Folder, settings: &MatchSettings) -> anyhow::Result<Outcome> {
    play_with(settings, folder, 1, &Stop::new(), &|_| {})
}

/// Why a match cannot be played, with the cause.
fn refusal(folder: Folder, settings: &MatchSettings) -> String {
    let error = play_in(folder, settings).err().expect("it cannot be played");
    let source = error.source().map(ToString::to_string);
    format!("{error} {}", source.unwrap_or_default())
}

/// Plays a match, or goes on with that in the folder.
fn play_with(
    settings: &MatchSettings,
    folder: Folder,
    concurrency: usize,
    stop: &Stop,
    on_event: &(dyn Fn(&Event<'_>) + Sync),
) -> anyhow::Result<Outcome> {
    let path = folder.file("match");
    let (journal, entries) = if path.exists() {
        MatchFolder::resume(&path)?
    } else {
        (MatchFolder::create(&path, settings)?, Vec::new())
    };
    let notes = Mutex::new(Vec::new());
    let watch = |event: Event<'_>| {
        on_event(&event);
        if let Event::Note(note) = event {
            notes.lock().expect("no panic in an observer").push(note);
        }
    };
    let summary = runner::run(settings, journal, &entries, concurrency, stop, &watch)?;
    let (_, mut entries) = journal::read(&path)?;
    entries.sort_by_key(|entry| entry.game);
    Ok(Outcome {
        folder,
        entries,
        summary,
        notes: notes.into_inner().expect("no panic in an observer"),
    })
}
