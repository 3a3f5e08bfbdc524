//! The USI options: `option` lines, `setoption` and `getoption`, all from one table.
//!
//! A row of the table says how the setting is read and written; the default is the value in
//! [`Settings::default`]. To add an option, add the setting and one row.

mod kind;
mod table;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
#[cfg(feature = "tune")]
use std::sync::LazyLock;

use thiserror::Error;

use super::command::parse_integer;
use crate::engine::Settings;
#[cfg(feature = "tune")]
use crate::search::tunables::{self, Tunable};
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

/// Why an option did not take the value of a `setoption`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// A number outside the range.
    #[error("\"{found}\" for option {name}, allowed are {least} to {most}, {used} is used")]
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
    #[error("\"{found}\" for option {name}, expected {expected}, {kept} is kept")]
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

/// The options of the table.
#[cfg(not(feature = "tune"))]
fn options() -> &'static [UsiOption] {
    OPTIONS
}

/// The options of the table, and the tunable parameters of the search.
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

/// Case does not matter, for people at a terminal.
fn find(name: &str) -> Option<&'static UsiOption> {
    options()
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
}

fn rule_names() -> [&'static str; EnteringKingRule::ALL.len()] {
    EnteringKingRule::ALL.map(EnteringKingRule::name)
}
