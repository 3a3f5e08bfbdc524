//! The table of all options: name, range, and the setting behind each. Names, ranges and defaults
//! are those of `YaneuraOu` where it has the option.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::kind::{Button, Kind, UsiOption};
use crate::engine::{BookFile, EvalFile};
use crate::search::Skill;
use crate::types::Color;

/// How USI writes an empty string option.
const EMPTY: &str = "<empty>";
/// Largest value of `PvInterval` in ms, as in `YaneuraOu`.
const LONGEST_MILLISECONDS: i64 = 100_000_000;

macro_rules! check {
    ($name:literal, $($field:ident).+) => {
        UsiOption {
            name: $name,
            kind: Kind::Check {
                get: |settings| settings.$($field).+,
                set: |settings, value| settings.$($field).+ = value,
            },
        }
    };
}

macro_rules! spin {
    ($name:literal, $range:expr, $($field:ident).+ $([$index:expr])? as $type:ty) => {
        UsiOption {
            name: $name,
            kind: Kind::Spin {
                range: $range,
                get: |settings| settings.$($field).+ $([$index])? as i64,
                set: |settings, value| settings.$($field).+ $([$index])? = value as $type,
            },
        }
    };
}

macro_rules! milliseconds {
    ($name:literal, $range:expr, $($field:ident).+) => {
        UsiOption {
            name: $name,
            kind: Kind::Spin {
                range: $range,
                get: |settings| settings.$($field).+.as_millis() as i64,
                set: |settings, value| settings.$($field).+ = Duration::from_millis(value as u64),
            },
        }
    };
}

macro_rules! path {
    ($name:literal, $($field:ident).+) => {
        UsiOption {
            name: $name,
            kind: Kind::Text {
                usi_type: "string",
                get: |settings| path_text(settings.$($field).+.as_deref()),
                set: |settings, text| settings.$($field).+ = path_of(text),
            },
        }
    };
}

pub(super) const OPTIONS: &[UsiOption] = &[
    spin!("USI_Hash", 1..=33_554_432, search.hash_mb as usize),
    check!("USI_Ponder", search.ponder),
    check!("Stochastic_Ponder", stochastic_ponder),
    spin!("Threads", 1..=512, search.threads as usize),
    spin!("MultiPV", 1..=600, search.multi_pv as usize),
    UsiOption {
        name: "ClearHash",
        kind: Kind::Button(Button::ClearHash),
    },
    // --- Limits ---
    spin!("DepthLimit", 0..=i32::MAX as i64, depth_limit as u32),
    spin!("NodesLimit", 0..=i64::MAX, nodes_limit as u64),
    UsiOption {
        name: "SkillLevel",
        kind: Kind::Spin {
            range: 0..=Skill::HIGHEST_LEVEL as i64,
            get: |settings| settings.search.skill.level().into(),
            set: |settings, level| settings.search.skill = Skill::of_level(level as u32),
        },
    },
    check!("LimitStrength", limits_strength),
    spin!(
        "Elo",
        Skill::LOWEST_RATING as i64..=Skill::HIGHEST_RATING as i64,
        rating as u32
    ),
    // --- Time ---
    milliseconds!("NetworkDelay", 0..=10_000, search.network_delay),
    milliseconds!("NetworkDelay2", 0..=10_000, search.network_delay2),
    milliseconds!(
        "MinimumThinkingTime",
        1..=100_000,
        search.minimum_thinking_time
    ),
    spin!("SlowMover", 1..=1000, search.slow_mover as u32),
    check!("RoundUpToFullSecond", search.round_up_to_full_second),
    spin!("NodesTime", 0..=10_000, search.nodes_time as u64),
    // --- Rules and results ---
    spin!(
        "MaxMovesToDraw",
        0..=100_000,
        search.max_moves_to_draw as u32
    ),
    spin!("ResignValue", 0..=99_999, search.resign_value as i32),
    spin!(
        "DrawValueBlack",
        -30_000..=30_000,
        search.draw_value[Color::Black as usize] as i32
    ),
    spin!(
        "DrawValueWhite",
        -30_000..=30_000,
        search.draw_value[Color::White as usize] as i32
    ),
    UsiOption {
        name: "EnteringKingRule",
        kind: Kind::Rule {
            get: |settings| settings.search.entering_king_rule,
            set: |settings, rule| settings.search.entering_king_rule = rule,
        },
    },
    check!("GenerateAllLegalMoves", search.generate_all_legal_moves),
    // --- Mate problems ---
    spin!("MateHash", 1..=33_554_432, mate_hash_mb as usize),
    check!("MateShortest", mate_shortest),
    // --- Output ---
    milliseconds!("PvInterval", 0..=LONGEST_MILLISECONDS, search.pv_interval),
    check!("ConsiderationMode", consideration_mode),
    check!("OutputFailLHPV", search.shows_bounds),
    path!("DebugLogFile", debug_log_file),
    // --- Evaluation ---
    UsiOption {
        name: "FV_SCALE",
        kind: Kind::Spin {
            range: 0..=128,
            get: |settings| settings.fv_scale.into(),
            set: |settings, value| settings.fv_scale = value as u32,
        },
    },
    UsiOption {
        name: "EvalFile",
        kind: Kind::Text {
            usi_type: "filename",
            get: |settings| settings.eval_file.to_string(),
            set: |settings, text| settings.eval_file = EvalFile::from(text),
        },
    },
    path!("EvalDir", eval_dir),
    // --- Opening books ---
    check!("USI_OwnBook", book.is_on),
    UsiOption {
        name: "BookFile",
        kind: Kind::Text {
            usi_type: "filename",
            get: |settings| settings.book.file.to_string(),
            set: |settings, text| settings.book.file = BookFile::from(text),
        },
    },
    UsiOption {
        name: "BookDir",
        kind: Kind::Text {
            usi_type: "string",
            get: |settings| path_text(Some(&settings.book.dir)),
            set: |settings, text| settings.book.dir = path_of(text).unwrap_or_default(),
        },
    },
    spin!("BookMoves", 0..=10_000, book.options.max_ply as u32),
    spin!("BookIgnoreRate", 0..=100, book.options.ignore_rate as u32),
    spin!(
        "BookEvalDiff",
        0..=99_999,
        book.options.value_difference as i32
    ),
    spin!(
        "BookEvalBlackLimit",
        -99_999..=99_999,
        book.options.value_limits[Color::Black as usize] as i32
    ),
    spin!(
        "BookEvalWhiteLimit",
        -99_999..=99_999,
        book.options.value_limits[Color::White as usize] as i32
    ),
    spin!(
        "BookDepthLimit",
        0..=99_999,
        book.options.depth_limit as i32
    ),
    check!("ConsiderBookMoveCount", book.options.considers_counts),
    check!("NarrowBook", book.options.is_narrow),
    check!("IgnoreBookPly", book.options.ignores_ply),
    check!("FlippedBook", book.options.finds_flipped),
    check!("BookOnTheFly", book.options.on_the_fly),
    spin!("BookPvMoves", 1..=246, book.options.pv_moves as usize),
    spin!("BookSeed", 0..=i64::MAX, book.options.seed as u64),
];

fn path_text(path: Option<&Path>) -> String {
    let path = path.filter(|path| !path.as_os_str().is_empty());
    path.map_or(EMPTY.to_owned(), |path| path.display().to_string())
}

fn path_of(text: &str) -> Option<PathBuf> {
    Some(text)
        .filter(|&path| path != EMPTY && !path.is_empty())
        .map(PathBuf::from)
}
