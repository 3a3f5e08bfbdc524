//! The numbers of the search, in one table: name, value, and range for tuning.
//!
//! They are constants, but where the crate is built with the feature `tune`: there each is a USI
//! option of the same name, for `raicho spsa`, and the search makes 3 % fewer nodes/s.
//!
//! Unless the doc says otherwise, margins are in the internal unit (a pawn is 90), depths in plies,
//! reductions in 1/1024 ply. SEE is the static exchange evaluation.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicI32, Ordering};

/// One number of the search.
#[derive(Clone, Debug)]
pub struct Tunable {
    /// Name of the function that returns it, and of its USI option.
    pub name: &'static str,
    /// Value unless it is set.
    pub default: i32,
    /// Range of the USI option, in which tuning searches.
    pub range: RangeInclusive<i32>,
    value: &'static AtomicI32,
}

impl Tunable {
    /// The value in force.
    pub fn get(&self) -> i32 {
        self.value.load(Ordering::Relaxed)
    }

    /// Sets the value for all searches of the process.
    pub fn set(&self, value: i32) {
        self.value.store(value, Ordering::Relaxed);
    }
}

/// Declares a function per number, and the list of all.
#[cfg(feature = "tune")]
macro_rules! declare_tunables {
    ($($(#[$doc:meta])+ $name:ident: $value:literal, $range:expr;)+) => {
        $(
            $(#[$doc])+
            #[inline(always)]
            pub(super) fn $name() -> i32 {
                VALUES.$name.load(Ordering::Relaxed)
            }
        )+

        struct Values {
            $($name: AtomicI32,)+
        }

        static VALUES: Values = Values {
            $($name: AtomicI32::new($value),)+
        };

        /// The numbers that can be set, in the order of this file.
        pub static ALL: &[Tunable] = &[
            $(Tunable {
                name: stringify!($name),
                default: $value,
                range: $range,
                value: &VALUES.$name,
            },)+
        ];
    };
}

/// Declares a function per number.
#[cfg(not(feature = "tune"))]
macro_rules! declare_tunables {
    ($($(#[$doc:meta])+ $name:ident: $value:literal, $range:expr;)+) => {
        $(
            $(#[$doc])+
            #[inline(always)]
            pub(super) const fn $name() -> i32 {
                const { assert!($value >= *$range.start() && $value <= *$range.end()) };
                $value
            }
        )+

        /// The numbers that can be set: none, because the feature `tune` is off.
        pub static ALL: &[Tunable] = &[];
    };
}

declare_tunables! {
    /// Initial half-width of the aspiration window, in the internal unit.
    aspiration_window_base: 18, 2..=60;
    /// The mean squared value divided by this is added to the half-width.
    aspiration_window_mean_square_divisor: 9000, 2000..=30000;
    /// Growth of the half-width after each failure, in percent.
    aspiration_window_growth_percent: 60, 10..=150;

    /// Root mate search: nodes of the search per node of the mate solver.
    root_mate_node_divisor: 16, 4..=64;

    /// Above this depth a TT cutoff may contradict the expected kind of the node.
    tt_cutoff_unexpected_min_depth: 5, 0..=15;

    /// Hindsight: after this reduction in plies, one ply deeper unless the opponent got worse.
    hindsight_deeper_min_reduction: 3, 1..=5;
    /// Hindsight: after this reduction in plies, one ply less deep if both evaluations are high.
    hindsight_shallower_min_reduction: 2, 1..=5;
    /// Hindsight: both evaluations are high if they add up to more than this.
    hindsight_shallower_eval_sum: 175, 50..=400;

    /// Razoring: margin below alpha at depth 0.
    razoring_margin_base: 244, 100..=1000;
    /// Razoring: margin per squared ply of depth.
    razoring_margin_per_depth_squared: 242, 100..=700;

    /// Reverse futility pruning (RFP): maximum depth.
    rfp_max_depth: 14, 6..=20;
    /// RFP: margin above beta per ply of depth.
    rfp_margin_per_depth: 72, 30..=200;
    /// RFP: amount by which the margin per ply is smaller without a TT entry.
    rfp_margin_tt_miss: 22, 0..=60;
    /// RFP: part of the margin per ply subtracted if the position improves, in 1/1024.
    rfp_improving_weight: 1386, 500..=5000;
    /// RFP: part of the margin per ply subtracted if the opponent gets worse, in 1/1024.
    rfp_opponent_worsening_weight: 362, 0..=1500;
    /// RFP: the absolute correction of the evaluation divided by this is added to the margin.
    rfp_correction_divisor: 180_600, 60_000..=500_000;

    /// RFP: weight of the most valuable piece attacked by a lesser one, in 1/1024 of its value.
    rfp_first_threat_weight: 256, 0..=1024;
    /// RFP: weight of the second piece attacked by a lesser one, in 1/1024 of its value.
    rfp_second_threat_weight: 1051, 0..=2048;

    /// Null move pruning (NMP): margin above beta of the evaluation at depth 0.
    nmp_margin_base: 368, 50..=700;
    /// NMP: amount by which the margin shrinks per ply of depth.
    nmp_margin_per_depth: 19, 0..=50;
    /// NMP: amount by which the margin shrinks if the position improves.
    nmp_margin_improving: 53, 0..=200;
    /// NMP: weight of the value at risk, as in RFP, which is added to the margin, in 1/1024.
    nmp_threat_weight: 128, 0..=2048;
    /// NMP: reduction of the depth at depth 0, in plies.
    nmp_reduction_base: 6, 3..=9;
    /// NMP: the depth divided by this is added to the reduction.
    nmp_reduction_depth_divisor: 3, 2..=6;

    /// Internal iterative reduction: minimum depth.
    iir_min_depth: 6, 2..=10;
    /// Internal iterative reduction: maximum reduction of the move before, in plies.
    iir_max_prior_reduction: 3, 1..=6;

    /// `ProbCut`: minimum depth.
    probcut_min_depth: 4, 2..=7;
    /// `ProbCut`: margin above beta.
    probcut_margin: 145, 80..=500;
    /// `ProbCut`: amount by which the margin shrinks if the position improves.
    probcut_margin_improving: 61, 0..=200;
    /// `ProbCut`: number of plies by which its search is less deep.
    probcut_depth_reduction: 4, 2..=6;
    /// Small `ProbCut`: margin of the TT value above beta.
    small_probcut_margin: 412, 100..=900;
    /// Small `ProbCut`: number of plies by which the TT depth may be less than the depth.
    small_probcut_max_depth_deficit: 4, 2..=6;

    /// Late move pruning: moves tried at depth 0 if the position improves, half otherwise.
    lmp_move_count_base: 3, 1..=20;

    /// Futility of captures: applied below this reduced depth.
    capture_futility_max_depth: 7, 3..=12;
    /// Futility of captures: margin at reduced depth 0.
    capture_futility_margin_base: 268, 50..=500;
    /// Futility of captures: margin per ply of reduced depth.
    capture_futility_margin_per_depth: 207, 80..=500;
    /// Futility of captures: weight of the capture history in the margin, in 1/1024.
    capture_futility_history_weight: 131, 0..=400;
    /// Captures and checks are pruned by SEE only where alpha is at least this.
    capture_see_min_alpha: 0, -200..=200;
    /// Captures and checks may lose this much by SEE per ply of depth.
    capture_see_margin_per_depth: 131, 50..=400;
    /// Weight of the capture history in that margin, in 1/1024.
    capture_see_history_weight: 34, 0..=120;

    /// Quiet moves whose history is below minus this per ply of depth are pruned.
    quiet_history_margin_per_depth: 2408, 1500..=10000;
    /// Pruning of quiet moves: weight of the butterfly history, in 1/32.
    quiet_pruning_butterfly_weight: 71, 10..=200;
    /// Pruning of quiet moves: amount of history that adds one ply to the reduced depth.
    quiet_pruning_history_per_ply: 4162, 1500..=8000;
    /// Futility of quiet moves: applied below this reduced depth.
    quiet_futility_max_depth: 13, 5..=18;
    /// Futility of quiet moves: margin at reduced depth 0.
    quiet_futility_margin_base: 42, 0..=300;
    /// Futility of quiet moves: added while there is no best move.
    quiet_futility_margin_no_best_move: 75, 0..=400;
    /// Futility of quiet moves: margin per ply of reduced depth.
    quiet_futility_margin_per_depth: 90, 40..=300;
    /// Futility of quiet moves: added if the static evaluation is above alpha.
    quiet_futility_margin_eval_above_alpha: 86, 0..=300;
    /// Futility of quiet moves: subtracted if a lesser piece attacks another own piece.
    quiet_futility_margin_threat: 90, 0..=300;
    /// Quiet moves may lose this much by SEE per squared ply of reduced depth.
    quiet_see_margin_per_depth_squared: 25, 5..=80;

    /// Low-depth extension: the TT move failed high, and the evaluation is this far below alpha.
    low_depth_extension_margin: 25, 0..=200;
    /// Singular extension: minimum depth.
    singular_min_depth: 6, 4..=9;
    /// Singular extension: number of plies by which the TT depth may be less than the depth.
    singular_max_tt_depth_deficit: 3, 2..=5;
    /// Singular extension: margin below the TT value per ply of depth, in 1/60.
    singular_margin_per_depth: 53, 20..=200;
    /// Singular extension: added to that margin if the node once was a PV node, in 1/60.
    singular_margin_tt_pv: 50, 0..=200;
    /// The absolute correction divided by this is subtracted from both margins below.
    singular_correction_divisor: 210_590, 60_000..=600_000;
    /// Double extension: margin below the singular beta.
    double_extension_margin_base: -23, -60..=120;
    /// Double extension: added in PV nodes.
    double_extension_margin_pv: 231, 50..=500;
    /// Double extension: subtracted if the TT move is quiet.
    double_extension_margin_quiet_tt_move: 221, 0..=400;
    /// Double extension: weight of the subtracted TT move history, in 1/131072.
    double_extension_tt_move_history_weight: 1019, 0..=4000;
    /// Double extension: subtracted if the ply exceeds the iteration's depth.
    double_extension_margin_far_from_root: 44, 0..=150;
    /// Triple extension: margin below the singular beta.
    triple_extension_margin_base: 59, 0..=250;
    /// Triple extension: added in PV nodes.
    triple_extension_margin_pv: 320, 80..=700;
    /// Triple extension: subtracted if the TT move is quiet.
    triple_extension_margin_quiet_tt_move: 218, 0..=500;
    /// Triple extension: added if the node once was a PV node.
    triple_extension_margin_tt_pv: 92, 0..=250;
    /// Triple extension: subtracted if the ply exceeds the iteration's depth.
    triple_extension_margin_far_from_root: 45, 0..=150;
    /// Malus of the TT move history after a multi-cut at depth 0.
    multi_cut_malus_base: 424, 0..=1000;
    /// Malus of the TT move history after a multi-cut, per ply of depth.
    multi_cut_malus_per_depth: 107, 20..=300;
    /// Maximum malus of the TT move history after a multi-cut.
    multi_cut_malus_max: 3375, 1000..=6000;
    /// Bonus or malus of the TT move history when the TT move is or is not the best move.
    tt_move_history_bonus: 796, 200..=2000;
    /// From this ply on a piece that moves back and forth is not extended.
    shuffling_min_ply: 18, 8..=40;

    /// Late move reduction (LMR): constant term, in 1/1024 ply like all terms below.
    lmr_base: 1285, 0..=2500;
    /// LMR: weight of log2(depth) · log2(move count), in 1/1024.
    lmr_log_product_weight: 271, 100..=400;
    /// LMR: subtracted in proportion to the window's width relative to the root window.
    lmr_window_weight: 710, 0..=1500;
    /// LMR: added if the position does not improve, in 1/1024 of the logarithmic term.
    lmr_not_improving_weight: 412, 0..=1000;
    /// LMR: added if the node once was a PV node; the reduction used for pruning has only this.
    lmr_tt_pv_pruning: 1013, 0..=2048;
    /// LMR: subtracted if the node once was a PV node.
    lmr_tt_pv: 2714, 500..=5000;
    /// LMR: also subtracted if it is a PV node now.
    lmr_tt_pv_pv_node: 973, 0..=2500;
    /// LMR: also subtracted if its TT value is above alpha or unknown.
    lmr_tt_pv_value_above_alpha: 905, 0..=2500;
    /// LMR: also subtracted if its TT depth is at least the depth.
    lmr_tt_pv_deep_entry: 935, 0..=2500;
    /// LMR: also subtracted if it is then a cut node.
    lmr_tt_pv_deep_entry_cut_node: 959, 0..=2500;
    /// LMR: added for moves that are searched, but not for pruning.
    lmr_search_offset: 705, -1000..=2500;
    /// LMR: multiplied by the move count and subtracted.
    lmr_per_move_count: 27, 0..=150;
    /// LMR: the absolute correction of the evaluation divided by this is subtracted.
    lmr_correction_divisor: 18283, 8000..=80000;
    /// LMR: added in cut nodes.
    lmr_cut_node: 2724, 1000..=5000;
    /// LMR: also added in cut nodes without a TT move.
    lmr_cut_node_no_tt_move: 985, 0..=2500;
    /// LMR: added if the TT move is a capture.
    lmr_tt_capture: 1054, 0..=2500;
    /// LMR: added if at least two child nodes failed high.
    lmr_child_cutoffs: 251, 0..=1500;
    /// LMR: also added if at least three child nodes failed high.
    lmr_child_cutoffs_many: 1245, 0..=2500;
    /// LMR: also added in an all node in which at least two child nodes failed high.
    lmr_child_cutoffs_all_node: 1042, 0..=2500;
    /// LMR: subtracted for the TT move.
    lmr_tt_move: 2112, 500..=4000;
    /// LMR: subtracted for a drop beside the enemy king on a square that an own piece attacks.
    lmr_supported_drop: 1024, 0..=2500;
    /// LMR: subtracted for killers and the counter move.
    lmr_refutation: 900, 0..=2500;
    /// LMR: subtracted for moves of pieces that a lesser piece attacks.
    lmr_threatened_piece: 500, 0..=2500;
    /// LMR: subtracted at the root.
    lmr_root: 600, 0..=2500;
    /// LMR: added per unit by which the static evaluation is below alpha, subtracted above it.
    lmr_below_alpha_weight: 2, 0..=8;
    /// LMR: maximum of that, either way.
    lmr_below_alpha_max: 800, 0..=3000;
    /// LMR: weight of the captured piece's value in the history score of a capture, in 1/128.
    lmr_captured_value_weight: 650, 200..=2000;
    /// LMR: weight of the butterfly history in the history score of a quiet move.
    lmr_butterfly_weight: 2, 0..=6;
    /// LMR: weight of the subtracted history score, in 1/4096.
    lmr_history_weight: 402, 100..=1000;
    /// LMR: numerator of the fraction by which reductions in all nodes grow.
    lmr_all_node_weight: 192, 0..=800;
    /// LMR: denominator of that fraction per ply of depth.
    lmr_all_node_divisor_per_depth: 256, 100..=600;
    /// LMR: constant term of that denominator.
    lmr_all_node_divisor_base: 260, 50..=800;
    /// A re-search is one ply deeper if the value exceeds the best value by more than this.
    research_deeper_margin: 48, 0..=200;
    /// A re-search is one ply less deep if the value exceeds the best value by less than this.
    research_shallower_margin: 9, 0..=60;
    /// A re-search is two plies deeper if the value exceeds the best value by more than this.
    research_two_plies_deeper_margin: 150, 50..=600;
    /// Moves without LMR: added to the reduction without a TT move, in 1/1024 ply.
    full_depth_no_tt_move: 1057, 0..=3000;
    /// Moves without LMR: above this reduction they are searched one ply less deep.
    full_depth_one_ply_threshold: 5426, 2000..=8000;
    /// Moves without LMR: above this reduction they are searched two plies less deep.
    full_depth_two_plies_threshold: 5018, 3000..=10000;
    /// Minimum depth at which a raised alpha reduces the remaining moves.
    alpha_raised_min_depth: 3, 2..=6;
    /// Maximum depth at which a raised alpha reduces the remaining moves.
    alpha_raised_max_depth: 10, 6..=20;
    /// Reduction of the remaining moves after alpha was raised, in plies.
    alpha_raised_reduction: 1, 0..=3;

    /// Order of quiet moves: weight of the butterfly history.
    order_butterfly_weight: 2, 0..=6;
    /// Order of quiet moves: weight of the pawn history.
    order_pawn_history_weight: 2, 0..=6;
    /// Order of quiet moves: weight of the low ply history, divided by the ply plus one.
    order_low_ply_weight: 13, 0..=20;
    /// Order of quiet moves: bonus per unit of piece value for leaving an attacked square.
    order_escape_weight: 16, 0..=40;
    /// Order of quiet moves: malus per unit of piece value for moving into a lesser attack.
    order_into_threat_weight: 31, 0..=40;
    /// Order of quiet moves: bonus for a check.
    order_check_bonus: 16384, 0..=40000;
    /// A check gets its bonus if it loses at most this much by SEE.
    order_check_see_margin: 75, 0..=300;
    /// Order of captures: weight of the captured piece's value and of the gain by promotion.
    order_victim_weight: 7, 2..=20;
    /// A capture is good if it loses at most its score divided by this by SEE.
    good_capture_see_divisor: 18, 8..=50;
    /// Quiet moves that score at most this come after the bad captures.
    good_quiet_min_score: -14000, -30000..=0;
    /// Order of quiet moves: bonus for killers and the counter move.
    order_refutation_bonus: 12000, 0..=40000;

    /// Bonus of the best move per ply of depth.
    best_move_bonus_per_depth: 146, 40..=300;
    /// Bonus of the best move: constant term, subtracted.
    best_move_bonus_offset: 77, 0..=250;
    /// Bonus of the best move: maximum of the depth term.
    best_move_bonus_max: 1860, 500..=3000;
    /// Bonus of the best move: a ply of depth more if the value is at least this far above beta.
    best_move_bonus_high_margin: 60, 0..=400;
    /// Bonus of the best move: added if it is the TT move.
    best_move_bonus_tt_move: 750, 0..=800;
    /// Bonus of the best move: the history score of the move before divided by this is added.
    best_move_bonus_prior_score_divisor: 32, 10..=200;
    /// Malus of the moves searched before the best move, per ply of depth.
    other_moves_malus_per_depth: 1053, 200..=1500;
    /// Malus of the other moves: constant term, subtracted.
    other_moves_malus_offset: 204, 0..=500;
    /// Malus of the other moves: maximum.
    other_moves_malus_max: 2550, 600..=4000;
    /// Weight of the bonus for a quiet best move, in 1/1024.
    quiet_bonus_weight: 806, 300..=2000;
    /// Weight of the malus for other quiet moves, in 1/1024.
    quiet_malus_weight: 1178, 300..=2500;
    /// Factor of the quiet malus from each move to the next, in 1/1024.
    quiet_malus_decay: 977, 800..=1024;
    /// Weight of the bonus for a capturing best move, in 1/1024.
    capture_bonus_weight: 1286, 400..=2500;
    /// Weight of the malus for other captures, in 1/1024.
    capture_malus_weight: 1200, 400..=3000;
    /// Weight of the malus for a quiet first move of the opponent that was refuted, in 1/1024.
    early_refutation_malus_weight: 616, 0..=1500;
    /// Weight of updates of the low ply history, in 1/1024.
    low_ply_update_weight: 761, 200..=1500;
    /// Weight of updates of all continuation histories, in 1/1024.
    continuation_update_weight: 955, 300..=2000;
    /// Weight of a bonus in the pawn history, in 1/1024.
    pawn_history_bonus_weight: 1450, 200..=2000;
    /// Weight of a malus in the pawn history, in 1/1024.
    pawn_history_malus_weight: 1000, 100..=1500;
    /// Weight of updates of the continuation history of one ply ago, in 1/1024.
    continuation_weight_1: 875, 300..=2000;
    /// Weight of updates of the continuation history of two plies ago, in 1/1024.
    continuation_weight_2: 481, 100..=1500;
    /// Weight of updates of the continuation history of three plies ago, in 1/1024.
    continuation_weight_3: 288, 0..=1000;
    /// Weight of updates of the continuation history of four plies ago, in 1/1024.
    continuation_weight_4: 576, 0..=1200;
    /// Weight of updates of the continuation history of five plies ago, in 1/1024.
    continuation_weight_5: 140, 0..=700;
    /// Weight of updates of the continuation history of six plies ago, in 1/1024.
    continuation_weight_6: 441, 0..=1000;
    /// Constant added to every update of the continuation history of one ply ago.
    continuation_bonus_offset: 88, 0..=250;
    /// Continuation bonus of a reduced move that had to be searched again.
    post_lmr_bonus: 2616, 300..=3000;
    /// Bonus of a quiet TT move that caused a cutoff, per ply of depth.
    tt_cutoff_bonus_per_depth: 130, 30..=300;
    /// Bonus of a TT cutoff: constant term, subtracted.
    tt_cutoff_bonus_offset: 71, 0..=250;
    /// Bonus of a TT cutoff: maximum.
    tt_cutoff_bonus_max: 1043, 300..=2500;
    /// Continuation malus of an early quiet move that allowed a TT cutoff.
    tt_cutoff_prior_malus: 2142, 500..=4000;
    /// A move is early for that malus up to this move number.
    tt_cutoff_prior_max_move_count: 4, 1..=10;
    /// Minimum of the evaluation difference that rewards the move before.
    eval_diff_min: -214, -500..=-50;
    /// Maximum of the evaluation difference that rewards the move before.
    eval_diff_max: 171, 50..=500;
    /// Constant added to the evaluation difference.
    eval_diff_offset: 30, -50..=200;
    /// Weight of the evaluation difference in the butterfly history.
    eval_diff_butterfly_weight: 10, 2..=25;
    /// Weight of the evaluation difference in the pawn history.
    eval_diff_pawn_history_weight: 12, 2..=30;
    /// Scale of the bonus for the move before after a fail low: constant term, subtracted.
    fail_low_scale_offset: 232, 0..=500;
    /// Scale after a fail low: the history score of the move before divided by this is subtracted.
    fail_low_scale_prior_score_divisor: 108, 40..=300;
    /// Scale after a fail low: added per ply of depth.
    fail_low_scale_per_depth: 59, 10..=150;
    /// Scale after a fail low: maximum of the depth term.
    fail_low_scale_depth_max: 454, 100..=1000;
    /// Scale after a fail low: added if the move before was a late one.
    fail_low_scale_late_move: 169, 0..=400;
    /// A move is late for that if its number is above this.
    fail_low_late_move_count: 8, 2..=20;
    /// Scale after a fail low: added if the value is far below the static evaluation.
    fail_low_scale_below_eval: 145, 0..=400;
    /// The value is far below the static evaluation if the difference is at least this.
    fail_low_below_eval_margin: 110, 0..=300;
    /// Scale after a fail low: added if the value is far below the opponent's evaluation.
    fail_low_scale_below_prior_eval: 154, 0..=400;
    /// The value is far below the opponent's evaluation if the difference is at least this.
    fail_low_below_prior_eval_margin: 73, 0..=300;
    /// Bonus after a fail low per ply of depth, multiplied by the scale.
    fail_low_bonus_per_depth: 135, 40..=300;
    /// Bonus after a fail low: constant term, subtracted before the scale.
    fail_low_bonus_offset: 80, 0..=250;
    /// Bonus after a fail low: maximum before the scale.
    fail_low_bonus_max: 1400, 400..=3000;
    /// Weight of that bonus in the continuation histories, in 1/32768.
    fail_low_continuation_weight: 442, 100..=1000;
    /// Weight of that bonus in the butterfly history, in 1/32768.
    fail_low_butterfly_weight: 235, 50..=700;
    /// Weight of that bonus in the pawn history, in 1/32768.
    fail_low_pawn_history_weight: 1160, 200..=2500;
    /// Bonus in the capture history for a capture before a fail low.
    fail_low_capture_bonus: 1018, 200..=2500;

    /// Correction of the evaluation: weight of the pawn key's entry, in 1/131072.
    correction_pawn_weight: 14264, 2000..=30000;
    /// Correction: weight of the minor piece key's entry, in 1/131072.
    correction_minor_piece_weight: 11338, 2000..=30000;
    /// Correction: weight of the entries of each side's pieces other than pawns, in 1/131072.
    correction_non_pawn_weight: 12115, 2000..=30000;
    /// Correction: weight of the entries of each side's castle, in 1/131072; material only.
    correction_castle_weight: 8000, 0..=30000;
    /// Correction: weight of the entry of the pieces in hand, in 1/131072; material only.
    correction_hand_weight: 8000, 0..=30000;
    /// Correction: weight of the entries of the last moves, in 1/131072.
    correction_continuation_weight: 11933, 2000..=30000;
    /// Weight of all updates of the correction history, in 1/1024.
    correction_update_weight: 1069, 300..=2500;
    /// Weight of error times depth in updates with a best move, in 1/128.
    correction_update_best_move_weight: 12, 3..=40;
    /// Weight of error times depth in updates after a fail low, in 1/128.
    correction_update_fail_low_weight: 17, 3..=40;
    /// Weight of error times depth in updates after a multi-cut, in 1/128.
    correction_update_multi_cut_weight: 24, 0..=40;
    /// Weight of updates of the minor piece entry, in 1/128.
    correction_update_minor_piece_weight: 153, 40..=300;
    /// Weight of updates of the entries of each side's pieces other than pawns, in 1/128.
    correction_update_non_pawn_weight: 187, 40..=400;
    /// Weight of updates of the castle entries, in 1/128.
    correction_update_castle_weight: 160, 40..=400;
    /// Weight of updates of the entry after the move two plies ago, in 1/128.
    correction_update_two_plies_weight: 126, 30..=300;
    /// Weight of updates of the entry after the move four plies ago, in 1/128.
    correction_update_four_plies_weight: 63, 0..=200;

    /// Quiescence: a capture must bring the static evaluation to within this of alpha.
    quiescence_futility_margin: 224, 80..=700;
    /// Quiescence: after this many moves only recaptures and checks are tried.
    quiescence_max_moves: 2, 1..=10;
    /// Quiescence: moves may lose this much by SEE.
    quiescence_see_margin: 25, 0..=300;

    /// A new iteration starts only before this percentage of the planned time.
    time_new_iteration_percent: 78, 30..=100;
    /// Time added per recent change of the best move, in percent of the usual time.
    time_best_move_change_percent: 50, 0..=200;
    /// Time added per unit by which the value fell in the search, in permill of the usual time.
    time_falling_value_permill: 3, 0..=20;
    /// Time added per unit by which the value fell since the last move, in permill of the usual
    /// time.
    time_value_since_last_move_permill: 4, 0..=20;
    /// Least time where the value rose, in percent of the usual time.
    time_rising_value_percent: 60, 40..=100;
    /// Time where the best move has long been the same, in percent of the usual time.
    time_settled_move_percent: 80, 40..=100;
    /// A best move is easy if it takes at least this percentage of all nodes.
    time_easy_move_effort_percent: 95, 50..=100;
    /// Time for an easy move, in percent of the usual time.
    time_easy_move_percent: 45, 30..=100;
    /// Maximum time for a position, in percent of the optimum.
    time_factor_max_percent: 450, 100..=500;
}
