//! Plays one game: two players, which are engine processes, two clocks, a referee.

use std::time::{Duration, Instant};
use std::{fmt::Write as _, thread};

use super::journal::{Overhead, PlayerFigures, TimeLoss};
use super::referee::{EndReason, GameVerdict, Played, Referee, Rules, read_legal_move};
use super::settings::{EngineSettings, Fixture, MatchSettings};
use super::time_control::{Clock, Heartbeat, go_words};
use crate::records::game::{RecordedMove, Thought};
use crate::types::{Bound, Color, Move, Score};
use crate::usi::client::reply::{BestMove, DeclaredOption, InfoLine, OptionKind, Reply};
use crate::usi::client::{Client, ClientError, Received};
use crate::{records::sfen_line::SfenLine, runs::Stop};

/// How long after the end of an engine the request to stop may come, see
/// [`GameContext::is_stopped_too`].
const STOP_AFTER_ENGINE: Duration = Duration::from_secs(1);

/// What all games of a match share.
pub(super) struct GameContext<'a> {
    pub(super) settings: &'a MatchSettings,
    pub(super) heartbeat: &'a Heartbeat,
    pub(super) stop: &'a Stop,
}

impl GameContext<'_> {
    /// Whether the match is to stop as well, now that an engine has ended. A batch system signals
    /// all processes of a job, the engines perhaps before the match: then the engine did not crash.
    pub(super) fn is_stopped_too(&self) -> bool {
        let begun = Instant::now();
        while !self.stop.is_requested() && begun.elapsed() < STOP_AFTER_ENGINE {
            thread::sleep(Duration::from_millis(10));
        }
        self.stop.is_requested()
    }
}

/// The outcome of a finished game.
pub(super) struct PlayedGame {
    pub(super) verdict: GameVerdict,
    pub(super) moves: Vec<RecordedMove>,
    /// Statistics of both players, by [`Color::index`].
    pub(super) figures: [PlayerFigures; 2],
    /// Time between an answer and the next `go`.
    pub(super) overhead: Overhead,
    pub(super) time_loss: Option<TimeLoss>,
}

impl PlayedGame {
    /// A game that ended before its first move.
    pub(super) fn without_moves(verdict: GameVerdict) -> Self {
        Self {
            verdict,
            moves: Vec::new(),
            figures: [PlayerFigures::default(), PlayerFigures::default()],
            overhead: Overhead::default(),
            time_loss: None,
        }
    }
}

/// A game in progress.
struct Game<'a> {
    context: &'a GameContext<'a>,
    referee: Referee<'a>,
    clocks: [Clock; 2],
    /// The `position` command of the current position.
    position_line: String,
    has_moves: bool,
    played: PlayedGame,
    /// When the last answer arrived.
    last_answer: Option<Instant>,
}

/// Plays a game; `None` if it was aborted.
///
/// # Errors
/// The match itself cannot go on, see [`ClientError::is_ours`]; the game has no result.
pub(super) fn play(
    context: &GameContext<'_>,
    fixture: Fixture,
    opening: &SfenLine,
    players: &mut [&mut Player; 2],
) -> Result<Option<PlayedGame>, ClientError> {
    let mut game = Game::new(context, fixture.players, opening);
    let verdict = match game.referee.end() {
        Some(verdict) => verdict,
        None => match game.run(players)? {
            Some(verdict) => verdict,
            None => return Ok(None),
        },
    };
    game.send_gameover(players, &verdict);
    game.played.verdict = verdict;
    Ok(Some(game.played))
}

impl<'a> Game<'a> {
    fn new(context: &'a GameContext<'a>, engines: [usize; 2], opening: &SfenLine) -> Self {
        let settings = context.settings;
        Self {
            context,
            referee: Referee::new(&settings.rules, opening.position()),
            clocks: engines.map(|engine| Clock::new(settings.engines[engine].time_control)),
            position_line: format!("position {opening}"),
            has_moves: !opening.moves.is_empty(),
            // The verdict is replaced at the end.
            played: PlayedGame::without_moves(GameVerdict::draw(EndReason::MaxMoves)),
            last_answer: None,
        }
    }

    fn run(&mut self, players: &mut [&mut Player; 2]) -> Result<Option<GameVerdict>, ClientError> {
        let mut last_move = None;
        loop {
            let us = self.referee.position().side_to_move();
            let player = &mut *players[us.index()];
            let answer = match self.ask(us, player, last_move) {
                Ok(answer) => answer,
                Err(failure) => return self.verdict_on(us, failure),
            };
            if let Some(verdict) = self.overrun_in_nodes(us, &answer) {
                return Ok(Some(verdict));
            }
            self.note_answer(us, &answer);
            let (text, ponder) = match answer.best() {
                BestMove::Move { best, ponder } => (best, ponder),
                BestMove::Win => return Ok(Some(self.referee.declare())),
                BestMove::Resign => {
                    return Ok(Some(GameVerdict::loss(us, EndReason::Resignation, "")));
                }
                BestMove::Missing => {
                    let sfen = self.referee.position().to_sfen();
                    let detail = format!("bestmove without a move in {sfen}");
                    return Ok(Some(GameVerdict::loss(us, EndReason::IllegalMove, detail)));
                }
            };
            let thought = self.thought(&answer);
            let cost = self.cost(us, &answer);
            let score = answer.thought.score;
            let Played { mv, verdict } = self.referee.play(text);
            if let Some(mv) = mv {
                self.record(mv, cost, thought);
            }
            if let Some(verdict) = verdict.or_else(|| self.referee.add_score(score)) {
                return Ok(Some(verdict));
            }
            last_move = mv;
            if let Err(failure) = self.let_ponder(us, player, ponder) {
                return self.verdict_on(us, failure);
            }
        }
    }

