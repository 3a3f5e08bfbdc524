//! The USI options: `option` lines, `setoption` and `getoption`, all from one table.
//!
//! A row of the table says how the setting is read and written; the default is the value in
//! [`Settings::default`]. To add an option, add the setting and one row.

use std::path::{Path, PathBuf};
use std::{fmt::Write as _, ops::RangeInclusive, sync::LazyLock, time::Duration};

use thiserror::Error;

use super::command::parse_integer;
use crate::search::{Skill, Tunable, tunables};
use crate::types::{Color, EnteringKingRule};
use crate::{engine::Settings, util::shorten};

/// The effect of a `setoption`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The setting has the new value.
    Set,
    /// There is no such option. No error: GUIs send options of other engines too.
    Unknown,
    /// `ClearHash`: the transposition table and all histories are to be cleared.
    ClearHash,
}

/// Why an option did not take the value of a `setoption`, and what it has instead.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{refusal}, {instead}")]
pub struct OptionError {
    /// What is wrong with the value, for programs that do not go on with another one.
    pub refusal: String,
    /// The value that the option has now.
    instead: String,
    /// Whether that is the number in the range that is nearest to the one that was sent.
    pub is_clamped: bool,
}

/// The `option …` lines of the answer to `usi`.
pub fn option_lines() -> impl Iterator<Item = String> {
    let defaults = Settings::default();
    options().iter().map(move |option| option.line(&defaults))
}

/// The current values as lines `Name = value`: of the named option, or of all options but buttons.
/// `None` if there is no such option.
pub fn current_values(settings: &Settings, name: Option<&str>) -> Option<String> {
    let options: Vec<_> = match name {
        Some(name) => vec![find(name)?],
        None => options().iter().filter(|option| !matches!(option.kind, Kind::ClearHash)).collect(),
    };
    let lines =
        options.iter().map(|option| format!("{} = {}", option.name, option.value(settings)));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Handles `setoption`. A number outside the range sets the nearest one; any other bad value
/// changes nothing.
///
/// # Errors
/// Says what is wrong and which value the option has now.
pub fn set_option(
    settings: &mut Settings,
    name: &str,
    value: Option<&str>,
) -> Result<Change, OptionError> {
    let Some(option) = find(name) else {
        return Ok(Change::Unknown);
    };
    let text = value.unwrap_or_default();
    let refused = |expected: String| OptionError {
        refusal: format!("{}, expected {expected}", option.quote(text)),
        instead: format!("{} is kept", option.value(settings)),
        is_clamped: false,
    };
    match &option.kind {
        Kind::Check { set, .. } => {
            let value = text.to_ascii_lowercase().parse();
            let value = value.map_err(|_| refused("true or false".to_owned()))?;
            set(settings, value);
        }
        Kind::Spin { set, .. } => {
            let (number, change) = option.number(text).map_err(refused)?;
            set(settings, number);
            return change;
        }
        Kind::Tunable(tunable) => {
            let (number, change) = option.number(text).map_err(refused)?;
            tunable.set(number as i32);
            return change;
        }
        Kind::Rule { set, .. } => {
            let rule = text.parse().map_err(|_| refused(rule_names().join(", ")))?;
            set(settings, rule);
        }
        Kind::Text { set, .. } => set(settings, text),
        Kind::ClearHash => return Ok(Change::ClearHash),
    }
    Ok(Change::Set)
}

impl UsiOption {
    /// The number of a text, or the nearest one in the range, and what is said about it.
    ///
    /// # Errors
    /// Says what was expected where the text is not a number.
    fn number(&self, text: &str) -> Result<(i64, Result<Change, OptionError>), String> {
        let (least, most) = self.range().unwrap_or_default();
        let expected = || format!("a number from {least} to {most}");
        let number = parse_integer(text).ok_or_else(expected)?;
        let used = number.clamp(least, most);
        if used == number {
            return Ok((used, Ok(Change::Set)));
        }
        let error = OptionError {
            refusal: format!("{}, allowed are {least} to {most}", self.quote(text)),
            instead: format!("{used} is used"),
            is_clamped: true,
        };
        Ok((used, Err(error)))
    }

    /// The least and the greatest number; `None` for an option of another type.
    fn range(&self) -> Option<(i64, i64)> {
        match &self.kind {
            Kind::Spin { range, .. } => Some(range.clone().into_inner()),
            Kind::Tunable(Tunable { range, .. }) => {
                Some(((*range.start()).into(), (*range.end()).into()))
            }
            _ => None,
        }
    }

    /// A value that was sent, for messages.
    fn quote(&self, text: &str) -> String {
        format!("\"{}\" for option {}", shorten(text), self.name)
    }

    fn value(&self, settings: &Settings) -> String {
        match self.kind {
            Kind::Check { get, .. } => get(settings).to_string(),
            Kind::Spin { get, .. } => get(settings).to_string(),
            Kind::Rule { get, .. } => get(settings).to_string(),
            Kind::Text { get, .. } => get(settings),
            Kind::ClearHash => "button".to_owned(),
            Kind::Tunable(tunable) => tunable.get().to_string(),
        }
    }

    fn line(&self, defaults: &Settings) -> String {
        let usi_type = match self.kind {
            Kind::Check { .. } => "check",
            Kind::Spin { .. } | Kind::Tunable(_) => "spin",
            Kind::Rule { .. } => "combo",
            Kind::Text { usi_type, .. } => usi_type,
            Kind::ClearHash => return format!("option name {} type button", self.name),
        };
        let mut line =
            format!("option name {} type {usi_type} default {}", self.name, self.value(defaults));
        if let Some((least, most)) = self.range() {
            let _ = write!(line, " min {least} max {most}");
        }
        if let Kind::Rule { .. } = self.kind {
            for name in rule_names() {
                let _ = write!(line, " var {name}");
            }
        }
        line
    }
}

/// The options of the table, and the numbers of the search that can be set.
fn options() -> &'static [UsiOption] {
    static ALL: LazyLock<Vec<UsiOption>> = LazyLock::new(|| {
        let tunable = |tunable: &'static Tunable| UsiOption {
            name: tunable.name,
            kind: Kind::Tunable(tunable),
        };
        let numbers = tunables::ALL.iter().map(tunable);
        OPTIONS.iter().cloned().chain(numbers).collect()
    });
    &ALL
}

