//! The phase of a session in which a game is played: the lines of the server, what the engine is
//! asked, and what becomes of its answers.

use std::time::{Duration, Instant};

use super::{Context, Event, InterruptedGame, Pondering, Wish};
use crate::csa::game::{End, FinishedGame, Game, LONGEST_LINE, comment};
use crate::csa::lines::{EndReason, Notice, ServerLine, ServerVerdict, TimeCount};
use crate::csa::player::{Answer, Content, EngineCommand, Report, SearchId, Task};
use crate::csa::turn::{OwnAction, Turn};
use crate::records::csa::{legal_move, move_text};
use crate::records::{SfenLine, Thought};
use crate::search::{Clock, Decision};
use crate::{csa::lines::ClientLine, types::Move};

/// Longest time from the reason of the end to the result.
const RESULT_TIMEOUT: Duration = Duration::from_secs(10);
/// The reserve for delays is at most the time of the move divided by this.
const RESERVE_DIVISOR: u32 = 3;

/// The state of a game that runs.
#[derive(Debug)]
pub(super) struct Playing {
    pub(super) game: Game,
    side: Side,
    ponder: Option<Ponder>,
    /// The last thought of the search on the current or expected position.
    pub(super) thought: Option<Thought>,
    end: End,
    /// When the server announced the end.
    ended: Option<Instant>,
    /// Whether an illegal move of the server was told; there could be a million.
    has_told_illegal: bool,
}

/// Whose turn it is, and what we know about it.
#[derive(Debug)]
enum Side {
    /// Our turn: the engine searches.
    Thinking {
        turn: Turn,
        search: SearchId,
        /// Whether the engine was asked to answer at once.
        is_hurried: bool,
    },
    /// Our move was sent; the server has not echoed it.
    Sent(SentMove),
    /// The opponent's turn since then.
    Rival { since: Instant },
    /// We resigned or declared, or the game is over: nothing is left to say.
    Silent { said: Option<String> },
}

#[derive(Debug)]
struct SentMove {
    mv: Move,
    thought: Option<Thought>,
    reply: Option<Move>,
    /// When the turn began, and when the move was sent.
    since: Instant,
    sent: Instant,
}

/// A search during the opponent's time.
#[derive(Debug)]
struct Ponder {
    search: SearchId,
    expected: Move,
}

/// Whether a game goes on.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Continue,
    Over,
}

impl Playing {
    /// Begins to play where the game stands.
    pub(super) fn begin(game: Game, context: &mut Context) -> Self {
        let since = context.now;
        let mut playing = Self {
            game,
            side: Side::Rival { since },
            ponder: None,
            thought: None,
            end: End::default(),
            ended: None,
            has_told_illegal: false,
        };
        if playing.game.is_own_turn() {
            playing.begin_turn(context);
        }
        playing
    }

    /// When the running turn began; `None` between turns.
    pub(super) fn turn_since(&self) -> Option<Instant> {
        match &self.side {
            Side::Thinking { turn, .. } => Some(turn.since()),
            Side::Rival { since } => Some(*since),
            Side::Sent(_) | Side::Silent { .. } => None,
        }
    }

    /// How long the player to move may think; zero between turns.
    pub(super) fn budget(&self) -> Duration {
        let mover = self.game.position().side_to_move();
        self.turn_since().map_or(Duration::ZERO, |_| self.game.clock().budget(mover))
    }

    // --- Lines of the server ---

    pub(super) fn line(&mut self, line: &str, context: &mut Context) -> Flow {
        match ServerLine::parse(line) {
            ServerLine::Move { text, time } if self.ended.is_none() => {
                self.server_move(&text, time, context);
            }
            ServerLine::Notice(Notice::Reason(reason)) => {
                self.announce_end(context);
                self.end.reason = self.end.reason.or(Some(reason));
                if matches!(reason, EndReason::Interrupted | EndReason::Abnormal) {
                    return Flow::Over;
                }
            }
            ServerLine::Notice(Notice::Verdict(verdict)) => {
                self.announce_end(context);
                self.end.verdict = Some(verdict);
                return Flow::Over;
            }
            _ => {}
        }
        Flow::Continue
    }

    /// A move on the board of the server, which decides what the position is.
    fn server_move(&mut self, text: &str, time: Option<TimeCount>, context: &mut Context) {
        let Some(mv) = legal_move(self.game.position(), text) else {
            if !std::mem::replace(&mut self.has_told_illegal, true) {
                let text = context.shown(text);
                context.note(format!(
                    "ignored {text}, which is not a legal move here; others are not told"
                ));
            }
            return;
        };
        if self.game.is_own_turn() {
            self.own_move(mv, time, context);
        } else {
            let since = self.turn_since().unwrap_or(context.now);
            self.game.make(mv, time, context.since(since), None);
            self.begin_turn(context);
        }
    }

