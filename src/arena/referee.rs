//! The referee: knows all the rules and believes nobody.
//!
//! It judges moves, declarations, repetitions, the limit of moves and, where the match asks for it, games that both
//! engines hold for decided. Clocks are not its business.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::movegen::legal_moves;
use crate::position::{Declaration, Position};
use crate::types::{Color, EnteringKingRule, Move, Move16, Repetition, Score};

#[cfg(test)]
mod tests;

/// The rules of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rules {
    /// A game whose move of this number has been made is a draw, unless that move mates; 0 for no limit. Numbers count as
    /// in SFEN, the moves of the opening included.
    pub max_moves: u32,
    /// When a side may declare its win.
    #[serde(with = "rule_name")]
    pub entering_king: EnteringKingRule,
    /// How far a clock may be overrun.
    pub margin: Duration,
    /// An engine without a clock that is silent for so long hangs.
    pub patience: Duration,
    /// How long an engine may take to say `usiok` and `readyok`: large nets and tables are slow to load.
    pub ready_timeout: Duration,
    /// Ends games that both sides hold for won by the same side.
    pub win_adjudication: Option<Adjudication>,
    /// Ends games that both sides hold for even.
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

/// When both engines agree for long enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Adjudication {
    /// Centipawns: at least so many for a win, at most so many for a draw.
    pub score: u32,
    /// Moves of each side in a row.
    pub moves: u32,
    /// The first move number at which the game may end so.
    pub from: u32,
}

/// A text that says no adjudication.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{found}' in an adjudication, expected {expected}")]
pub struct AdjudicationError {
    found: String,
    expected: &'static str,
}

impl FromStr for Adjudication {
    type Err = AdjudicationError;

    /// Reads `score=2000 moves=4 from=40`, in any order, also with commas; `from` may be left out.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut score, mut moves, mut from) = (None, None, 0);
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let wrong = || AdjudicationError {
                found: word.to_owned(),
                expected: "score=CENTIPAWNS, moves=N or from=MOVE",
            };
            let (name, value) = word.split_once('=').ok_or_else(wrong)?;
            let value: u32 = value.parse().map_err(|_| wrong())?;
            match name {
                "score" => score = Some(value),
                "moves" if value > 0 => moves = Some(value),
                "from" => from = value,
                _ => return Err(wrong()),
            }
        }
        let missing = || AdjudicationError {
            found: text.to_owned(),
            expected: "score=CENTIPAWNS and moves=N, both",
        };
        Ok(Self {
            score: score.ok_or_else(missing)?,
            moves: moves.ok_or_else(missing)?,
            from,
        })
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The loser resigned.
    Resignation,
    /// The loser has no legal move.
    Checkmate,
    /// The winner declared, and rightly.
    Declaration,
    /// The winner's king reached the enemy king's square, under the try rule.
    Try,
    /// The same position for the fourth time.
    Repetition,
    /// The same for the fourth time, with nothing but checks by the loser.
    PerpetualCheck,
    /// The last move that the rules allow.
    MaxMoves,
    /// Both engines held the game for won.
    AdjudicatedWin,
    /// Both engines held the game for even.
    AdjudicatedDraw,
    /// The loser's clock ran out.
    TimeLoss,
    /// The loser said nothing any more.
    Hang,
    /// The loser's program ended.
    Crash,
    /// The loser answered with something else than a legal move.
    IllegalMove,
    /// The loser declared without a right to.
    FalseDeclaration,
    /// The loser's program could not be got ready for the game.
    NotReady,
}

impl Reason {
    /// Whether the loser did something that no engine should, so that its dialogue is worth keeping.
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

impl fmt::Display for Reason {
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

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// Why.
    pub reason: Reason,
    /// What there is to say beyond that; empty for an ordinary end.
    pub detail: String,
}

impl Verdict {
    /// A draw.
    pub fn draw(reason: Reason) -> Self {
        Self {
            winner: None,
            reason,
            detail: String::new(),
        }
    }

    /// A game that `loser` lost.
    pub fn loss(loser: Color, reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            winner: Some(!loser),
            reason,
            detail: detail.into(),
        }
    }
}

/// What has come of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move that was made, `None` if the answer was no legal move or ended the game unmade.
    pub mv: Option<Move>,
    /// The end of the game, if it was that.
    pub verdict: Option<Verdict>,
}

/// Judges one game.
pub struct Referee<'a> {
    rules: &'a Rules,
    position: Position,
    /// Plies in a row in which both sides held black for winning (positive) or white (negative).
    agreed_on_winner: i64,
    /// Plies in a row in which both sides held the game for even.
    agreed_on_draw: u32,
}

