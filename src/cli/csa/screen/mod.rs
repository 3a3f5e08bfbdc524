//! The full-screen view of running clients: boards, clocks, lines, results.
//!
//! The clients report to [`Shared`]; [`Screen`] shows it and reads keys. Without the view, events
//! are printed as lines. The terminal is given back
//! on every way out: at the end of [`Screen::run`], by the panic hook, and before Ctrl-C ends the
//! program at once.

#[cfg(test)]
mod tests;
mod view;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::cli::csa::tally_text;
use crate::cli::output;
use crate::cli::progress::Interrupt;
use crate::csa::journal::{Entry, Tally, by_opponent};
use crate::csa::run::RunEvent;
use crate::csa::session::Session;
use crate::position::Board;
use crate::records::csa::move_text;
use crate::records::game::black_score;
use crate::types::{Color, Move};
use view::Look;

/// Time between two pictures, in which the clocks run on.
const INTERVAL: Duration = Duration::from_millis(200);

/// Whether the terminal is ours. The last one who uses it gives it back.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Whether there is a terminal that can show the view.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && !output::is_dumb_terminal()
}

/// Whether the view is on the terminal.
pub(super) fn is_open() -> bool {
    IS_OPEN.load(Ordering::SeqCst)
}

/// Gives the terminal back, if it is ours. May be called from any thread, and more than once.
pub(super) fn close() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        ratatui::restore();
    }
}

/// The view on the terminal, which is given back when this is dropped.
pub(super) struct Screen {
    terminal: DefaultTerminal,
    shared: Arc<Shared>,
}

impl Screen {
    /// Takes the terminal for the view.
    ///
    /// # Errors
    /// It cannot be used.
    pub(super) fn open(shared: Arc<Shared>) -> io::Result<Self> {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            close();
            hook(panic);
        }));
        // Set before, so that a failure half-way is undone.
        IS_OPEN.store(true, Ordering::SeqCst);
        match ratatui::try_init() {
            Ok(terminal) => Ok(Self { terminal, shared }),
            Err(error) => {
                close();
                Err(error)
            }
        }
    }

    /// Shows the view until `is_done`, or until the terminal is given back.
    ///
    /// # Errors
    /// The terminal cannot be read or written any more.
    pub(super) fn run(
        mut self,
        interrupt: &Interrupt,
        is_done: impl Fn() -> bool,
    ) -> io::Result<()> {
        let mut look = Look::default();
        while is_open() && !is_done() {
            self.shared.with(|accounts| {
                look.selected = look.selected.min(accounts.len().saturating_sub(1));
                self.terminal
                    .draw(|frame| view::draw(frame, accounts, look, Instant::now()))
                    .map(drop)
            })?;
            if event::poll(INTERVAL)?
                && let Event::Key(key) = event::read()?
                && key.kind == KeyEventKind::Press
            {
                let count = self.shared.with(|accounts| accounts.len());
                match command(key) {
                    Some(Command::Interrupt) => interrupt.press(),
                    Some(Command::Next) => look.selected = (look.selected + 1) % count.max(1),
                    Some(Command::Select(index)) if index < count => look.selected = index,
                    Some(Command::Letters) => look.has_letters = !look.has_letters,
                    Some(Command::Turn) => look.is_turned = !look.is_turned,
                    Some(Command::Select(_)) | None => {}
                }
            }
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        close();
    }
}

/// What a key asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Command {
    /// As Ctrl-C, which the terminal does not turn into a signal here.
    Interrupt,
    /// Show the next account.
    Next,
    /// Show the account with this index.
    Select(usize),
    /// Letters for pieces, or kanji again.
    Letters,
    /// Turn the board.
    Turn,
}

fn command(key: KeyEvent) -> Option<Command> {
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            Some(Command::Interrupt)
        }
        KeyCode::Tab => Some(Command::Next),
        KeyCode::Char('k') => Some(Command::Letters),
        KeyCode::Char('t') => Some(Command::Turn),
        KeyCode::Char(digit @ '1'..='9') => Some(Command::Select(digit as usize - '1' as usize)),
        _ => None,
    }
}

// --- What the view shows ---

