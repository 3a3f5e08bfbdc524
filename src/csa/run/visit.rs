//! One connection: carries inputs to its session, and performs what the session asks for.

use std::time::Instant;

use super::happening::{Happening, RunError};
use super::runner::{GLANCE, Incoming, Runner};
use crate::csa::client_line::ClientLine;
use crate::csa::connection::{Connection, Received};
use crate::csa::pauses::Cause;
use crate::csa::player::Word;
use crate::csa::session::{Action, Event, Input, InterruptedGame, Session, Wish};

/// One connection.
pub(super) struct Visit<'a, 'b> {
    runner: &'a mut Runner<'b>,
    session: Session,
    connection: Option<Connection>,
    cause: Cause,
}

impl<'a, 'b> Visit<'a, 'b> {
    /// From the login to the end of the connection; returns the cause of the pause after it.
    pub(super) fn pay(
        runner: &'a mut Runner<'b>,
        connection: Connection,
        interrupted: Option<Box<InterruptedGame>>,
    ) -> Result<Cause, RunError> {
        let settings = runner.settings.session.clone();
        let (session, actions) = Session::begin(settings, interrupted, Instant::now());
        let mut visit = Self {
            runner,
            session,
            connection: Some(connection),
            cause: Cause::Lost,
        };
        visit.perform(actions)?;
        visit.serve()?;
        Ok(visit.cause)
    }

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
            if stop.is_given_up() {
                self.give(Input::Closed, now)?;
            } else if wished != wish {
                wish = wished;
                self.give(Input::Wish(wish), now)?;
            } else if now >= self.session.deadline() {
                self.give(Input::Tick, now)?;
            }
            let wait = self.session.deadline().saturating_duration_since(now);
            if let Some((incoming, at)) = self.runner.receive(wait.min(GLANCE)) {
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
                Received::Closed(error) => {
                    if let Some(error) = error {
                        self.runner.note(&format!("cannot receive: {error}"));
                    }
                    Input::Closed
                }
            },
            Incoming::Engine(Word::Prepared(prepared)) => Input::Prepared(prepared),
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
                received: Received::Closed(None),
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
                runner.pauses.note_login();
                (runner.watch)(Happening::LoggedIn);
            }
            Event::LoginRefused { retry_after: None } if !runner.has_logged_in => {
                return Err(RunError::LoginRefused {
                    host: runner.settings.host.clone(),
                    name: runner.settings.session.name.clone(),
                });
            }
            Event::LoginRefused { retry_after } => {
                runner.note("the server refused the login");
                if let Some(wait) = retry_after {
                    runner.pauses.note_retry_after(wait);
                }
                self.cause = Cause::Refused;
            }
            Event::Offered(summary) => (runner.watch)(Happening::Offered(&summary)),
            Event::Rejected(by) => runner.note(&format!("game rejected by {by}")),
            Event::Finished(finished) => {
                if finished.is_complete {
                    self.cause = Cause::Played;
                }
                runner.record(finished);
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
