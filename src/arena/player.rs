//! An engine at the board: its process, got ready, asked for moves and timed.
//!
//! Time runs from the moment before `go` (or `ponderhit`) is written to the moment at which the reader thread has the
//! whole `bestmove` line. A program that does not answer is stopped, then given up: nothing it does or fails to do can
//! hold up the match.

use std::time::{Duration, Instant};

use super::referee::Rules;
use super::settings::EngineSettings;
use crate::runs::Stop;
use crate::types::{Bound, Move, Score};
use crate::usi::client::reply::{BestMove, DeclaredOption, InfoLine, Reply};
use crate::usi::client::{Client, ClientError, Program};

/// How long an engine that lost on time may take to answer `stop`; after that it hangs.
const GRACE: Duration = Duration::from_secs(3);
/// How long an engine may take to end after `quit`.
const QUIT_GRACE: Duration = Duration::from_secs(2);
/// How often a waiting referee looks whether the match is to be broken off.
const GLANCE: Duration = Duration::from_millis(200);

/// A running engine.
pub(super) struct Player {
    client: Client,
    ponders: bool,
    ready_timeout: Duration,
    /// The move that the engine ponders on.
    expects: Option<Move>,
}

/// What an engine is asked.
pub(super) struct Turn<'a> {
    /// The `position` line.
    pub(super) position: &'a str,
    /// The words after `go`.
    pub(super) go: &'a str,
    /// The time after which the answer loses.
    pub(super) limit: Duration,
    /// The opponent's move just made.
    pub(super) last_move: Option<Move>,
}

/// What it answered.
pub(super) struct Answer {
    pub(super) best: Best,
    /// The move that it would like to ponder on.
    pub(super) ponder: Option<String>,
    /// When it was asked.
    pub(super) asked: Instant,
    /// When the answer was there.
    pub(super) answered: Instant,
    /// What it thought of the position.
    pub(super) thought: Thinking,
}

/// The kind of answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Best {
    Move(String),
    Resign,
    Win,
    /// A `bestmove` line without a move.
    Missing,
}

/// The last full line of a search.
#[derive(Clone, Default, Debug)]
pub(super) struct Thinking {
    pub(super) score: Option<Score>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) pv: String,
    has_exact_score: bool,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// None within the limit. `answered` tells when it came after all.
    TooLate {
        asked: Instant,
        answered: Option<Instant>,
    },
    /// The program is gone.
    Ended(String),
    /// The match was broken off.
    Aborted,
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Ended(error.to_string())
    }
}

impl Player {
    /// Starts the program and gets it ready for a first game. It is told the rules, where it has such options and the
    /// user has not set them.
    ///
    /// # Errors
    /// It cannot be started, does not speak USI in time, or has no such option.
    pub(super) fn start(
        settings: &EngineSettings,
        rules: &Rules,
        ponders: bool,
        stop: &Stop,
    ) -> Result<Self, ClientError> {
        let is_given_up = || stop.is_abort();
        let mut client = Client::start(&Program {
            path: settings.path.clone(),
            arguments: settings.arguments.clone(),
            directory: settings.directory.clone(),
            environment: settings.environment.clone(),
        })?;
        client.handshake_unless(rules.ready_timeout, &is_given_up)?;
        let told = [
            ("USI_Ponder", ponders.to_string()),
            ("EnteringKingRule", rules.entering_king.name().to_owned()),
            ("MaxMovesToDraw", rules.max_moves.to_string()),
        ];
        for (name, value) in told {
            let has = |option: &DeclaredOption| option.name.eq_ignore_ascii_case(name);
            let is_set = |(set, _): &(String, String)| set.eq_ignore_ascii_case(name);
            if client.options().iter().any(has) && !settings.options.iter().any(is_set) {
                // An engine whose rules are others is told as much as it understands.
                match client.set_option(name, Some(&value)) {
                    Err(ClientError::Option(refusal)) => log::info!("{}: {refusal}", settings.name),
                    result => result?,
                }
            }
        }
        for (name, value) in &settings.options {
            client.set_option(name, (!value.is_empty()).then_some(value.as_str()))?;
        }
        client.ready_unless(rules.ready_timeout, &is_given_up)?;
        Ok(Self {
            client,
            ponders,
            ready_timeout: rules.ready_timeout,
            expects: None,
        })
    }

    /// What the program calls itself.
    pub(super) fn program_name(&self) -> &str {
        self.client.name()
    }

    /// The options that the program declares.
    pub(super) fn declared_options(&self) -> &[DeclaredOption] {
        self.client.options()
    }

    /// The last lines of the dialogue.
    pub(super) fn dialogue(&self) -> Vec<String> {
        self.client.dialogue()
    }

    /// Sets options between two games.
    ///
    /// # Errors
    /// The engine has no such option, or is gone.
    pub(super) fn set_options(&mut self, options: &[(String, String)]) -> Result<(), ClientError> {
        options
            .iter()
            .try_for_each(|(name, value)| self.client.set_option(name, Some(value)))
    }

    /// Gets the engine ready for a game.
    ///
    /// # Errors
    /// It does not answer, or is gone.
    pub(super) fn new_game(&mut self, stop: &Stop) -> Result<(), ClientError> {
        self.expects = None;
        self.client.discard_pending();
        self.client
            .ready_unless(self.ready_timeout, &|| stop.is_abort())?;
        self.client.send("usinewgame").map(drop)
    }