    /// The server's echo of our move, or a move that it made for us.
    fn own_move(&mut self, mv: Move, time: Option<TimeCount>, context: &mut Context) {
        let now = context.now;
        let silent = Side::Silent { said: None };
        match std::mem::replace(&mut self.side, silent) {
            Side::Sent(sent) if sent.mv == mv => {
                context.trips.add(context.since(sent.sent));
                let measured = context.since(sent.since);
                self.game.make(mv, time, measured, sent.thought);
                self.side = Side::Rival { since: now };
                if context.settings.pondering == Pondering::AfterEcho {
                    let clock = Some(self.game.clock().for_search());
                    self.start_pondering(self.game.line(), sent.reply, clock, context);
                }
            }
            other => {
                let since = match other {
                    Side::Thinking { turn, .. } => turn.since(),
                    Side::Sent(sent) => sent.since,
                    Side::Rival { since } => since,
                    Side::Silent { .. } => now,
                };
                context.note(format!("the server played {} for us", move_text(mv)));
                self.stop_engine(context);
                self.game.make(mv, time, context.since(since), None);
                self.side = Side::Rival { since: now };
            }
        }
    }

    /// The game is over: nothing can be sent any more.
    fn announce_end(&mut self, context: &mut Context) {
        if self.ended.is_some() {
            return;
        }
        self.ended = Some(context.now);
        self.end.unanswered = match &self.side {
            Side::Sent(sent) => Some(move_text(sent.mv)),
            Side::Silent { said } => said.clone(),
            Side::Thinking { .. } | Side::Rival { .. } => None,
        };
        self.side = Side::Silent { said: None };
        self.stop_engine(context);
    }

    // --- The engine ---

    fn begin_turn(&mut self, context: &mut Context) {
        let turn = Turn::given(context.now);
        if context.wish == Wish::Resign {
            self.stop_engine(context);
            self.say(turn.resign(), context);
            return;
        }
        // A win that needs no search, and that the engine may not know.
        let turn = match turn.declare(self.game.position(), self.game.declaration_rule()) {
            Ok(action) => {
                self.stop_engine(context);
                self.say(action, context);
                return;
            }
            Err(turn) => turn,
        };
        let clock = self.game.clock().for_search();
        let is_hit = |ponder: &Ponder| Some(ponder.expected) == self.game.position().last_move();
        let search = match self.ponder.take() {
            Some(ponder) if is_hit(&ponder) => {
                let search = ponder.search;
                context.engine(EngineCommand::PonderHit { search, clock });
                search
            }
            _ => self.search(self.game.line(), Some(clock), false, context),
        };
        self.side = Side::Thinking { turn, search, is_hurried: false };
    }

    fn search(
        &mut self,
        line: SfenLine,
        clock: Option<Clock>,
        ponders: bool,
        context: &mut Context,
    ) -> SearchId {
        self.thought = None;
        let search = SearchId::next();
        context.engine(EngineCommand::Search(Box::new(Task {
            search,
            line,
            clock,
            delays: context.delays(),
            round_trip: context.trips.longest(),
            ponders,
            since: context.now,
        })));
        search
    }

    /// Ponders on `reply` after `line`, if it is a legal move there.
    fn start_pondering(
        &mut self,
        mut line: SfenLine,
        reply: Option<Move>,
        clock: Option<Clock>,
        context: &mut Context,
    ) {
        let position = line.position();
        let Some(expected) = reply.filter(|&mv| position.is_legal(mv)) else {
            return;
        };
        line.moves.push(expected);
        let search = self.search(line, clock, true, context);
        self.ponder = Some(Ponder { search, expected });
    }

    fn stop_engine(&mut self, context: &mut Context) {
        self.ponder = None;
        context.engine(EngineCommand::Stop);
    }

    /// A report of the engine. What belongs to an earlier search is ignored.
    pub(super) fn report(&mut self, report: Report, context: &mut Context) {
        let own = match &self.side {
            Side::Thinking { search, .. } => Some(*search),
            _ => None,
        };
        let ponder = self.ponder.as_ref().map(|ponder| ponder.search);
        if own != Some(report.search) && ponder != Some(report.search) {
            return;
        }
        match report.content {
            Content::Thought(thought) => self.thought = Some(thought),
            // An answer before the hit is worthless; the next turn begins with a new search.
            Content::Answer(_) if own != Some(report.search) => self.ponder = None,
            Content::Answer(answer) => self.answer(answer, context),
        }
    }

    fn answer(&mut self, answer: Answer, context: &mut Context) {
        let silent = Side::Silent { said: None };
        let Side::Thinking { turn, .. } = std::mem::replace(&mut self.side, silent) else {
            return;
        };
        let position = self.game.position();
        match answer {
            Ok(Decision::Move { best, ponder }) => self.play(turn, best, ponder, context),
            Ok(Decision::Resign) => self.say(turn.resign(), context),
            Ok(Decision::Win) => match turn.declare(position, self.game.declaration_rule()) {
                Ok(action) => self.say(action, context),
                Err(turn) => {
                    self.resign_at_fault(turn, "it declared without the right to", context);
                }
            },
            Ok(Decision::Nothing) => self.resign_at_fault(turn, "it has no answer", context),
            Err(reason) => self.resign_at_fault(turn, &reason, context),
        }
    }

