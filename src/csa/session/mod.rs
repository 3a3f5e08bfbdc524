//! The client's side of one connection as a state machine: no network, no clock, no engine.
//!
//! Input: lines of the server, reports of the engine, wishes of the user, the time. Output: lines
//! to send, commands to the engine, events. The driver performs the actions in their order and
//! calls [`Session::handle`] with [`Input::Tick`] when [`Session::deadline`] has passed.
//!
//! Promises: any input in any phase is taken without a panic; every game that began ends with
//! exactly one [`Event::Finished`] or [`Event::Interrupted`]; a move is sent only in our turn, see
//! [`turn`](super::turn).

mod playing;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use super::clock::{Delays, RoundTrips, UNTIMED_MOVE};
use super::game::{End, FinishedGame, Game, ResignRule};
use super::lines::{ClientLine, Password};
use super::lines::{EndReason, SUMMARY_BLOCK, ServerLine, Summary, SummaryReader};
use super::player::{EngineCommand, GameRules, Prepared, Report};
use crate::records::csa::{legal_move, move_text};
use crate::types::{Color, EnteringKingRule, Move};
use crate::{position::Position, records::Thought, util::shorten};
use playing::{Flow, Playing};

/// Longest time for the answer to `LOGIN`, and to resume a game.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time for the answer to `LOGOUT`.
const LOGOUT_TIMEOUT: Duration = Duration::from_secs(2);
/// Time without a line of ours after which an empty one is sent. The protocol wants 30 s or more.
const KEEP_ALIVE: Duration = Duration::from_secs(40);
/// Time without a byte after which the server counts as gone. Most servers answer empty lines; of
/// one that never did, a player's time to think is awaited as well.
const DEAD_PEER: Duration = Duration::from_secs(100);
/// Longest time from the first line of a summary to its last.
const SUMMARY_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time from the summary to the start of the game. shogi-server gives both players 120 s.
const START_TIMEOUT: Duration = Duration::from_mins(4);
/// Notes of a connection that are told; a server that misbehaves without end could fill the screen.
const MOST_NOTES: u32 = 100;
/// Games that a server may offer in a row without starting one.
const MOST_OFFERS: u32 = 100;
/// Longest time from the wish to resign to our turn.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(30);

/// What comes into a session.
#[derive(Debug)]
pub enum Input {
    /// A line from the server, without its line end.
    Line(String),
    /// The engine is prepared for a game, or cannot be.
    Prepared(Prepared),
    /// The engine reports about a search.
    Report(Report),
    /// The wish of the user changed.
    Wish(Wish),
    /// Nothing but the time.
    Tick,
    /// The connection is closed.
    Closed,
}

/// One connection to a server.
#[derive(Debug)]
pub struct Session {
    phase: Phase,
    context: Context,
    last_received: Instant,
    /// The server has answered an empty line.
    answers_blanks: bool,
    /// When the user wished to resign.
    resigned: Option<Instant>,
}

#[derive(Debug)]
enum Phase {
    /// `LOGIN` was sent, at that time; a game may be resumed after it.
    LoggingIn { since: Instant, interrupted: Option<Box<InterruptedGame>> },
    /// The state of the interrupted game is expected.
    Resuming { since: Instant, resumption: Box<Resumption> },
    /// Between games.
    Waiting,
    /// The summary of a game is coming.
    Reading { since: Instant, reader: Box<SummaryReader> },
    /// The engine prepares for the game.
    Preparing { since: Instant, summary: Box<Summary> },
    /// `AGREE` was sent.
    Agreed { since: Instant, summary: Box<Summary> },
    /// A game is played.
    Playing(Box<Playing>),
    /// `LOGOUT` was sent.
    LoggingOut { since: Instant },
    /// The session is over.
    Closed,
}

impl Session {
    /// Begins on a new connection; the first actions log in. `interrupted` is the game to resume.
    pub fn begin(
        settings: SessionSettings,
        interrupted: Option<Box<InterruptedGame>>,
        now: Instant,
    ) -> (Self, Vec<Action>) {
        let reconnect = interrupted.as_ref().and_then(|interrupted| {
            let summary = interrupted.game.summary();
            let token = summary.reconnect_token.as_ref()?;
            Some(format!("{}+{token}", summary.id))
        });
        let mut context = Context::new(settings, now);
        context.send(ClientLine::Login {
            name: context.settings.name.clone(),
            game: context.settings.game.clone(),
            password: context.settings.password.clone(),
            reconnect,
        });
        let actions = context.take_actions();
        let session = Self {
            phase: Phase::LoggingIn { since: now, interrupted },
            context,
            last_received: now,
            answers_blanks: false,
            resigned: None,
        };
        (session, actions)
    }

