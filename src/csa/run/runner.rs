//! The loop over connections: pauses between them, and the records of their games.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime};
use std::{io, thread};

use super::visit::Visit;
use super::{Happening, RunError, RunSettings};
use crate::csa::connection::{Connection, Received};
use crate::csa::dialogue::DialogueLog;
use crate::csa::journal::{Entry, Journal};
use crate::csa::outcome::FinishedGame;
use crate::csa::pauses::{Cause, Pauses};
use crate::csa::player::{OnWord, Player, PlayerError, Word};
use crate::csa::session::InterruptedGame;
use crate::runs::{FolderError, Stop};

/// How often the user's wish is looked at.
pub(super) const GLANCE: Duration = Duration::from_millis(100);
/// A connection that lasted this long was good.
const GOOD_CONNECTION: Duration = Duration::from_mins(1);
/// A game that was not resumed for this long is given up. Servers wait for some 30 s.
const RESUME_TIMEOUT: Duration = Duration::from_mins(1);

/// What comes to the loop.
pub(super) enum Incoming {
    Socket { connection: u64, received: Received },
    Engine(Word),
}

pub(super) type Envelope = (Incoming, Instant);

/// A game whose record is not written, and when it started.
type Unwritten = (Box<FinishedGame>, jiff::Zoned);

pub(super) struct Runner<'a> {
    pub(super) settings: &'a RunSettings,
    pub(super) player: Player,
    pub(super) log: DialogueLog,
    pub(super) stop: &'a Stop,
    pub(super) watch: &'a dyn Fn(Happening<'_>),
    pub(super) sender: Sender<Envelope>,
    pub(super) incoming: Receiver<Envelope>,
    /// Number of lines of the socket that wait in `incoming`.
    pub(super) waiting: Arc<AtomicUsize>,
    /// Number of connections so far.
    pub(super) connections: u64,
    pub(super) pauses: Pauses,
    pub(super) has_logged_in: bool,
    /// A game to resume, and when its connection was lost.
    pub(super) interrupted: Option<(Box<InterruptedGame>, Instant)>,
    journal: Journal,
    unwritten: Vec<Unwritten>,
    finished: u64,
}

