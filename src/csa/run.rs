//! Plays games on a server for as long as asked: logs in, plays, writes the records, logs in again.

use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

use thiserror::Error;

use super::client_line::ClientLine;
use super::connection::{Connection, Received};
use super::dialogue::DialogueLog;
use super::journal::{Entry, Journal};
use super::outcome::FinishedGame;
use super::pauses::{Cause, Pauses};
use super::player::{OnWord, Player, PlayerError, PlayerSettings, Word};
use super::session::{Action, Event, Input, InterruptedGame, Session, SessionSettings, Wish};
use super::summary::Summary;
use crate::runs::{FolderError, Stop};

/// How often the user's wish is looked at.
const GLANCE: Duration = Duration::from_millis(100);
/// A connection that lasted this long was good.
const GOOD_CONNECTION: Duration = Duration::from_mins(1);
/// A game that was not resumed for this long is given up. Servers wait for some 30 s.
const RESUME_TIMEOUT: Duration = Duration::from_mins(1);

/// Where and how to play.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Name or address of the server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How to log in and play.
    pub session: SessionSettings,
    /// The engine.
    pub player: PlayerSettings,
    /// Number of games to finish; `None` for ever. Games that are broken off do not count.
    pub games: Option<u64>,
}

/// What happens, for whoever watches.
#[derive(Debug)]
pub enum Happening<'a> {
    /// Something to know.
    Note(&'a str),
    /// The server let us in.
    LoggedIn,
    /// A game is offered.
    Offered(&'a Summary),
    /// A game was finished or given up; this is its line of the journal.
    Finished(&'a Entry),
    /// A moment of the session; comes at least ten times a second.
    Moment(&'a Session),
}

/// Why a run cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// The engine cannot be used.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A record or the journal cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The first login was refused.
    #[error("{host} refuses the login of {name}: wrong password, or the name is logged in already")]
    LoginRefused {
        /// The server.
        host: String,
        /// The account.
        name: String,
    },
}

/// What comes to the loop.
enum Incoming {
    Socket { connection: u64, received: Received },
    Engine(Word),
}

type Envelope = (Incoming, Instant);

/// Plays until the number of games is reached or `stop` is requested: after the running game, or by
/// resigning it.
///
/// # Errors
/// See [`RunError`]. A lost connection is no error.
pub fn run(
    settings: &RunSettings,
    journal: Journal,
    stop: &Stop,
    watch: &dyn Fn(Happening<'_>),
) -> Result<(), RunError> {
    let (sender, incoming) = mpsc::channel::<Envelope>();
    let words = sender.clone();
    let on_word: OnWord = Box::new(move |word| {
        // Fails only at the end of the run.
        let _ = words.send((Incoming::Engine(word), Instant::now()));
    });
    let seed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64);
    let mut runner = Runner {
        settings,
        player: Player::start(&settings.player, on_word)?,
        log: DialogueLog::new(&journal.path().join("log")),
        journal,
        stop,
        watch,
        sender,
        incoming,
        connections: 0,
        pauses: Pauses::new(&settings.session.game, seed),
        has_logged_in: false,
        finished: 0,
        interrupted: None,
    };
    runner.play_games()
}

struct Runner<'a> {
    settings: &'a RunSettings,
    player: Player,
    journal: Journal,
    log: DialogueLog,
    stop: &'a Stop,
    watch: &'a dyn Fn(Happening<'_>),
    sender: Sender<Envelope>,
    incoming: Receiver<Envelope>,
    /// Number of connections so far.
    connections: u64,
    pauses: Pauses,
    has_logged_in: bool,
    finished: u64,
    /// A game to resume, and when its connection was lost.
    interrupted: Option<(Box<InterruptedGame>, Instant)>,
}

impl Runner<'_> {
    fn play_games(&mut self) -> Result<(), RunError> {
        while !self.is_done() {
            let cause = self.connect()?;
            self.give_up_old_game()?;
            if !self.is_done() {
                let pause = self.pauses.next(cause, SystemTime::now());
                if matches!(cause, Cause::Lost | Cause::Refused) {
                    self.note(&format!("next login in {:.0} s", pause.as_secs_f64()));
                }
                self.wait(pause);
            }
        }
        if let Some((interrupted, _)) = self.interrupted.take() {
            self.record(&interrupted.give_up())?;
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.stop.is_requested()
            || self
                .settings
                .games
                .is_some_and(|games| self.finished >= games)
    }

    fn wait(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.stop.is_requested() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(GLANCE));
        }
    }

    fn note(&mut self, text: &str) {
        self.log.note('-', text);
        (self.watch)(Happening::Note(text));
    }

    /// One connection, from the login to its end; returns the cause of the pause after it.
    fn connect(&mut self) -> Result<Cause, RunError> {
        self.connections += 1;
        let (number, sender) = (self.connections, self.sender.clone());
        let on_received = move |received, at| {
            let incoming = Incoming::Socket {
                connection: number,
                received,
            };
            // Fails only at the end of the run.
            let _ = sender.send((incoming, at));
        };
        let (host, port) = (&self.settings.host, self.settings.port);
        let connection = match Connection::open(host, port, on_received) {
            Ok(connection) => connection,
            Err(error) => {
                self.note(&format!("{host}:{port}: {error}"));
                return Ok(Cause::Lost);
            }
        };
        let interrupted = self.interrupted.take().map(|(game, _)| game);
        let (session, actions) =
            Session::begin(self.settings.session.clone(), interrupted, Instant::now());
        let mut visit = Visit {
            runner: self,
            session,
            connection: Some(connection),
            cause: Cause::Lost,
        };
        let began = Instant::now();
        visit.perform(actions)?;
        visit.serve()?;
        let cause = visit.cause;
        if began.elapsed() >= GOOD_CONNECTION {
            self.pauses.note_success();
        }
        Ok(cause)
    }

    fn give_up_old_game(&mut self) -> Result<(), RunError> {
        match self.interrupted.take() {
            Some((game, lost)) if lost.elapsed() > RESUME_TIMEOUT => self.record(&game.give_up()),
            other => {
                self.interrupted = other;
                Ok(())
            }
        }
    }

    fn record(&mut self, finished: &FinishedGame) -> Result<(), RunError> {
        let started = jiff::Zoned::now() - finished.game.started().elapsed();
        let entry = self.journal.add(finished, &started)?;
        self.finished += u64::from(finished.is_complete);
        let text = format!(
            "{} against {}: {}",
            entry.game, entry.opponent, entry.notices
        );
        self.log.note('-', &text);
        (self.watch)(Happening::Finished(&entry));
        Ok(())
    }
}