    /// Plays a move, unless it is time to resign. `reply` is the expected one.
    fn play(&mut self, turn: Turn, mv: Move, reply: Option<Move>, context: &mut Context) {
        let mut thought = self.thought.take();
        if let Some(thought) = &mut thought {
            // What the server gets and what our record says are the same.
            thought.pv.truncate(LONGEST_LINE);
        }
        let score = thought.as_ref().and_then(|thought| thought.score);
        if let Some(rule) = context.settings.resign
            && self.game.should_resign(rule, score)
        {
            self.say(turn.resign(), context);
            return;
        }
        let comment = match &thought {
            Some(thought) if context.settings.sends_comments => comment(mv, thought),
            _ => String::new(),
        };
        let since = turn.since();
        let action = match turn.play(self.game.position(), mv, comment) {
            Ok(action) => action,
            Err(turn) => {
                self.resign_at_fault(turn, &format!("{mv} is illegal"), context);
                return;
            }
        };
        context.send(ClientLine::Act(action));
        self.side = Side::Sent(SentMove { mv, thought, reply, since, sent: context.now });
        if context.settings.pondering == Pondering::Early {
            let mut line = self.game.line();
            line.moves.push(mv);
            self.start_pondering(line, reply, None, context);
        }
    }

    fn resign_at_fault(&mut self, turn: Turn, reason: &str, context: &mut Context) {
        context.note(format!("the engine failed and resigns: {reason}"));
        self.say(turn.resign(), context);
    }

    /// Sends a last word.
    fn say(&mut self, action: OwnAction, context: &mut Context) {
        let said = Some(action.to_string());
        context.send(ClientLine::Act(action));
        self.side = Side::Silent { said };
    }

    // --- Time and the user ---

    /// When [`Self::tick`] has something to do.
    pub(super) fn deadline(&self, context: &Context) -> Option<Instant> {
        if let Some(ended) = self.ended {
            return Some(ended + RESULT_TIMEOUT);
        }
        match &self.side {
            Side::Thinking { turn, is_hurried: false, .. } => {
                Some(turn.since() + self.longest_thought(context))
            }
            _ => None,
        }
    }

    /// The time after which the engine is asked to answer, in case that it does not keep time.
    fn longest_thought(&self, context: &Context) -> Duration {
        let budget = self.game.clock().budget(self.game.side());
        let reserve = context.delays().worst.min(budget / RESERVE_DIVISOR);
        budget.saturating_sub(reserve)
    }

    pub(super) fn tick(&mut self, context: &mut Context) -> Flow {
        let deadline = self.deadline(context);
        if deadline.is_none_or(|deadline| context.now < deadline) {
            return Flow::Continue;
        }
        if self.ended.is_some() {
            return Flow::Over;
        }
        if let Side::Thinking { is_hurried, .. } = &mut self.side {
            *is_hurried = true;
            context.engine(EngineCommand::Stop);
        }
        Flow::Continue
    }

    /// Resigns if it is our turn, else when it comes.
    pub(super) fn resign(&mut self, context: &mut Context) {
        let silent = Side::Silent { said: None };
        match std::mem::replace(&mut self.side, silent) {
            Side::Thinking { turn, .. } => {
                self.stop_engine(context);
                self.say(turn.resign(), context);
            }
            other => self.side = other,
        }
    }

    // --- The end ---

    /// The finished game, after [`Flow::Over`] or a lost connection.
    pub(super) fn finish(mut self, context: &mut Context) -> Option<EndReason> {
        self.announce_end(context);
        context.engine(EngineCommand::GameOver(match self.end.verdict {
            Some(ServerVerdict::Win) => "win",
            Some(ServerVerdict::Lose) => "lose",
            _ => "draw",
        }));
        let finished = FinishedGame::new(self.game, &self.end);
        context.event(Event::Finished(Box::new(finished)));
        self.end.reason
    }

    /// The connection is lost: the game can be resumed where the server offers that and has not
    /// announced the end.
    pub(super) fn lose_connection(self, context: &mut Context) {
        let is_resumable = self.ended.is_none() && self.game.summary().reconnect_token.is_some();
        if !is_resumable || context.wish == Wish::Resign {
            self.finish(context);
            return;
        }
        context.engine(EngineCommand::Stop);
        let sent = match &self.side {
            Side::Sent(sent) => Some(sent.mv),
            _ => None,
        };
        let interrupted = InterruptedGame { game: self.game, sent, lost: context.now };
        context.event(Event::Interrupted(Box::new(interrupted)));
    }
}
