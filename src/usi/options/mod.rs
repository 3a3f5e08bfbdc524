//! The USI options: `option` lines, `setoption` and `getoption`, all from one table.
//!
//! A row of the table says how the setting is read and written; the default is the value in
//! [`Settings::default`]. To add an option, add the setting and one row.

mod kind;
mod table;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use thiserror::Error;

use super::command::parse_integer;
use crate::engine::Settings;
use crate::search::{Tunable, enable_tunables, tunables};
use crate::types::EnteringKingRule;
use crate::util::shorten;
pub use kind::Button;
use kind::{Kind, UsiOption};
use table::OPTIONS;

/// The effect of a `setoption`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The setting has the new value.
    Set,
    /// There is no such option. No error: GUIs send options of other engines too.
    Unknown,
    /// A button was pressed.
    Pressed(Button),
}

/// Why an option did not take the value of a `setoption`, and what it has instead.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// A number outside the range.
    #[error("{}, {used} is used", self.refusal())]
    OutOfRange {
        /// The option.
        name: &'static str,
        /// The value that was sent, shortened.
        found: String,
        /// Lower end of the range.
        least: i64,
        /// Upper end of the range.
        most: i64,
        /// The nearest value in the range, which is set.
        used: i64,
    },
    /// Text that the option cannot take.
    #[error("{}, {kept} is kept", self.refusal())]
    Invalid {
        /// The option.
        name: &'static str,
        /// The value that was sent, shortened; empty if there was none.
        found: String,
        /// The values that it can take.
        expected: String,
        /// Its value, which has not changed.
        kept: String,
    },
}

impl OptionError {
    /// What is wrong with the value, for programs that do not go on with another one.
    pub fn refusal(&self) -> String {
        match self {
            Self::OutOfRange {
                name,
                found,
                least,
                most,
                ..
            } => format!("\"{found}\" for option {name}, allowed are {least} to {most}"),
            Self::Invalid {
                name,
                found,
                expected,
                ..
            } => format!("\"{found}\" for option {name}, expected {expected}"),
        }
    }
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
            let number = option.number(text, range).map_err(invalid)?;
            set(settings, number.used);
            return number.outcome;
        }
        Kind::Tunable(tunable) => {
            let (least, most) = (*tunable.range.start(), *tunable.range.end());
            let range = least.into()..=most.into();
            let number = option.number(text, &range).map_err(invalid)?;
            tunable.set(number.used as i32);
            return number.outcome;
        }
        Kind::Rule { set, .. } => {
            let rule = text.parse().map_err(|_| invalid(rule_names().join(", ")))?;
            set(settings, rule);
        }
        Kind::Text { set, .. } => set(settings, text),
        Kind::Button(button) => return Ok(Change::Pressed(*button)),
    }
    Ok(Change::Set)
}

/// What the text of a number sets.
struct Number {
    /// The number, or the nearest one in the range.
    used: i64,
    outcome: Result<Change, OptionError>,
}

impl UsiOption {
    /// Reads a number.
    ///
    /// # Errors
    /// Says what was expected where the text is no number.
    fn number(&self, text: &str, range: &RangeInclusive<i64>) -> Result<Number, String> {
        let (&least, &most) = (range.start(), range.end());
        let expected = || format!("a number from {least} to {most}");
        let number = parse_integer(text).ok_or_else(expected)?;
        let used = number.clamp(least, most);
        let outcome = if used == number {
            Ok(Change::Set)
        } else {
            Err(OptionError::OutOfRange {
                name: self.name,
                found: shorten(text),
                least,
                most,
                used,
            })
        };
        Ok(Number { used, outcome })
    }

    fn value(&self, settings: &Settings) -> String {
        match self.kind {
            Kind::Check { get, .. } => get(settings).to_string(),
            Kind::Spin { get, .. } => get(settings).to_string(),
            Kind::Rule { get, .. } => get(settings).to_string(),
            Kind::Text { get, .. } => get(settings),
            Kind::Button(_) => "button".to_owned(),
            Kind::Tunable(tunable) => tunable.get().to_string(),
        }
    }

    fn line(&self, defaults: &Settings) -> String {
        let usi_type = match self.kind {
            Kind::Check { .. } => "check",
            Kind::Spin { .. } | Kind::Tunable(_) => "spin",
            Kind::Rule { .. } => "combo",
            Kind::Text { usi_type, .. } => usi_type,
            Kind::Button(_) => return format!("option name {} type button", self.name),
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
            Kind::Tunable(Tunable { range, .. }) => {
                let _ = write!(line, " min {} max {}", range.start(), range.end());
            }
            Kind::Check { .. } | Kind::Text { .. } | Kind::Button(_) => {}
        }
        line
    }
}

/// The options of the table and the numbers of the search, where these are offered.
static WITH_TUNABLES: OnceLock<Vec<UsiOption>> = OnceLock::new();

/// Makes every number of the search an option too, from now on and for the whole process. For
/// tuning only: users could but weaken the engine, whose search is slower too. Call it before a
/// search thread starts.
pub fn offer_tunables() {
    let tunable = |tunable: &'static Tunable| UsiOption {
        name: tunable.name,
        kind: Kind::Tunable(tunable),
    };
    enable_tunables();
    WITH_TUNABLES.get_or_init(|| {
        let ordinary = OPTIONS.iter().cloned();
        ordinary.chain(tunables::ALL.iter().map(tunable)).collect()
    });
}

fn options() -> &'static [UsiOption] {
    WITH_TUNABLES.get().map_or(OPTIONS, Vec::as_slice)
}

/// Case does not matter, for people at a terminal.
fn find(name: &str) -> Option<&'static UsiOption> {
    options()
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
}

fn rule_names() -> [&'static str; EnteringKingRule::ALL.len()] {
    EnteringKingRule::ALL.map(EnteringKingRule::name)
}
