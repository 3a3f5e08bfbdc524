//! A game that is being played: position, moves, clocks.

use std::time::{Duration, Instant};

use super::clock::GameClock;
use super::server_line::TimeCount;
use super::summary::Summary;
use crate::position::Position;
use crate::records::csa::move_text;
use crate::records::game::Thought;
use crate::records::game::black_score;
use crate::records::sfen_line::SfenLine;
use crate::types::{Color, EnteringKingRule, Move, Score};

/// A game of ours on the server.
#[derive(Debug)]
pub struct Game {
    summary: Summary,
    position: Position,
    /// The moves before the start and those of the game.
    moves: Vec<PlayedMove>,
    clock: GameClock,
    /// When the server started the game.
    started: Instant,
    /// Own moves in a row with a score that is bad enough to resign.
    bad_scores: u32,
}

/// A move on the board of the server.
#[derive(Clone, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// The time that the server counted; `None` if it did not say.
    pub time: Option<Duration>,
    /// The time that we measured, for the moves of the game.
    pub measured: Option<Duration>,
    /// The time that was planned for an own move, and what was used of it.
    pub plan: Option<KeptPlan>,
    /// What the engine thought about an own move.
    pub thought: Option<Thought>,
}

/// The time of an own move, from the server's line that gave us the turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptPlan {
    /// The longest time that was planned: by the engine, or what the client allows one that does
    /// not say.
    pub longest: Duration,
    /// The time until the move was sent.
    pub used: Duration,
}

/// What only we know about an own move; nothing for other moves.
#[derive(Debug, Default)]
pub(super) struct OwnMove {
    pub(super) thought: Option<Thought>,
    pub(super) plan: Option<KeptPlan>,
}

/// When to resign a game that the engine plays on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// A score at or below minus this is bad, in centipawns.
    pub score: u32,
    /// Number of own moves in a row with a bad score.
    pub moves: u32,
}

impl Game {
    /// The game of a summary before the first move of its own.
    pub(super) fn new(summary: Summary, started: Instant) -> Self {
        let mut game = Self {
            position: summary.start.clone(),
            moves: Vec::new(),
            clock: GameClock::new(summary.time),
            started,
            bad_scores: 0,
            summary,
        };
        for recorded in game.summary.moves.clone() {
            let mover = game.position.side_to_move();
            game.clock
                .charge_before_start(mover, recorded.time.unwrap_or_default());
            game.push(PlayedMove {
                mv: recorded.mv,
                time: recorded.time,
                measured: None,
                plan: None,
                thought: None,
            });
        }
        game
    }

    /// The summary.
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The current position, with the whole game.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// All moves, those before the start included.
    pub fn moves(&self) -> &[PlayedMove] {
        &self.moves
    }

    /// The clocks.
    pub const fn clock(&self) -> &GameClock {
        &self.clock
    }

    /// When the server started the game.
    pub const fn started(&self) -> Instant {
        self.started
    }

    /// Our colour.
    pub const fn side(&self) -> Color {
        self.summary.side
    }

    /// The name of the opponent.
    pub fn opponent(&self) -> &str {
        &self.summary.players[(!self.side()).index()]
    }

    /// Whether we are to move.
    pub fn is_own_turn(&self) -> bool {
        self.position.side_to_move() == self.side()
    }

    /// The rule of declarations.
    pub fn declaration_rule(&self) -> EnteringKingRule {
        self.summary.declaration_rule()
    }

    /// The game up to now as one line.
    pub fn line(&self) -> SfenLine {
        SfenLine {
            start: self.summary.start.clone(),
            moves: self.moves.iter().map(|played| played.mv).collect(),
        }
    }

    /// Makes a legal move that took `count` by the server's clock and `measured` by ours.
    pub(super) fn make(
        &mut self,
        mv: Move,
        count: Option<TimeCount>,
        measured: Duration,
        own: OwnMove,
    ) {
        let mover = self.position.side_to_move();
        let time = count.map(|count| self.clock.meaning(mover, count, measured));
        self.clock.charge(mover, time.unwrap_or(measured));
        self.push(PlayedMove {
            mv,
            time,
            measured: Some(measured),
            plan: own.plan,
            thought: own.thought,
        });
    }

    fn push(&mut self, played: PlayedMove) {
        self.position.do_move(played.mv);
        self.moves.push(played);
    }

    /// Sets the main times that are left, as the server says after a reconnection.
    pub(super) fn set_remaining(&mut self, remaining: [Duration; Color::NUM]) {
        self.clock.set_remaining(remaining);
    }

    /// Counts the score of an own move. Returns whether the rule says to resign instead of it.
    pub(super) fn should_resign(&mut self, rule: ResignRule, score: Option<Score>) -> bool {
        let is_bad = match score {
            Some(Score::Cp(centipawns)) => i64::from(centipawns) <= -i64::from(rule.score),
            Some(Score::Mate(plies)) => plies <= 0,
            None => false,
        };
        self.bad_scores = if is_bad { self.bad_scores + 1 } else { 0 };
        is_bad && self.bad_scores >= rule.moves
    }
}

/// Most moves of a line that is sent and recorded, the move itself included. Servers cut long
/// lines.
pub(super) const LONGEST_LINE: usize = 31;

/// The comment that is sent with a move: `'* SCORE PV`, the score from black's point of view, the
/// line from the reply on. Empty without a score.
pub(super) fn comment(mv: Move, thought: &Thought) -> String {
    let Some(score) = thought.score else {
        return String::new();
    };
    let mut text = format!("'* {}", black_score(score, mv.piece().color()));
    if thought.pv.first() == Some(&mv) {
        for reply in &thought.pv[1..] {
            text.push(' ');
            text.push_str(&move_text(*reply));
        }
    }
    text
}
