//! Every number of the search, in one table: name, value, and the range in which tuning may look for a better one.
//!
//! Values are in the internal unit (a pawn is 90), depths in plies, reductions in 1/1024 ply.

use std::ops::RangeInclusive;

/// One tunable number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tunable {
    /// The name of the constant.
    pub name: &'static str,
    /// Its value.
    pub value: i32,
    /// Where a better one may lie.
    pub range: RangeInclusive<i32>,
}

macro_rules! tunables {
    ($($(#[$doc:meta])+ $name:ident: $value:literal, $range:expr;)+) => {
        $($(#[$doc])+ pub(super) const $name: i32 = $value;)+

        /// All tunables.
        pub const ALL: &[Tunable] = &[
            $(Tunable { name: stringify!($name), value: $value, range: $range },)+
        ];
    };
}

tunables! {
    /// First half-width of the aspiration window.
    ASPIRATION_DELTA: 30, 5..=200;
    /// The window is used from this depth on.
    ASPIRATION_MIN_DEPTH: 4, 2..=10;
    /// A failed window grows by this many percent.
    ASPIRATION_GROWTH: 60, 20..=200;

    /// Razoring: greatest depth.
    RAZOR_MAX_DEPTH: 3, 1..=6;
    /// Margin at depth 0.
    RAZOR_BASE: 350, 100..=900;
    /// Margin per squared depth.
    RAZOR_MARGIN: 250, 50..=600;

    /// Reverse futility pruning: greatest depth.
    RFP_MAX_DEPTH: 8, 3..=14;
    /// Margin per ply of depth.
    RFP_MARGIN: 110, 30..=300;
    /// Taken off the margin when the position improves.
    RFP_IMPROVING: 80, 0..=300;

    /// Null move: least depth.
    NULL_MIN_DEPTH: 2, 1..=5;
    /// Reduction before depth and value count.
    NULL_BASE: 3, 2..=6;
    /// One more ply per so many plies of depth.
    NULL_DEPTH_DIVISOR: 4, 2..=8;
    /// One more ply per so much value above beta.
    NULL_VALUE_DIVISOR: 220, 80..=500;
    /// At most so many plies for that.
    NULL_VALUE_MAX: 3, 1..=6;

    /// Internal iterative reduction: least depth.
    IIR_MIN_DEPTH: 4, 2..=8;

    /// Late move pruning: quiet moves tried at depth 0.
    LMP_BASE: 4, 1..=12;
    /// Greatest depth.
    LMP_MAX_DEPTH: 8, 3..=12;

    /// Futility pruning of quiet moves: greatest reduced depth.
    FUTILITY_MAX_DEPTH: 8, 3..=12;
    /// Margin at depth 0.
    FUTILITY_BASE: 130, 20..=400;
    /// Margin per ply.
    FUTILITY_MARGIN: 110, 30..=300;

    /// Pruning by exchange: greatest depth.
    SEE_MAX_DEPTH: 8, 3..=14;
    /// Quiet moves may lose this, per squared reduced depth.
    SEE_QUIET_MARGIN: 25, 5..=100;
    /// Captures may lose this, per ply of depth.
    SEE_CAPTURE_MARGIN: 140, 30..=400;

    /// Late move reduction: before depth and move number count.
    LMR_BASE: 700, 0..=2048;
    /// Weight of the product of the two logarithms (base 2).
    LMR_SCALE: 230, 100..=500;
    /// Least depth.
    LMR_MIN_DEPTH: 2, 2..=5;
    /// Less in a node on a principal variation.
    LMR_PV: 1024, 0..=2048;
    /// More in an expected cut node.
    LMR_CUT_NODE: 1024, 0..=2048;
    /// More when the position does not improve.
    LMR_NOT_IMPROVING: 400, 0..=2048;
    /// Less for killers and counter moves.
    LMR_KILLER: 1024, 0..=2048;
    /// Less for moves that give check.
    LMR_CHECK: 1024, 0..=2048;
    /// More when the table's move captures.
    LMR_TABLE_CAPTURE: 600, 0..=2048;
    /// One ply per so much history.
    LMR_HISTORY_DIVISOR: 8192, 2048..=32768;

    /// History bonus per ply of depth.
    HISTORY_BONUS: 170, 50..=500;
    /// Taken off the bonus.
    HISTORY_BONUS_OFFSET: 90, 0..=400;
    /// The greatest bonus.
    HISTORY_BONUS_MAX: 1600, 400..=4000;

    /// Quiescence: a capture must bring the value so close to alpha.
    QUIESCENCE_MARGIN: 200, 0..=600;
    /// Evasions without capture tried in quiescence once one is found that is not mated.
    QUIESCENCE_EVASIONS: 3, 1..=20;

    /// Share of the planned time after which no new iteration starts, in percent.
    TIME_ITERATION_PERCENT: 75, 30..=100;
    /// More time per recent change of the best move, in percent.
    TIME_INSTABILITY: 45, 0..=150;
    /// More time per unit by which the value fell, in permill.
    TIME_FALLING: 2, 0..=10;
    /// At most so much of the planned time, in percent.
    TIME_FACTOR_MAX: 250, 100..=500;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_their_ranges() {
        for tunable in ALL {
            assert!(tunable.range.contains(&tunable.value), "{}", tunable.name);
        }
    }
}
