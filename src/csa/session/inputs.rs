//! Inputs of a session other than lines, and its ends.

use super::context::{Event, Wish};
use super::playing::{Flow, Playing};
use super::{
    KEEP_ALIVE, LEAVE_TIMEOUT, LOGIN_TIMEOUT, LOGOUT_TIMEOUT, Phase, START_TIMEOUT,
    SUMMARY_TIMEOUT, Session,
};
use crate::csa::client_line::ClientLine;
use crate::csa::game::{End, FinishedGame, Game};
use crate::csa::player::{EngineCommand, Prepared};
use crate::csa::server_line::Reason;

impl Session {
    pub(super) fn prepared(&mut self, prepared: Prepared) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Closed) {
            Phase::Preparing { summary, .. } if summary.id == prepared.game => {
                match prepared.result {
                    Ok(()) if self.context.wish == Wish::PlayOn => {
                        self.context.send(ClientLine::Agree(summary.id.clone()));
                        Phase::Agreed {
                            since: self.context.now(),
                            summary,
                        }
                    }
                    Ok(()) => {
                        self.context.send(ClientLine::Reject(summary.id));
                        self.log_out()
                    }
                    Err(reason) => {
                        self.context
                            .note(format!("rejected a game: the engine, {reason}"));
                        self.context.send(ClientLine::Reject(summary.id));
                        self.wait()
                    }
                }
            }
            other => other,
        };
    }

    pub(super) fn wish(&mut self, wish: Wish) {
        self.context.wish = self.context.wish.max(wish);
        if self.context.wish == Wish::Resign && self.resigned.is_none() {
            self.resigned = Some(self.context.now());
        }
        match &mut self.phase {
            Phase::Waiting if wish > Wish::PlayOn => self.phase = self.log_out(),
            Phase::LoggingIn {
                interrupted: None, ..
            } if wish > Wish::PlayOn => self.phase = self.close(),
            Phase::Playing(playing) if wish == Wish::Resign => playing.resign(&mut self.context),
            _ => {}
        }
    }

    pub(super) fn tick(&mut self) {
        let now = self.context.now();
        if now >= self.silence_deadline() {
            self.context
                .note("the server is silent, the connection counts as lost");
            self.closed();
            return;
        }
        if self
            .resigned
            .is_some_and(|since| now >= since + LEAVE_TIMEOUT)
        {
            self.closed();
            return;
        }
        match &mut self.phase {
            Phase::LoggingIn { since, .. } | Phase::Resuming { since, .. }
                if now >= *since + LOGIN_TIMEOUT =>
            {
                self.context.note("no answer to the login");
                self.closed();
            }
            Phase::Reading { since, .. } if now >= *since + SUMMARY_TIMEOUT => {
                self.context.note("the summary of a game does not end");
                self.closed();
            }
            Phase::Preparing { since, .. } | Phase::Agreed { since, .. }
                if now >= *since + START_TIMEOUT =>
            {
                self.context.note("the game does not start");
                self.closed();
            }
            Phase::LoggingOut { since } if now >= *since + LOGOUT_TIMEOUT => {
                self.phase = self.close();
            }
            Phase::Playing(playing) => match playing.tick(&mut self.context) {
                Flow::Continue => {}
                Flow::Over => self.end_game(),
            },
            _ => {}
        }
        if self.is_logged_in() && now >= self.context.last_sent + KEEP_ALIVE {
            self.context.send(ClientLine::Blank);
        }
    }

    fn end_game(&mut self) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Closed) {
            Phase::Playing(playing) => self.finish(*playing),
            other => other,
        };
    }

    /// Says when the connection was closed, unless the session is over.
    pub(super) fn note_closing(&mut self) {
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
        self.context
            .note(format!("the connection was closed {moment}"));
    }

    /// The connection is lost, or we give it up.
    pub(super) fn closed(&mut self) {
        match std::mem::replace(&mut self.phase, Phase::Closed) {
            Phase::Closed => return,
            Phase::Playing(playing) => playing.lose_connection(&mut self.context),
            Phase::Resuming { resumption, .. } => self.lose(Some(resumption.into_game())),
            // The next connection tries again to resume.
            Phase::LoggingIn {
                interrupted: Some(interrupted),
                ..
            } => self.context.event(Event::Interrupted(interrupted)),
            _ => {}
        }
        self.context.close();
    }

    // --- Ends ---

    pub(super) fn finish(&mut self, playing: Playing) -> Phase {
        match playing.finish(&mut self.context) {
            // The operator broke the game off; there is nobody to say good-bye to.
            Some(Reason::Interrupted | Reason::Abnormal) => self.close(),
            _ => self.log_out(),
        }
    }

    /// A game that cannot be resumed.
    pub(super) fn lose(&mut self, game: Option<Game>) {
        if let Some(game) = game {
            self.context.engine(EngineCommand::GameOver("draw"));
            let finished = FinishedGame::new(game, &End::default());
            self.context.event(Event::Finished(Box::new(finished)));
        }
    }

    /// Waits for a game, unless the user wants no more.
    pub(super) fn wait(&mut self) -> Phase {
        if self.context.wish > Wish::PlayOn {
            self.log_out()
        } else {
            Phase::Waiting
        }
    }

    pub(super) fn log_out(&mut self) -> Phase {
        self.context.send(ClientLine::Logout);
        Phase::LoggingOut {
            since: self.context.now(),
        }
    }

    pub(super) fn close(&mut self) -> Phase {
        self.context.close();
        Phase::Closed
    }
}
