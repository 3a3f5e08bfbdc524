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
    aspiration_window_base: 5, 2..=60;
    /// The window is wider by the mean squared value divided by this.
    aspiration_window_mean_square_divisor: 9000, 2000..=30000;
    /// A failed window grows by this many percent.
    aspiration_window_growth_percent: 33, 10..=150;

    /// Table cut: from beyond this depth also where the value contradicts the kind of the node.
    tt_cutoff_unexpected_min_depth: 5, 0..=15;

    /// Hindsight: a deeper search after a reduction of at least so many plies.
    hindsight_deeper_min_reduction: 3, 1..=5;
    /// A shallower search after a reduction of at least so many plies.
    hindsight_shallower_min_reduction: 2, 1..=5;
    /// Both evaluations together must be above this for the latter.
    hindsight_shallower_eval_sum: 173, 50..=400;

    /// Razoring: margin at depth 0.
    razoring_margin_base: 502, 100..=1000;
    /// Margin per squared depth.
    razoring_margin_per_depth_squared: 306, 100..=700;

    /// Reverse futility pruning: greatest depth.
    rfp_max_depth: 14, 6..=20;
    /// Margin per ply of depth.
    rfp_margin_per_depth: 76, 30..=200;
    /// Less per ply where the table does not know the position.
    rfp_margin_tt_miss: 21, 0..=60;
    /// Taken off when the position improves, in 1/1024 of the margin per ply.
    rfp_improving_weight: 2686, 500..=5000;
    /// Taken off when the opponent's position gets worse, likewise.
    rfp_opponent_worsening_weight: 362, 0..=1500;
    /// The size of the correction divided by this is added.
    rfp_correction_divisor: 180_600, 60_000..=500_000;

    /// Added where lesser pieces threaten own ones: of the value of the most valuable, which can still move away, in 1/1024,
    rfp_first_threat_weight: 256, 0..=1024;
    /// and of the second, which is lost.
    rfp_second_threat_weight: 1024, 0..=2048;

    /// Null move: the evaluation must be near beta: margin at depth 0.
    nmp_margin_base: 378, 50..=700;
    /// Margin less per ply of depth.
    nmp_margin_per_depth: 16, 0..=50;
    /// Margin less when the position improves.
    nmp_margin_improving: 53, 0..=200;
    /// Reduction at depth 0.
    nmp_reduction_base: 7, 3..=9;
    /// One more ply per so many plies of depth.
    nmp_reduction_depth_divisor: 3, 2..=6;
    /// From this depth on the result is verified.
    nmp_verification_min_depth: 16, 10..=24;

    /// Internal iterative reduction: least depth.
    iir_min_depth: 6, 2..=10;
    /// Not where the move before was reduced by more.
    iir_max_prior_reduction: 3, 1..=6;

    /// `ProbCut`: least depth.
    probcut_min_depth: 3, 2..=7;
    /// So far above beta.
    probcut_margin: 224, 80..=500;
    /// Less when the position improves.
    probcut_margin_improving: 61, 0..=200;
    /// So many plies less deep.
    probcut_depth_reduction: 4, 2..=6;
    /// So far above beta for a value of the table.
    small_probcut_margin: 416, 100..=900;
    /// Whose depth is at most so much less.
    small_probcut_max_depth_deficit: 4, 2..=6;

    /// Late move pruning: quiet moves tried at depth 0 when the position improves; half otherwise.
    lmp_move_count_base: 3, 1..=20;

    /// Futility of captures: below this reduced depth.
    capture_futility_max_depth: 7, 3..=12;
    /// Margin at depth 0.
    capture_futility_margin_base: 218, 50..=500;
    /// Margin per ply.
    capture_futility_margin_per_depth: 223, 80..=500;
    /// Weight of the history, in 1/1024.
    capture_futility_history_weight: 131, 0..=400;
    /// Captures and checks are judged by exchange only where alpha is at least this.
    capture_see_min_alpha: 0, -200..=200;
    /// Captures and checks may lose this by exchange, per ply of depth.
    capture_see_margin_per_depth: 167, 50..=400;
    /// Weight of the history, in 1/1024.
    capture_see_history_weight: 34, 0..=120;

    /// Quiet moves with a history below this per ply of depth are left out.
    quiet_history_margin_per_depth: 4097, 1500..=10000;
    /// Weight of the butterfly history, in 1/32.
    quiet_pruning_butterfly_weight: 71, 10..=200;
    /// One ply per so much history.
    quiet_pruning_history_per_ply: 3220, 1500..=8000;
    /// Futility of quiet moves: below this reduced depth.
    quiet_futility_max_depth: 13, 5..=18;
    /// Margin at depth 0.
    quiet_futility_margin_base: 42, 0..=300;
    /// More as long as there is no best move.
    quiet_futility_margin_no_best_move: 151, 0..=400;
    /// Margin per ply.
    quiet_futility_margin_per_depth: 120, 40..=300;
    /// More where the evaluation is above alpha.
    quiet_futility_margin_eval_above_alpha: 86, 0..=300;
    /// Less where a lesser piece threatens another one than the one that moves.
    quiet_futility_margin_threat: 90, 0..=300;
    /// Quiet moves may lose this by exchange, per squared reduced depth.
    quiet_see_margin_per_depth_squared: 25, 5..=80;

    /// Singular extension: least depth.
    singular_min_depth: 6, 4..=9;
    /// The table's depth may be so much less.
    singular_max_tt_depth_deficit: 3, 2..=5;
    /// Margin below the table's value, per 60 plies of depth.
    singular_margin_per_depth: 65, 20..=200;
    /// More where the node was on a principal variation.
    singular_margin_tt_pv: 72, 0..=200;
    /// The size of the correction divided by this eases extensions by more plies.
    singular_correction_divisor: 210_590, 60_000..=600_000;
    /// Margin of two plies.
    double_extension_margin_base: -4, -60..=120;
    /// More on a principal variation.
    double_extension_margin_pv: 212, 50..=500;
    /// Less where the table's move is quiet.
    double_extension_margin_quiet_tt_move: 182, 0..=400;
    /// Less the more the table's move can be trusted, in 1/131072.
    double_extension_tt_move_history_weight: 1019, 0..=4000;
    /// Less further from the root than the iteration is deep.
    double_extension_margin_far_from_root: 44, 0..=150;
    /// Margin of three plies.
    triple_extension_margin_base: 73, 0..=250;
    /// More on a principal variation.
    triple_extension_margin_pv: 320, 80..=700;
    /// Less where the table's move is quiet.
    triple_extension_margin_quiet_tt_move: 218, 0..=500;
    /// More where the node was on a principal variation.
    triple_extension_margin_tt_pv: 92, 0..=250;
    /// Less further from the root than the iteration is deep.
    triple_extension_margin_far_from_root: 45, 0..=150;
    /// Multi-cut: trust in the table's moves lost.
    multi_cut_malus_base: 424, 0..=1000;
    /// More per ply of depth.
    multi_cut_malus_per_depth: 107, 20..=300;
    /// At most.
    multi_cut_malus_max: 3375, 1000..=6000;
    /// Trust won or lost where the table's move proves best or not.
    tt_move_history_bonus: 796, 200..=2000;
    /// Pieces that go to and fro are not extended from this ply on.
    shuffling_min_ply: 18, 8..=40;

    /// Late move reduction, in 1/1024 ply: for every move.
    lmr_base: 1133, 0..=2500;
    /// Weight of the product of the two logarithms (base 2) of depth and move number.
    lmr_log_product_weight: 224, 100..=400;
    /// Less the wider the window, as a part of that at the root.
    lmr_window_weight: 585, 0..=1500;
    /// More when the position does not improve, in 1/1024 of the product.
    lmr_not_improving_weight: 412, 0..=1000;
    /// More for pruning where the node was on a principal variation.
    lmr_tt_pv_pruning: 1013, 0..=2048;
    /// Less for the search there.
    lmr_tt_pv: 2819, 500..=5000;
    /// Still less on a principal variation now.
    lmr_tt_pv_pv_node: 973, 0..=2500;
    /// Still less where the table's value is above alpha.
    lmr_tt_pv_value_above_alpha: 905, 0..=2500;
    /// Still less where the table's search was as deep.
    lmr_tt_pv_deep_entry: 935, 0..=2500;
    /// Still less in a cut node.
    lmr_tt_pv_deep_entry_cut_node: 959, 0..=2500;
    /// For every move that is searched.
    lmr_search_offset: 691, -1000..=2500;
    /// Less per number of the move.
    lmr_per_move_count: 65, 0..=150;
    /// Less by the size of the correction divided by this.
    lmr_correction_divisor: 25600, 8000..=80000;
    /// More in an expected cut node.
    lmr_cut_node: 3611, 1000..=5000;
    /// Still more there without a move from the table.
    lmr_cut_node_no_tt_move: 985, 0..=2500;
    /// More when the table's move captures.
    lmr_tt_capture: 1054, 0..=2500;
    /// More where several children failed high.
    lmr_child_cutoffs: 251, 0..=1500;
    /// Still more where many did.
    lmr_child_cutoffs_many: 1124, 0..=2500;
    /// Still more where this node is expected to fail low.
    lmr_child_cutoffs_all_node: 1042, 0..=2500;
    /// Less for the table's move.
    lmr_tt_move: 2239, 500..=4000;
    /// Value of the captured piece as a history, in 1/128.
    lmr_captured_value_weight: 863, 200..=2000;
    /// How much the butterfly history counts in how well a quiet move did before; the continuation histories count 1.
    lmr_butterfly_weight: 2, 0..=6;
    /// Weight of the history, in 1/4096.
    lmr_history_weight: 428, 100..=1000;
    /// In a node expected to fail low all reductions grow: weight,
    lmr_all_node_weight: 273, 0..=800;
    /// divided by this per ply of depth
    lmr_all_node_divisor_per_depth: 256, 100..=600;
    /// and this.
    lmr_all_node_divisor_base: 260, 50..=800;
    /// A ply more after a reduced search that came out so far above the best value.
    research_deeper_margin: 48, 0..=200;
    /// A ply less after one that came out not even so far above.
    research_shallower_margin: 9, 0..=60;
    /// Moves that are not reduced: added without a move from the table.
    full_depth_no_tt_move: 1057, 0..=3000;
    /// One ply less from this reduction on.
    full_depth_one_ply_threshold: 4628, 2000..=8000;
    /// Two plies less from this reduction on.
    full_depth_two_plies_threshold: 5772, 3000..=10000;
    /// After a move raised alpha the others are searched less deep: from this depth on
    alpha_raised_min_depth: 3, 2..=6;
    /// to this,
    alpha_raised_max_depth: 13, 6..=20;
    /// by so many plies.
    alpha_raised_reduction: 2, 0..=3;

    /// Order of quiet moves: weight of the butterfly history.
    order_butterfly_weight: 2, 0..=6;
    /// Of the pawn history.
    order_pawn_history_weight: 2, 0..=6;
    /// Of the low-ply history.
    order_low_ply_weight: 8, 0..=20;
    /// Added where a piece leaves a square on which a lesser one attacks it, or on which nothing defends it, per point of
    /// its value;
    order_escape_weight: 16, 0..=40;
    /// taken off where it goes to a square on which a lesser one attacks it.
    order_into_threat_weight: 15, 0..=40;
    /// Added for a check
    order_check_bonus: 16384, 0..=40000;
    /// that loses less than this by exchange.
    order_check_see_margin: 75, 0..=300;
    /// Weight of the captured piece, and of what a promotion adds.
    order_victim_weight: 7, 2..=20;
    /// Good captures lose less by exchange than their score divided by this.
    good_capture_see_divisor: 18, 8..=50;
    /// Quiet moves that score below this come after the bad captures.
    good_quiet_min_score: -14000, -30000..=0;
    /// Killers and the counter move score so much more.
    order_refutation_bonus: 8000, 0..=40000;

    /// Learning from a cut: bonus per ply of depth,
    best_move_bonus_per_depth: 128, 40..=300;
    /// less this,
    best_move_bonus_offset: 77, 0..=250;
    /// at most;
    best_move_bonus_max: 1529, 500..=3000;
    /// more for the table's move,
    best_move_bonus_tt_move: 353, 0..=800;
    /// and the history of the move before divided by this.
    best_move_bonus_prior_score_divisor: 32, 10..=200;
    /// Malus of the other moves per ply of depth,
    other_moves_malus_per_depth: 882, 200..=1500;
    /// less this,
    other_moves_malus_offset: 204, 0..=500;
    /// at most.
    other_moves_malus_max: 2122, 600..=4000;
    /// Weights in 1/1024: of the bonus for a quiet move,
    quiet_bonus_weight: 806, 300..=2000;
    /// of the malus for a quiet move,
    quiet_malus_weight: 1113, 300..=2500;
    /// which shrinks from move to move,
    quiet_malus_decay: 977, 800..=1024;
    /// of the bonus for a capture,
    capture_bonus_weight: 1286, 400..=2500;
    /// of the malus for a capture,
    capture_malus_weight: 1559, 400..=3000;
    /// of the malus for a first move that was refuted at once,
    early_refutation_malus_weight: 616, 0..=1500;
    /// of the low-ply history,
    low_ply_update_weight: 761, 200..=1500;
    /// of the continuation histories,
    continuation_update_weight: 955, 300..=2000;
    /// of the pawn history for a bonus
    pawn_history_bonus_weight: 850, 200..=2000;
    /// and for a malus,
    pawn_history_malus_weight: 550, 100..=1500;
    /// of the continuation history of the move one ply ago,
    continuation_weight_1: 1157, 300..=2000;
    /// two plies ago,
    continuation_weight_2: 648, 100..=1500;
    /// three plies ago,
    continuation_weight_3: 288, 0..=1000;
    /// four plies ago,
    continuation_weight_4: 576, 0..=1200;
    /// five plies ago,
    continuation_weight_5: 140, 0..=700;
    /// six plies ago.
    continuation_weight_6: 441, 0..=1000;
    /// Added to every lesson of the first.
    continuation_bonus_offset: 88, 0..=250;
    /// A reduced move that had to be searched again.
    post_lmr_bonus: 1426, 300..=3000;
    /// A cut by the table: bonus per ply of depth,
    tt_cutoff_bonus_per_depth: 130, 30..=300;
    /// less this,
    tt_cutoff_bonus_offset: 71, 0..=250;
    /// at most.
    tt_cutoff_bonus_max: 1043, 300..=2500;
    /// Malus of the move before
    tt_cutoff_prior_malus: 2142, 500..=4000;
    /// when it was among the first so many.
    tt_cutoff_prior_max_move_count: 4, 1..=10;
    /// The move before by what it did to the evaluation: at least,
    eval_diff_min: -214, -500..=-50;
    /// at most,
    eval_diff_max: 171, 50..=500;
    /// more,
    eval_diff_offset: 60, -50..=200;
    /// times this for the butterfly history
    eval_diff_butterfly_weight: 10, 2..=25;
    /// and this for the pawn history.
    eval_diff_pawn_history_weight: 12, 2..=30;
    /// No move was good enough: the move before earns less this,
    fail_low_scale_offset: 232, 0..=500;
    /// its history divided by this,
    fail_low_scale_prior_score_divisor: 108, 40..=300;
    /// more per ply of depth,
    fail_low_scale_per_depth: 59, 10..=150;
    /// at most,
    fail_low_scale_depth_max: 454, 100..=1000;
    /// more for a late move,
    fail_low_scale_late_move: 169, 0..=400;
    /// that is one after so many,
    fail_low_late_move_count: 8, 2..=20;
    /// more where the value is below the own evaluation
    fail_low_scale_below_eval: 145, 0..=400;
    /// by this,
    fail_low_below_eval_margin: 110, 0..=300;
    /// more where it is below the opponent's
    fail_low_scale_below_prior_eval: 154, 0..=400;
    /// by this;
    fail_low_below_prior_eval_margin: 73, 0..=300;
    /// all that times this per ply of depth,
    fail_low_bonus_per_depth: 135, 40..=300;
    /// less this,
    fail_low_bonus_offset: 80, 0..=250;
    /// at most.
    fail_low_bonus_max: 1400, 400..=3000;
    /// Weights in 1/32768: for continuation histories,
    fail_low_continuation_weight: 442, 100..=1000;
    /// for the butterfly history,
    fail_low_butterfly_weight: 235, 50..=700;
    /// for the pawn history.
    fail_low_pawn_history_weight: 1160, 200..=2500;
    /// The same for a capture.
    fail_low_capture_bonus: 1018, 200..=2500;

    /// Correction of the evaluation, weights in 1/131072: by pawns,
    correction_pawn_weight: 12153, 2000..=30000;
    /// by minor pieces,
    correction_minor_piece_weight: 8620, 2000..=30000;
    /// by each side's other pieces,
    correction_non_pawn_weight: 12355, 2000..=30000;
    /// where the evaluation is the material alone, by each side's castle
    correction_castle_weight: 8000, 0..=30000;
    /// and by the hands,
    correction_hand_weight: 8000, 0..=30000;
    /// by the last moves.
    correction_continuation_weight: 7982, 2000..=30000;
    /// Learning of corrections, in 1/1024,
    correction_update_weight: 1069, 300..=2500;
    /// in 1/128 of the error times depth where a move cut
    correction_update_best_move_weight: 12, 3..=40;
    /// or none did;
    correction_update_fail_low_weight: 17, 3..=40;
    /// in 1/128 for minor pieces,
    correction_update_minor_piece_weight: 153, 40..=300;
    /// for each side's other pieces,
    correction_update_non_pawn_weight: 187, 40..=400;
    /// for castles,
    correction_update_castle_weight: 160, 40..=400;
    /// after the move two plies before,
    correction_update_two_plies_weight: 126, 30..=300;
    /// four plies before.
    correction_update_four_plies_weight: 63, 0..=200;

    /// Quiescence: a capture must bring the evaluation so close to alpha.
    quiescence_futility_margin: 328, 80..=700;
    /// Captures that neither retake nor give check are tried only among so many moves.
    quiescence_max_moves: 2, 1..=10;
    /// Moves may lose this by exchange.
    quiescence_see_margin: 73, 0..=300;

    /// Share of the planned time after which no new iteration starts, in percent.
    time_new_iteration_percent: 75, 30..=100;
    /// More time per recent change of the best move, in percent.
    time_best_move_change_percent: 45, 0..=150;
    /// More time per unit by which the value fell, in permill.
    time_falling_value_permill: 2, 0..=10;
    /// A best move that takes so much of all nodes is easy to see, in percent.
    time_easy_move_effort_percent: 90, 50..=100;
    /// What such a move is worth of the usual time, in percent.
    time_easy_move_percent: 75, 30..=100;
    /// At most so much of the planned time, in percent.
    time_factor_max_percent: 250, 100..=500;
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
