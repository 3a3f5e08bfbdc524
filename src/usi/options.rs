//! The options: each is declared once, in `OPTIONS`, so that the list, the handling and `getoption` cannot drift.
//!
//! A declaration says how to read and how to write the setting; its default is what [`Settings::default`] holds.
//! Names have no spaces, because GUIs cut the lines at them.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::PathBuf;
#[cfg(feature = "tune")]
use std::sync::LazyLock;
use std::time::Duration;

use thiserror::Error;

use super::command::parse_integer;
use crate::engine::{EvalFile, Settings};
#[cfg(feature = "tune")]
use crate::search::tunables::{self, Tunable};
use crate::types::{Color, EnteringKingRule};
use crate::util::shorten;

const EMPTY: &str = "<empty>";
const LONGEST_MILLISECONDS: i64 = 100_000_000;

/// One option.
#[cfg_attr(feature = "tune", derive(Clone))]
struct UsiOption {
    name: &'static str,
    kind: Kind,
}

/// What values an option has, and which setting it is.
#[cfg_attr(feature = "tune", derive(Clone))]
enum Kind {
    Check {
        get: fn(&Settings) -> bool,
        set: fn(&mut Settings, bool),
    },
    Spin {
        range: RangeInclusive<i64>,
        get: fn(&Settings) -> i64,
        set: fn(&mut Settings, i64),
    },
    Rule {
        get: fn(&Settings) -> EnteringKingRule,
        set: fn(&mut Settings, EnteringKingRule),
    },
    Text {
        usi_type: &'static str,
        get: fn(&Settings) -> String,
        set: fn(&mut Settings, &str),
    },
    Button(Button),
    #[cfg(feature = "tune")]
    Tunable(&'static Tunable),
}

/// What a button does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Button {
    /// Forgets everything the search has learnt.
    ClearHash,
}

/// What has come of a `setoption`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The setting has the new value.
    Set,
    /// There is no such option: GUIs and bridges send names of other engines.
    Unknown,
    /// A button was pressed.
    Pressed(Button),
}

/// Why an option did not get the value that was asked for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// A number, but outside of the range.
    #[error("\"{found}\" for option {name}, allowed are {least} to {most}, {used} is used")]
    OutOfRange {
        /// The option.
        name: &'static str,
        /// The text that was sent.
        found: String,
        /// The range.
        least: i64,
        /// The range.
        most: i64,
        /// The end of the range that is nearer.
        used: i64,
    },
    /// Text that is no value of the option.
    #[error("\"{found}\" for option {name}, expected {expected}, {kept} is kept")]
    Invalid {
        /// The option.
        name: &'static str,
        /// The text that was sent, empty where there was none.
        found: String,
        /// The values that there are.
        expected: String,
        /// The value that the option still has.
        kept: String,
    },
}

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

const OPTIONS: &[UsiOption] = &[
    spin!("USI_Hash", 1..=33_554_432, search.hash_mb as usize),
    check!("USI_Ponder", search.ponder),
    spin!("Threads", 1..=512, search.threads as usize),
    spin!("MultiPV", 1..=600, search.multi_pv as usize),
    UsiOption {
        name: "ClearHash",
        kind: Kind::Button(Button::ClearHash),
    },
    milliseconds!("NetworkDelay", 0..=10_000, search.network_delay),
    milliseconds!("NetworkDelay2", 0..=10_000, search.network_delay2),
    milliseconds!(
        "MinimumThinkingTime",
        1..=100_000,
        search.minimum_thinking_time
    ),
    spin!("SlowMover", 1..=1000, search.slow_mover as u32),
    check!("RoundUpToFullSecond", search.round_up_to_full_second),
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
    spin!("MateHash", 1..=33_554_432, mate_hash_mb as usize),
    check!("MateShortest", mate_shortest),
    check!("GenerateAllLegalMoves", search.generate_all_legal_moves),
    milliseconds!("PvInterval", 0..=LONGEST_MILLISECONDS, search.pv_interval),
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
    UsiOption {
        name: "EvalDir",
        kind: Kind::Text {
            usi_type: "string",
            get: |settings| {
                settings
                    .eval_dir
                    .as_ref()
                    .map_or(EMPTY.to_owned(), |dir| dir.display().to_string())
            },
            set: |settings, text| {
                settings.eval_dir = Some(text)
                    .filter(|&dir| dir != EMPTY && !dir.is_empty())
                    .map(PathBuf::from);
            },
        },
    },
];

/// The `option …` lines of the answer to `usi`.
pub fn option_lines() -> impl Iterator<Item = String> {
    let defaults = Settings::default();
    options().iter().map(move |option| option.line(&defaults))
}