    /// Asks for a move. `on_info` sees every `info` line.
    pub(super) fn think(
        &mut self,
        turn: &Turn<'_>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&InfoLine<'_>),
    ) -> Result<Answer, Failure> {
        let mut thought = Thinking::default();
        let mut observe = |info: &InfoLine<'_>| {
            thought.hear(info);
            on_info(info);
        };
        let expected = self.expects.take();
        let asked = if expected.is_some() && expected == turn.last_move {
            self.client.send("ponderhit")?
        } else {
            // Whatever lies unread was not asked for: the answer to come must not be mistaken.
            let started = expected.map(|_| self.stop_pondering(stop)).transpose()?;
            self.client.discard_pending();
            let position = self.client.send(turn.position)?;
            self.client.send(&format!("go {}", turn.go))?;
            started.unwrap_or(position)
        };
        let deadline = asked + turn.limit;
        let answer = self.await_bestmove(deadline, stop, &mut observe)?;
        match answer {
            Some((best, ponder, answered)) if answered <= deadline => Ok(Answer {
                best,
                ponder,
                asked,
                answered,
                thought,
            }),
            Some((.., answered)) => Err(Failure::TooLate {
                asked,
                answered: Some(answered),
            }),
            None => {
                self.client.send("stop")?;
                let late = Instant::now() + GRACE;
                let answer = self.await_bestmove(late, stop, &mut |_| {})?;
                let answered = answer.map(|(.., answered)| answered);
                Err(Failure::TooLate { asked, answered })
            }
        }
    }

    /// Lets the engine think on the opponent's time, who is expected to play `reply`.
    pub(super) fn ponder(&mut self, position: &str, go: &str, reply: Move) -> Result<(), Failure> {
        if self.ponders {
            self.client.send(position)?;
            self.client.send(&format!("go ponder {go}"))?;
            self.expects = Some(reply);
        }
        Ok(())
    }

    /// Whether the engine was asked to ponder at all.
    pub(super) const fn ponders(&self) -> bool {
        self.ponders
    }

    /// Tells the engine how the game ended: `win`, `lose` or `draw`.
    pub(super) fn game_over(&mut self, word: &str, stop: &Stop) -> Result<(), Failure> {
        if self.expects.take().is_some() {
            self.stop_pondering(stop)?;
        }
        self.client.send(&format!("gameover {word}"))?;
        Ok(())
    }

    /// Ends the program.
    pub(super) fn quit(self) {
        self.client.quit(QUIT_GRACE);
    }

    /// Ends a ponder search, whose answer nobody wants, and tells when that began.
    fn stop_pondering(&mut self, stop: &Stop) -> Result<Instant, Failure> {
        let asked = self.client.send("stop")?;
        match self.await_bestmove(asked + GRACE, stop, &mut |_| {})? {
            Some(_) => Ok(asked),
            None => Err(Failure::TooLate {
                asked,
                answered: None,
            }),
        }
    }

    /// Reads until there is a `bestmove`; `None` if there is none before the deadline.
    fn await_bestmove(
        &mut self,
        deadline: Instant,
        stop: &Stop,
        on_info: &mut dyn FnMut(&InfoLine<'_>),
    ) -> Result<Option<(Best, Option<String>, Instant)>, Failure> {
        while !stop.is_abort() {
            let glance = Instant::now() + GLANCE;
            let received = match self.client.receive(Some(deadline.min(glance))) {
                // Lines come in order: after this one there is no answer in time, however many more there are.
                Ok(received)
                    if received.at > deadline && !received.line.starts_with("bestmove") =>
                {
                    return Ok(None);
                }
                Ok(received) => received,
                Err(ClientError::TimedOut { .. }) if Instant::now() < deadline => continue,
                Err(ClientError::TimedOut { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            match Reply::of(&received.line) {
                Reply::BestMove(best) => {
                    let (best, ponder) = Best::read(&best);
                    return Ok(Some((best, ponder, received.at)));
                }
                Reply::Info(info) => on_info(&info),
                _ => {}
            }
        }
        Err(Failure::Aborted)
    }
}

impl Best {
    fn read(reply: &BestMove<'_>) -> (Self, Option<String>) {
        match reply {
            BestMove::Move { best, ponder } => {
                (Self::Move((*best).to_owned()), ponder.map(str::to_owned))
            }
            BestMove::Resign => (Self::Resign, None),
            BestMove::Win => (Self::Win, None),
            BestMove::Missing => (Self::Missing, None),
        }
    }
}

impl Thinking {
    /// Keeps the last line about the best move; one whose score is only a bound does not replace an exact one.
    fn hear(&mut self, info: &InfoLine<'_>) {
        if info.multipv.is_some_and(|rank| rank > 1) {
            return;
        }
        self.nodes = info.nodes.or(self.nodes);
        let (Some(score), Some(pv)) = (info.score, info.pv) else {
            return;
        };
        let is_exact = matches!(info.bound, None | Some(Bound::Exact));
        if is_exact || !self.has_exact_score {
            self.score = Some(score);
            self.depth = info.depth.or(self.depth);
            pv.clone_into(&mut self.pv);
            self.has_exact_score = is_exact;
        }
    }
}
