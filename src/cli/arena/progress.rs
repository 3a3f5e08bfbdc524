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

/// On stderr, so that the result can go through a pipe.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// For a match of which `done` games are played already.
    pub(super) fn new(settings: &MatchSettings, done: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let games = settings.games_here();
            let bar = games.map_or_else(ProgressBar::no_length, ProgressBar::new);
            let template = if games.is_some() {
                "{elapsed_precise} {bar:20} {pos}/{len} games, {eta} left  {msg}"
            } else {
                "{elapsed_precise} {spinner} {pos} games  {msg}"
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_position(done);
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        Self {
            bar,
            last_line: Mutex::new(Instant::now()),
        }
    }

    pub(super) fn show(&self, event: &Event<'_>) {
        match event {
            Event::EngineChecked { name, program } => self.say(&format!("{name} is {program}")),
            Event::Note(note) => self.say(&format!("note: {note}")),
            Event::Game { entry, tally } => {
                if entry.reason.is_fault() {
                    self.say(&format!(
                        "game {}, {} against {}: {}, {}",
                        entry.game, entry.black, entry.white, entry.reason, entry.detail
                    ));
                }
                let line = one_line(tally);
                if let Some(bar) = &self.bar {
                    bar.set_position(tally.games());
                    bar.set_message(line);
                } else if self.is_line_due() {
                    eprintln!("{} games  {line}", tally.games());
                }
            }
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
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
