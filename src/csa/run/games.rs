//! The loop over connections, and the pauses between them.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};
use std::{io, thread};

use super::happening::RunError;
use super::runner::{GLANCE, Incoming, Runner};
use super::visit::Visit;
use crate::csa::connection::Connection;
use crate::csa::pauses::Cause;

/// A connection that lasted this long was good.
const GOOD_CONNECTION: Duration = Duration::from_mins(1);
/// A game that was not resumed for this long is given up. Servers wait for some 30 s.
const RESUME_TIMEOUT: Duration = Duration::from_mins(1);

impl Runner<'_> {
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
                    Cause::Resuming => Some("next login, to resume the game,"),
                    Cause::Played => None,
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

    fn give_up_old_game(&mut self) {
        match self.interrupted.take() {
            Some((game, lost)) if lost.elapsed() > RESUME_TIMEOUT => {
                self.record(Box::new(game.give_up()));
            }
            other => self.interrupted = other,
        }
    }
}
