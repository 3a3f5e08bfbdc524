//! The referee of a game. Checks every move and declaration and never relies on an engine's claim.
//!
//! It decides on illegal moves, declarations, repetitions, the move limit and, if the match asks
//! for it, on adjudication by the scores of both engines. Clocks are handled elsewhere.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

use crate::openings::{RuleEnd, end_by_rules};
use crate::position::{Declaration, Position};
use crate::types::{Color, EnteringKingRule, Move, Move16, Score};
use crate::util::shorten;

#[cfg(test)]
mod tests;

/// The rules of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rules {
    /// Move number after which a game is a draw, unless that move mates; 0 for no limit. Moves are
    /// numbered as in SFEN, so moves of the opening count.
    pub max_moves: u32,
    /// The rule for declarations (nyugyoku).
    #[serde(with = "crate::runs::as_text")]
    pub entering_king: EnteringKingRule,
    /// Tolerated overrun of a clock.
    pub margin: Duration,
    /// Time after which an engine that plays without a clock loses as a hang.
    pub patience: Duration,
    /// Time limit for `usiok` and `readyok`. Large nets and tables take long to load.
    pub ready_timeout: Duration,
    /// Ends a game when both engines agree that the same side is winning.
    pub win_adjudication: Option<Adjudication>,
    /// Ends a game when both engines agree that it is even.
    pub draw_adjudication: Option<Adjudication>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            max_moves: 320,
            entering_king: EnteringKingRule::CsaRule27,
            margin: Duration::ZERO,
            patience: Duration::from_mins(1),
            ready_timeout: Duration::from_mins(2),
            win_adjudication: None,
            draw_adjudication: None,
        }
    }
}

/// Conditions of an adjudication.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Adjudication {
    /// Limit of the score in centipawns: minimum for a win, maximum for a draw.
    pub score: u32,
    /// Number of consecutive moves of each side.
    pub moves: u32,
    /// First move number at which the game may be adjudicated.
    pub from: u32,
}

impl FromStr for Adjudication {
    type Err = String;

    /// Parses `score=2000 moves=4 from=40`, in any order, separated by spaces or commas; `from` is
    /// optional.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fault = |found: &str, expected: &str| {
            format!("'{found}' in an adjudication, expected {expected}")
        };
        let (mut score, mut moves, mut from) = (None, None, 0);
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let wrong = || fault(word, "score=CENTIPAWNS, moves=N or from=MOVE");
            let (name, value) = word.split_once('=').ok_or_else(wrong)?;
            let value: u32 = value.parse().map_err(|_| wrong())?;
            match name {
                "score" => score = Some(value),
                "moves" if value > 0 => moves = Some(value),
                "from" => from = value,
                _ => return Err(wrong()),
            }
        }
        let missing = || fault(text, "score=CENTIPAWNS and moves=N, both");
        Ok(Self { score: score.ok_or_else(missing)?, moves: moves.ok_or_else(missing)?, from })
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The loser resigned.
    Resignation,
    /// The loser has no legal move.
    Checkmate,
    /// The winner made a valid declaration.
    Declaration,
    /// The winner's king reached the opposing king's starting square, under the try rule.
    Try,
    /// Fourth occurrence of a position.
    Repetition,
    /// Fourth occurrence of a position, with the loser giving check on each move.
    PerpetualCheck,
    /// The move limit was reached.
    MaxMoves,
    /// Both engines agreed on the winner.
    AdjudicatedWin,
    /// Both engines agreed that the game was even.
    AdjudicatedDraw,
    /// The loser's clock ran out.
    TimeLoss,
    /// The loser did not answer, not even to `stop`.
    Hang,
    /// The loser's process ended.
    Crash,
    /// The loser answered with something other than a legal move.
    IllegalMove,
    /// The loser declared although the conditions were not met.
    FalseDeclaration,
    /// The loser's engine did not become ready for the game.
    NotReady,
}

impl EndReason {
    /// Whether the loss was caused by a fault of the engine, so that its dialogue is worth keeping.
    pub const fn is_fault(self) -> bool {
        matches!(
            self,
            Self::TimeLoss
                | Self::Hang
                | Self::Crash
                | Self::IllegalMove
                | Self::FalseDeclaration
                | Self::NotReady
        )
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resignation => "resignation",
            Self::Checkmate => "checkmate",
            Self::Declaration => "declaration",
            Self::Try => "try",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::MaxMoves => "move limit",
            Self::AdjudicatedWin => "adjudicated win",
            Self::AdjudicatedDraw => "adjudicated draw",
            Self::TimeLoss => "loss on time",
            Self::Hang => "hang",
            Self::Crash => "crash",
            Self::IllegalMove => "illegal move",
            Self::FalseDeclaration => "false declaration",
            Self::NotReady => "not ready",
        })
    }
}

/// The result of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameVerdict {
    /// The winner, `None` for a draw.
    pub winner: Option<Color>,
    /// The reason of the end.
    pub reason: EndReason,
    /// Details of the reason for people; empty for an ordinary end.
    pub detail: String,
}

impl GameVerdict {
    /// A draw for this reason.
    pub fn draw(reason: EndReason) -> Self {
        Self { winner: None, reason, detail: String::new() }
    }

    /// A loss of `loser` for this reason.
    pub fn loss(loser: Color, reason: EndReason, detail: impl Into<String>) -> Self {
        Self { winner: Some(!loser), reason, detail: detail.into() }
    }
}

