//! The full-screen view of running clients: boards, clocks, lines, results.
//!
//! The terminal is given back on every way out: at the end of [`Screen::run`], by the panic hook,
//! and before Ctrl-C ends the program at once.

mod state;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::cli::interrupt::Interrupt;
pub(super) use state::{Account, Shared};
use view::Look;

/// Time between two pictures, in which the clocks run on.
const INTERVAL: Duration = Duration::from_millis(200);

/// Whether the terminal is ours. The last one who uses it gives it back.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Whether there is a terminal that can show the view.
pub(super) fn is_possible() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
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

/// The open view.
pub(super) struct Screen {
    terminal: DefaultTerminal,
    shared: Arc<Shared>,
}

impl Screen {
    /// Takes the terminal.
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
    /// Show this account.
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
