//! Progress of a running match on stderr.

use crate::arena::event::Event;
use crate::arena::settings::MatchSettings;
use crate::arena::summary::one_line;
use crate::cli::progress::Meter;

/// Shows the events of a match.
pub(super) struct Progress(Meter);

impl Progress {
    /// Progress of a match of which `done` games are finished already.
    pub(super) fn new(settings: &MatchSettings, done: u64) -> Self {
        Self(Meter::new("games", settings.games_here(), done))
    }

    pub(super) fn show(&self, event: &Event<'_>) {
        match event {
            Event::EngineChecked { name, program } => {
                self.0.message(&format!("{name} is {program}"));
            }
            Event::Note(note) => self.0.message(&format!("note: {note}")),
            Event::Game { entry, tally } => {
                if entry.reason.is_fault() {
                    self.0.message(&format!(
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
