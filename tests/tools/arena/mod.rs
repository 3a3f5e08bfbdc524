//! Whole matches: honest engines, dishonest ones, interrupted and divided matches.

mod faults;
mod matches;
mod rules;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::misbehaving;
use raicho::arena::journal::{self, GameEntry, MatchFolder};
use raicho::arena::referee::Rules;
use raicho::arena::runner::{self, Event};
use raicho::arena::settings::{EngineSettings, Format, MatchSettings};
use raicho::arena::summary::Summary;
use raicho::arena::time_control::TimeControl;
use raicho::openings::{OpeningSettings, Order, Source};
use raicho::runs::Stop;
use raicho::usi::client::Program;

/// A folder that is gone when the test is over, unless the test failed.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("arena-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("the folder for tests can be written");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.join(name);
        fs::write(&path, text).expect("the folder for tests can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// An engine of these tests with a behaviour (see `misbehaving`).
pub(crate) fn engine(name: &str, behaviour: &str) -> EngineSettings {
    let program = misbehaving::program(behaviour);
    EngineSettings {
        name: name.to_owned(),
        program,
        options: Vec::new(),
        time_control: byoyomi(1000),
    }
}

/// Our own engine.
pub(crate) fn raicho(name: &str, nodes: u64) -> EngineSettings {
    EngineSettings {
        name: name.to_owned(),
        program: Program::new(env!("CARGO_BIN_EXE_raicho")),
        // One thread, so that the same game comes again.
        options: [("USI_Hash", "1"), ("Threads", "1")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        time_control: TimeControl {
            nodes: Some(nodes),
            ..TimeControl::default()
        },
    }
}

pub(crate) fn byoyomi(milliseconds: u64) -> TimeControl {
    TimeControl {
        byoyomi: Duration::from_millis(milliseconds),
        ..TimeControl::default()
    }
}

/// A match of this number of games, with short games and short patience.
pub(crate) fn settings(engines: Vec<EngineSettings>, games: u64) -> MatchSettings {
    MatchSettings {
        engines,
        format: Format::RoundRobin,
        games: Some(games),
        rules: Rules {
            max_moves: 30,
            patience: Duration::from_secs(5),
            ready_timeout: Duration::from_secs(20),
            ..Rules::default()
        },
        openings: OpeningSettings {
            source: Source::Random {
                plies: "3..5".parse().expect("a range"),
            },
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
pub(crate) struct Outcome {
    pub(crate) folder: Folder,
    pub(crate) entries: Vec<GameEntry>,
    pub(crate) summary: Summary,
    pub(crate) notes: Vec<String>,
}

impl Outcome {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::to_value(&self.summary).expect("a summary is JSON")
    }

    /// The text of a file that an entry names.
    pub(crate) fn file(&self, path: &Path) -> String {
        let path = self.folder.join("match").join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// Plays a whole match.
pub(crate) fn play(settings: &MatchSettings) -> Outcome {
    play_with(settings, Folder::new(), 1, &Stop::new(), &|_| {}).expect("the match can be played")
}

/// Plays a match, or goes on with that in the folder.
pub(crate) fn play_with(
    settings: &MatchSettings,
    folder: Folder,
    concurrency: usize,
    stop: &Stop,
    on_event: &(dyn Fn(&Event<'_>) + Sync),
) -> anyhow::Result<Outcome> {
    let path = folder.join("match");
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