    /// Takes an input that came at `now`, and returns what to do.
    pub fn handle(&mut self, input: Input, now: Instant) -> Vec<Action> {
        self.context.now = now;
        match input {
            Input::Line(line) => {
                self.last_received = now;
                self.answers_blanks |= line.trim().is_empty();
                self.line(&line);
            }
            Input::Prepared(prepared) => self.prepared(prepared),
            Input::Report(report) => {
                if let Phase::Playing(playing) = &mut self.phase {
                    playing.report(report, &mut self.context);
                }
            }
            Input::Wish(wish) => self.wish(wish),
            Input::Tick => self.tick(),
            Input::Closed => {
                self.note_closing();
                self.closed();
            }
        }
        self.context.take_actions()
    }

    /// When [`Input::Tick`] is due at the latest.
    pub fn deadline(&self) -> Instant {
        let keep_alive = self.is_logged_in().then(|| self.context.last_sent + KEEP_ALIVE);
        let of_phase = match &self.phase {
            Phase::Playing(playing) => playing.deadline(&self.context),
            _ => self.limit().map(|(limit, _)| limit),
        };
        let leave = self.resigned.map(|since| since + LEAVE_TIMEOUT);
        let others = [keep_alive, of_phase, leave].into_iter().flatten();
        others.fold(self.silence_deadline(), Instant::min)
    }

    /// When the phase has to be over, and what is said if it is not, unless we are leaving anyway.
    fn limit(&self) -> Option<(Instant, &'static str)> {
        let (since, longest, fault) = match &self.phase {
            Phase::LoggingIn { since, .. } | Phase::Resuming { since, .. } => {
                (since, LOGIN_TIMEOUT, "no answer to the login")
            }
            Phase::Reading { since, .. } => {
                (since, SUMMARY_TIMEOUT, "the summary of a game does not end")
            }
            Phase::Preparing { since, .. } | Phase::Agreed { since, .. } => {
                (since, START_TIMEOUT, "the game does not start")
            }
            Phase::LoggingOut { since } => (since, LOGOUT_TIMEOUT, ""),
            Phase::Waiting | Phase::Playing(_) | Phase::Closed => return None,
        };
        Some((*since + longest, fault))
    }

    /// When a server that stays silent counts as gone.
    fn silence_deadline(&self) -> Instant {
        let thinking = match &self.phase {
            Phase::Playing(playing) if !self.answers_blanks => playing.budget(),
            _ => Duration::ZERO,
        };
        self.last_received + DEAD_PEER + thinking
    }

    fn playing(&self) -> Option<&Playing> {
        match &self.phase {
            Phase::Playing(playing) => Some(playing),
            _ => None,
        }
    }

    /// The game that runs; `None` between games.
    pub fn game(&self) -> Option<&Game> {
        self.playing().map(|playing| &playing.game)
    }

    /// The last thought of the running search.
    pub fn thought(&self) -> Option<&Thought> {
        self.playing()?.thought.as_ref()
    }

    /// When the running turn of the game began; `None` between turns.
    pub fn turn_since(&self) -> Option<Instant> {
        self.playing()?.turn_since()
    }

    /// Whether the server has not yet handed a game back that is to be resumed.
    pub const fn is_resuming(&self) -> bool {
        matches!(self.phase, Phase::Resuming { .. } | Phase::LoggingIn { interrupted: Some(_), .. })
    }

