//! Offers of games, from the summary to the start.

use std::time::Instant;

use super::context::{Event, Wish};
use super::playing::Playing;
use super::{Phase, Session};
use crate::csa::client_line::ClientLine;
use crate::csa::clock::UNTIMED_MOVE;
use crate::csa::game::Game;
use crate::csa::player::{EngineCommand, GameRules};
use crate::csa::server_line::ServerLine;
use crate::csa::summary::{self, Summary, SummaryReader};

impl Session {
    pub(super) fn summary(&mut self, reader: &SummaryReader) -> Phase {
        match reader.finish() {
            Ok(_) if self.context.wish > Wish::PlayOn => {
                self.context.send(ClientLine::Reject(reader.id()));
                self.log_out()
            }
            Ok(mut summary) => {
                let own_rule = self.context.settings.entering_king_rule;
                summary.declaration = own_rule.or(summary.declaration);
                self.note_gaps(&summary);
                self.context
                    .event(Event::Offered(Box::new(summary.clone())));
                self.context.engine(EngineCommand::Prepare(GameRules {
                    game: summary.id.clone(),
                    max_moves: summary.max_moves,
                    declaration: summary.declaration_rule(),
                }));
                Phase::Preparing {
                    since: self.context.now(),
                    summary: Box::new(summary),
                }
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
            self.context
                .note("the server names no rule of declarations: none is made");
        }
        if summary.time[summary.side.index()].is_untimed() {
            let seconds = UNTIMED_MOVE.as_secs();
            self.context.note(format!(
                "the game has no clock: {seconds} s a move are used"
            ));
        }
    }

    pub(super) fn agreed_line(
        &mut self,
        line: &str,
        since: Instant,
        summary: Box<Summary>,
    ) -> Phase {
        if self.rejection(line, &summary) {
            return self.wait();
        }
        // The server has dropped that game.
        if let Some(reading) = self.begun_summary(line) {
            return reading;
        }
        match ServerLine::parse(line) {
            ServerLine::Start(id) if id == summary.id => {
                let game = Game::new(*summary, self.context.now());
                Phase::Playing(Box::new(Playing::begin(game, &mut self.context)))
            }
            _ => Phase::Agreed { since, summary },
        }
    }

    /// Whether the line rejects the game.
    pub(super) fn rejection(&mut self, line: &str, summary: &Summary) -> bool {
        match ServerLine::parse(line) {
            ServerLine::Reject { game, by } if game == summary.id => {
                self.context.event(Event::Rejected(by));
                true
            }
            _ => false,
        }
    }

    pub(super) fn waiting_line(&self, line: &str) -> Phase {
        self.begun_summary(line).unwrap_or(Phase::Waiting)
    }

    /// Where the summary of a game begins, the phase that reads it.
    pub(super) fn begun_summary(&self, line: &str) -> Option<Phase> {
        let is_begun = ServerLine::parse(line) == ServerLine::Begin(summary::BLOCK.to_owned());
        is_begun.then(|| Phase::Reading {
            since: self.context.now(),
            reader: Box::default(),
        })
    }
}