impl<'a> Referee<'a> {
    /// A referee for a game that goes on from `position`, whose history counts.
    pub fn new(rules: &'a Rules, position: Position) -> Self {
        Self {
            rules,
            position,
            agreed_on_winner: 0,
            agreed_on_draw: 0,
        }
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Makes the move that the side to move answered with, if it is one, and says what has come of it.
    pub fn play(&mut self, text: &str) -> Played {
        let us = self.position.side_to_move();
        let mv = match read_legal_move(&self.position, text) {
            Ok(mv) => mv,
            Err(fault) => {
                let detail = format!("{fault} in {}", self.position.to_sfen());
                return Played {
                    mv: None,
                    verdict: Some(Verdict::loss(us, Reason::IllegalMove, detail)),
                };
            }
        };
        // Under the try rule the naming of the move wins; it is not made.
        if self.rules.entering_king == EnteringKingRule::TryRule
            && self.position.declaration(self.rules.entering_king) == Some(Declaration::Try(mv))
        {
            return Played {
                mv: None,
                verdict: Some(Verdict::loss(!us, Reason::Try, "")),
            };
        }
        self.position.do_move(mv);
        Played {
            mv: Some(mv),
            verdict: self.end(),
        }
    }

    /// The end of the game that the rules see in the position, if it is one.
    pub fn end(&self) -> Option<Verdict> {
        let us = self.position.side_to_move();
        if legal_moves(&self.position).is_empty() {
            return Some(Verdict::loss(us, Reason::Checkmate, ""));
        }
        match self.position.rule_repetition() {
            Some(Repetition::Draw) => return Some(Verdict::draw(Reason::Repetition)),
            Some(Repetition::Win) => return Some(Verdict::loss(!us, Reason::PerpetualCheck, "")),
            Some(Repetition::Lose) => return Some(Verdict::loss(us, Reason::PerpetualCheck, "")),
            _ => {}
        }
        let limit = self.rules.max_moves;
        (limit > 0 && self.position.game_ply() > limit).then(|| Verdict::draw(Reason::MaxMoves))
    }

    /// What a declaration of the side to move is worth.
    pub fn declare(&self) -> Verdict {
        let us = self.position.side_to_move();
        let rule = self.rules.entering_king;
        if self.position.declaration(rule).is_some() {
            return Verdict::loss(!us, Reason::Declaration, "");
        }
        let detail = format!(
            "bestmove win without a right to declare under {} in {}",
            rule.name(),
            self.position.to_sfen()
        );
        Verdict::loss(us, Reason::FalseDeclaration, detail)
    }

    /// Takes note of what the side that has just moved thinks of the game, `None` if it did not say.
    pub fn hear_score(&mut self, score: Option<Score>) -> Option<Verdict> {
        let mover = !self.position.side_to_move();
        let for_mover = score.map(|score| match score {
            Score::Cp(centipawns) => i64::from(centipawns),
            // Up to 0 the mover is the one that is mated.
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
            let loser = if leader > 0 {
                Color::White
            } else {
                Color::Black
            };
            // Records can say only of the side to move that it has lost.
            let is_its_turn = loser == self.position.side_to_move();
            if is_its_turn && agreed >= 2 * u64::from(rule.moves) && move_number >= rule.from {
                return Some(Verdict::loss(loser, Reason::AdjudicatedWin, ""));
            }
        }
        if let Some(rule) = self.rules.draw_adjudication {
            let is_even =
                for_black.is_some_and(|score| score.unsigned_abs() <= u64::from(rule.score));
            self.agreed_on_draw = if is_even { self.agreed_on_draw + 1 } else { 0 };
            if u64::from(self.agreed_on_draw) >= 2 * u64::from(rule.moves)
                && move_number >= rule.from
            {
                return Some(Verdict::draw(Reason::AdjudicatedDraw));
            }
        }
        None
    }
}

/// Reads a move that must be legal in the position.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read_legal_move(position: &Position, text: &str) -> Result<Move, String> {
    let mv: Move16 = text.parse().map_err(|_| format!("'{text}' is no move"))?;
    position
        .to_move(mv)
        .filter(|mv| position.pseudo_legal(*mv) && position.legal(*mv))
        .ok_or_else(|| format!("illegal move {text}"))
}

/// The rule by its USI name.
mod rule_name {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::types::EnteringKingRule;

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "the signature that serde asks for"
    )]
    pub(super) fn serialize<S: Serializer>(
        rule: &EnteringKingRule,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(rule.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<EnteringKingRule, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}
