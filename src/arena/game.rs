//! Plays one game: two players, two clocks, a referee.

use std::fmt::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use super::journal::{Overhead, PlayerFigures, TimeLoss};
use super::player::{Answer, Failure, Player, SearchInfo, Turn};
use super::referee::{EndReason, GameVerdict, Played, Referee, read_legal_move};
use super::settings::{Fixture, MatchSettings};
use super::time_control::Heartbeat;
use super::time_control::{Clock, go_words};
use crate::records::game::{RecordedMove, Thought};
use crate::records::sfen_line::SfenLine;
use crate::runs::Stop;
use crate::types::{Color, Move};
use crate::usi::client::reply::BestMove;

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
pub(super) fn play(
    context: &GameContext<'_>,
    fixture: Fixture,
    opening: &SfenLine,
    players: &mut [&mut Player; 2],
) -> Option<PlayedGame> {
    let mut game = Game::new(context, fixture.players, opening);
    let verdict = match game.referee.end() {
        Some(verdict) => verdict,
        None => game.run(players)?,
    };
    game.send_gameover(players, &verdict);
    game.played.verdict = verdict;
    Some(game.played)
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

    fn run(&mut self, players: &mut [&mut Player; 2]) -> Option<GameVerdict> {
        let mut last_move = None;
        loop {
            let us = self.referee.position().side_to_move();
            let player = &mut *players[us.index()];
            let answer = match self.ask(us, player, last_move) {
                Ok(answer) => answer,
                Err(failure) => return self.verdict_on(us, &failure),
            };
            if let Some(verdict) = self.overrun_in_nodes(us, &answer) {
                return Some(verdict);
            }
            self.note_answer(us, &answer);
            let (text, ponder) = match answer.best() {
                BestMove::Move { best, ponder } => (best, ponder),
                BestMove::Win => return Some(self.referee.declare()),
                BestMove::Resign => return Some(GameVerdict::loss(us, EndReason::Resignation, "")),
                BestMove::Missing => {
                    let detail = format!(
                        "bestmove without a move in {}",
                        self.referee.position().to_sfen()
                    );
                    return Some(GameVerdict::loss(us, EndReason::IllegalMove, detail));
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
                return Some(verdict);
            }
            last_move = mv;
            if let Err(failure) = self.let_ponder(us, player, ponder) {
                return self.verdict_on(us, &failure);
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
        let limit = own
            .budget()
            .map_or(rules.patience, |budget| budget + rules.margin);
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
        self.played.time_loss = Some(TimeLoss {
            late: cost.saturating_sub(available),
            stall: None,
        });
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
    fn verdict_on(&mut self, us: Color, failure: &Failure) -> Option<GameVerdict> {
        match failure {
            Failure::Aborted => None,
            Failure::Ended(_) if self.context.is_stopped_too() => None,
            Failure::Ended(status) => Some(GameVerdict::loss(us, EndReason::Crash, status.clone())),
            Failure::TooLate { asked, answered } => Some(self.too_late(us, *asked, *answered)),
        }
    }

    fn too_late(&mut self, us: Color, asked: Instant, answered: Option<Instant>) -> GameVerdict {
        let clock = self.clocks[us.index()];
        let (Some(budget), Some(answered)) = (clock.budget(), answered) else {
            let patience = self.context.settings.rules.patience;
            let waited = clock.budget().unwrap_or(patience);
            let word = if answered.is_some() {
                "only after it was stopped"
            } else {
                "nor to stop"
            };
            let detail = format!("no answer to go within {waited:.3?}, {word}");
            return GameVerdict::loss(us, EndReason::Hang, detail);
        };
        let used = answered - asked;
        self.played.figures[us.index()].add(used, &SearchInfo::default());
        let stall = self.context.heartbeat.stall_between(asked, answered);
        self.played.time_loss = Some(TimeLoss {
            late: used.saturating_sub(budget),
            stall,
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::tests::settings;

    #[test]
    fn an_engine_that_ends_with_the_match_did_not_crash() {
        let settings = settings(&["a", "b"], Some(2));
        let (heartbeat, stop) = (Heartbeat::start(), Stop::new());
        let context = GameContext {
            settings: &settings,
            heartbeat: &heartbeat,
            stop: &stop,
        };
        let opening: SfenLine = "startpos".parse().expect("a good line");
        let mut game = Game::new(&context, [0, 1], &opening);
        let mut verdict = || {
            let failure = Failure::Ended("killed by signal 15".to_owned());
            game.verdict_on(Color::Black, &failure)
        };
        let reason = verdict().map(|verdict| verdict.reason);
        assert_eq!(reason, Some(EndReason::Crash));
        stop.finish();
        assert_eq!(verdict().map(|verdict| verdict.reason), None);
    }
}