    /// Whether the session is over.
    pub const fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Closed)
    }

    const fn is_logged_in(&self) -> bool {
        !matches!(self.phase, Phase::LoggingIn { .. } | Phase::Closed)
    }

    // --- Lines ---

    fn line(&mut self, line: &str) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Closed) {
            Phase::LoggingIn { since, interrupted } => self.login_line(line, since, interrupted),
            Phase::Resuming { since, resumption } => self.resuming_line(line, since, resumption),
            Phase::Waiting => self.begun_summary(line).unwrap_or(Phase::Waiting),
            Phase::Reading { since, mut reader } => {
                if reader.line(line) {
                    self.summary(&reader)
                } else {
                    Phase::Reading { since, reader }
                }
            }
            Phase::Preparing { since, summary } => {
                if self.rejection(line, &summary) {
                    self.wait()
                } else if let Some(reading) = self.begun_summary(line) {
                    reading
                } else {
                    Phase::Preparing { since, summary }
                }
            }
            Phase::Agreed { since, summary } => self.agreed_line(line, since, summary),
            Phase::Playing(mut playing) => match playing.line(line, &mut self.context) {
                Flow::Continue => Phase::Playing(playing),
                Flow::Over => self.finish(*playing),
            },
            Phase::LoggingOut { since } => match ServerLine::parse(line) {
                ServerLine::LogoutCompleted => self.close(),
                _ => Phase::LoggingOut { since },
            },
            Phase::Closed => Phase::Closed,
        };
    }

    fn login_line(
        &mut self,
        line: &str,
        since: Instant,
        interrupted: Option<Box<InterruptedGame>>,
    ) -> Phase {
        match ServerLine::parse(line) {
            ServerLine::LoginOk => {
                self.context.event(Event::LoggedIn);
                match interrupted {
                    Some(interrupted) => Phase::Resuming {
                        since: self.context.now,
                        resumption: Box::new(Resumption::new(*interrupted)),
                    },
                    None => self.wait(),
                }
            }
            ServerLine::LoginIncorrect(reason) => {
                if !reason.is_empty() {
                    let reason = self.context.shown(&reason);
                    self.context.note(format!("the reason of the server: {reason}"));
                }
                let retry_after = retry_after(&reason);
                self.context.event(Event::LoginRefused { retry_after });
                self.lose(interrupted.map(|interrupted| interrupted.game));
                self.close()
            }
            _ => Phase::LoggingIn { since, interrupted },
        }
    }

    fn resuming_line(&mut self, line: &str, since: Instant, resumption: Box<Resumption>) -> Phase {
        match resumption.line(line) {
            Step::More(resumption) => Phase::Resuming { since, resumption },
            Step::Resumed(game) => {
                Phase::Playing(Box::new(Playing::begin(*game, &mut self.context)))
            }
            Step::Lost(game) => {
                self.context.note("the server's game is not ours");
                self.lose(Some(*game));
                self.close()
            }
            Step::Other(game, summary) => {
                self.context.note("the server offers another game");
                self.lose(Some(*game));
                self.summary(&summary)
            }
        }
    }

    // --- Offers of games, from the summary to the start ---

    fn summary(&mut self, reader: &SummaryReader) -> Phase {
        match reader.finish() {
            Ok(_) if self.context.wish > Wish::PlayOn => {
                self.context.send(ClientLine::Reject(reader.id()));
                self.log_out()
            }
            Ok(mut summary) => {
                self.context.offers += 1;
                if self.context.offers > MOST_OFFERS {
                    self.context.note(format!("{MOST_OFFERS} games offered, none of them started"));
                    return self.close();
                }
                let own_rule = self.context.settings.entering_king_rule;
                summary.declaration = own_rule.or(summary.declaration);
                self.context.blank(&mut summary);
                self.note_gaps(&summary);
                self.context.event(Event::Offered(Box::new(summary.clone())));
                self.context.engine(EngineCommand::Prepare(GameRules {
                    game: summary.id.clone(),
                    max_moves: summary.max_moves,
                    declaration: summary.declaration_rule(),
                }));
                Phase::Preparing { since: self.context.now, summary: Box::new(summary) }
            }
            Err(error) => {
                self.context.note(format!("rejected a game: {error}"));
                self.context.send(ClientLine::Reject(reader.id()));
                self.wait()
            }
        }
    }

    /// Says what the summary leaves open, and what is done instead.
    fn note_gaps(&mut self, summary: &Summary) {
        if summary.declaration.is_none() {
            self.context.note("the server names no rule of declarations: none is made");
        }
        if summary.time[summary.side.index()].is_untimed() {
            let seconds = UNTIMED_MOVE.as_secs();
            self.context.note(format!("the game has no clock: {seconds} s a move are used"));
        }
    }

    fn agreed_line(&mut self, line: &str, since: Instant, summary: Box<Summary>) -> Phase {
        if self.rejection(line, &summary) {
            return self.wait();
        }
        // The server has dropped that game.
        if let Some(reading) = self.begun_summary(line) {
            return reading;
        }
        match ServerLine::parse(line) {
            ServerLine::Start(id) if id == summary.id => {
                self.context.offers = 0;
                let game = Game::new(*summary, self.context.now);
                Phase::Playing(Box::new(Playing::begin(game, &mut self.context)))
            }
            _ => Phase::Agreed { since, summary },
        }
    }

    /// Whether the line rejects the game.
    fn rejection(&mut self, line: &str, summary: &Summary) -> bool {
        match ServerLine::parse(line) {
            ServerLine::Reject { game, by } if game == summary.id => {
                let by = self.context.shown(&by);
                self.context.event(Event::Rejected(by));
                true
            }
            _ => false,
        }
    }

    /// Where the summary of a game begins, the phase that reads it.
    fn begun_summary(&self, line: &str) -> Option<Phase> {
        let is_begun = ServerLine::parse(line) == ServerLine::Begin(SUMMARY_BLOCK.to_owned());
        is_begun.then(|| Phase::Reading { since: self.context.now, reader: Box::default() })
    }

    // --- Other inputs ---

    fn prepared(&mut self, prepared: Prepared) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Closed) {
            Phase::Preparing { summary, .. } if summary.id == prepared.game => {
                match prepared.result {
                    Ok(()) if self.context.wish == Wish::PlayOn => {
                        self.context.send(ClientLine::Agree(summary.id.clone()));
                        Phase::Agreed { since: self.context.now, summary }
                    }
                    Ok(()) => {
                        self.context.send(ClientLine::Reject(summary.id));
                        self.log_out()
                    }
                    Err(reason) => {
                        self.context.note(format!("rejected a game: the engine, {reason}"));
                        self.context.send(ClientLine::Reject(summary.id));
                        self.wait()
                    }
                }
            }
            other => other,
        };
    }

    fn wish(&mut self, wish: Wish) {
        self.context.wish = self.context.wish.max(wish);
        if self.context.wish == Wish::Resign && self.resigned.is_none() {
            self.resigned = Some(self.context.now);
        }
        match &mut self.phase {
            Phase::Waiting if wish > Wish::PlayOn => self.phase = self.log_out(),
            Phase::LoggingIn { interrupted: None, .. } if wish > Wish::PlayOn => {
                self.phase = self.close();
            }
            Phase::Playing(playing) if wish == Wish::Resign => playing.resign(&mut self.context),
            _ => {}
        }
    }

    fn tick(&mut self) {
        let now = self.context.now;
        let has_left = |since| now >= since + LEAVE_TIMEOUT;
        if now >= self.silence_deadline() {
            self.context.note("the server is silent, the connection counts as lost");
            self.closed();
            return;
        }
        if self.resigned.is_some_and(has_left) {
            self.closed();
            return;
        }
        if let Some((limit, fault)) = self.limit()
            && now >= limit
        {
            if !fault.is_empty() {
                self.context.note(fault);
            }
            self.closed();
        }
        self.phase = match std::mem::replace(&mut self.phase, Phase::Closed) {
            Phase::Playing(mut playing) => match playing.tick(&mut self.context) {
                Flow::Continue => Phase::Playing(playing),
                Flow::Over => self.finish(*playing),
            },
            other => other,
        };
        if self.is_logged_in() && now >= self.context.last_sent + KEEP_ALIVE {
            self.context.send(ClientLine::Blank);
        }
    }

    /// Says when the connection was closed, unless the session is over.
    fn note_closing(&mut self) {
        let moment = match &self.phase {
            Phase::LoggingIn { .. } => "before the login was answered",
            Phase::Resuming { .. } => "before the game was resumed",
            Phase::Waiting => "while waiting for a game",
            Phase::Reading { .. } | Phase::Preparing { .. } | Phase::Agreed { .. } => {
                "before the game started"
            }
            Phase::Playing(_) => "during the game",
            Phase::LoggingOut { .. } | Phase::Closed => return,
        };
        self.context.note(format!("the connection was closed {moment}"));
    }

    /// The connection is lost, or we give it up.
    fn closed(&mut self) {
        match std::mem::replace(&mut self.phase, Phase::Closed) {
            Phase::Closed => return,
            Phase::Playing(playing) => playing.lose_connection(&mut self.context),
            Phase::Resuming { resumption, .. } => self.lose(Some(resumption.interrupted.game)),
            // The next connection tries again to resume.
            Phase::LoggingIn { interrupted: Some(interrupted), .. } => {
                self.context.event(Event::Interrupted(interrupted));
            }
            _ => {}
        }
        self.context.close();
    }

    // --- Ends ---

    fn finish(&mut self, playing: Playing) -> Phase {
        match playing.finish(&mut self.context) {
            // The operator broke the game off; there is nobody to say good-bye to.
            Some(EndReason::Interrupted | EndReason::Abnormal) => self.close(),
            _ => self.log_out(),
        }
    }

    /// A game that cannot be resumed.
    fn lose(&mut self, game: Option<Game>) {
        if let Some(game) = game {
            self.context.engine(EngineCommand::GameOver("draw"));
            let finished = FinishedGame::new(game, &End::default());
            self.context.event(Event::Finished(Box::new(finished)));
        }
    }

    /// Waits for a game, unless the user wants no more.
    fn wait(&mut self) -> Phase {
        if self.context.wish > Wish::PlayOn { self.log_out() } else { Phase::Waiting }
    }

    fn log_out(&mut self) -> Phase {
        self.context.send(ClientLine::Logout);
        Phase::LoggingOut { since: self.context.now }
    }

    fn close(&mut self) -> Phase {
        self.context.close();
        Phase::Closed
    }
}

