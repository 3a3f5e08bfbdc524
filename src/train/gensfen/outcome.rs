//! The end of a game: by the rules, at the maximum ply, or by adjudication.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::settings::Endings;
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::types::{Color, EnteringKingRule, Repetition};

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game ended so.
    pub reason: Reason,
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The loser has no legal move, in check or not.
    Mate,
    /// The winner could declare a win.
    Declaration,
    /// The fourth occurrence of a position, a draw.
    Repetition,
    /// The fourth occurrence of a position where all moves of the loser were checks.
    PerpetualCheck,
    /// The game reached the maximum ply, a draw.
    MaxPly,
    /// The scores were beyond the limits of the settings.
    Adjudication,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Mate => "mate",
            Self::Declaration => "declaration",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::MaxPly => "the limit of moves",
            Self::Adjudication => "adjudication",
        })
    }
}

impl Outcome {
    const fn draw(reason: Reason) -> Self {
        Self {
            winner: None,
            reason,
        }
    }

    const fn win(winner: Color, reason: Reason) -> Self {
        Self {
            winner: Some(winner),
            reason,
        }
    }
}

/// Decides when one game ends.
pub(super) struct Referee<'a> {
    endings: &'a Endings,
    rule: EnteringKingRule,
    /// The game is a draw after this ply.
    max_ply: u32,
    /// Whether the game is played to its end by the rules, without adjudication.
    is_to_mate: bool,
    /// Consecutive plies in which black (positive) or white (negative) was far ahead by both
    /// scores.
    agreed: i64,
}

impl<'a> Referee<'a> {
    /// `max_ply` and `is_to_mate` may differ from game to game.
    pub(super) fn new(
        endings: &'a Endings,
        rule: EnteringKingRule,
        max_ply: u32,
        is_to_mate: bool,
    ) -> Self {
        Self {
            endings,
            rule,
            max_ply,
            is_to_mate,
            agreed: 0,
        }
    }

    /// The end of the game by the rules or at the maximum ply.
    pub(super) fn end(&self, position: &Position) -> Option<Outcome> {
        end_by_rules(position, self.rule)
            .or_else(|| (position.game_ply() > self.max_ply).then(|| Outcome::draw(Reason::MaxPly)))
    }

    /// The end of the game by adjudication, given the score of the side to move in centipawns.
    pub(super) fn adjudicate(&mut self, side_to_move: Color, score: i16) -> Option<Outcome> {
        if self.is_to_mate {
            return None;
        }
        let size = u32::from(score.unsigned_abs());
        let leader = if score > 0 {
            side_to_move
        } else {
            !side_to_move
        };
        let win = Outcome::win(leader, Reason::Adjudication);
        let sign = if size < self.endings.adjudication {
            0
        } else if leader == Color::Black {
            1
        } else {
            -1
        };
        let goes_on = sign == self.agreed.signum();
        self.agreed = sign + if goes_on { self.agreed } else { 0 };
        (self.agreed.unsigned_abs() >= u64::from(self.endings.adjudication_plies) && sign != 0)
            .then_some(win)
    }
}

/// The end of the game by the rules alone.
pub(super) fn end_by_rules(position: &Position, rule: EnteringKingRule) -> Option<Outcome> {
    let us = position.side_to_move();
    if legal_moves(position).is_empty() {
        return Some(Outcome::win(!us, Reason::Mate));
    }
    match position.rule_repetition() {
        Some(Repetition::Draw) => return Some(Outcome::draw(Reason::Repetition)),
        Some(Repetition::Win) => return Some(Outcome::win(us, Reason::PerpetualCheck)),
        Some(Repetition::Lose) => return Some(Outcome::win(!us, Reason::PerpetualCheck)),
        _ => {}
    }
    position
        .declaration(rule)
        .map(|_| Outcome::win(us, Reason::Declaration))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: EnteringKingRule = EnteringKingRule::CsaRule27;

    fn endings() -> Endings {
        Endings {
            max_ply: 320,
            eval_limit: 32_000,
            adjudication: 2000,
            adjudication_plies: 3,
            to_mate: 0.0,
            entering_king: RULE.name().to_owned(),
        }
    }

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).expect("a good position")
    }

    #[test]
    fn no_legal_move_is_a_loss_in_check_or_not() {
        for sfen in [
            "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
            "8k/6G2/7G1/9/9/9/9/9/4K4 w - 1",
        ] {
            let outcome = end_by_rules(&position(sfen), RULE);
            assert_eq!(
                outcome,
                Some(Outcome::win(Color::Black, Reason::Mate)),
                "{sfen}"
            );
        }
        assert_eq!(end_by_rules(&Position::startpos(), RULE), None);
    }

    #[test]
    fn the_last_move_is_a_draw_unless_it_mates() {
        let endings = endings();
        let referee = Referee::new(&endings, RULE, 320, false);
        let late = |side: char| position(&format!("4k4/4G4/4P4/9/9/9/9/9/4K4 {side} - 321"));
        let mated = referee.end(&late('w')).map(|outcome| outcome.reason);
        assert_eq!(mated, Some(Reason::Mate));
        let drawn = "4k4/9/9/9/9/9/9/9/4K4 b P 321";
        let drawn = referee.end(&position(drawn));
        assert_eq!(drawn, Some(Outcome::draw(Reason::MaxPly)));
    }

    #[test]
    fn both_sides_must_agree_for_several_plies() {
        let endings = endings();
        let adjudicate = |scores: &[(Color, i16)], is_to_mate| {
            let mut referee = Referee::new(&endings, RULE, 320, is_to_mate);
            let outcomes = scores
                .iter()
                .map(|&(side, score)| referee.adjudicate(side, score));
            outcomes.collect::<Vec<_>>()
        };
        let (black, white) = (Color::Black, Color::White);
        let win = Some(Outcome::win(black, Reason::Adjudication));
        let agreed = [(black, 2000), (white, -2100), (black, 2500)];
        assert_eq!(adjudicate(&agreed, false), [None, None, win]);
        assert_eq!(adjudicate(&agreed, true), [None, None, None]);
        let broken = [(black, 2000), (white, -1999), (black, 2500), (white, -2500)];
        assert_eq!(adjudicate(&broken, false), [None; 4]);
        let turned = [(black, 2000), (white, -2000), (black, -2000)];
        assert_eq!(adjudicate(&turned, false), [None; 3]);
    }
}