/// The current values as `Name = value`: of the named option, or of all. `None` if there is no such option.
pub fn current_values(settings: &Settings, name: Option<&str>) -> Option<String> {
    let options: Vec<_> = match name {
        Some(name) => vec![find(name)?],
        None => options()
            .iter()
            .filter(|option| !matches!(option.kind, Kind::Button(_)))
            .collect(),
    };
    let lines = options
        .iter()
        .map(|option| format!("{} = {}", option.name, option.value(settings)));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Handles `setoption`. A value that an option cannot take leaves it as it was, or at the end of its range.
///
/// # Errors
/// Says what was wrong and which value the option has now.
pub fn set_option(
    settings: &mut Settings,
    name: &str,
    value: Option<&str>,
) -> Result<Change, OptionError> {
    let Some(option) = find(name) else {
        return Ok(Change::Unknown);
    };
    let text = value.unwrap_or_default();
    let invalid = |expected: String| OptionError::Invalid {
        name: option.name,
        found: shorten(text),
        expected,
        kept: option.value(settings),
    };
    match &option.kind {
        Kind::Check { set, .. } => {
            let value = text
                .to_ascii_lowercase()
                .parse()
                .map_err(|_| invalid("true or false".to_owned()))?;
            set(settings, value);
        }
        Kind::Spin { range, set, .. } => {
            let (&least, &most) = (range.start(), range.end());
            let expected = || invalid(format!("a number from {least} to {most}"));
            let number = parse_integer(text).ok_or_else(expected)?;
            let used = number.clamp(least, most);
            set(settings, used);
            if used != number {
                return Err(OptionError::OutOfRange {
                    name: option.name,
                    found: shorten(text),
                    least,
                    most,
                    used,
                });
            }
        }
        Kind::Rule { set, .. } => {
            let rule = text.parse().map_err(|_| invalid(rule_names().join(", ")))?;
            set(settings, rule);
        }
        Kind::Text { set, .. } => set(settings, text),
        Kind::Button(button) => return Ok(Change::Pressed(*button)),
        #[cfg(feature = "tune")]
        Kind::Tunable(tunable) => {
            let value: i32 = text.parse().map_err(|_| invalid("a number".to_owned()))?;
            (tunable.set)(value.clamp(*tunable.range.start(), *tunable.range.end()));
        }
    }
    Ok(Change::Set)
}

impl UsiOption {
    fn value(&self, settings: &Settings) -> String {
        match self.kind {
            Kind::Check { get, .. } => get(settings).to_string(),
            Kind::Spin { get, .. } => get(settings).to_string(),
            Kind::Rule { get, .. } => get(settings).to_string(),
            Kind::Text { get, .. } => get(settings),
            Kind::Button(_) => "button".to_owned(),
            #[cfg(feature = "tune")]
            Kind::Tunable(tunable) => (tunable.get)().to_string(),
        }
    }

    fn line(&self, defaults: &Settings) -> String {
        let usi_type = match self.kind {
            Kind::Check { .. } => "check",
            Kind::Spin { .. } => "spin",
            Kind::Rule { .. } => "combo",
            Kind::Text { usi_type, .. } => usi_type,
            Kind::Button(_) => return format!("option name {} type button", self.name),
            #[cfg(feature = "tune")]
            Kind::Tunable(_) => "spin",
        };
        let mut line = format!(
            "option name {} type {usi_type} default {}",
            self.name,
            self.value(defaults)
        );
        match &self.kind {
            Kind::Spin { range, .. } => {
                let _ = write!(line, " min {} max {}", range.start(), range.end());
            }
            Kind::Rule { .. } => {
                for name in rule_names() {
                    let _ = write!(line, " var {name}");
                }
            }
            #[cfg(feature = "tune")]
            Kind::Tunable(Tunable { range, .. }) => {
                let _ = write!(line, " min {} max {}", range.start(), range.end());
            }
            Kind::Check { .. } | Kind::Text { .. } | Kind::Button(_) => {}
        }
        line
    }
}

/// All options.
#[cfg(not(feature = "tune"))]
fn options() -> &'static [UsiOption] {
    OPTIONS
}

/// All options, and the numbers of the search.
#[cfg(feature = "tune")]
fn options() -> &'static [UsiOption] {
    static ALL: LazyLock<Vec<UsiOption>> = LazyLock::new(|| {
        let tunable = |tunable: &'static Tunable| UsiOption {
            name: tunable.name,
            kind: Kind::Tunable(tunable),
        };
        let ordinary = OPTIONS.iter().cloned();
        ordinary.chain(tunables::ALL.iter().map(tunable)).collect()
    });
    &ALL
}

/// GUIs write names as we list them; people at a terminal may not.
fn find(name: &str) -> Option<&'static UsiOption> {
    options()
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
}

fn rule_names() -> [&'static str; EnteringKingRule::ALL.len()] {
    EnteringKingRule::ALL.map(EnteringKingRule::name)
}
