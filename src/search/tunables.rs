//! Every number of the search, in one table: name, value, and the range in which tuning may look for a better one.
//!
//! With the feature `tune` each is a USI option of the same name, for `raicho spsa`.
//!
//! Values are in the internal unit (a pawn is 90), depths in plies, reductions in 1/1024 ply.

use std::ops::RangeInclusive;

/// One tunable number.
#[derive(Clone, Debug)]
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// Its value in a build without tuning.
    pub default: i32,
    /// Where a better one may lie.
    pub range: RangeInclusive<i32>,
    /// The value now.
    pub get: fn() -> i32,
    /// Changes the value for all searches of the process.
    #[cfg(feature = "tune")]
    pub set: fn(i32),
}

/// Without tuning each number is a constant that the compiler knows; with it, a variable that an option sets.
macro_rules! tunables {
    ($($(#[$doc:meta])+ $name:ident: $value:literal, $range:expr;)+) => {
        $(
            $(#[$doc])+
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub(super) const fn $name() -> i32 {
                $value
            }

            $(#[$doc])+
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub(super) fn $name() -> i32 {
                values::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )+

        #[cfg(feature = "tune")]
        #[expect(non_upper_case_globals, reason = "named as the functions that read them")]
        mod values {
            $(pub(super) static $name: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new($value);)+
        }

        /// All tunables.
        pub const ALL: &[Tunable] = &[
            $(Tunable {
                name: stringify!($name),
                default: $value,
                range: $range,
                get: $name,
                #[cfg(feature = "tune")]
                set: |value| values::$name.store(value, std::sync::atomic::Ordering::Relaxed),
            },)+
        ];
    };
}

tunables! {
    /// First half-width of the aspiration window.
    aspiration_delta: 30, 5..=200;
    /// The window is used from this depth on.
    aspiration_min_depth: 4, 2..=10;
    /// A failed window grows by this many percent.
    aspiration_growth: 60, 20..=200;

    /// Razoring: greatest depth.
    razor_max_depth: 3, 1..=6;
    /// Margin at depth 0.
    razor_base: 350, 100..=900;
    /// Margin per squared depth.
    razor_margin: 250, 50..=600;

    /// Reverse futility pruning: greatest depth.
    rfp_max_depth: 8, 3..=14;
    /// Margin per ply of depth.
    rfp_margin: 110, 30..=300;
    /// Taken off the margin when the position improves.
    rfp_improving: 80, 0..=300;

    /// Null move: least depth.
    null_min_depth: 2, 1..=5;
    /// Reduction before depth and value count.
    null_base: 3, 2..=6;
    /// One more ply per so many plies of depth.
    null_depth_divisor: 4, 2..=8;
    /// One more ply per so much value above beta.
    null_value_divisor: 220, 80..=500;
    /// At most so many plies for that.
    null_value_max: 3, 1..=6;

    /// Internal iterative reduction: least depth.
    iir_min_depth: 4, 2..=8;

    /// Late move pruning: quiet moves tried at depth 0.
    lmp_base: 4, 1..=12;
    /// Greatest depth.
    lmp_max_depth: 8, 3..=12;

    /// Futility pruning of quiet moves: greatest reduced depth.
    futility_max_depth: 8, 3..=12;
    /// Margin at depth 0.
    futility_base: 130, 20..=400;
    /// Margin per ply.
    futility_margin: 110, 30..=300;

    /// Pruning by exchange: greatest depth.
    see_max_depth: 8, 3..=14;
    /// Quiet moves may lose this, per squared reduced depth.
    see_quiet_margin: 25, 5..=100;
    /// Captures may lose this, per ply of depth.
    see_capture_margin: 140, 30..=400;

    /// Late move reduction: before depth and move number count.
    lmr_base: 700, 0..=2048;
    /// Weight of the product of the two logarithms (base 2).
    lmr_scale: 230, 100..=500;
    /// Least depth.
    lmr_min_depth: 2, 2..=5;
    /// Less in a node on a principal variation.
    lmr_pv: 1024, 0..=2048;
    /// More in an expected cut node.
    lmr_cut_node: 1024, 0..=2048;
    /// More when the position does not improve.
    lmr_not_improving: 400, 0..=2048;
    /// Less for killers and counter moves.
    lmr_killer: 1024, 0..=2048;
    /// Less for moves that give check.
    lmr_check: 1024, 0..=2048;
    /// More when the table's move captures.
    lmr_table_capture: 600, 0..=2048;
    /// One ply per so much history.
    lmr_history_divisor: 8192, 2048..=32768;

    /// History bonus per ply of depth.
    history_bonus: 170, 50..=500;
    /// Taken off the bonus.
    history_bonus_offset: 90, 0..=400;
    /// The greatest bonus.
    history_bonus_max: 1600, 400..=4000;

    /// Quiescence: a capture must bring the value so close to alpha.
    quiescence_margin: 200, 0..=600;
    /// Evasions without capture tried in quiescence once one is found that is not mated.
    quiescence_evasions: 3, 1..=20;

    /// Share of the planned time after which no new iteration starts, in percent.
    time_iteration_percent: 75, 30..=100;
    /// More time per recent change of the best move, in percent.
    time_instability: 45, 0..=150;
    /// More time per unit by which the value fell, in permill.
    time_falling: 2, 0..=10;
    /// At most so much of the planned time, in percent.
    time_factor_max: 250, 100..=500;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_their_ranges() {
        for tunable in ALL {
            assert!(tunable.range.contains(&tunable.default), "{}", tunable.name);
        }
    }
}
