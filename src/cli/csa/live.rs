//! What a running client shows: a line for each event, and on a terminal a live line with the
//! clocks and the score.

use std::cell::{Cell, RefCell};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::tally_text;
use crate::cli::output;
use crate::csa::journal::Entry;
use crate::csa::run::Happening;
use crate::csa::session::Session;
use crate::csa::stats::Tally;
use crate::records::csa::move_text;
use crate::records::game::black_score;
use crate::types::Color;

/// Time between two updates of the live line.
const INTERVAL: Duration = Duration::from_millis(200);
/// Moves of the line that are shown.
const SHOWN_MOVES: usize = 6;

/// The display of a client.
pub(super) struct Live {
    /// `None` if stderr is not a terminal.
    bar: Option<ProgressBar>,
    /// Before each line, where several accounts play.
    prefix: String,
    tally: RefCell<Tally>,
    updated: Cell<Option<Instant>>,
}

impl Live {
    /// A display that counts on from the games of the journal. With a name for its lines it is one
    /// of several, which cannot share a live line.
    pub(super) fn new(entries: &[Entry], name: Option<&str>) -> Self {
        let has_bar = std::io::stderr().is_terminal() && name.is_none();
        let bar = has_bar.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            prefix: name.map_or_else(String::new, |name| format!(" {name}:")),
            tally: RefCell::new(Tally::of(entries)),
            updated: Cell::new(None),
        }
    }

    /// Shows an event as a line, or in the live line.
    pub(super) fn show(&self, happening: &Happening<'_>) {
        match happening {
            Happening::Note(text) => self.line(text),
            Happening::LoggedIn => self.line("logged in, waiting for a game"),
            Happening::Offered(summary) => {
                let [black, white] = &summary.players;
                self.line(&format!("game {}: {black} (black) - {white}", summary.id));
            }
            Happening::Finished(entry) => self.finished(entry),
            Happening::Moment(session) => self.moment(session),
        }
    }

    /// Removes the live line.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        let time = jiff::Zoned::now();
        let line = format!("{}{} {text}", time.strftime("%H:%M:%S"), self.prefix);
        match &self.bar {
            Some(bar) => bar.println(line),
            None => output::eprint_line(line),
        }
    }

    fn finished(&self, entry: &Entry) {
        let mut tally = self.tally.borrow_mut();
        tally.add(entry);
        self.line(&format!(
            "{} against {} by {}, {} ({})",
            entry.result.name(),
            entry.opponent,
            entry.ending,
            entry.notices,
            tally_text(&tally)
        ));
    }

    fn moment(&self, session: &Session) {
        let Some(bar) = &self.bar else { return };
        if session.game().is_none() {
            bar.set_message("waiting");
            return;
        }
        let now = Instant::now();
        let is_early = |updated: Instant| now.duration_since(updated) < INTERVAL;
        if self.updated.get().is_some_and(is_early) {
            return;
        }
        self.updated.set(Some(now));
        bar.set_message(live_line(session, now));
        bar.tick();
    }
}

/// `42 +7776FU  black 4:31  white 5:02  score 35 d18 +2726FU …`
fn live_line(session: &Session, now: Instant) -> String {
    let Some(game) = session.game() else {
        return String::new();
    };
    let mut parts = vec![game.moves().len().to_string()];
    parts.extend(game.moves().last().map(|played| move_text(played.mv)));
    let mover = game.position().side_to_move();
    for (color, name) in Color::ALL.into_iter().zip(["black", "white"]) {
        let running = session
            .turn_since()
            .filter(|_| color == mover)
            .map(|since| now.saturating_duration_since(since));
        let left = game.clock().remaining(color);
        let seconds = left.saturating_sub(running.unwrap_or_default()).as_secs();
        parts.push(format!("{name} {}:{:02}", seconds / 60, seconds % 60));
    }
    if let Some(thought) = session.thought()
        && let (Some(score), Some(first)) = (thought.score, thought.pv.first())
    {
        let score = black_score(score, first.piece().color());
        let depth = thought.depth.unwrap_or(0);
        parts.push(format!("score {score} depth {depth}"));
        let line = thought.pv.iter().take(SHOWN_MOVES).map(|&mv| move_text(mv));
        parts.push(line.collect::<Vec<_>>().join(" "));
    }
    parts.join("  ")
}
