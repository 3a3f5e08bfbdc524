//! A game that is being played: position, moves, clocks; and how it ended, from the notices of the
//! server.

use std::time::{Duration, Instant};

use super::clock::GameClock;
use super::lines::{EndReason, Notice, ServerVerdict, Summary, TimeCount};
use crate::records::{Ending, SfenLine, Thought, black_score, csa::move_text};
use crate::types::{Color, EnteringKingRule, Move, Score};
use crate::{movegen::legal_moves, position::Position};

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
    /// The move, which was legal.
    pub mv: Move,
    /// The time that the server counted; `None` if it did not say.
    pub time: Option<Duration>,
    /// The time that we measured, for the moves of the game.
    pub measured: Option<Duration>,
    /// What the engine thought about an own move.
    pub thought: Option<Thought>,
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
            game.clock.charge_before_start(mover, recorded.time.unwrap_or_default());
            game.push(PlayedMove {
                mv: recorded.mv,
                time: recorded.time,
                measured: None,
                thought: None,
            });
        }
        game
    }

    /// The summary with which the server offered the game.
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

    /// Clocks of both sides, as the server counts them.
    pub const fn clock(&self) -> &GameClock {
        &self.clock
    }

    /// When the server started the game.
    pub const fn started(&self) -> Instant {
        self.started
    }

    /// The colour that the server gave us.
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

    /// Makes a legal move that took `count` by the server's clock and `measured` by ours; `thought`
    /// is what the engine thought about an own one.
    pub(super) fn make(
        &mut self,
        mv: Move,
        count: Option<TimeCount>,
        measured: Duration,
        thought: Option<Thought>,
    ) {
        let mover = self.position.side_to_move();
        let time = count.map(|count| self.clock.meaning(mover, count, measured));
        self.clock.charge(mover, time.unwrap_or(measured));
        self.push(PlayedMove { mv, time, measured: Some(measured), thought });
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

/// A game that is over for us.
#[derive(Debug)]
pub struct FinishedGame {
    /// Its moves and clocks.
    pub game: Game,
    /// How it ended.
    pub ending: Ending,
    /// The notices of the server, such as `#RESIGN #WIN`; `resigned` or `broken off` if there was
    /// none.
    pub notices: String,
    /// Our result; `None` if the server named none and we did not resign.
    pub verdict: Option<ServerVerdict>,
    /// Whether the server ended the game, or we did. Otherwise the connection was lost.
    pub is_complete: bool,
}

/// What is known about the end of a game, besides its position.
#[derive(Clone, Default, Debug)]
pub(super) struct End {
    pub(super) reason: Option<EndReason>,
    pub(super) verdict: Option<ServerVerdict>,
    /// A move or word of ours that the server has not echoed.
    pub(super) unanswered: Option<String>,
}

impl End {
    /// Whether the server has said nothing about it.
    const fn has_no_notice(&self) -> bool {
        self.reason.is_none() && self.verdict.is_none()
    }
}

impl FinishedGame {
    pub(super) fn new(game: Game, end: &End) -> Self {
        let mut end = end.clone();
        // A resignation needs no answer: it cannot be taken back.
        let has_resigned = end.has_no_notice() && end.unanswered.as_deref() == Some("%TORYO");
        if has_resigned {
            end.verdict = Some(ServerVerdict::Lose);
        }
        let notices = [end.reason.map(Notice::Reason), end.verdict.map(Notice::Verdict)];
        let notices = notices.iter().flatten().map(Notice::to_string);
        let notices = notices.collect::<Vec<_>>().join(" ");
        Self {
            ending: if has_resigned { Ending::Resignation } else { ending(&game, &end) },
            notices: match notices.as_str() {
                _ if has_resigned => "resigned".to_owned(),
                "" => "broken off".to_owned(),
                _ => notices,
            },
            verdict: end.verdict,
            is_complete: !end.has_no_notice(),
            game,
        }
    }
}

fn ending(game: &Game, end: &End) -> Ending {
    let position = game.position();
    let mover = position.side_to_move();
    let winner = match end.verdict {
        Some(ServerVerdict::Win) => Some(game.side()),
        Some(ServerVerdict::Lose) => Some(!game.side()),
        _ => None,
    };
    let Some(reason) = end.reason else {
        return match (winner, end.verdict) {
            (Some(winner), _) => Ending::AdjudicatedWin { winner },
            (None, Some(ServerVerdict::Draw)) => Ending::AdjudicatedDraw,
            // The connection was lost, or the server counts the game for nobody. As the ending of a
            // record a disconnection is a loss of the side to move.
            (None, _) => Ending::Interrupted,
        };
    };
    let ending = by_reason(reason, winner.unwrap_or(mover), position, end);
    // The endings of records refer to the side to move.
    match (end.verdict, winner) {
        (_, Some(winner)) if ending.winner(mover) != Some(winner) => {
            Ending::AdjudicatedWin { winner }
        }
        (Some(ServerVerdict::Draw), _) if ending.winner(mover).is_some() => Ending::AdjudicatedDraw,
        _ => ending,
    }
}

fn by_reason(reason: EndReason, winner: Color, position: &Position, end: &End) -> Ending {
    match reason {
        EndReason::Resign if legal_moves(position).is_empty() => Ending::Checkmate,
        EndReason::Resign => Ending::Resignation,
        EndReason::TimeUp => Ending::TimeUp,
        EndReason::IllegalMove if end.unanswered.as_deref() == Some("%KACHI") => {
            Ending::IllegalDeclaration
        }
        EndReason::IllegalMove | EndReason::IllegalAction => {
            Ending::IllegalMove { text: end.unanswered.clone().unwrap_or_default() }
        }
        EndReason::Repetition => Ending::Repetition,
        EndReason::PerpetualCheck => Ending::PerpetualCheck { loser: !winner },
        EndReason::Declaration => Ending::Declaration,
        EndReason::MaxMoves => Ending::MaxMoves,
        EndReason::Interrupted | EndReason::Abnormal => Ending::Interrupted,
    }
}
