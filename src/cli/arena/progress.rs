//! What a running match shows: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::arena::runner::Event;
use crate::arena::settings::MatchSettings;
use crate::arena::summary::one_line;

/// Between two lines in a log file.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// How far long work is: on stderr, so that the result can go through a pipe.
pub(in crate::cli) struct Meter {
    bar: Option<ProgressBar>,
    /// What is counted, such as "games".
    unit: &'static str,
    last_line: Mutex<Instant>,
}

impl Meter {
    /// For work of `length` units, if it has an end, of which `done` are done already.
    pub(in crate::cli) fn new(unit: &'static str, length: Option<u64>, done: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
            let template = if length.is_some() {
                format!(
                    "{{elapsed_precise}} {{bar:20}} {{pos}}/{{len}} {unit}, {{eta}} left  {{msg}}"
                )
            } else {
                format!("{{elapsed_precise}} {{spinner}} {{pos}} {unit}  {{msg}}")
            };
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar.set_position(done);
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        Self {
            bar,
            unit,
            last_line: Mutex::new(Instant::now()),
        }
    }

    /// Shows how much is done, with a few words.
    pub(in crate::cli) fn advance(&self, done: u64, words: String) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(words);
        } else if self.is_line_due() {
            eprintln!("{done} {}  {words}", self.unit);
        }
    }

    pub(in crate::cli) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }

    pub(in crate::cli) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn is_line_due(&self) -> bool {
        let Ok(mut last) = self.last_line.lock() else {
            return false;
        };
        let is_due = last.elapsed() >= LINE_INTERVAL;
        if is_due {
            *last = Instant::now();
        }
        is_due
    }
}

/// What a match shows.
pub(super) struct Progress(Meter);

impl Progress {
    /// For a match of which `done` games are played already.
    pub(super) fn new(settings: &MatchSettings, done: u64) -> Self {
        Self(Meter::new("games", settings.games_here(), done))
    }

    pub(super) fn show(&self, event: &Event<'_>) {
        match event {
            Event::EngineChecked { name, program } => self.0.say(&format!("{name} is {program}")),
            Event::Note(note) => self.0.say(&format!("note: {note}")),
            Event::Game { entry, tally } => {
                if entry.reason.is_fault() {
                    self.0.say(&format!(
                        "game {}, {} against {}: {}",
                        entry.game,
                        entry.black,
                        entry.white,
                        entry.verdict()
                    ));
                }
                self.0.advance(tally.games(), one_line(tally));
            }
        }
    }

    pub(super) fn finish(&self) {
        self.0.finish();
    }
}