/// The `retry_after=SECONDS` in the reason of a refusal.
fn retry_after(reason: &str) -> Option<Duration> {
    let mut words = reason.split_whitespace();
    let seconds = words.find_map(|word| word.strip_prefix("retry_after=")?.parse().ok())?;
    Some(Duration::from_secs(seconds))
}

// --- What all phases share ---

/// How a session logs in and plays.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// Name of the account.
    pub name: String,
    /// The game that the password begins with on shogi-server; empty for none.
    pub game: String,
    /// The password of the account, which no text shows.
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
    pub(super) game: Game,
    /// Our move that the server may not have received.
    pub(super) sent: Option<Move>,
    /// When the connection was lost on which it was played.
    pub(super) lost: Instant,
}

impl InterruptedGame {
    /// The game as it stands, if it will not be resumed.
    pub fn give_up(self) -> FinishedGame {
        FinishedGame::new(self.game, &End::default())
    }
}

/// Shared by all phases.
#[derive(Debug)]
struct Context {
    settings: SessionSettings,
    trips: RoundTrips,
    wish: Wish,
    last_sent: Instant,
    actions: Vec<Action>,
    now: Instant,
    /// Notes that were told.
    notes: u32,
    /// Games offered since the last one that started.
    offers: u32,
}

impl Context {
    fn new(settings: SessionSettings, now: Instant) -> Self {
        Self {
            settings,
            trips: RoundTrips::default(),
            wish: Wish::PlayOn,
            last_sent: now,
            actions: Vec::new(),
            now,
            notes: 0,
            offers: 0,
        }
    }

