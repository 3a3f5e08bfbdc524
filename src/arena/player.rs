//! A player: an engine process that is prepared for games, asked for moves and timed.
//!
//! The clock runs from just before `go` (or `ponderhit`) is written until the reader thread has
//! received the whole `bestmove` line. An engine that does not answer is sent `stop` and killed
//! after a timeout, so that no engine can block the match.

use std::time::{Duration, Instant};

use super::referee::Rules;
use super::settings::EngineSettings;
use crate::runs::Stop;
use crate::types::{Bound, Move, Score};
use crate::usi::client::reply::{BestMove, DeclaredOption, InfoLine, OptionKind, Reply};
use crate::usi::client::{Client, ClientError, Received};

/// How long an engine that lost on time may take to answer `stop`; after that the game ends as a
/// hang.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
/// How long an engine may take to exit after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a waiting player checks whether the match is to be aborted.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// A running engine process.
pub(super) struct Player {
    client: Client,
    ponders: bool,
    ready_timeout: Duration,
    /// The opponent's move on which the engine ponders.
    expects: Option<Move>,
}

/// The question to an engine.
pub(super) struct Turn<'a> {
    /// The `position` command.
    pub(super) position: &'a str,
    /// The arguments of `go`.
    pub(super) go: &'a str,
    /// Time after which an answer loses.
    pub(super) limit: Duration,
    /// The opponent's last move.
    pub(super) last_move: Option<Move>,
}

/// The answer of an engine.
pub(super) struct Answer {
    /// The `bestmove` line.
    line: String,
    /// When `go` or `ponderhit` was sent.
    pub(super) asked: Instant,
    /// When `bestmove` was received.
    pub(super) answered: Instant,
    /// The last `info` line about the best move.
    pub(super) thought: SearchInfo,
}

impl Answer {
    /// The decision of the engine.
    pub(super) fn best(&self) -> BestMove<'_> {
        match Reply::of(&self.line) {
            Reply::BestMove(best) => best,
            _ => BestMove::Missing,
        }
    }
}

/// Result of a search according to its `info` lines.
#[derive(Clone, Default, Debug)]
pub(super) struct SearchInfo {
    pub(super) score: Option<Score>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) pv: String,
    has_exact_score: bool,
}

/// Why an engine gave no valid answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// No answer within the limit. `answered` is the time of a late answer.
    TooLate {
        asked: Instant,
        answered: Option<Instant>,
    },
    /// The process has ended, with this status.
    Ended(String),
    /// The match was aborted.
    Aborted,
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Ended(error.to_string())
    }
}

impl Player {
    /// Starts the program and prepares it for the first game. Sets the options for the rules of the
    /// match, if the engine has them and the user has not set them.
    ///
    /// # Errors
    /// The program cannot be started, does not complete the handshake in time, or rejects an
    /// option.
    pub(super) fn start(
        settings: &EngineSettings,
        rules: &Rules,
        ponders: bool,
        stop: &Stop,
    ) -> Result<Self, ClientError> {
        let is_aborted = || stop.is_abort();
        let mut client = Client::start(&settings.program)?;
        client.handshake(rules.ready_timeout, &is_aborted)?;
        let rule_options = [
            ("USI_Ponder", &*ponders.to_string()),
            ("EnteringKingRule", rules.entering_king.name()),
            ("MaxMovesToDraw", &rules.max_moves.to_string()),
            ("USI_OwnBook", "false"),
        ];
        for (name, value) in rule_options {
            client.set_if_declared(name, value, &settings.options)?;
        }
        for (name, value) in &settings.options {
            let is_button = client.options().iter().any(|option| {
                option.name.eq_ignore_ascii_case(name) && option.kind == OptionKind::Button
            });
            client.set_option(name, (!is_button).then_some(value.as_str()))?;
        }
        // Last, because the engine must count as its clock does.
        if let Some(nodes) = settings.time_control.nodes_time {
            client.set_option("NodesTime", Some(&nodes.to_string()))?;
        }
        client.ready_as_told(rules.ready_timeout, &is_aborted)?;
        Ok(Self {
            client,
            ponders,
            ready_timeout: rules.ready_timeout,
            expects: None,
        })
    }

    /// As [`Player::start`], with these options and prepared for a game.
    ///
    /// # Errors
    /// As [`Player::start`].
    pub(super) fn start_game(
        settings: &EngineSettings,
        rules: &Rules,
        ponders: bool,
        options: &[(String, String)],
        stop: &Stop,
    ) -> Result<Self, ClientError> {
        let mut player = Self::start(settings, rules, ponders, stop)?;
        player.set_options(options)?;
        player.new_game(stop)?;
        Ok(player)
    }

    /// The name that the engine reports with `id name`.
    pub(super) fn program_name(&self) -> &str {
        self.client.name()
    }