/// Case does not matter, for people at a terminal.
fn find(name: &str) -> Option<&'static UsiOption> {
    let all = options().iter().chain(BY_COLOR);
    all.into_iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

fn rule_names() -> [&'static str; EnteringKingRule::ALL.len()] {
    EnteringKingRule::ALL.map(EnteringKingRule::name)
}

/// An option: its name and its values.
#[derive(Clone)]
struct UsiOption {
    /// Without spaces: GUIs cut the `option` line at them.
    name: &'static str,
    kind: Kind,
}

/// The values of an option, and how its setting is read and written.
#[derive(Clone)]
enum Kind {
    Check { get: fn(&Settings) -> bool, set: fn(&mut Settings, bool) },
    Spin { range: RangeInclusive<i64>, get: fn(&Settings) -> i64, set: fn(&mut Settings, i64) },
    Rule { get: fn(&Settings) -> EnteringKingRule, set: fn(&mut Settings, EnteringKingRule) },
    Text { usi_type: &'static str, get: fn(&Settings) -> String, set: fn(&mut Settings, &str) },
    ClearHash,
    Tunable(&'static Tunable),
}

// --- The table ---

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

/// Sets an option of each side at once, and shows that of Black.
macro_rules! both_sides {
    ($name:literal, $range:expr, $($field:ident).+) => {
        UsiOption {
            name: $name,
            kind: Kind::Spin {
                range: $range,
                get: |settings| settings.$($field).+[Color::Black as usize].into(),
                set: |settings, value| settings.$($field).+ = [value as i32; Color::NUM],
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

macro_rules! file {
    ($name:literal, $($field:ident).+) => {
        UsiOption {
            name: $name,
            kind: Kind::Text {
                usi_type: "filename",
                get: |settings| settings.$($field).+.to_string(),
                set: |settings, text| settings.$($field).+ = text.into(),
            },
        }
    };
}

/// Options of `YaneuraOu` with `BOOK_OPTIONS=V2`, which set one side of an option that is listed.
/// They are not: a GUI sends the value of each option that it knows, and would undo the other.
const BY_COLOR: &[UsiOption] = &[
    spin! { "BookEvalBlackDiff", 0..=99_999,
    book.options.value_differences[Color::Black as usize] as i32 },
    spin! { "BookEvalWhiteDiff", 0..=99_999,
    book.options.value_differences[Color::White as usize] as i32 },
    spin! { "BookDepthBlackLimit", 0..=99_999,
    book.options.depth_limits[Color::Black as usize] as i32 },
    spin! { "BookDepthWhiteLimit", 0..=99_999,
    book.options.depth_limits[Color::White as usize] as i32 },
];

/// All options that are listed, in the order in which people look for them: GUIs keep it. Names,
/// ranges and defaults are those of `YaneuraOu` where it has the option.
const OPTIONS: &[UsiOption] = &[
    // --- Strength and speed ---
    spin! { "Threads", 1..=512, search.threads as usize },
    spin! { "USI_Hash", 1..=33_554_432, search.hash_mb as usize },
    check! { "USI_Ponder", search.ponder },
    spin! { "MultiPV", 1..=600, search.multi_pv as usize },
    // --- A weaker opponent ---
    UsiOption {
        name: "SkillLevel",
        kind: Kind::Spin {
            range: 0..=Skill::HIGHEST_LEVEL as i64,
            get: |settings| settings.search.skill.level().into(),
            set: |settings, level| settings.search.skill = Skill::of_level(level as u32),
        },
    },
    check! { "LimitStrength", limits_strength },
    spin! { "Elo", Skill::LOWEST_RATING as i64..=Skill::HIGHEST_RATING as i64, rating as u32 },
    // --- Opening book, evaluation ---
    check! { "USI_OwnBook", book.is_on },
    file! { "BookFile", book.file },
    spin! { "BookMoves", 0..=10_000, book.options.max_ply as u32 },
    file! { "EvalFile", eval_file },
    path! { "EvalDir", eval_dir },
    // --- Time ---
    milliseconds! { "NetworkDelay", 0..=10_000, search.network_delay },
    milliseconds! { "NetworkDelay2", 0..=10_000, search.network_delay2 },
    milliseconds! { "MinimumThinkingTime", 1..=100_000, search.minimum_thinking_time },
    spin! { "SlowMover", 1..=1000, search.slow_mover as u32 },
    check! { "RoundUpToFullSecond", search.round_up_to_full_second },
    // --- Rules and results ---
    UsiOption {
        name: "EnteringKingRule",
        kind: Kind::Rule {
            get: |settings| settings.search.entering_king_rule,
            set: |settings, rule| settings.search.entering_king_rule = rule,
        },
    },
    spin! { "MaxMovesToDraw", 0..=100_000, search.max_moves_to_draw as u32 },
    spin! { "ResignValue", 0..=99_999, search.resign_value as i32 },
    spin! { "DrawValueBlack", -30_000..=30_000, search.draw_value[Color::Black as usize] as i32 },
    spin! { "DrawValueWhite", -30_000..=30_000, search.draw_value[Color::White as usize] as i32 },
    spin! { "HandicapContempt", 0..=200, search.handicap_contempt as i32 },
    // --- Analysis, mate problems ---
    check! { "ConsiderationMode", consideration_mode },
    milliseconds! { "PvInterval", 0..=LONGEST_MILLISECONDS, search.pv_interval },
    check! { "OutputFailLHPV", search.shows_bounds },
    spin! { "MateHash", 1..=33_554_432, mate_hash_mb as usize },
    check! { "MateShortest", mate_shortest },
    // --- The choice of book moves ---
    UsiOption {
        name: "BookDir",
        kind: Kind::Text {
            usi_type: "string",
            get: |settings| path_text(Some(&settings.book.dir)),
            set: |settings, text| settings.book.dir = path_of(text).unwrap_or_default(),
        },
    },
    spin! { "BookIgnoreRate", 0..=100, book.options.ignore_rate as u32 },
    both_sides! { "BookEvalDiff", 0..=99_999, book.options.value_differences },
    spin! { "BookEvalBlackLimit", -99_999..=99_999,
    book.options.value_limits[Color::Black as usize] as i32 },
    spin! { "BookEvalWhiteLimit", -99_999..=99_999,
    book.options.value_limits[Color::White as usize] as i32 },
    both_sides! { "BookDepthLimit", 0..=99_999, book.options.depth_limits },
    check! { "ConsiderBookMoveCount", book.options.considers_counts },
    check! { "NarrowBook", book.options.is_narrow },
    check! { "IgnoreBookPly", book.options.ignores_ply },
    check! { "FlippedBook", book.options.finds_flipped },
    check! { "BookOnTheFly", book.options.on_the_fly },
    spin! { "BookPvMoves", 1..=246, book.options.pv_moves as usize },
    spin! { "BookSeed", 0..=i64::MAX, book.options.seed as u64 },
    // --- For tests and experts ---
    UsiOption { name: "ClearHash", kind: Kind::ClearHash },
    spin! { "DepthLimit", 0..=i32::MAX as i64, depth_limit as u32 },
    spin! { "NodesLimit", 0..=i64::MAX, nodes_limit as u64 },
    spin! { "NodesTime", 0..=10_000, search.nodes_time as u64 },
    check! { "Stochastic_Ponder", stochastic_ponder },
    check! { "GenerateAllLegalMoves", search.generate_all_legal_moves },
    spin! { "FV_SCALE", 0..=128, fv_scale as u32 },
    path! { "DebugLogFile", debug_log_file },
];

fn path_text(path: Option<&Path>) -> String {
    let path = path.filter(|path| !path.as_os_str().is_empty());
    path.map_or(EMPTY.to_owned(), |path| path.display().to_string())
}

fn path_of(text: &str) -> Option<PathBuf> {
    Some(text).filter(|&path| path != EMPTY && !path.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(settings: &mut Settings, name: &str, value: &str) -> Result<Change, String> {
        set_option(settings, name, Some(value)).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_suit_clients_that_cut_at_single_spaces() {
        for line in option_lines() {
            let words: Vec<_> = line.split(' ').collect();
            let expected = ("option", "name", "type");
            assert_eq!((words[0], words[1], words[3]), expected, "{line}");
            assert!(words.iter().all(|word| !word.is_empty()), "{line}");
            assert!(words[4] == "button" || words[5] == "default", "{line}");
        }
        let has = |line: &str| option_lines().any(|listed| listed == line);
        for line in [
            "option name USI_Hash type spin default 256 min 1 max 33554432",
            "option name ClearHash type button",
            "option name EvalFile type filename default <embedded>",
            "option name EvalDir type string default <empty>",
            "option name BookFile type filename default <embedded>",
            "option name EnteringKingRule type combo default CSARule27 var NoEnteringKing \
             var CSARule24 var CSARule24H var CSARule27 var CSARule27H var TryRule",
        ] {
            assert!(has(line), "{line}");
        }
    }

    #[test]
    fn what_people_look_for_comes_first() {
        let lines: Vec<String> = option_lines().collect();
        let place = |name: &str| {
            let start = format!("option name {name} ");
            let place = lines.iter().position(|line| line.starts_with(&start));
            place.unwrap_or_else(|| panic!("{name} is not listed"))
        };
        let first = ["Threads", "USI_Hash", "USI_Ponder", "MultiPV", "SkillLevel"];
        assert_eq!(first.map(place), [0, 1, 2, 3, 4]);
        assert!(place("BookFile") < place("NetworkDelay"), "books before times");
        let last = ["BookSeed", "ClearHash", "DebugLogFile"].map(place);
        assert!(last.is_sorted() && last[0] > place("MateHash"), "{lines:#?}");
    }

    #[test]
    fn every_option_takes_its_own_default_and_ends_of_range() {
        let defaults = Settings::default();
        for option in OPTIONS {
            let mut settings = Settings::default();
            let outcome = set(&mut settings, option.name, &option.value(&defaults));
            let is_taken = matches!(outcome, Ok(Change::Set | Change::ClearHash));
            assert!(is_taken, "{}", option.name);
            assert_eq!(settings, defaults, "{}", option.name);
            if let Kind::Spin { range, .. } = &option.kind {
                for end in [range.start(), range.end()].map(ToString::to_string) {
                    let outcome = set(&mut settings, option.name, &end);
                    assert_eq!(outcome, Ok(Change::Set));
                    assert_eq!(option.value(&settings), end, "{}", option.name);
                }
            }
        }
    }

    #[test]
    fn values_reach_their_settings() {
        let mut settings = Settings::default();
        assert_eq!(set(&mut settings, "usi_hash", "17"), Ok(Change::Set));
        assert_eq!(set(&mut settings, "USI_Ponder", "True"), Ok(Change::Set));
        assert_eq!(set(&mut settings, "DrawValueWhite", "-50"), Ok(Change::Set));
        assert_eq!(set(&mut settings, "EnteringKingRule", "TryRule"), Ok(Change::Set));
        assert_eq!(set(&mut settings, "EvalDir", "my eval"), Ok(Change::Set));
        assert_eq!(settings.search.hash_mb, 17);
        assert!(settings.search.ponder);
        assert_eq!(settings.search.draw_value[Color::White as usize], -50);
        let expected = EnteringKingRule::TryRule;
        assert_eq!(settings.search.entering_king_rule, expected);
        let expected = Some("EvalDir = my eval".to_owned());
        assert_eq!(current_values(&settings, Some("EvalDir")), expected);
        assert_eq!(set(&mut settings, "SkillLevel", "3"), Ok(Change::Set));
        assert_eq!(settings.search.skill, Skill::of_level(3));
        assert_eq!(set(&mut settings, "BookDir", ""), Ok(Change::Set));
        let expected = Some("BookDir = <empty>".to_owned());
        assert_eq!(current_values(&settings, Some("BookDir")), expected);
        for empty in ["", "<empty>"] {
            assert_eq!(set(&mut settings, "DebugLogFile", "a b"), Ok(Change::Set));
            assert!(settings.debug_log_file.is_some());
            assert_eq!(set(&mut settings, "DebugLogFile", empty), Ok(Change::Set));
            assert_eq!(settings.debug_log_file, None);
        }
        assert_eq!(set(&mut settings, "ClearHash", ""), Ok(Change::ClearHash));
    }

    /// Names, ranges and defaults of `YaneuraOu`, which GUIs rely on.
    #[test]
    fn common_options_have_the_usual_name_range_and_default() {
        let lines: Vec<String> = option_lines().collect();
        for line in [
            "USI_Ponder type check default false",
            "Stochastic_Ponder type check default false",
            "MultiPV type spin default 1 min 1 max 600",
            "NetworkDelay type spin default 120 min 0 max 10000",
            "NetworkDelay2 type spin default 1120 min 0 max 10000",
            "MinimumThinkingTime type spin default 2000 min 1 max 100000",
            "SlowMover type spin default 100 min 1 max 1000",
            "RoundUpToFullSecond type check default true",
            "ResignValue type spin default 99999 min 0 max 99999",
            "MaxMovesToDraw type spin default 0 min 0 max 100000",
            "DrawValueBlack type spin default -2 min -30000 max 30000",
            "DrawValueWhite type spin default -2 min -30000 max 30000",
            "GenerateAllLegalMoves type check default false",
            "PvInterval type spin default 300 min 0 max 100000000",
            "ConsiderationMode type check default false",
            "OutputFailLHPV type check default true",
            "DepthLimit type spin default 0 min 0 max 2147483647",
            "NodesLimit type spin default 0 min 0 max 9223372036854775807",
            "DebugLogFile type string default <empty>",
            "SkillLevel type spin default 20 min 0 max 20",
            "USI_OwnBook type check default true",
            "BookMoves type spin default 16 min 0 max 10000",
            "BookIgnoreRate type spin default 0 min 0 max 100",
            "BookDir type string default book",
            "BookEvalDiff type spin default 30 min 0 max 99999",
            "BookEvalBlackLimit type spin default 0 min -99999 max 99999",
            "BookEvalWhiteLimit type spin default -140 min -99999 max 99999",
            "BookDepthLimit type spin default 16 min 0 max 99999",
            "BookOnTheFly type check default false",
            "ConsiderBookMoveCount type check default false",
            "NarrowBook type check default false",
            "IgnoreBookPly type check default false",
            "FlippedBook type check default true",
            "BookPvMoves type spin default 8 min 1 max 246",
            "NodesTime type spin default 0 min 0 max 10000",
        ] {
            let line = format!("option name {line}");
            assert!(lines.contains(&line), "{line} is missing in {lines:#?}");
        }
    }

    #[test]
    fn books_can_be_limited_by_color() {
        let mut settings = Settings::default();
        for (name, value) in
            [("BookEvalDiff", "50"), ("BookEvalWhiteDiff", "20"), ("BookDepthBlackLimit", "7")]
        {
            assert_eq!(set(&mut settings, name, value), Ok(Change::Set));
        }
        let options = &settings.book.options;
        assert_eq!(options.value_differences, [50, 20]);
        assert_eq!(options.depth_limits, [7, 16]);
        assert_eq!(set(&mut settings, "BookEvalDiff", "10"), Ok(Change::Set));
        assert_eq!(settings.book.options.value_differences, [10, 10]);
        assert!(option_lines().all(|line| !line.contains("BookEvalWhiteDiff")));
    }

    #[test]
    fn strange_values_are_refused_with_words() {
        let mut settings = Settings::default();
        let before = settings.clone();
        for (name, value) in [("Hash", "64"), ("Skill Level", "3"), ("", "")] {
            assert_eq!(set(&mut settings, name, value), Ok(Change::Unknown));
        }
        let found = set(&mut settings, "SlowMover", "fast").expect_err("a word");
        let expected = "for option SlowMover, expected a number from 1 to 1000, 100 is kept";
        assert_eq!(found, format!("\"fast\" {expected}"));
        let found = set_option(&mut settings, "USI_Ponder", None).expect_err("nothing");
        let expected = "\"\" for option USI_Ponder, expected true or false, false is kept";
        assert_eq!(found.to_string(), expected);
        let refusal = set_option(&mut settings, "SlowMover", Some("0.5")).map_err(|e| e.refusal);
        let expected = "\"0.5\" for option SlowMover, expected a number from 1 to 1000";
        assert_eq!(refusal, Err(expected.to_owned()));
        assert!(set(&mut settings, "EnteringKingRule", "Rule9").is_err());
        assert_eq!(settings, before);
        let large = "99999999999999999999";
        let found = set(&mut settings, "SlowMover", large).expect_err("too large");
        let expected = "for option SlowMover, allowed are 1 to 1000, 1000 is used";
        assert_eq!(found, format!("\"{large}\" {expected}"));
        assert_eq!(settings.search.slow_mover, 1000);
    }
}