    fn since(&self, earlier: Instant) -> Duration {
        self.now.saturating_duration_since(earlier)
    }

    fn send(&mut self, line: ClientLine) {
        self.last_sent = self.now;
        self.actions.push(Action::Send(line));
    }

    fn engine(&mut self, command: EngineCommand) {
        self.actions.push(Action::Engine(command));
    }

    fn event(&mut self, event: Event) {
        self.actions.push(Action::Event(event));
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes += 1;
        // It may quote a line of the server.
        let text = text.into();
        let mut text = self.settings.password.blanked(&text).into_owned();
        match self.notes {
            ..MOST_NOTES => {}
            MOST_NOTES => text += "; no more is told of this connection",
            _ => {
                self.notes = MOST_NOTES;
                return;
            }
        }
        self.event(Event::Note(text));
    }

    /// A text of the server as it is shown: short, and with the password blanked.
    fn shown(&self, text: &str) -> String {
        shorten(&self.settings.password.blanked(text))
    }

    /// Blanks the password in the names of the players, unless it is our name.
    fn blank(&self, summary: &mut Summary) {
        for name in &mut summary.players {
            if *name != self.settings.name {
                *name = self.settings.password.blanked(name).into_owned();
            }
        }
    }

    fn close(&mut self) {
        self.actions.push(Action::Close);
    }

    fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// The delays to plan with now.
    fn delays(&self) -> Delays {
        self.trips.delays(self.settings.delays)
    }
}