/// One connection.
struct Visit<'a, 'b> {
    runner: &'a mut Runner<'b>,
    session: Session,
    connection: Option<Connection>,
    cause: Cause,
}

impl Visit<'_, '_> {
    fn serve(&mut self) -> Result<(), RunError> {
        let mut wish = Wish::PlayOn;
        while !self.session.is_closed() {
            let stop = self.runner.stop;
            let wished = match (stop.is_requested(), stop.is_abort()) {
                (_, true) => Wish::Resign,
                (true, false) => Wish::Finish,
                (false, false) => Wish::PlayOn,
            };
            let now = Instant::now();
            if wished != wish {
                wish = wished;
                self.give(Input::Wish(wish), now)?;
            } else if now >= self.session.deadline() {
                self.give(Input::Tick, now)?;
            }
            let wait = self.session.deadline().saturating_duration_since(now);
            if let Ok((incoming, at)) = self.runner.incoming.recv_timeout(wait.min(GLANCE)) {
                self.take(incoming, at)?;
            }
            (self.runner.watch)(Happening::Moment(&self.session));
        }
        Ok(())
    }

    fn take(&mut self, incoming: Incoming, at: Instant) -> Result<(), RunError> {
        let input = match incoming {
            Incoming::Socket { connection, .. } if connection != self.runner.connections => {
                return Ok(());
            }
            Incoming::Socket { received, .. } => match received {
                Received::Line(line) => {
                    self.runner.log.note('<', &line);
                    Input::Line(line)
                }
                Received::Closed => Input::Closed,
            },
            Incoming::Engine(Word::Prepared(result)) => Input::Prepared(result),
            Incoming::Engine(Word::Report(report)) => Input::Report(report),
            Incoming::Engine(Word::Note(text)) => {
                self.runner.note(&text);
                return Ok(());
            }
        };
        self.give(input, at)
    }

    fn give(&mut self, input: Input, at: Instant) -> Result<(), RunError> {
        let actions = self.session.handle(input, at);
        self.perform(actions)
    }

    fn perform(&mut self, actions: Vec<Action>) -> Result<(), RunError> {
        for action in actions {
            match action {
                Action::Send(line) => self.send(&line),
                Action::Engine(command) => self.runner.player.perform(command),
                Action::Event(event) => self.event(event)?,
                Action::Close => self.connection = None,
            }
        }
        Ok(())
    }

    fn send(&mut self, line: &ClientLine) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        let result = connection.send(&line.wire());
        self.runner.log.note('>', &line.to_string());
        if let Err(error) = result {
            self.runner.note(&format!("cannot send: {error}"));
            let incoming = Incoming::Socket {
                connection: self.runner.connections,
                received: Received::Closed,
            };
            // The runner itself holds the receiver.
            let _ = self.runner.sender.send((incoming, Instant::now()));
        }
    }

    fn event(&mut self, event: Event) -> Result<(), RunError> {
        let runner = &mut *self.runner;
        match event {
            Event::LoggedIn => {
                runner.has_logged_in = true;
                (runner.watch)(Happening::LoggedIn);
            }
            Event::LoginRefused if !runner.has_logged_in => {
                return Err(RunError::LoginRefused {
                    host: runner.settings.host.clone(),
                    name: runner.settings.session.name.clone(),
                });
            }
            Event::LoginRefused => {
                runner.note("the server refused the login");
                self.cause = Cause::Refused;
            }
            Event::Offered(summary) => (runner.watch)(Happening::Offered(&summary)),
            Event::Rejected(by) => runner.note(&format!("game rejected by {by}")),
            Event::Started => runner.pauses.note_success(),
            Event::Finished(finished) => {
                if finished.is_complete {
                    self.cause = Cause::Played;
                }
                runner.record(&finished)?;
            }
            Event::Interrupted(interrupted) => {
                runner.interrupted = Some((interrupted, Instant::now()));
                self.cause = Cause::Resuming;
            }
            Event::Note(text) => runner.note(&text),
            Event::Detail(text) => runner.log.note('-', &text),
        }
        Ok(())
    }
}
