//! Outcomes of a repetition for the side to move.

/// Outcome of a repetition.
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