// --- Resuming a game after a lost connection, on servers that send a `Reconnect_Token` ---

const RECONNECT_BLOCK: &str = "Reconnect_State";

/// Reads the block `Reconnect_State`, and skips what comes before it.
#[derive(Debug)]
struct Resumption {
    interrupted: InterruptedGame,
    /// The summary that is coming: of this game again, or of another one.
    summary: Option<Box<SummaryReader>>,
    is_inside: bool,
    turn: Option<Color>,
    remaining: [Option<Duration>; Color::NUM],
    last_move: Option<String>,
}

/// The effect of a line.
enum Step {
    /// The block is not complete.
    More(Box<Resumption>),
    /// The game goes on.
    Resumed(Box<Game>),
    /// The state of the server does not continue our game.
    Lost(Box<Game>),
    /// The server offers another game: ours is lost.
    Other(Box<Game>, Box<SummaryReader>),
}

impl Resumption {
    fn new(interrupted: InterruptedGame) -> Self {
        Self {
            interrupted,
            summary: None,
            is_inside: false,
            turn: None,
            remaining: [None; Color::NUM],
            last_move: None,
        }
    }

    fn line(mut self: Box<Self>, line: &str) -> Step {
        if let Some(mut summary) = self.summary.take() {
            if !summary.line(line) {
                self.summary = Some(summary);
            } else if summary.id() != self.interrupted.game.summary().id {
                return Step::Other(Box::new(self.interrupted.game), summary);
            }
            return Step::More(self);
        }
        match ServerLine::parse(line) {
            ServerLine::Begin(name) if name == SUMMARY_BLOCK => {
                self.summary = Some(Box::default());
            }
            ServerLine::Begin(name) if name == RECONNECT_BLOCK => self.is_inside = true,
            ServerLine::End(name) if name == RECONNECT_BLOCK && self.is_inside => {
                return self.finish();
            }
            ServerLine::Field { key, value } if self.is_inside => self.field(&key, value.trim()),
            _ => {}
        }
        Step::More(self)
    }

    fn field(&mut self, key: &str, value: &str) {
        let milliseconds = || value.parse().ok().map(Duration::from_millis);
        match key {
            "Current_Turn" => {
                self.turn = match value {
                    "+" | "black" => Some(Color::Black),
                    "-" | "white" => Some(Color::White),
                    _ => None,
                }
            }
            "Black_Time_Remaining_Ms" => self.remaining[0] = milliseconds(),
            "White_Time_Remaining_Ms" => self.remaining[1] = milliseconds(),
            // Perhaps with its time.
            "Last_Move" => self.last_move = value.split(',').next().map(str::to_owned),
            _ => {}
        }
    }

    fn finish(self: Box<Self>) -> Step {
        let missed = self.missed_moves();
        let mut game = self.interrupted.game;
        let Some(missed) = missed else {
            return Step::Lost(Box::new(game));
        };
        for mv in missed {
            game.make(mv, None, Duration::ZERO, None);
        }
        if let [Some(black), Some(white)] = self.remaining {
            game.set_remaining([black, white]);
        }
        Step::Resumed(Box::new(game))
    }

    /// The moves that the server has and our game lacks: our move that was not echoed, the
    /// opponent's, or both; `None` if none of these fits.
    fn missed_moves(&self) -> Option<Vec<Move>> {
        let position = self.interrupted.game.position();
        let last = self.last_move.as_deref().filter(|text| !text.is_empty());
        let mut candidates = vec![Vec::new()];
        candidates.extend(self.interrupted.sent.map(|mv| vec![mv]));
        for moves in candidates.clone() {
            let after = after(position, &moves);
            if let Some(mv) = last.and_then(|text| legal_move(&after, text)) {
                candidates.push([moves, vec![mv]].concat());
            }
        }
        candidates.into_iter().find(|moves| {
            let after = after(position, moves);
            let is_last = match (last, after.last_move()) {
                (Some(text), Some(mv)) => move_text(mv) == text,
                (Some(_), None) => false,
                (None, _) => moves.is_empty(),
            };
            is_last && self.turn.is_none_or(|turn| turn == after.side_to_move())
        })
    }
}

fn after(position: &Position, moves: &[Move]) -> Position {
    let mut position = position.clone();
    for &mv in moves {
        position.do_move(mv);
    }
    position
}