/// Messages that are kept of an account.
const MOST_NOTES: usize = 50;
/// Moves of the line that are kept.
const MOST_MOVES: usize = 24;

/// The accounts, shared between the clients and the view.
#[derive(Debug, Default)]
pub(super) struct Shared(Mutex<Vec<Account>>);

impl Shared {
    pub(super) fn new(accounts: Vec<Account>) -> Self {
        Self(Mutex::new(accounts))
    }

    fn with<R>(&self, use_: impl FnOnce(&mut Vec<Account>) -> R) -> R {
        // What a thread left that panicked is good enough for a picture.
        use_(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes an event of the account with this number, and prints it where there is no view.
    pub(super) fn show(&self, number: usize, event: &RunEvent<'_>) {
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.with(|accounts| {
            let account = &mut accounts[number];
            let Some(text) = account.take(event) else {
                return;
            };
            if !is_open() {
                output::eprint_line(format_args!("{time}{} {text}", account.prefix));
            }
            account.note(&time, &text);
        });
    }

    /// A message to all accounts.
    pub(super) fn say(&self, text: &str) {
        let time = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        self.with(|accounts| {
            for account in accounts {
                account.note(&time, text);
            }
        });
    }
}

/// An account as the view shows it.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Its name and where it plays.
    title: String,
    /// Before each line that is printed, where several accounts play.
    prefix: String,
    /// What it does when there is no game.
    state: &'static str,
    game: Option<View>,
    results: Tally,
    /// Results by opponent.
    against: BTreeMap<String, Tally>,
    /// Messages, the latest last.
    notes: VecDeque<String>,
}

/// A game as it stands.
#[derive(Debug)]
struct View {
    players: [String; Color::NUM],
    /// The side that we play.
    side: Color,
    board: Board,
    /// Number of moves, and the last one.
    moves: usize,
    last: Option<Move>,
    remaining: [Duration; Color::NUM],
    /// The side whose clock runs, and since when.
    running: Option<(Color, Instant)>,
    /// Byoyomi and increment of the side, as a text.
    rules: [String; Color::NUM],
    /// What the engine thinks: the score from black's point of view, and its line.
    score: Option<i32>,
    depth: Option<u32>,
    line: String,
}

impl Account {
    /// An account with the games of its journal so far.
    pub(super) fn new(title: String, prefix: String, entries: &[Entry]) -> Self {
        Self {
            title,
            prefix,
            state: "starting",
            results: Tally::of(entries),
            against: by_opponent(entries),
            ..Self::default()
        }
    }

    /// Takes an event, and returns its line if it has one.
    fn take(&mut self, event: &RunEvent<'_>) -> Option<String> {
        Some(match event {
            RunEvent::Note(text) => (*text).to_owned(),
            RunEvent::LoggedIn => {
                self.state = "logged in, waiting for a game";
                self.state.to_owned()
            }
            RunEvent::Offered(summary) => {
                let [black, white] = &summary.players;
                format!("game {}: {black} (black) - {white}", summary.id)
            }
            RunEvent::Finished(entry) => {
                self.results.add(entry);
                let opponent = self.against.entry(entry.opponent.clone());
                opponent.or_default().add(entry);
                self.game = None;
                self.state = "between games";
                format!(
                    "{} against {} by {}, {} ({})",
                    entry.result.name(),
                    entry.opponent,
                    entry.ending,
                    entry.notices,
                    tally_text(&self.results)
                )
            }
            RunEvent::Moment(session) => {
                if let Some(view) = View::of(session) {
                    self.game = Some(view);
                }
                return None;
            }
        })
    }

    fn note(&mut self, time: &str, text: &str) {
        if self.notes.len() == MOST_NOTES {
            self.notes.pop_front();
        }
        self.notes.push_back(format!("{time} {text}"));
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
    fn left(&self, color: Color, now: Instant) -> Duration {
        let used = self
            .running
            .filter(|(runs, _)| *runs == color)
            .map_or(Duration::ZERO, |(_, since)| {
                now.saturating_duration_since(since)
            });
        self.remaining[color.index()].saturating_sub(used)
    }
}
