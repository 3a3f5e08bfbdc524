//! What the engine is asked in a game, and what becomes of its answers.

use super::{Playing, Ponder, SentMove, Side};
use crate::csa::client_line::ClientLine;
use crate::csa::game::{KeptPlan, LONGEST_LINE, OwnMove, comment};
use crate::csa::reports::{Answer, Content, EngineCommand, Report, SearchId, Task};
use crate::csa::session::context::{Context, Pondering, Wish};
use crate::csa::turn::{OwnAction, Turn};
use crate::records::sfen_line::SfenLine;
use crate::search::Clock;
use crate::types::Move;

impl Playing {
    pub(super) fn begin_turn(&mut self, context: &mut Context) {
        let turn = Turn::given(context.now());
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
        self.side = Side::Thinking {
            turn,
            search,
            planned: None,
            is_hurried: false,
        };
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
            since: context.now(),
        })));
        search
    }

    /// Ponders on `reply` after `line`, if it is a legal move there.
    pub(super) fn start_pondering(
        &mut self,
        mut line: SfenLine,
        reply: Option<Move>,
        clock: Option<Clock>,
        context: &mut Context,
    ) {
        let position = line.position();
        let is_legal = |mv: &Move| position.pseudo_legal(*mv) && position.legal(*mv);
        let Some(expected) = reply.filter(is_legal) else {
            return;
        };
        line.moves.push(expected);
        let search = self.search(line, clock, true, context);
        self.ponder = Some(Ponder { search, expected });
    }

    pub(super) fn stop_engine(&mut self, context: &mut Context) {
        self.ponder = None;
        context.engine(EngineCommand::Stop);
    }

    /// A report of the engine. What belongs to an earlier search is ignored.
    pub(in crate::csa::session) fn report(&mut self, report: Report, context: &mut Context) {
        let own = match &self.side {
            Side::Thinking { search, .. } => Some(*search),
            _ => None,
        };
        let ponder = self.ponder.as_ref().map(|ponder| ponder.search);
        if own != Some(report.search) && ponder != Some(report.search) {
            return;
        }
        match report.content {
            Content::Plan(longest) => {
                if let Side::Thinking { planned, .. } = &mut self.side {
                    *planned = Some(longest);
                }
            }
            Content::Thought(thought) => self.thought = Some(thought),
            // An answer before the hit is worthless; the next turn begins with a new search.
            Content::Answer(_) if own != Some(report.search) => self.ponder = None,
            Content::Answer(answer) => self.answer(answer, context),
        }
    }

    fn answer(&mut self, answer: Answer, context: &mut Context) {
        let silent = Side::Silent { said: None };
        let Side::Thinking { turn, planned, .. } = std::mem::replace(&mut self.side, silent) else {
            return;
        };
        let position = self.game.position();
        match answer {
            Answer::Move { best, ponder } => {
                let plan = self.plan_of(planned, context.since(turn.since()), context);
                self.play(turn, plan, (best, ponder), context);
            }
            Answer::Resign => self.say(turn.resign(), context),
            Answer::Declare => match turn.declare(position, self.game.declaration_rule()) {
                Ok(action) => self.say(action, context),
                Err(turn) => {
                    self.resign_at_fault(turn, "it declared without the right to", context);
                }
            },
            Answer::Fault(reason) => self.resign_at_fault(turn, &reason, context),
        }
    }

    fn play(
        &mut self,
        turn: Turn,
        plan: KeptPlan,
        (mv, reply): (Move, Option<Move>),
        context: &mut Context,
    ) {
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
        self.side = Side::Sent(SentMove {
            mv,
            own: OwnMove {
                thought,
                plan: Some(plan),
            },
            reply,
            since,
            sent: context.now(),
        });
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
    pub(super) fn say(&mut self, action: OwnAction, context: &mut Context) {
        let said = Some(action.to_string());
        context.send(ClientLine::Act(action));
        self.side = Side::Silent { said };
    }
}