/// The effect of an answer on the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move, `None` if the answer was not a legal move or ended the game without one.
    pub mv: Option<Move>,
    /// The result, if the game has ended.
    pub verdict: Option<GameVerdict>,
}

/// The referee of one game.
pub struct Referee<'a> {
    rules: &'a Rules,
    position: Position,
    /// Consecutive plies with agreement that black (positive) or white (negative) is winning.
    agreed_on_winner: i64,
    /// Consecutive plies with agreement that the game is even.
    agreed_on_draw: u32,
}

impl<'a> Referee<'a> {
    /// A referee for a game that continues from `position`, whose history counts for repetitions.
    pub fn new(rules: &'a Rules, position: Position) -> Self {
        Self { rules, position, agreed_on_winner: 0, agreed_on_draw: 0 }
    }

    /// The position after the last move that was accepted.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Makes the move that the side to move answered with, or ends the game if it is not legal.
    pub fn play(&mut self, text: &str) -> Played {
        let us = self.position.side_to_move();
        let mv = match read_legal_move(&self.position, text) {
            Ok(mv) => mv,
            Err(fault) => {
                let detail = format!("{fault} in {}", self.position.to_sfen());
                return Played {
                    mv: None,
                    verdict: Some(GameVerdict::loss(us, EndReason::IllegalMove, detail)),
                };
            }
        };
        // Under the try rule the move wins when it is announced; it is not made.
        if self.rules.entering_king == EnteringKingRule::TryRule
            && self.position.declaration(self.rules.entering_king) == Some(Declaration::Try(mv))
        {
            return Played { mv: None, verdict: Some(GameVerdict::loss(!us, EndReason::Try, "")) };
        }
        self.position.do_move(mv);
        Played { mv: Some(mv), verdict: self.end() }
    }

    /// The result, if the game has ended in the current position.
    pub fn end(&self) -> Option<GameVerdict> {
        if let Some((winner, end)) = end_by_rules(&self.position) {
            let reason = match end {
                RuleEnd::Mate => EndReason::Checkmate,
                RuleEnd::Repetition => EndReason::Repetition,
                RuleEnd::PerpetualCheck => EndReason::PerpetualCheck,
            };
            return Some(GameVerdict { winner, ..GameVerdict::draw(reason) });
        }
        let limit = self.rules.max_moves;
        (limit > 0 && self.position.game_ply() > limit)
            .then(|| GameVerdict::draw(EndReason::MaxMoves))
    }

    /// The result of a declaration by the side to move.
    pub fn declare(&self) -> GameVerdict {
        let us = self.position.side_to_move();
        let rule = self.rules.entering_king;
        if self.position.declaration(rule).is_some() {
            return GameVerdict::loss(!us, EndReason::Declaration, "");
        }
        let detail = format!(
            "bestmove win without a right to declare under {} in {}",
            rule.name(),
            self.position.to_sfen()
        );
        GameVerdict::loss(us, EndReason::FalseDeclaration, detail)
    }

    /// Adds the score of the side that has just moved, `None` if it reported none, and returns the
    /// result if the game is adjudicated.
    pub fn add_score(&mut self, score: Option<Score>) -> Option<GameVerdict> {
        let mover = !self.position.side_to_move();
        let for_mover = score.map(|score| match score {
            Score::Cp(centipawns) => i64::from(centipawns),
            // Zero and negative distances mean that the mover is mated.
            Score::Mate(plies) if plies > 0 => i64::from(i32::MAX),
            Score::Mate(_) => -i64::from(i32::MAX),
        });
        let for_black = for_mover.map(|score| if mover == Color::Black { score } else { -score });
        let move_number = self.position.game_ply().saturating_sub(1);
        if let Some(rule) = self.rules.win_adjudication {
            let leader = for_black.map_or(0, |score| {
                let is_enough = score.unsigned_abs() >= u64::from(rule.score);
                if is_enough { score.signum() } else { 0 }
            });
            let goes_on = leader == self.agreed_on_winner.signum();
            self.agreed_on_winner = leader + if goes_on { self.agreed_on_winner } else { 0 };
            let agreed = self.agreed_on_winner.unsigned_abs();
            let loser = if leader > 0 { Color::White } else { Color::Black };
            // A record can state a loss only for the side to move.
            let is_its_turn = loser == self.position.side_to_move();
            if is_its_turn && agreed >= 2 * u64::from(rule.moves) && move_number >= rule.from {
                return Some(GameVerdict::loss(loser, EndReason::AdjudicatedWin, ""));
            }
        }
        if let Some(rule) = self.rules.draw_adjudication {
            let is_even =
                for_black.is_some_and(|score| score.unsigned_abs() <= u64::from(rule.score));
            self.agreed_on_draw = if is_even { self.agreed_on_draw + 1 } else { 0 };
            if u64::from(self.agreed_on_draw) >= 2 * u64::from(rule.moves)
                && move_number >= rule.from
            {
                return Some(GameVerdict::draw(EndReason::AdjudicatedDraw));
            }
        }
        None
    }
}

/// Parses a move that must be legal in the position.
///
/// # Errors
/// The message says what is wrong with the move.
pub fn read_legal_move(position: &Position, text: &str) -> Result<Move, String> {
    let mv: Move16 = text.parse().map_err(|_| format!("'{}' is no move", shorten(text)))?;
    position.legal_move(mv).ok_or_else(|| format!("illegal move {}", shorten(text)))
}