impl<'a> Runner<'a> {
    /// Starts the engine, unless `stop` is requested before it is ready.
    pub(super) fn start(
        settings: &'a RunSettings,
        journal: Journal,
        stop: &'a Stop,
        watch: &'a dyn Fn(Happening<'_>),
    ) -> Result<Self, PlayerError> {
        let (sender, incoming) = mpsc::channel::<Envelope>();
        let words = sender.clone();
        let on_word: OnWord = Box::new(move |word| {
            // Fails only at the end of the run.
            let _ = words.send((Incoming::Engine(word), Instant::now()));
        });
        let seed = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos() as u64);
        let is_given_up = || stop.is_requested();
        let password = settings.session.password.clone();
        Ok(Self {
            settings,
            player: Player::start(&settings.player, on_word, &is_given_up)?,
            log: DialogueLog::new(&journal.path().join("log"), password),
            stop,
            watch,
            sender,
            incoming,
            waiting: Arc::default(),
            connections: 0,
            pauses: Pauses::new(&settings.session.game, seed),
            has_logged_in: false,
            interrupted: None,
            journal,
            unwritten: Vec::new(),
            finished: 0,
        })
    }

    pub(super) fn play_games(&mut self) -> Result<(), RunError> {
        while !self.is_done() {
            let cause = if self.write_records().is_ok() {
                self.connect()?
            } else {
                Cause::Unwritten
            };
            self.give_up_old_game();
            if !self.is_done() {
                let pause = self.pauses.next(cause, SystemTime::now());
                let what = match cause {
                    Cause::Lost | Cause::Refused => Some("next login"),
                    Cause::Unwritten => Some("the next try to write the records"),
                    Cause::Played | Cause::Resuming => None,
                };
                if let Some(what) = what {
                    self.note(&format!("{what} in {:.0} s", pause.as_secs_f64()));
                }
                self.wait(pause);
            }
        }
        if let Some((interrupted, _)) = self.interrupted.take() {
            self.record(Box::new(interrupted.give_up()));
        }
        self.write_records().map_err(|error| {
            let games = self.unwritten.iter();
            let games = games.map(|(finished, _)| finished.game.summary().id.as_str());
            RunError::Unwritten {
                games: games.collect::<Vec<_>>().join(", "),
                error,
            }
        })
    }

    fn is_done(&self) -> bool {
        // The game that was interrupted is the running one.
        let goes_on = self.interrupted.is_some() && !self.stop.is_abort();
        let is_enough = |games| self.finished >= games;
        self.stop.is_requested() && !goes_on || self.settings.games.is_some_and(is_enough)
    }

    fn wait(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.is_done() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(GLANCE));
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.log.note('-', text);
        (self.watch)(Happening::Note(text));
    }

    // --- Connections ---

    /// One connection, from the login to its end; returns the cause of the pause after it.
    fn connect(&mut self) -> Result<Cause, RunError> {
        let connection = match self.open() {
            Some(Ok(connection)) => connection,
            Some(Err(error)) => {
                let (host, port) = (&self.settings.host, self.settings.port);
                self.note(&format!("{host}:{port}: {error}"));
                return Ok(Cause::Lost);
            }
            // The user does not want to wait.
            None => return Ok(Cause::Lost),
        };
        let interrupted = self.interrupted.take().map(|(game, _)| game);
        let began = Instant::now();
        let cause = Visit::pay(self, connection, interrupted)?;
        if began.elapsed() >= GOOD_CONNECTION {
            self.pauses.note_good_connection();
        }
        Ok(cause)
    }

    /// Opens a connection on a thread of its own, because to look up a name and to connect can take
    /// long; `None` if the user wants to leave before that.
    fn open(&mut self) -> Option<io::Result<Connection>> {
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
        self.waiting = Arc::default();
        let waiting = Arc::clone(&self.waiting);
        let (host, port) = (self.settings.host.clone(), self.settings.port);
        let (opened, result) = mpsc::channel();
        let connect = move || {
            // Fails if nobody waits any more; the connection is closed then.
            let _ = opened.send(Connection::open(&host, port, waiting, on_received));
        };
        let thread = thread::Builder::new().name("csa-connect".to_owned());
        if let Err(error) = thread.spawn(connect) {
            return Some(Err(error));
        }
        loop {
            match result.recv_timeout(GLANCE) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Timeout) if self.is_done() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err(io::Error::other("the connecting thread ended")));
                }
            }
        }
    }

    /// The next input of a connection, if one comes in time.
    pub(super) fn receive(&mut self, wait: Duration) -> Option<Envelope> {
        let envelope = self.incoming.recv_timeout(wait).ok()?;
        if let Incoming::Socket { connection, .. } = envelope.0
            && connection == self.connections
        {
            // Counted by the thread that reads the socket.
            let _ = self
                .waiting
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
                    count.checked_sub(1)
                });
        }
        Some(envelope)
    }

    // --- Records ---

    fn give_up_old_game(&mut self) {
        match self.interrupted.take() {
            Some((game, lost)) if lost.elapsed() > RESUME_TIMEOUT => {
                self.record(Box::new(game.give_up()));
            }
            other => self.interrupted = other,
        }
    }

    /// Writes the record of a game now, or later if that fails.
    pub(super) fn record(&mut self, finished: Box<FinishedGame>) {
        let started = jiff::Zoned::now() - finished.game.started().elapsed();
        self.unwritten.push((finished, started));
        // The note says why; it is tried again before the next login and at the end.
        let _ = self.write_records();
    }

    fn write_records(&mut self) -> Result<(), FolderError> {
        while let Some((finished, started)) = self.unwritten.first() {
            match self.journal.add(finished, started) {
                Ok(entry) => {
                    self.finished += u64::from(finished.is_complete);
                    self.unwritten.remove(0);
                    self.announce(&entry);
                }
                Err(error) => {
                    self.note(&format!("a game is not written yet: {error}"));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn announce(&mut self, entry: &Entry) {
        let text = format!(
            "{} against {}: {}",
            entry.game, entry.opponent, entry.notices
        );
        self.log.note('-', &text);
        (self.watch)(Happening::Finished(entry));
    }
}
