//! How a game ends without mate: outcomes of a repetition, and the rules for winning by declaration
//! when a king has entered the enemy's camp (入玉宣言).

use std::{fmt, str::FromStr};

use thiserror::Error;

/// Outcome of a repetition, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Repetition {
    /// 千日手: a draw.
    Draw,
    /// The opponent gave perpetual check (連続王手の千日手): the side to move wins.
    Win,
    /// The side to move gave perpetual check: it loses.
    Lose,
    /// The same board with a better hand (優等局面). A judgement of the search, not a rule.
    Superior,
    /// The same board with a worse hand (劣等局面). A judgement of the search, not a rule.
    Inferior,
}

/// A rule set, named as in the option `EnteringKingRule` of `YaneuraOu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum EnteringKingRule {
    /// No win by declaration.
    NoEnteringKing,
    /// Each side needs 31 points.
    CsaRule24,
    /// As `CsaRule24`; in handicap games the missing points count for the side that gave the
    /// handicap.
    CsaRule24Handicap,
    /// Black needs 28 points, white 27: the rule of CSA, floodgate and most tournaments.
    #[default]
    CsaRule27,
    /// As `CsaRule27`, with the same deduction in handicap games.
    CsaRule27Handicap,
    /// トライルール: a king that can move to the enemy king's first square wins.
    TryRule,
}

/// The text is not the name of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "unknown entering-king rule '{0}', expected one of NoEnteringKing, CSARule24, CSARule24H, \
     CSARule27, CSARule27H, TryRule"
)]
pub struct EnteringKingRuleError(String);

impl EnteringKingRule {
    /// Every rule, in the order in which the option lists them.
    pub const ALL: [Self; 6] = [
        Self::NoEnteringKing,
        Self::CsaRule24,
        Self::CsaRule24Handicap,
        Self::CsaRule27,
        Self::CsaRule27Handicap,
        Self::TryRule,
    ];

    /// The name in option lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoEnteringKing => "NoEnteringKing",
            Self::CsaRule24 => "CSARule24",
            Self::CsaRule24Handicap => "CSARule24H",
            Self::CsaRule27 => "CSARule27",
            Self::CsaRule27Handicap => "CSARule27H",
            Self::TryRule => "TryRule",
        }
    }
}

impl fmt::Display for EnteringKingRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for EnteringKingRule {
    type Err = EnteringKingRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| EnteringKingRuleError(text.to_owned()))
    }
}
