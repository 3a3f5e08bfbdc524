//! What the view shows: the accounts, their games, results and messages.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::csa::journal::Entry;
use crate::csa::run::Happening;
use crate::csa::session::Session;
use crate::csa::stats::Tally;
use crate::position::Board;
use crate::records::csa::move_text;
use crate::records::game::black_score;
use crate::types::{Color, Move};

/// Messages that are kept of an account.
const MOST_NOTES: usize = 50;
/// Moves of the line that are kept.
const MOST_MOVES: usize = 24;

/// The accounts, shared between the clients and the view.
#[derive(Debug, Default)]
pub(in crate::cli::csa) struct Shared(Mutex<Vec<Account>>);

impl Shared {
    pub(in crate::cli::csa) fn new(accounts: Vec<Account>) -> Self {
        Self(Mutex::new(accounts))
    }

    pub(super) fn with<R>(&self, use_: impl FnOnce(&mut Vec<Account>) -> R) -> R {
        // What a thread left that panicked is good enough for a picture.
        use_(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what happens to the account with this number.
    pub(in crate::cli::csa) fn show(&self, number: usize, happening: &Happening<'_>) {
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.with(|accounts| {
            if let Some(account) = accounts.get_mut(number) {
                account.take(happening, &time);
            }
        });
    }

    /// A message to all accounts.
    pub(in crate::cli::csa) fn say(&self, text: &str) {
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.with(|accounts| {
            for account in accounts {
                account.note(&time, text);
            }
        });
    }
}

/// One account.
#[derive(Debug, Default)]
pub(in crate::cli::csa) struct Account {
    /// Its name and where it plays.
    pub(super) title: String,
    /// What it does when there is no game.
    pub(super) state: &'static str,
    pub(super) game: Option<View>,
    pub(super) results: Tally,
    /// Results by opponent.
    pub(super) against: BTreeMap<String, Tally>,
    /// Messages, the latest last.
    pub(super) notes: VecDeque<String>,
}

/// A game as it stands.
#[derive(Debug)]
pub(super) struct View {
    pub(super) players: [String; Color::NUM],
    /// Our side.
    pub(super) side: Color,
    pub(super) board: Board,
    /// Number of moves, and the last one.
    pub(super) moves: usize,
    pub(super) last: Option<Move>,
    pub(super) remaining: [Duration; Color::NUM],
    /// The side whose clock runs, and since when.
    pub(super) running: Option<(Color, Instant)>,
    /// Byoyomi and increment of the side, as a text.
    pub(super) rules: [String; Color::NUM],
    /// What the engine thinks: the score from black's point of view, and its line.
    pub(super) score: Option<i32>,
    pub(super) depth: Option<u32>,
    pub(super) line: String,
}

impl Account {
    /// An account with the games of its journal so far.
    pub(in crate::cli::csa) fn new(title: String, entries: &[Entry]) -> Self {
        let mut account = Self {
            title,
            state: "starting",
            ..Self::default()
        };
        for entry in entries {
            account.count(entry);
        }
        account
    }

    pub(super) fn take(&mut self, happening: &Happening<'_>, time: &str) {
        match happening {
            Happening::Note(text) => self.note(time, text),
            Happening::LoggedIn => {
                self.state = "logged in, waiting for a game";
                self.note(time, self.state);
            }
            Happening::Offered(summary) => {
                let [black, white] = &summary.players;
                self.note(time, &format!("game {}: {black} - {white}", summary.id));
            }
            Happening::Finished(entry) => {
                self.count(entry);
                let text = format!(
                    "{} against {} by {}",
                    entry.result.name(),
                    entry.opponent,
                    entry.ending
                );
                self.note(time, &text);
                self.game = None;
                self.state = "between games";
            }
            Happening::Moment(session) => {
                if let Some(view) = View::of(session) {
                    self.game = Some(view);
                }
            }
        }
    }

    pub(super) fn note(&mut self, time: &str, text: &str) {
        if self.notes.len() == MOST_NOTES {
            self.notes.pop_front();
        }
        self.notes.push_back(format!("{time} {text}"));
    }

    fn count(&mut self, entry: &Entry) {
        self.results.add(entry);
        let opponent = self.against.entry(entry.opponent.clone());
        opponent.or_default().add(entry);
    }
}

impl View {
    fn of(session: &Session) -> Option<Self> {
        let game = session.game()?;
        let position = game.position();
        let thought = session.thought();
        let (score, line) = thought.map_or((None, String::new()), |thought| {
            let side = thought.pv.first().map(|mv| mv.piece().color());
            let score = thought.score.zip(side);
            let moves = thought.pv.iter().take(MOST_MOVES).map(|&mv| move_text(mv));
            (
                score.map(|(score, side)| black_score(score, side)),
                moves.collect::<Vec<_>>().join(" "),
            )
        });
        let rules = |color| {
            let rule = game.clock().rule(color);
            let seconds = |time: Duration| time.as_secs_f64().to_string();
            match (rule.byoyomi.is_zero(), rule.increment.is_zero()) {
                (false, _) => format!("byoyomi {} s", seconds(rule.byoyomi)),
                (true, false) => format!("+{} s a move", seconds(rule.increment)),
                (true, true) => String::new(),
            }
        };
        Some(Self {
            players: game.summary().players.clone(),
            side: game.side(),
            board: position.board().clone(),
            moves: game.moves().len(),
            last: position.last_move(),
            remaining: Color::ALL.map(|color| game.clock().remaining(color)),
            running: session
                .turn_since()
                .map(|since| (position.side_to_move(), since)),
            rules: Color::ALL.map(rules),
            score,
            depth: thought.and_then(|thought| thought.depth),
            line,
        })
    }

    /// What is left on the clock of a side; zero in byoyomi.
    pub(super) fn left(&self, color: Color, now: Instant) -> Duration {
        let used = self
            .running
            .filter(|(runs, _)| *runs == color)
            .map_or(Duration::ZERO, |(_, since)| {
                now.saturating_duration_since(since)
            });
        self.remaining[color.index()].saturating_sub(used)
    }
}
