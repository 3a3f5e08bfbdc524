//! Progress of a running match on stderr.

use crate::arena::runner::Event;
use crate::arena::settings::MatchSettings;
use crate::arena::summary::one_line;
use crate::cli::progress::Meter;
use crate::lang::Lang;

/// Shows the events of a match.
pub(super) struct Progress {
    meter: Meter,
    lang: Lang,
}

impl Progress {
    /// Progress of a match of which `done` games are finished already.
    pub(super) fn new(settings: &MatchSettings, done: u64, lang: Lang) -> Self {
        let meter = Meter::in_language(lang, &lang.unit_games(), settings.games_here(), done);
        Self { meter, lang }
    }

    pub(super) fn show(&self, event: &Event<'_>) {
        match event {
            Event::EngineChecked { name, program } => {
                self.meter.message(&format!("{name} is {program}"));
            }
            Event::Note(note) => self.meter.message(&format!("note: {note}")),
            Event::Game { entry, tally } => {
                if entry.reason.is_fault() {
                    self.meter.message(&format!(
                        "game {}, {} against {}: {}",
                        entry.game,
                        entry.black,
                        entry.white,
                        entry.verdict()
                    ));
                }
                self.meter
                    .advance(tally.games(), one_line(tally, self.lang));
            }
        }
    }

    pub(super) fn finish(&self) {
        self.meter.finish();
    }
}
