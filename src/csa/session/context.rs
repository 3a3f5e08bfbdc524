//! What all phases of a session share: the settings, the actions so far, the measured network.

use std::time::{Duration, Instant};

use crate::csa::client_line::{ClientLine, Password};
use crate::csa::clock::{Delays, RoundTrips};
use crate::csa::game::{End, FinishedGame, Game, ResignRule};
use crate::csa::player::EngineCommand;
use crate::csa::summary::Summary;
use crate::types::{EnteringKingRule, Move};

/// How a session logs in and plays.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// Name of the account.
    pub name: String,
    /// The game that the password begins with on shogi-server; empty for none.
    pub game: String,
    /// The password.
    pub password: Password,
    /// Whether and when the engine ponders.
    pub pondering: Pondering,
    /// Whether scores and lines are sent with the moves.
    pub sends_comments: bool,
    /// The rule of declarations that the user set; `None` for that of the server.
    pub entering_king_rule: Option<EnteringKingRule>,
    /// When to resign; `None` leaves it to the engine.
    pub resign: Option<ResignRule>,
    /// The least delays to plan with.
    pub delays: Delays,
}

/// Whether and when the engine ponders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pondering {
    /// Never.
    Off,
    /// After the echo of our move, when the clocks are known.
    AfterEcho,
    /// At once after our move; the clocks come with the hit. For our own engine only.
    Early,
}

/// What the user wants of the games to come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wish {
    /// Play on.
    PlayOn,
    /// End after the running game.
    Finish,
    /// Resign the running game and end.
    Resign,
}

/// What a session asks its driver to do, in this order.
#[derive(Debug)]
pub enum Action {
    /// Send a line.
    Send(ClientLine),
    /// Command the engine.
    Engine(EngineCommand),
    /// Report what happened.
    Event(Event),
    /// Close the connection; the session is over.
    Close,
}

/// What happened in a session.
#[derive(Debug)]
pub enum Event {
    /// The server let us in.
    LoggedIn,
    /// The server refused name or password, or the name is logged in already. Some say after which
    /// time they would let us in.
    LoginRefused {
        /// Time to wait before the next login, if the server states it.
        retry_after: Option<Duration>,
    },
    /// The server offers a game.
    Offered(Box<Summary>),
    /// The game was rejected, by this player or by the server.
    Rejected(String),
    /// The game is over.
    Finished(Box<FinishedGame>),
    /// The connection is lost, but the game can be resumed.
    Interrupted(Box<InterruptedGame>),
    /// Something that the user may want to know.
    Note(String),
}

/// A game whose connection was lost.
#[derive(Debug)]
pub struct InterruptedGame {
    /// The game as far as we know it.
    pub(in crate::csa) game: Game,
    /// Our move that the server may not have received.
    pub(in crate::csa) sent: Option<Move>,
}

impl InterruptedGame {
    /// The game as it stands, if it will not be resumed.
    pub fn give_up(self) -> FinishedGame {
        FinishedGame::new(self.game, &End::default())
    }
}

/// Shared by all phases.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) settings: SessionSettings,
    pub(super) trips: RoundTrips,
    pub(super) wish: Wish,
    pub(super) last_sent: Instant,
    actions: Vec<Action>,
    now: Instant,
}

impl Context {
    pub(super) fn new(settings: SessionSettings, now: Instant) -> Self {
        Self {
            settings,
            trips: RoundTrips::default(),
            wish: Wish::PlayOn,
            last_sent: now,
            actions: Vec::new(),
            now,
        }
    }

    pub(super) fn set_now(&mut self, now: Instant) {
        self.now = now;
    }

    pub(super) const fn now(&self) -> Instant {
        self.now
    }

    pub(super) fn since(&self, earlier: Instant) -> Duration {
        self.now.saturating_duration_since(earlier)
    }

    pub(super) fn send(&mut self, line: ClientLine) {
        self.last_sent = self.now;
        self.actions.push(Action::Send(line));
    }

    pub(super) fn engine(&mut self, command: EngineCommand) {
        self.actions.push(Action::Engine(command));
    }

    pub(super) fn event(&mut self, event: Event) {
        self.actions.push(Action::Event(event));
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.event(Event::Note(text.into()));
    }

    pub(super) fn close(&mut self) {
        self.actions.push(Action::Close);
    }

    pub(super) fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// The delays to plan with now.
    pub(super) fn delays(&self) -> Delays {
        self.trips.delays(self.settings.delays)
    }
}