    /// The options that the engine declares.
    pub(super) fn declared_options(&self) -> &[DeclaredOption] {
        self.client.options()
    }

    /// The last lines sent to and received from the engine.
    pub(super) fn dialogue(&self) -> Vec<String> {
        self.client.dialogue()
    }

    /// Sets options between games.
    ///
    /// # Errors
    /// The engine has no such option, or has exited.
    pub(super) fn set_options(&mut self, options: &[(String, String)]) -> Result<(), ClientError> {
        options
            .iter()
            .try_for_each(|(name, value)| self.client.set_option(name, Some(value)))
    }

    /// Prepares the engine for a game with `isready` and `usinewgame`.
    ///
    /// # Errors
    /// The engine does not answer, or has exited.
    pub(super) fn new_game(&mut self, stop: &Stop) -> Result<(), ClientError> {
        self.expects = None;
        self.client.discard_pending();
        self.client.ready(self.ready_timeout, &|| stop.is_abort())?;
        self.client.send("usinewgame").map(drop)
    }

    /// Asks for a move.
    pub(super) fn think(&mut self, turn: &Turn<'_>, stop: &Stop) -> Result<Answer, Failure> {
        let mut thought = SearchInfo::default();
        let expected = self.expects.take();
        let asked = if expected.is_some() && expected == turn.last_move {
            self.client.send("ponderhit")?
        } else {
            // Pending lines belong to earlier searches and must not be mistaken for the answer.
            let started = expected.map(|_| self.stop_pondering(stop)).transpose()?;
            self.client.discard_pending();
            let position = self.client.send(turn.position)?;
            self.client.send(&format!("go {}", turn.go))?;
            started.unwrap_or(position)
        };
        let deadline = asked + turn.limit;
        let answer = self.await_bestmove(deadline, stop, &mut thought)?;
        match answer {
            Some(Received { at, line }) if at <= deadline => Ok(Answer {
                line,
                asked,
                answered: at,
                thought,
            }),
            Some(Received { at, .. }) => Err(Failure::TooLate {
                asked,
                answered: Some(at),
            }),
            None => {
                self.client.send("stop")?;
                let late = Instant::now() + STOP_TIMEOUT;
                let answer = self.await_bestmove(late, stop, &mut SearchInfo::default())?;
                let answered = answer.map(|received| received.at);
                Err(Failure::TooLate { asked, answered })
            }
        }
    }

    /// Starts pondering on the opponent's move `reply`.
    pub(super) fn ponder(&mut self, position: &str, go: &str, reply: Move) -> Result<(), Failure> {
        if self.ponders {
            self.client.send(position)?;
            self.client.send(&format!("go ponder {go}"))?;
            self.expects = Some(reply);
        }
        Ok(())
    }

    /// Whether the engine may ponder.
    pub(super) const fn ponders(&self) -> bool {
        self.ponders
    }

    /// Sends the result of the game: `win`, `lose` or `draw`.
    pub(super) fn game_over(&mut self, word: &str, stop: &Stop) -> Result<(), Failure> {
        if self.expects.take().is_some() {
            self.stop_pondering(stop)?;
        }
        self.client.send(&format!("gameover {word}"))?;
        Ok(())
    }

    /// Ends the process with `quit`, and kills it if it does not exit in time.
    pub(super) fn quit(self) {
        self.client.quit(QUIT_TIMEOUT);
    }

    /// Stops a ponder search, discards its answer and returns when `stop` was sent.
    fn stop_pondering(&mut self, stop: &Stop) -> Result<Instant, Failure> {
        let asked = self.client.send("stop")?;
        match self.await_bestmove(asked + STOP_TIMEOUT, stop, &mut SearchInfo::default())? {
            Some(_) => Ok(asked),
            None => Err(Failure::TooLate {
                asked,
                answered: None,
            }),
        }
    }

    /// Waits for a `bestmove` and keeps what is said before it in `thought`; `None` if the deadline
    /// passes without one.
    fn await_bestmove(
        &mut self,
        deadline: Instant,
        stop: &Stop,
        thought: &mut SearchInfo,
    ) -> Result<Option<Received>, Failure> {
        while !stop.is_abort() {
            let next_check = Instant::now() + STOP_CHECK_INTERVAL;
            let received = match self.client.receive(Some(deadline.min(next_check))) {
                // Lines arrive in order, so no later line can be an answer in time.
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
                Reply::BestMove(_) => return Ok(Some(received)),
                Reply::Info(info) => thought.update(&info),
                _ => {}
            }
        }
        Err(Failure::Aborted)
    }
}

impl SearchInfo {
    /// Keeps the last line about the best move. A score that is only a bound does not replace an
    /// exact one.
    fn update(&mut self, info: &InfoLine<'_>) {
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