    /// Asks the side to move for its move, with its clock running.
    fn ask(
        &mut self,
        us: Color,
        player: &mut Player,
        last_move: Option<Move>,
    ) -> Result<Answer, Failure> {
        let rules = &self.context.settings.rules;
        let [own, other] = [us, !us].map(|color| self.clocks[color.index()]);
        let budget = own.budget();
        let limit = budget.map_or(rules.patience, |budget| budget + rules.margin);
        let turn = Turn {
            position: &self.position_line,
            go: &go_words(&own, &other, us == Color::Black),
            limit,
            last_move,
        };
        let last_answer = self.last_answer.take();
        let answer = player.think(&turn, self.context.stop)?;
        if let Some(last) = last_answer {
            let overhead = answer.asked.saturating_duration_since(last);
            self.played.overhead.add(overhead);
        }
        Ok(answer)
    }

    /// Charges the clock and updates the statistics of the player.
    fn note_answer(&mut self, us: Color, answer: &Answer) {
        self.last_answer = Some(answer.answered);
        let used = answer.answered - answer.asked;
        let cost = self.cost(us, answer);
        self.clocks[us.index()].charge(cost);
        self.played.figures[us.index()].add(used, &answer.thought);
    }

    /// What an answer has cost on the clock.
    fn cost(&self, us: Color, answer: &Answer) -> Duration {
        let elapsed = answer.answered - answer.asked;
        self.clocks[us.index()].cost(elapsed, answer.thought.nodes)
    }

    /// The loss of an engine that searched more nodes than its clock allows, where that counts
    /// nodes.
    fn overrun_in_nodes(&mut self, us: Color, answer: &Answer) -> Option<GameVerdict> {
        let clock = &self.clocks[us.index()];
        let margin = self.context.settings.rules.margin;
        let (cost, available) = (self.cost(us, answer), clock.available());
        if !clock.counts_nodes() || cost <= available + margin {
            return None;
        }
        self.note_answer(us, answer);
        self.played.time_loss =
            Some(TimeLoss { late: cost.saturating_sub(available), stall: None });
        let detail = format!("nodes for {cost:.3?} used where {available:.3?} were left");
        Some(GameVerdict::loss(us, EndReason::TimeLoss, detail))
    }

    /// The evaluation for the record. Must be called before the move is made.
    fn thought(&self, answer: &Answer) -> Option<Thought> {
        let thinking = &answer.thought;
        thinking.score?;
        Some(Thought {
            score: thinking.score,
            depth: thinking.depth,
            nodes: thinking.nodes,
            pv: self.referee.position().legal_line(&thinking.pv),
        })
    }

    fn record(&mut self, mv: Move, cost: Duration, thought: Option<Thought>) {
        self.append(mv);
        self.played.moves.push(RecordedMove {
            time: Some(cost),
            thought,
            ..RecordedMove::from(mv)
        });
    }

    fn append(&mut self, mv: Move) {
        let words = if self.has_moves { "" } else { " moves" };
        let _ = write!(self.position_line, "{words} {mv}");
        self.has_moves = true;
    }

    /// Starts pondering on the move that the player expects, if that is legal.
    fn let_ponder(
        &mut self,
        us: Color,
        player: &mut Player,
        ponder: Option<&str>,
    ) -> Result<(), Failure> {
        let Some(text) = ponder.filter(|_| player.ponders()) else {
            return Ok(());
        };
        let position = self.referee.position();
        let Ok(reply) = read_legal_move(position, text) else {
            return Ok(());
        };
        let [own, other] = [us, !us].map(|color| self.clocks[color.index()]);
        let go = go_words(&own, &other, us == Color::Black);
        player.ponder(&format!("{} {reply}", self.position_line), &go, reply)
    }

    /// The verdict on an engine that did not answer in time or at all; `None` if the match is to
    /// stop as well.
    fn verdict_on(
        &mut self,
        us: Color,
        failure: Failure,
    ) -> Result<Option<GameVerdict>, ClientError> {
        Ok(match failure {
            Failure::Aborted => None,
            Failure::Failed(error) if error.is_ours() => return Err(error),
            Failure::Failed(_) if self.context.is_stopped_too() => None,
            Failure::Failed(error) => {
                Some(GameVerdict::loss(us, EndReason::Crash, error.to_string()))
            }
            Failure::TooLate { asked, answered } => Some(self.too_late(us, asked, answered)),
        })
    }

    fn too_late(&mut self, us: Color, asked: Instant, answered: Option<Instant>) -> GameVerdict {
        let clock = self.clocks[us.index()];
        let (Some(budget), Some(answered)) = (clock.budget(), answered) else {
            let patience = self.context.settings.rules.patience;
            let waited = clock.budget().unwrap_or(patience);
            let word = if answered.is_some() { "only after it was stopped" } else { "nor to stop" };
            let detail = format!("no answer to go within {waited:.3?}, {word}");
            return GameVerdict::loss(us, EndReason::Hang, detail);
        };
        let used = answered - asked;
        self.played.figures[us.index()].add(used, &SearchInfo::default());
        let stall = self.context.heartbeat.stall_between(asked, answered);
        self.played.time_loss = Some(TimeLoss { late: used.saturating_sub(budget), stall });
        let mut detail = format!("{used:.3?} used where {budget:.3?} were left");
        if let Some(stall) = stall {
            let _ = write!(detail, ", while the machine stalled for {stall:.3?}");
        }
        GameVerdict::loss(us, EndReason::TimeLoss, detail)
    }

    /// Sends `gameover` to both engines. An engine that is gone by now does not lose this game.
    fn send_gameover(&self, players: &mut [&mut Player; 2], verdict: &GameVerdict) {
        for color in Color::ALL {
            let word = match verdict.winner {
                None => "draw",
                Some(winner) if winner == color => "win",
                Some(_) => "lose",
            };
            if let Err(failure) = players[color.index()].game_over(word, self.context.stop) {
                log::info!("gameover: {failure:?}");
            }
        }
    }
}

// --- A player ---
//
// An engine process that is prepared for games, asked for moves and timed.
//
// The clock runs from just before `go` (or `ponderhit`) is written until the reader thread has
// received the whole `bestmove` line. An engine that does not answer is sent `stop` and killed
// after a timeout, so that no engine can block the match.

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
    /// The whole command `position …`.
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
    /// The line as the engine wrote it.
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
    TooLate { asked: Instant, answered: Option<Instant> },
    /// The process has ended, or cannot be spoken to.
    Failed(ClientError),
    /// The match was aborted.
    Aborted,
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
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
        Ok(Self { client, ponders, ready_timeout: rules.ready_timeout, expects: None })
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

    /// The number of its search threads: as set by these options or else declared; 1 if it has no
    /// such option.
    pub(super) fn threads(&self, options: &[(String, String)]) -> usize {
        let is_threads = |name: &str| name.eq_ignore_ascii_case("Threads");
        let mut set = options.iter().rev();
        if let Some((_, value)) = set.find(|(name, _)| is_threads(name)) {
            return value.parse().unwrap_or(1);
        }
        let mut declared = self.declared_options().iter();
        match declared.find(|option| is_threads(&option.name)).map(|option| &option.kind) {
            Some(OptionKind::Spin { default, .. }) => usize::try_from(*default).unwrap_or(1),
            _ => 1,
        }
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
        options.iter().try_for_each(|(name, value)| self.client.set_option(name, Some(value)))
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
            Some(Received { at, line }) if at <= deadline => {
                Ok(Answer { line, asked, answered: at, thought })
            }
            Some(Received { at, .. }) => Err(Failure::TooLate { asked, answered: Some(at) }),
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
            None => Err(Failure::TooLate { asked, answered: None }),
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

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::arena::tests::settings;

    #[test]
    fn an_engine_that_ends_with_the_match_did_not_crash() {
        let settings = settings(&["a", "b"], Some(2));
        let (heartbeat, stop) = (Heartbeat::start(), Stop::new());
        let context = GameContext { settings: &settings, heartbeat: &heartbeat, stop: &stop };
        let opening: SfenLine = "startpos".parse().expect("a good line");
        let mut game = Game::new(&context, [0, 1], &opening);
        let mut reason_of = |error: ClientError| {
            let verdict = game.verdict_on(Color::Black, Failure::Failed(error));
            verdict.map(|verdict| verdict.map(|verdict| verdict.reason))
        };
        let ended = || ClientError::Ended { status: "killed by signal 15".to_owned() };
        let unsent =
            |kind: ErrorKind| ClientError::Write { line: "go".to_owned(), source: kind.into() };
        for error in [ended(), unsent(ErrorKind::BrokenPipe)] {
            assert!(matches!(reason_of(error), Ok(Some(EndReason::Crash))));
        }
        for kind in [ErrorKind::WouldBlock, ErrorKind::OutOfMemory] {
            let fault = reason_of(unsent(kind));
            assert!(fault.is_err(), "{kind}: a thread that we cannot have");
        }
        stop.finish();
        assert!(matches!(reason_of(ended()), Ok(None)));
    }
}
